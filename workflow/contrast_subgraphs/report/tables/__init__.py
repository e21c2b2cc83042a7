"""The tables: one module each, from files of the run to CSV, Markdown and LaTeX."""
