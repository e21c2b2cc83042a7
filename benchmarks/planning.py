"""Is what a pilot says about more people what more people show? On the published graphs of Male.

    python -m benchmarks.planning ARCHIVE [--pilots 8] [--size 200] [--more 400]
    python -m benchmarks.planning ARCHIVE --scores 16   does the interval of the pilot's p cover?

Pilots are drawn from the cohort, and each says with which probability 400 people, and all of them,
would find a set, and 400 confirm its own. What other samples of 400 and the whole cohort show is
next to it; a set is confirmed in people who are not of the pilot.
"""

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "workflow"))

from contrast_subgraphs import confirm, permutation_test, plan, two_groups  # noqa: E402
from contrast_subgraphs.contrast.alpha import Penalties  # noqa: E402
from contrast_subgraphs.inference import FixedSet  # noqa: E402
from contrast_subgraphs.inference.plan import PERMUTATIONS as RELABELLINGS  # noqa: E402
from contrast_subgraphs.inference.plan import p_and_score  # noqa: E402
from scipy import stats  # noqa: E402

from .inference import published  # noqa: E402

PERCENTILE = 80
PERMUTATIONS = 199


def sample(rng, y, size, among=None):
    """Return a sample of people with the cohort's share of both groups."""
    chosen = []
    for group in np.unique(y):
        there = np.flatnonzero(y == group)
        if among is not None:
            there = np.intersect1d(there, among)
        count = round(size * np.mean(y == group))
        chosen.append(rng.choice(there, count, replace=False))
    return np.sort(np.concatenate(chosen))


def of_pilot(rng, graphs, y, arguments, number):
    """Return what a pilot predicts, and whether others confirm its set."""
    pilot = sample(rng, y, arguments.size)
    options = {"labels": sorted(set(y), reverse=True), "random_state": number}
    planned = plan(graphs[pilot], y[pilot], percentiles=PERCENTILE, n_parts=1, **options)
    more = arguments.more
    row = {
        "score": planned.score,
        "d": planned.confirm.d,
        "find": [float(part) for part in planned.power_to_discover(more)],
        "find all": [float(part) for part in planned.power_to_discover(len(y))],
        "confirm": float(planned.power_to_confirm(more)),
    }
    test = permutation_test(
        graphs[pilot],
        y[pilot],
        percentiles=PERCENTILE,
        n_permutations=1,
        solver="search",
        **options,
    )
    names = [f"R{k}" for k in range(116)]
    rest = np.setdiff1d(np.arange(len(y)), pilot)
    hits = []
    for _ in range(5):
        others = sample(rng, y, more, rest)
        claim = FixedSet("pilot", [names[k] for k in test.nodes[0][0]], test.contrasts[0])
        found = confirm(
            graphs[others], y[others], claim, regions=names, n_permutations=PERMUTATIONS, **options
        )
        hits.append(found.pvalue[0] <= 0.05)
    return row | {"confirmed": float(np.mean(hits))}


def seen(rng, graphs, y, size, count):
    """Return the p of samples of some size."""
    found = []
    for number in range(count):
        some = sample(rng, y, size)
        test = permutation_test(
            graphs[some],
            y[some],
            percentiles=PERCENTILE,
            n_permutations=PERMUTATIONS,
            solver="search",
            random_state=number,
        )
        found.append(test.pvalue.min())
    return np.array(found)


def scores(graphs, y, size, count):
    """Return the normal scores of the p of samples of some size, as `plan` has them."""
    found = []
    for number in range(count):
        some = sample(np.random.default_rng([number, size]), y, size)
        design = two_groups(y[some], random_state=number)
        everybody = np.ones(len(some), dtype=bool)
        statistic = design.statistic(graphs[some])
        given = Penalties.of(PERCENTILE)
        found.append(p_and_score(statistic, given, RELABELLINGS, everybody)[1])
    return np.array(found)


def coverage_of_scores(graphs, y, size, more, count):
    """Print how often the interval of a pilot's score holds what larger samples show.

    The rule says that the mean score grows with the square root of the number of people, and that a
    pilot's score has a standard deviation of 1 about it.
    """
    pilots = scores(graphs, y, size, count)
    larger = scores(graphs, y, more, count)
    every = scores(graphs, y, len(y), 1)
    true = larger.mean() / np.sqrt(more / size)
    half = stats.norm.ppf(0.975)
    critical = stats.norm.ppf(0.95)
    print(f"{size} people: scores {np.sort(pilots).round(1).tolist()}")
    print(f"{more} people: scores {np.sort(larger).round(1).tolist()}, all people {every.round(1)}")
    print(f"mean {pilots.mean():.2f}, sd {pilots.std(ddof=1):.2f}; larger samples say {true:.2f}")
    print(f"in {np.mean(np.abs(pilots - true) <= half):.2f} of {count} intervals")
    for people in (more, len(y)):
        growth = np.sqrt(people / size)
        found, low, high = (
            stats.norm.cdf((pilots + shift) * growth - critical) for shift in (0, -half, half)
        )
        print(
            f"{people} people find a set: mean {found.mean():.2f}, median {np.median(found):.2f}, "
            f"{found.min():.2f} to {found.max():.2f}; the median interval {np.median(low):.2f} to "
            f"{np.median(high):.2f}"
        )
    print(f"seen in {size}: {np.mean(pilots >= critical):.2f}, in {more}: ", end="")
    print(f"{np.mean(larger >= critical):.2f} of {count}", flush=True)


def main():
    """Print what pilots predict next to what is seen."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("archive")
    parser.add_argument("--pilots", type=int, default=8)
    parser.add_argument("--scores", type=int, help="only how often the interval of p covers")
    parser.add_argument("--size", type=int, default=200)
    parser.add_argument("--more", type=int, default=400)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    [graphs] = [one for name, one, _ in published(arguments.archive) if name == "male"]
    y = graphs.labels
    graphs = graphs.weights
    if arguments.scores:
        coverage_of_scores(graphs, y, arguments.size, arguments.more, arguments.scores)
        return
    rng = np.random.default_rng(9)
    for size in (arguments.size, arguments.more, len(y)):
        p = seen(rng, graphs, y, size, 1 if size == len(y) else 2 * arguments.pilots)
        print(f"{size} people: p <= .05 in {np.mean(p <= 0.05):.2f} of {len(p)}", flush=True)
    rows = []
    for number in range(arguments.pilots):
        rows.append(of_pilot(rng, graphs, y, arguments, number))
        print(rows[-1], flush=True)
    for key in ("score", "d", "confirm", "confirmed"):
        values = [row[key] for row in rows]
        print(f"{key}: mean {np.mean(values):.2f}, median {np.median(values):.2f}")
    for key in ("find", "find all"):
        values = np.array([row[key] for row in rows])
        print(f"{key}: mean {values.mean(axis=0).round(2)}, median {np.median(values, axis=0)}")


if __name__ == "__main__":
    main()
