"""Stage report: tables, figures and the page."""
