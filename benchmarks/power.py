"""Power of the contrast-subgraph test beside NBS, max-T and FDR, on simulated networks.

    python -m benchmarks.power [--sets 200] [--cores 1] [--output docs/power] [SCENARIO ...]

Writes <output>.csv and <output>.png; with scenarios, parts of their names, the rows of these anew.
Networks of 30 regions, 30 people in each group; each person's regions differ in how connected they
are, so that edges of a region go together. In one group some pairs have higher odds: those inside a
set, of a hub, a few edges, inside two sets, between two sets, inside a large set by little; or
inside a set, where people are also more or less of three modes over all pairs ("person-level
modes"). All tests see the same 59 permutations and look in the planted direction; one finds
something if its p, corrected within it, is at most 0.05. Contrast subgraphs are tested as
`permutation_test` does, with alpha from other relabellings, at the percentiles 75 and 90, and with
97 beside them; so are two sets one after the other, and the contrast between two sets; and one set
beside three modes that all people share (`mode_scores`).
"""

import warnings

import numpy as np
import pandas as pd
from contrast_subgraphs.contrast.bipartite import alternated
from contrast_subgraphs.contrast.objective import surplus
from contrast_subgraphs.contrast.solver.search import search_quick
from contrast_subgraphs.core.processes import mapped
from contrast_subgraphs.design import mode_scores, two_groups
from contrast_subgraphs.inference import edge_tests
from contrast_subgraphs.inference.p_values import min_p_scores, p_value
from threadpoolctl import threadpool_limits

from . import ROOT, scenarios

REGIONS, PEOPLE, PERMUTATIONS, PERCENTILES = 30, 30, 59, (75, 90, 97)
#: Odds of an edge, and how much a person's regions and the sites differ, on the log scale.
BASE, SPREAD, SITE = -1.2, 0.5, 0.8
THRESHOLDS = (1.5, 2.0, 3.1)
#: Modes over all pairs of which people are more or less, and how much, on the log scale.
MODES, STRENGTH = 3, 0.6
TESTS = {
    "contrast": "Contrast subgraph",
    "with 97": "… with percentile 97",
    "two sets": "… two sets",
    "bipartite": "… between two sets",
    "modes": "… beside three modes",
    **{f"extent {value:g}": f"NBS, extent, t ≥ {value:g}" for value in THRESHOLDS},
    **{f"intensity {value:g}": f"NBS, intensity, t ≥ {value:g}" for value in THRESHOLDS},
    "max-t": "max-T",
    "fdr": "FDR",
}
#: Log odds of the pairs of a region i and a region j > i that are planted.
SCENARIOS = {
    "none": lambda i, j: 0.0,
    "clique": lambda i, j: 0.6 * (j < 8),
    "star": lambda i, j: 1.2 * ((i == 0) & (j < 15)),
    "few strong edges": lambda i, j: 2.0 * ((i % 2 == 0) & (j == i + 1) & (j < 12)),
    "two blocks": lambda i, j: 0.7 * ((j < 6) | ((i >= 6) & (j < 12))),
    "bipartite": lambda i, j: 0.8 * ((i < 6) & (j >= 6) & (j < 12)),
    "dense and weak": lambda i, j: 0.3 * (j < 16),
    "modes alone": lambda i, j: 0.0,
    "person-level modes": lambda i, j: 0.6 * (j < 8),
}


def networks(rng, effect, planted, people, sites=False, modes=0):
    """Graphs of two groups of this many people (one number or two), y, and sites or None.

    `effect` is one number inside `planted` regions, or a matrix (its upper triangle); `modes`: how
    many patterns over all pairs there are.
    """
    y = np.repeat([0, 1], people)
    n = len(y)
    site = (rng.random(n) < np.where(y == 0, 0.25, 0.75)).astype(int)
    own = rng.normal(0, SPREAD, size=(n, REGIONS))
    odds = BASE + own[:, :, None] + own[:, None, :]
    odds[y == 0, :planted, :planted] += effect
    if sites:
        odds[site == 1, -10:, -10:] += SITE
    for _ in range(modes):
        of_regions = rng.normal(size=REGIONS)  # which go together, or apart
        odds += STRENGTH * rng.normal(size=(n, 1, 1)) * np.outer(of_regions, of_regions)
    upper = np.triu(rng.random(odds.shape) < 1 / (1 + np.exp(-odds)), 1).astype(np.uint8)
    return upper + upper.transpose(0, 2, 1), y, site if sites else None


def statistics(matrix, alphas):
    """Best surplus at each penalty: of one set, of two after one another, between two sets."""
    members, first = search_quick([matrix], alphas)
    second, between = [], []
    for inside, value, alpha in zip(members[0], first[0], alphas, strict=True):
        rest = matrix.copy()
        rest[np.ix_(inside, inside)] = np.minimum(rest[np.ix_(inside, inside)], -alpha)
        second.append(value + search_quick([rest], [alpha])[1][0, 0])
        between.append(between_sets(surplus(matrix, alpha)))
    return [first[0], second, between]


