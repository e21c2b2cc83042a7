"""Contrast subgraphs of a whole cohort."""

import warnings

import numpy as np
import pandas as pd

from ..design.edge_statistic import NoTest
from ..design.of_cohort import cohort_design
from .difference import directed, signed_weights
from .relabelled import relabelled_penalties
from .solve import Settings, solve


def cohort_penalties(graphs, design, config):
    """Return the penalties of each contrast from other relabellings (`relabelled_penalties`).

    `config`: the section ``contrast``; `design`: of the graphs' cohort.
    """
    kind = config.get("edge_statistic", "difference")
    statistic = design.statistic(graphs.weights, kind)
    return relabelled_penalties(statistic, config["percentiles"])


def cohort_as_tested(graphs, members, settings, seed, cohort, config):
    """Return the graphs to find contrasts in, and what else `sweep_cohort` needs to know.

    With covariates, or where alpha comes from other relabellings (``hold: null``), the contrasts
    are those of the tests' design, so that the set that is found and proved is also the one that
    is tested and measured. `settings` is the section ``inference``, `config` is ``contrast``.
    """
    if settings["hold"] == "observed" and not settings["covariates"]:
        return graphs, {}
    try:
        with warnings.catch_warnings():
            # The job of the tests makes the same design, and gives these warnings.
            warnings.simplefilter("ignore")
            graphs, design = cohort_design(graphs, members, settings, seed, cohort)
    except NoTest:
        # Sets can be found where nothing can be tested, such as in two people.
        return graphs, {}
    known = {"design": design}
    if settings["hold"] == "null":
        known["penalties"] = cohort_penalties(graphs, design, config)
    return graphs, known


def sweep_cohort(graphs, contrast, seed, config, *, design=None, penalties=None):
    """Find the contrast subgraphs of a cohort for every alpha of the config's section ``contrast``.

    Those of the percentiles come first. A set is empty where a plain alpha suits only the other
    direction. Warns if t is at its bound (`design.edge_statistic.EdgeStatistic`) for a pair.
    `design` is that of the tests, if it holds something constant; `penalties` are those of
    `cohort_penalties`, which replace percentiles of the observed difference graph.
    """
    config = {**config}
    kind = config.pop("edge_statistic", "difference")
    percentiles = config.pop("percentiles", ())
    alphas = config.pop("alphas", ())
    if penalties is not None:
        percentiles = penalties[contrast]
    settings = Settings(random_state=seed, n_sets=config.pop("sets", 1), **config)
    signed, statistic = signed_weights(graphs, kind, design)
    warn_of_bound(signed, kind, statistic, graphs.cohort or "the graphs")
    difference = directed(signed, contrast, graphs.contrasts)
    # The largest weight of either direction: an alpha below it is valid for the config as a whole.
    largest = float(np.abs(difference).max(initial=0.0))
    return solve(difference, settings, percentiles, alphas, largest=largest)


def warn_of_bound(signed, edge_statistic, statistic, called):
    """Warn of pairs whose t is at its bound, since they vary less than the question explains."""
    # A plain difference has no bound, nor has one that was made without a design.
    if edge_statistic == "difference" or statistic is None:
        return
    # A square matrix holds each pair twice. The factor allows for rounding of the bound.
    pairs = np.count_nonzero(np.abs(signed) >= statistic.bound * (1 - 1e-12)) // 2
    if pairs:
        warnings.warn(
            f"{called}: {pairs} pairs of regions vary less than {statistic.design.what} explains: "
            f"their t is taken to be {statistic.bound:.3g}, the bound for this number of people",
            stacklevel=3,
        )


def cohort_record(solutions, cohort, contrast, roi, edge_statistic="difference"):
    """Return what ``contrast/<cohort>/<contrast>.json`` holds; `roi` names all regions.

    The file names the edge statistic that alpha and objective refer to, unless it is the
    difference.
    """
    return {
        "cohort": cohort,
        "contrast": contrast,
        **({} if edge_statistic == "difference" else {"edge_statistic": edge_statistic}),
        "solver": solutions[0].solver,
        "subgraphs": [solution.to_dict(roi) for solution in solutions],
    }


def seconds_table(solutions):
    """Return the CPU time of each result, a table of its own since times vary between runs."""
    rows = [(s.percentile, s.alpha, s.solver, s.seconds) for s in solutions]
    return pd.DataFrame(rows, columns=["percentile", "alpha", "solver", "seconds"])


def found_sentence(cohort, found):
    """Return one line on a cohort: the sizes of each contrast's sets, and how many are proved."""
    parts = []
    proved = [one.optimal for results in found.values() for one in results]
    for contrast, results in found.items():
        sizes = sorted({len(one.nodes) for one in results})
        ends = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else f"{sizes[0]}"
        parts.append(f"{contrast} {ends} regions")
    return f"found in {cohort}: {', '.join(parts)}; {sum(proved)} of {len(proved)} proved"
