"""Power of the contrast-subgraph test beside NBS, max-T and FDR, on simulated networks.

    python -m benchmarks.power [--sets 60] [--null-sets 500] [--cores 2] [--output docs/power]

Writes <output>.csv and <output>.png. Networks of 30 regions; each person's regions differ
in how connected they are, so that edges of a region go together. In one group the pairs
within a planted set of regions have higher odds. All tests see the same 59 permutations;
a test finds something if its p, corrected within the contrast, is at most 0.05. Without an
effect there are two designs: one population, and two sites of unequal mix of the groups
whose networks differ (permuted within sites).
"""

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits
from tqdm import tqdm

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "workflow"))

from contrast_subgraphs.core.processes import mapped  # noqa: E402
from contrast_subgraphs.inference import edge_tests, permutation_test  # noqa: E402

REGIONS, PERMUTATIONS, PERCENTILES = 30, 59, (75, 90)
#: Odds of an edge, and how much a person's regions and the sites differ, on the log scale.
BASE, SPREAD, SITE = -1.2, 0.5, 0.8
#: What is varied, about this design.
DESIGN = {"effect": 0.6, "planted": 8, "people": 30}
VARIED = {
    "effect": (0.0, 0.3, 0.6, 0.9, 1.2),
    "planted": (3, 5, 8, 12, 16),
    "people": (15, 30, 60),
}
TESTS = {
    "contrast": "Contrast subgraph",
    "nbs": "NBS, t ≥ 3.1",
    "nbs2": "NBS, t ≥ 2",
    "max-t": "max-T",
    "fdr": "FDR",
}


def networks(rng, effect, planted, people, sites=False):
    """Graphs of two groups of this many people (one number or two), y, and sites or None."""
    y = np.repeat([0, 1], people)
    n = len(y)
    site = (rng.random(n) < np.where(y == 0, 0.25, 0.75)).astype(int)
    own = rng.normal(0, SPREAD, size=(n, REGIONS))
    odds = BASE + own[:, :, None] + own[:, None, :]
    odds[y == 0, :planted, :planted] += effect
    if sites:
        odds[site == 1, -10:, -10:] += SITE
    upper = np.triu(rng.random(odds.shape) < 1 / (1 + np.exp(-odds)), 1).astype(np.uint8)
    return upper + upper.transpose(0, 2, 1), y, site if sites else None


def p_values(job):
    """Corrected p of each test on one data set, in the direction of the planted set."""
    number, design = job
    rng = np.random.default_rng([number, *(int(1000 * value) for value in design.values())])
    graphs, y, site = networks(rng, **design)
    options = {"blocks": site, "n_permutations": PERMUTATIONS, "random_state": number}
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = permutation_test(graphs, y, percentiles=PERCENTILES, solver="search", **options)
        found = edge_tests(graphs, y, thresholds=[3.1, 2.0], **options)
    nbs = {"nbs": 3.1, "nbs2": 2.0}
    p = {name: found.of("0-1", "nbs-extent", value).pvalue for name, value in nbs.items()}
    p |= {test: found.of("0-1", test).pvalue for test in ("max-t", "fdr")}
    return p | {"contrast": float(ours.p_contrast().p[0].min())}


def study(sets, null_sets, cores):
    """Share of data sets in which each test finds something, for each design."""
    designs = [
        ("none", {"effect": 0.0, "planted": 8, "people": 30, "sites": sites}, null_sets)
        for sites in (False, True)
    ]
    for name, values in VARIED.items():
        for value in values:
            if DESIGN | {name: value} != DESIGN and not (name == "effect" and value == 0):
                designs.append((name, DESIGN | {name: value, "sites": False}, sets))
    designs.append(("all", DESIGN | {"sites": False}, sets))
    jobs = [(k, design) for _, design, count in designs for k in range(count)]
    found = iter(tqdm(mapped(p_values, jobs, cores), total=len(jobs)))
    rows = []
    for name, design, count in designs:
        p = pd.DataFrame([next(found) for _ in range(count)])
        for test in TESTS:
            share = float((p[test] <= 0.05).mean())
            rows.append({"varied": name, **design, "test": test, "sets": count, "found": share})
    return pd.DataFrame(rows)


def draw(table, path):
    """Power over each thing that is varied, a line a test."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    labels = {
        "effect": "Log odds of the planted pairs",
        "planted": "Planted regions (of 30)",
        "people": "People in each group",
    }
    colours = ["#1f5fa8", "#a4540a", "#f0902b", "#12705d", "#8a8a8a"]
    figure, panels = plt.subplots(1, 3, figsize=(9, 3), sharey=True, layout="constrained")
    for axes, name in zip(panels, VARIED, strict=True):
        here = table[~table["sites"] & table["varied"].isin([name, "all"])]
        if name == "effect":
            here = pd.concat([here, table[(table["varied"] == "none") & ~table["sites"]]])
        here = here.sort_values(name)
        for (test, label), colour in zip(TESTS.items(), colours, strict=True):
            rows = here[here["test"] == test]
            axes.plot(rows[name], rows["found"], ".-", label=label, color=colour)
        axes.axhline(0.05, color="#bbbbbb", linewidth=0.7)
        axes.set(xlabel=labels[name], ylim=(-0.02, 1.02))
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("Share of data sets with p ≤ 0.05")
    panels[0].legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=150, metadata={"Software": None})


def main():
    """Run the study, write its table and its figure."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", type=int, default=60)
    parser.add_argument("--null-sets", type=int, default=500)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--output", default=str(ROOT / "docs" / "power"))
    arguments = parser.parse_args()
    table = study(arguments.sets, arguments.null_sets, arguments.cores)
    table.to_csv(f"{arguments.output}.csv", index=False, lineterminator="\n")
    draw(table, f"{arguments.output}.png")
    print(table.pivot_table("found", ["varied", *DESIGN, "sites", "sets"], "test", sort=False))


if __name__ == "__main__":
    main()
