"""Stage graphs: one graph a subject, and the cohorts."""
