"""Benchmarks: each prints a table with ratios against a reference in the same run."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The package of this checkout, whether or not one is installed.
sys.path.insert(0, str(ROOT / "workflow"))