def between_sets(matrix):
    """Best surplus between two disjoint sets."""
    one, two = alternated(matrix).swapaxes(0, 1).astype(float)
    return float(np.einsum("kv,kv->k", one @ matrix, two).max(initial=0.0))


def p_values(job):
    """Corrected p of each test on one data set, in the direction of the planted pairs."""
    number, scenario = job
    rng = np.random.default_rng([number, list(SCENARIOS).index(scenario)])
    effect = SCENARIOS[scenario](*np.indices((REGIONS, REGIONS)))
    modes = MODES if "modes" in scenario else 0
    graphs, y, _ = networks(rng, effect, REGIONS, PEOPLE, modes=modes)
    design = two_groups(y, random_state=number)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        edges = edge_tests(graphs, design, thresholds=THRESHOLDS, n_permutations=PERMUTATIONS)
        found = surpluses(design, graphs, statistics)
        beside = two_groups(y, covariates=mode_scores(graphs, MODES), random_state=number)
        one = surpluses(beside, graphs, lambda *of: [search_quick([of[0]], of[1])[1][0]])
    best = {"contrast": found[:, 0, :2], "with 97": found[:, 0], "two sets": found[:, 1, :2]}
    best |= {"bipartite": found[:, 2, :2], "modes": one[:, 0, :2]}
    p = {name: p_of_smallest(of) for name, of in best.items()}
    for measure in ("extent", "intensity"):
        for value in THRESHOLDS:
            p[f"{measure} {value:g}"] = edges.of("0-1", f"nbs-{measure}", value).pvalue
    return p | {test: edges.of("0-1", test).pvalue for test in ("max-t", "fdr")}


def surpluses(design, graphs, measure):
    """What is measured of the observed graphs and of all permuted ones, at each penalty."""
    statistic = design.statistic(graphs)
    other = statistic.values(design.random(0, 50, "alpha"))
    alphas = np.percentile(other, PERCENTILES, axis=1).mean(axis=1)
    draws = np.concatenate([design.observed(), design.random(0, PERMUTATIONS)])
    rows = [*statistic.values(draws[:50]), *statistic.values(draws[50:])]
    return np.array([measure(statistic.matrix(row), alphas) for row in rows])


def p_of_smallest(values):
    """p over the penalties, as `permutation_test` has it."""
    scores = min_p_scores(values)
    return float(p_value(scores[0].max(), scores[1:].max(axis=1)).p)


def study(sets, cores, chosen):
    """Share of data sets in which each test finds something, for each scenario."""
    rows = []
    for scenario in chosen:
        jobs = [(number, scenario) for number in range(sets)]
        share = (pd.DataFrame(list(mapped(p_values, jobs, cores))) <= 0.05).mean()
        rows += [{"scenario": scenario, "test": test, "sets": sets, "found": share[test]}
                 for test in TESTS]  # fmt: skip
        print(scenario, share.round(2).to_dict(), flush=True)
    return pd.DataFrame(rows)


def draw(table, path):
    """A panel for each scenario, a bar for each test."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    kinds = {"NBS, e": "#a4540a", "NBS, i": "#f0902b", "max-T": "#12705d", "FDR": "#8a8a8a"}
    colours = [
        next((colour for start, colour in kinds.items() if label.startswith(start)), "#1f5fa8")
        for label in TESTS.values()
    ]
    shown = [name for name in SCENARIOS if name not in ("none", "modes alone")]
    figure, panels = plt.subplots(1, len(shown), figsize=(12, 3.2), sharey=True,
                                  layout="constrained")  # fmt: skip
    for axes, name in zip(panels, shown, strict=True):
        share = table[table["scenario"] == name].set_index("test")["found"][list(TESTS)]
        axes.barh(list(TESTS.values()), share, color=colours)
        axes.set(title=name, xlim=(0, 1))
        axes.axvline(0.05, color="#555555", linewidth=0.7)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].invert_yaxis()
    figure.supxlabel("Share of data sets with p ≤ 0.05", fontsize=10)
    figure.savefig(path, dpi=150, metadata={"Software": None})


def main():
    """Run the study, write its table and its figure."""
    parser = scenarios.parser(__doc__, sets=200)
    parser.add_argument("--output", default=str(ROOT / "docs" / "power"))
    arguments = parser.parse_args()
    asked = scenarios.asked(SCENARIOS, arguments.scenarios)
    table = study(arguments.sets, arguments.cores, asked)
    if len(asked) < len(SCENARIOS):
        before = pd.read_csv(f"{arguments.output}.csv")
        table = pd.concat([before[~before["scenario"].isin(asked)], table])
    table.to_csv(f"{arguments.output}.csv", index=False, lineterminator="\n")
    draw(table, f"{arguments.output}.png")
    print(table.pivot(index="test", columns="scenario", values="found").loc[list(TESTS)])


if __name__ == "__main__":
    main()
