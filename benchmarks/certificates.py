"""Certificates of the paper's 96 instances: write them, and check them without the solver.

    python -m benchmarks.certificates [--every 10] [--folder certificates]

Needs the authors' published graphs, as `benchmarks.solver` does. The certificates can be
checked again by anybody: ``python checker.py certificates/*.json`` with
``workflow/contrast_subgraphs/contrast/proof/checker.py``, which needs nothing but Python.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from contrast_subgraphs.contrast import sweep
from contrast_subgraphs.contrast.proof.certificate import certify
from contrast_subgraphs.contrast.proof.checker import check
from contrast_subgraphs.core.atomic_files import save_json
from tqdm import tqdm

from benchmarks.solver import ARCHIVE, PERCENTILES, difference_graphs, timed


def main():
    """Write and check the certificates; print how long each takes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--every", type=int, default=1, help="only every n-th instance")
    parser.add_argument("--folder", type=Path, default=Path("certificates"))
    options = parser.parse_args()
    instances = [
        (key, weights, percentile)
        for key, weights in difference_graphs(ARCHIVE).items()
        for percentile in PERCENTILES
    ][:: options.every]
    made, checked, sizes = [], [], []
    for (cohort, contrast), weights, percentile in tqdm(instances):
        (solution,) = sweep(weights, percentiles=percentile)
        seconds, certificate = timed(certify, weights, solution)
        made.append(seconds)
        path = options.folder / f"{cohort}-{contrast}-{percentile}.json"
        save_json(path, certificate)
        sizes.append(path.stat().st_size / 1e6)
        seconds, value = timed(check, json.loads(path.read_text(encoding="utf-8")))
        checked.append(seconds)
        if abs(float(value) - solution.objective) > 1e-9:
            raise SystemExit(f"{path}: {float(value)} is not {solution.objective}")
    print(f"{len(instances)} certificates, all checked (CPU seconds, MB)")
    for name, numbers in (("made", made), ("checked", checked), ("size", sizes)):
        print(f"{name}: median {np.median(numbers):.2g}, most {max(numbers):.2g}, "
              f"sum {sum(numbers):.3g}")  # fmt: skip


if __name__ == "__main__":
    main()
