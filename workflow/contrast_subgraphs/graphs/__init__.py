"""Stage graphs: one graph per subject, and the cohorts."""
