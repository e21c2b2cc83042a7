"""How many pairs truly differ: is the bound valid, and does it say anything of real sets?

    python -m benchmarks.true_pairs [--sets 500] [--effects 0 0.8 1.2]
    python -m benchmarks.true_pairs --published ARCHIVE

Simulated: 30 regions, 20 and 20 people whose regions differ in how connected they are, no pair or
all pairs of 10 regions differ; the bound is looked at in the planted set, in all pairs and in sets
of the pairs with the smallest p, which these data choose. A study counts as wrong if one of them is
too large. Published: the bounds inside the sets of the four cohorts. Next to them: for which sums
of truncated squares (Vesely, Finos and Goeman, 2023) the set, together with the pairs outside it
that show nothing, is beyond chance. Where it is not, the bound by that sum is 0.
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "workflow"))

from contrast_subgraphs import permutation_test, true_pairs, two_groups  # noqa: E402

from .inference import published  # noqa: E402

REGIONS, PLANTED, PEOPLE = 30, 10, 40
PERCENTILES = (70, 80, 90, 95)
#: Squares of t beyond these are summed.
CUTS = (0.0, 1.0, 2.0, 3.0)


def simulated(count, effect):
    """Return the share of studies with a bound that is too large, and the median in the set."""
    first, second = np.triu_indices(REGIONS, 1)
    y = np.repeat(["a", "b"], PEOPLE // 2)
    planted = (first < PLANTED) & (second < PLANTED) & (effect > 0)
    wrong = 0
    told = []
    for seed in range(count):
        rng = np.random.default_rng([seed, round(100 * effect)])
        own = rng.normal(0, 0.7, size=(PEOPLE, REGIONS))
        graphs = own[:, first] + own[:, second] + rng.normal(size=(PEOPLE, len(first)))
        graphs[: PEOPLE // 2, planted] += effect
        found = true_pairs(graphs, y, n_permutations=199, random_state=seed)
        order = np.argsort(found.p[0])
        sets = [np.arange(REGIONS), np.arange(PLANTED)]
        for few in (3, 6, 12, 24, 48):
            sets.append(np.unique([first[order[:few]], second[order[:few]]]))
        too_large = False
        for nodes in sets:
            member = np.isin(np.arange(REGIONS), nodes)
            truth = (planted & member[first] & member[second]).sum()
            too_large |= found.at_least(nodes, "a-b") > truth
        wrong += too_large
        told.append(found.at_least(np.arange(PLANTED), "a-b"))
    return wrong / count, np.median(told)


def sums_could(t, inside):
    """Return the cuts at which a set with what shows nothing outside it is beyond chance.

    `t` (n_draws, n_pairs): the observed ones first.
    """
    could = []
    for cut in CUTS:
        rest = ~inside & (t[0] <= cut)
        some = np.maximum(t[:, inside | rest] - cut, 0.0) ** 2
        total = some.sum(axis=1)
        if (total >= total[0]).mean() <= 0.05:
            could.append(cut)
    return could


def cohort(name, graphs):
    """Print the bounds inside the sets of a cohort."""
    design = two_groups(graphs.labels, labels=graphs.groups, subjects=graphs.subject, name=name)
    started = time.process_time()
    found = true_pairs(graphs.weights, design)
    seconds = time.process_time() - started
    test = permutation_test(
        graphs.weights,
        design,
        percentiles=PERCENTILES,
        hold="observed",
        n_permutations=1,
        solver="search",
    )
    statistic = design.statistic(graphs.weights, "t")
    rows = [statistic.values(design.observed())]
    rows += [statistic.values(design.random(start, start + 50)) for start in range(0, 500, 50)]
    t = np.concatenate(rows)
    for place, contrast in enumerate(design.contrasts[:2]):
        sign = 1 - 2 * place
        said = []
        for nodes in test.nodes[place]:
            inside = np.isin(statistic.pairs, nodes).all(axis=1)
            bound = found.at_least(nodes, contrast)
            said.append(f"{bound} of {inside.sum()} (sums: {sums_could(sign * t, inside) or 0})")
        whole = found.at_least(None, contrast)
        print(f"{name} {contrast}: {'; '.join(said)}; all {whole}; {seconds:.1f} CPU s", flush=True)


def main():
    """Print what is simulated, or the bounds of the published graphs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", type=int, default=500)
    parser.add_argument("--effects", type=float, nargs="+", default=(0.0, 0.8, 1.2))
    parser.add_argument("--published", metavar="ARCHIVE")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.published:
        for name, graphs, _ in published(arguments.published):
            cohort(name, graphs)
        return
    for effect in arguments.effects:
        wrong, told = simulated(arguments.sets, effect)
        print(f"effect {effect}: too large in {wrong:.3f}; median in the set {told:.0f} of 45")


if __name__ == "__main__":
    main()
