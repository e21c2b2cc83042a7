"""Graphs of one density: how often is a direction found that is only the other side of another?

    nice -n 19 python -m benchmarks.composition [--sets 100] [--cores 1] [SCENARIO ...]
    python -m benchmarks.composition --published [ARCHIVE]

50 and 50 people, 30 regions whose strength differs from person to person, weights of normal noise;
in the first group the weights inside 10 or 15 regions are larger by .6 or .9. Each graph keeps its
strongest 20 % of pairs. Both directions are tested (percentiles 75 and 90), as they are (99
permutations) and with the control `other_side`; next to them, as they are, graphs that keep what is
above one value, the same for all people. Two scenarios have a true difference in the second
direction, alone or together with the first; one has none. Writes the share of data sets with
p <= .05 to ``docs/measured/composition.csv``, a scenario after the other. With the authors' archive
p of both directions of the four cohorts in ``docs/measured/composition_published.csv`` (1,000
permutations within sites, the paper's eight percentiles), also given five modes that all people
share.
"""

import numpy as np
import pandas as pd
from contrast_subgraphs.core.processes import mapped
from contrast_subgraphs.design import mode_scores, two_groups
from contrast_subgraphs.inference import permutation_test
from contrast_subgraphs.inference.composition import other_side

from . import ROOT, scenarios
from .inference import published
from .scenarios import quiet
from .solver import ARCHIVE

MEASURED = ROOT / "docs" / "measured"
PEOPLE, REGIONS, KEPT = 50, 30, 0.2
PERMUTATIONS, PERCENTILES = 99, (75, 90)
#: Modes that all people share, given which the published cohorts are tested, too.
MODES = 5
#: Regions of each planted set, and by how much it is larger in the first and in the second group.
SCENARIOS = {
    "10 regions, 0.6": (10, 0.6, 0.0),
    "15 regions, 0.6": (15, 0.6, 0.0),
    "10 regions, 0.9": (10, 0.9, 0.0),
    "15 regions, 0.9": (15, 0.9, 0.0),
    "second direction alone, 10 regions, 0.4": (10, 0.0, 0.4),
    "both directions, 8 regions each, 0.5": (8, 0.5, 0.5),
    "no difference": (10, 0.0, 0.0),
}


def people(rng, size, first, second):
    """Return weights of all pairs, (n_people, n_pairs), and which group each person is in."""
    y = np.repeat([0, 1], PEOPLE)
    own = rng.normal(0, 0.5, (2 * PEOPLE, REGIONS))
    shape = 2 * PEOPLE, REGIONS, REGIONS
    shared = 0.5 * rng.normal(size=shape[1:])
    weights = shared + own[:, :, None] + own[:, None, :] + rng.normal(size=shape)
    weights[y == 0, :size, :size] += first
    weights[y == 1, -size:, -size:] += second
    one, other = np.triu_indices(REGIONS, 1)
    return weights[:, one, other], y


def strongest(weights):
    """Return graphs of zeros and ones: of each person the strongest pairs."""
    count = round(KEPT * weights.shape[1])
    graphs = np.zeros(weights.shape, np.uint8)
    np.put_along_axis(graphs, np.argsort(-weights, axis=1)[:, :count], 1, axis=1)
    return graphs


def p_values(graphs, y, seed):
    """Return p of both directions over the penalties."""
    options = {"percentiles": PERCENTILES, "n_permutations": PERMUTATIONS, "solver": "search"}
    test = permutation_test(graphs, y, random_state=seed, **options)
    return test.pvalue_contrast[:2].min(axis=1)


def one(job):
    """Return p of both directions of a data set, for each kind of graphs and test."""
    name, number = job
    rng = np.random.default_rng([number, list(SCENARIOS).index(name)])
    weights, y = people(rng, *SCENARIOS[name])
    graphs = strongest(weights)
    absolute = (weights > np.quantile(weights, 1 - KEPT)).astype(np.uint8)
    with quiet():
        controlled = other_side(two_groups(y, random_state=number), graphs, PERCENTILES)
        found = {
            "as it is": p_values(graphs, y, number),
            "control": list(controlled.values()),
            "one value": p_values(absolute, y, number),
        }
    return {f"{test}, {k}": p for test, both in found.items() for k, p in enumerate(both, start=1)}


def of_published(archive):
    """Write p of both directions of the published cohorts, with the control and without."""
    rows = []
    with quiet():
        for cohort, graphs, site in published(archive):
            known = {"labels": graphs.groups, "blocks": site, "subjects": graphs.subject}
            design = two_groups(graphs.labels, name=cohort, **known)
            test = permutation_test(graphs.adjacency, design, solver="search")
            controlled = other_side(design, graphs.adjacency)
            beside = two_groups(
                graphs.labels, name=cohort, covariates=mode_scores(graphs.adjacency, MODES), **known
            )
            given = permutation_test(graphs.adjacency, beside, solver="search")
            for k, contrast in enumerate(test.contrasts[:2]):
                row = {"cohort": cohort, "contrast": contrast, "p": test.pvalue_contrast[k].min()}
                row["p_other_side"] = controlled[contrast]
                row["p_given_modes"] = given.pvalue_contrast[k].min()
                rows.append(row)
            print(pd.DataFrame(rows[-2:]).round(4).to_string(index=False), flush=True)
    output = MEASURED / "composition_published.csv"
    pd.DataFrame(rows).round(6).to_csv(output, index=False, lineterminator="\n")


def main():
    """Run the study and write its table."""
    parser = scenarios.parser(__doc__, sets=100)
    parser.add_argument("--published", nargs="?", const=ARCHIVE, metavar="ARCHIVE")
    options = parser.parse_args()
    if options.published:
        return of_published(options.published)
    output = MEASURED / "composition.csv"
    for name in scenarios.asked(SCENARIOS, options.scenarios):
        jobs = [(name, number) for number in range(options.sets)]
        share = (pd.DataFrame(list(mapped(one, jobs, options.cores))) <= 0.05).mean()
        row = pd.DataFrame([{"scenario": name, "sets": options.sets} | share.to_dict()])
        print(name, share.round(3).to_dict(), flush=True)
        if output.exists():
            before = pd.read_csv(output)
            row = pd.concat([before[before["scenario"] != name], row])
        row.to_csv(output, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
