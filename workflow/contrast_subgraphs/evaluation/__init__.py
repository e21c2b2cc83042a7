"""Stage evaluation: how well each method tells the groups apart, with its controls."""
