"""Benchmarks: each prints a table with ratios against a reference in the same run."""
