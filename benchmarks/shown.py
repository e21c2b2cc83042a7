"""Which set is shown, and is the effect that is printed true? Simulated data sets, three rules.

    nice -n 19 python -m benchmarks.shown [--sets 150] [--cores 1] [SCENARIO ...]
    nice -n 19 python -m benchmarks.shown moderate --bias --folds 10

It writes docs/measured/shown.csv; with `--bias` docs/measured/shown_bias.csv, without intervals,
which take most of the time. Rows of the same scenarios and folds are replaced.

Networks as in `benchmarks.power`, 40 + 40 people; more edges in the first group inside 8 of 30
regions, or none. Each data set is tested at three percentiles (99 permutations) and measured on
held-out people (4 times, 40 relabellings for the interval, 20 with the choice). A rule chooses
direction and penalty from that, and prints a d:

- best: of what passes, the set that measures best on people who did not choose it; printed is the
  effect for which that choice was repeated inside the training parts (`ChosenEffect`)
- best, its own effect: the same set with its held-out effect, for which it was chosen
- largest: the largest set that passes, with its held-out effect
- smallest p: the smallest p, of equal ones the largest z, with its held-out effect

Where nothing passes all take the smallest p. The truth is that of the set shown: the planted
difference times its share of planted pairs, over the standard deviation within groups in 4,000
people. Beside it stands the truth of the sets that the people outside a fold find, which is what
held-out effects estimate, and how many of the repeated choices have the planted direction.
"""

import functools
import warnings

import numpy as np
import pandas as pd
from contrast_subgraphs.contrast.features import extract
from contrast_subgraphs.core.processes import mapped
from contrast_subgraphs.inference import (
    chosen_penalty,
    effect_size,
    held_out_effect,
    permutation_test,
)
from contrast_subgraphs.inference.chosen_penalty import LEVEL, ordered
from threadpoolctl import threadpool_limits

from . import ROOT, scenarios
from .coverage import PLANTED, planted_difference, planted_share
from .power import networks

PERCENTILES = (70, 85, 95)
PEOPLE = (40, 40)
#: Log odds of the planted pairs.
SCENARIOS = {"null": 0.0, "weak": 0.35, "moderate": 0.6}
#: So that many data sets can be made: fewer than half of what the library takes.
effect_size.CALIBRATION = 40
effect_size.CHOICE_CALIBRATION = 20


class Truth:
    """True differences inside sets, and their standard deviations within groups."""

    def __init__(self, effect):
        self._difference = planted_difference(effect)
        self._graphs, self._y, _ = networks(np.random.default_rng(0), effect, PLANTED, (2000, 2000))

    def __call__(self, nodes, direction):
        """Return the difference, and d, in a direction (0: more in the first group)."""
        if len(nodes) < 2:
            return 0.0, 0.0
        weight = self._graphs[:, nodes][:, :, nodes].sum(axis=(1, 2))
        weight = weight / (len(nodes) * (len(nodes) - 1))
        spread = np.sqrt(np.mean([weight[self._y == k].var() for k in (0, 1)]))
        sign = 1 - 2 * direction
        difference = sign * self._difference * planted_share(nodes)
        return difference, difference / spread


def rows_shown(tested, effects):
    """Rule -> the row of the tests that it shows."""
    best = ordered(chosen_penalty(tested, effects=effects)).iloc[0]
    by_p = tested.assign(most=-tested["z"]).sort_values(["p_contrast", "p", "most"], kind="stable")
    passing = by_p[by_p["p_contrast"] <= LEVEL].sort_values("size", ascending=False, kind="stable")
    largest = passing.iloc[0] if len(passing) else by_p.iloc[0]
    return {
        "best": best,
        "best, its own effect": best,
        "largest": largest,
        "smallest p": by_p.iloc[0],
    }


