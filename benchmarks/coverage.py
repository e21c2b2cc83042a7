"""Does the interval of a held-out effect hold the truth? Simulated data sets, with and without one.

    python -m benchmarks.coverage [--sets 500] [--cores 1] [--output docs/coverage.csv]

Networks as in `benchmarks.power`. The truth is known: the planted pairs differ by one number, so a
set's true difference is that times its share of planted pairs. What the held-out effect
estimates is the mean of this over sets found by four fifths of the people; it is taken over all
data sets of a scenario. Beside the interval there are the plain one (that of independent folds)
and the difference in the people who chose the set, with its usual interval.
"""

import argparse
import warnings

import numpy as np
import pandas as pd
from contrast_subgraphs.contrast.features import extract
from contrast_subgraphs.core.processes import mapped
from contrast_subgraphs.inference.effect_size import held_out_effect
from numpy.polynomial.hermite_e import hermegauss
from scipy import stats
from threadpoolctl import threadpool_limits

from . import ROOT
from .power import BASE, SPREAD, networks

PERCENTILES, PLANTED = (75, 95), 8
#: Log odds of the planted pairs, people of both groups, and whether there are two sites.
SCENARIOS = {
    "no effect": (0.0, (30, 30), False),
    "no effect, groups of unequal size": (0.0, (15, 45), False),
    "no effect, two sites of unequal mix": (0.0, (30, 30), True),
    "log odds 0.6": (0.6, (30, 30), False),
    "log odds 1.2": (1.2, (30, 30), False),
}


def planted_difference(effect):
    """Difference in the probability of an edge that both groups' people have on average."""
    nodes, weights = hermegauss(60)
    odds = BASE + np.sqrt(2) * SPREAD * nodes
    chance = 1 / (1 + np.exp(-odds - effect)) - 1 / (1 + np.exp(-odds))
    return float(chance @ weights / weights.sum())


def one(job):
    """Effect, its interval, the plain interval and the in-sample one at each percentile."""
    number, (effect, people, sites) = job
    rng = np.random.default_rng([number, int(1000 * effect), *people, sites])
    graphs, y, site = networks(rng, effect, PLANTED, people, sites)
    covariates = None if site is None else {"site": site.astype(str)}
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = held_out_effect(
            graphs, y, percentiles=PERCENTILES, blocks=site, covariates=covariates,
            random_state=number,
        )  # fmt: skip
        some = np.concatenate(
            [rng.permutation(np.flatnonzero(y == k))[: people[k] * 4 // 5] for k in (0, 1)]
        )
        means = [graphs[some][y[some] == k].mean(axis=0) for k in (0, 1)]
        sets = extract(means[0] - means[1], PERCENTILES)[1]
    half = (found.high - found.low)[0] / 2
    return {
        "effect": found.effect[0],
        "half": half,
        "plain": half / found.inflation,
        "in_sample": found.in_sample[0],
        "spread": [usual_half(graphs, y, nodes) for nodes in found.nodes[0]],
        "truth": planted_difference(effect) * np.array([planted_share(one) for one in sets]),
        "reported": planted_difference(effect) * np.array(list(map(planted_share, found.nodes[0]))),
    }


def planted_share(nodes):
    """Share of planted pairs among those inside a set."""
    inside = int(np.sum(nodes < PLANTED))
    return inside * (inside - 1) / max(1, len(nodes) * (len(nodes) - 1))


def usual_half(graphs, y, nodes):
    """Half the usual interval of the difference of densities, as if the set had been given."""
    density = graphs[:, nodes][:, :, nodes].mean(axis=(1, 2))
    density *= len(nodes) / max(1, len(nodes) - 1)
    error = np.sqrt(sum(density[y == k].var(ddof=1) / (y == k).sum() for k in (0, 1)))
    return stats.t.ppf(0.975, len(y) - 2) * error


def study(most, cores):
    """Coverage and width for each scenario and percentile."""
    rows = []
    for name, scenario in SCENARIOS.items():
        sets = most if name == "no effect" else -(-most // 3)
        found = list(mapped(one, [(k, scenario) for k in range(sets)], cores))
        of = {key: np.array([each[key] for each in found]) for key in found[0]}
        truth = of["truth"].mean(axis=0)
        off = np.abs(of["effect"] - truth)
        for k, percentile in enumerate(PERCENTILES):
            rows.append(
                {
                    "scenario": name,
                    "percentile": percentile,
                    "sets": sets,
                    "truth": truth[k],
                    "effect": of["effect"][:, k].mean(),
                    "in_sample": of["in_sample"][:, k].mean(),
                    "covers": (off <= of["half"])[:, k].mean(),
                    "plain_covers": (off <= of["plain"])[:, k].mean(),
                    "in_sample_covers": (np.abs(of["in_sample"] - truth) <= of["spread"])[
                        :, k
                    ].mean(),
                    "width": 2 * of["half"][:, k].mean(),
                    "plain_width": 2 * of["plain"][:, k].mean(),
                }
            )
        print(pd.DataFrame(rows[-len(PERCENTILES) :]).round(3).to_string(index=False), flush=True)
    return pd.DataFrame(rows)


def main():
    """Run the study and write its table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--sets", type=int, default=500, help="of the first scenario; a third of it of each other"
    )
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--output", default=str(ROOT / "docs" / "coverage.csv"))
    arguments = parser.parse_args()
    table = study(arguments.sets, arguments.cores)
    table.round(4).to_csv(arguments.output, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