def outside_a_fold(rng, graphs, y, folds):
    """Sets of random people, as many as lie outside a fold: of each direction and percentile."""
    parts = [rng.permutation(np.flatnonzero(y == k)) for k in (0, 1)]
    first, second = (
        graphs[part[: len(part) * (folds - 1) // folds]].mean(axis=0) for part in parts
    )
    return [extract(one, PERCENTILES)[1] for one in (first - second, second - first)]


def one(truths, job):
    """What each rule prints of one data set, and the truth."""
    number, scenario, folds = job
    effect = SCENARIOS[scenario]
    truth = truths[scenario]
    rng = np.random.default_rng([number, int(1000 * effect), 39])
    graphs, y, _ = networks(rng, effect, PLANTED, PEOPLE)
    options = {"percentiles": PERCENTILES, "random_state": number}
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        test = permutation_test(graphs, y, n_permutations=99, solver="search", **options)
        found = held_out_effect(graphs, y, n_folds=folds, n_repeats=4, **options)
        fewer = outside_a_fold(rng, graphs, y, folds)
    tested = test.table()
    directions = list(found.contrasts)
    tested = tested[tested["contrast"].isin(directions)]
    numbers = np.array([[truth(nodes, k) for nodes in fewer[k]] for k in (0, 1)])
    rows = []
    for rule, row in rows_shown(tested, found.table()).items():
        place = directions.index(row["contrast"]), PERCENTILES.index(row["percentile"])
        difference, d = truth(test.nodes[place[0]][place[1]], place[0])
        if rule == "best":
            printed = found.chosen
            said = {name: getattr(printed, name) for name in ("effect", "d", "low", "high")}
            others = (found.chosen.share[..., None] * numbers).sum(axis=(0, 1))
        else:
            said = {name: getattr(found, name)[place] for name in ("effect", "d", "low", "high")}
            others = numbers[place]
        said |= {"rule": rule, "true_effect": difference, "true_d": d}
        said |= {"true_others": others[0], "true_others_d": others[1]}
        said |= {"passes": row["p_familywise"] <= LEVEL, "percentile": row["percentile"]}
        said |= {"scenario": scenario, "number": number, "folds": folds}
        said["planted_direction"] = found.chosen.share[0].sum() if rule == "best" else np.nan
        rows.append(said)
    return rows


def summary(rows):
    """Bias and coverage of each rule, and the same where the answer is Yes."""
    lines = []
    for (scenario, rule), every in rows.groupby(["scenario", "rule"], sort=False):
        for answer, part in (("any", every), ("Yes", every[every["passes"]])):
            if part.empty:
                continue
            expected = every["true_others"].mean()
            others = (part["low"] <= expected) & (expected <= part["high"])
            lines.append(
                {
                    "scenario": scenario,
                    "rule": rule,
                    "answer": answer,
                    "folds": int(part["folds"].iloc[0]),
                    "sets": len(part),
                    "true_d": part["true_d"].mean(),
                    "true_d_of_others": part["true_others_d"].mean(),
                    "printed_d": part["d"].mean(),
                    "bias": (part["d"] - part["true_d"]).mean(),
                    "covers": part["true_effect"].between(part["low"], part["high"]).mean(),
                    "covers_others": others.mean(),
                    "width": (part["high"] - part["low"]).mean(),
                    "percentile": part["percentile"].mean(),
                    "planted_direction": part["planted_direction"].mean(),
                }
            )
    return pd.DataFrame(lines)


def study(names, sets, folds, cores):
    """All data sets of these scenarios, one of each scenario after the other."""
    truths = {name: Truth(SCENARIOS[name]) for name in names}
    jobs = [(number, name, folds) for number in range(sets) for name in names]
    rows = []
    for place, said in enumerate(mapped(functools.partial(one, truths), jobs, cores), start=1):
        rows += said
        if place % 30 == 0:
            print(summary(pd.DataFrame(rows)).round(3).to_string(index=False), flush=True)
    return pd.DataFrame(rows)


def main():
    """Run the study and write its table."""
    parser = scenarios.parser(__doc__, sets=150)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--bias", action="store_true", help="no intervals")
    options = parser.parse_args()
    output = ROOT / "docs" / "measured" / "shown.csv"
    if options.bias:
        output = output.with_name("shown_bias.csv")
        # Two are the fewest of which there is a variance; the intervals mean nothing.
        effect_size.CALIBRATION = 2
        effect_size.CHOICE_CALIBRATION = 2
    names = scenarios.asked(SCENARIOS, options.scenarios)
    table = summary(study(names, options.sets, options.folds, options.cores)).round(4)
    if options.bias:
        table = table.drop(columns=["covers", "covers_others", "width"])
    if output.exists():
        before = pd.read_csv(output)
        again = before["scenario"].isin(names) & (before["folds"] == options.folds)
        table = pd.concat([before[~again], table])
    table.to_csv(output, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
