"""Contrast subgraphs of a whole cohort."""

import warnings

import numpy as np
import pandas as pd

from ..design.cohort_graphs import CohortGraphs
from ..design.exchange import unsaid, varies_within
from .difference import directed, mean_graph
from .solve import Settings, solve


def cohort_difference(
    graphs: CohortGraphs, contrast: str, edge_statistic: str = "difference"
) -> np.ndarray:
    """Return the difference graph of a cohort's two groups, or what else it asks.

    Parameters
    ----------
    graphs : CohortGraphs
    contrast : str
        One of ``graphs.contrasts``.
    edge_statistic : {"difference", "t", "welch"}
        The difference of the groups' means (of a variable the slope for a standard deviation),
        its t, or Welch's.

    Returns
    -------
    numpy.ndarray of shape (n_rois, n_rois)

    Examples
    --------
    >>> graphs, names = np.array([[[0, 1], [1, 0]], [[0, 0], [0, 0]]]), np.array(["V1", "M1"])
    >>> people = CohortGraphs(graphs, np.array([0, 1]), np.array(["s1", "s2"]), names)
    >>> cohort_difference(people, "td-asd")[0, 1]
    np.float64(1.0)
    """
    return directed(_signed(graphs, edge_statistic)[0], contrast, graphs.contrasts)


def group_means(graphs):
    """Return the summary graph of each group of a cohort."""
    groups = range(len(graphs.groups))
    return [mean_graph(graphs.weights, np.flatnonzero(graphs.y == k)) for k in groups]


def _signed(graphs, edge_statistic):
    """The signed weights of all pairs, and the statistic that they come from, if it is needed."""
    plain = graphs.question.of_means and not varies_within(graphs.y, graphs.person)
    if edge_statistic == "difference" and plain:  # of single graphs too
        first, second = group_means(graphs)
        return first - second, None
    with unsaid():
        statistic = graphs.question.design(graphs).statistic(graphs.weights, edge_statistic)
    return statistic.observed(), statistic


def sweep_cohort(graphs, contrast, seed, config):
    """Find the contrast subgraphs of a cohort for every alpha of the config's section ``contrast``.

    First those of the percentiles; the set is empty where a plain alpha suits only the other
    direction. Warns if t is at its bound (`design.edge_statistic.t_statistic`) for a pair.
    """
    config = {**config}
    kind = config.pop("edge_statistic", "difference")
    penalties = [config.pop(name, ()) for name in ("percentiles", "alphas")]
    settings = Settings(random_state=seed, n_sets=config.pop("sets", 1), **config)
    signed, statistic = _signed(graphs, kind)
    difference = directed(signed, contrast, graphs.contrasts)
    if kind != "difference":
        pairs = np.count_nonzero(np.abs(difference) >= statistic.bound * (1 - 1e-12)) // 2
        if pairs:
            warnings.warn(
                f"{graphs.cohort or 'the graphs'}: {pairs} pairs of regions vary less than "
                f"{statistic.design.what} explains: their t is taken to be "
                f"{statistic.bound:.3g}, the bound for so many people",
                stacklevel=2,
            )
    largest = float(np.abs(difference).max(initial=0.0))
    return solve(difference, settings, *penalties, largest=largest)


def cohort_record(solutions, cohort, contrast, roi, edge_statistic="difference"):
    """Return what ``contrast/<cohort>/<contrast>.json`` holds; `roi` names all regions.

    The file says which edge statistic alpha and objective are sums of, if not the difference.
    """
    return {
        "cohort": cohort,
        "contrast": contrast,
        **({} if edge_statistic == "difference" else {"edge_statistic": edge_statistic}),
        "solver": solutions[0].solver,
        "subgraphs": [solution.to_dict(roi) for solution in solutions],
    }


def seconds_table(solutions):
    """Return the CPU time of each result (kept apart: times differ from run to run)."""
    rows = [(s.percentile, s.alpha, s.solver, s.seconds) for s in solutions]
    return pd.DataFrame(rows, columns=["percentile", "alpha", "solver", "seconds"])


def found_sentence(cohort, found):
    """Return one line on a cohort's results: contrast -> their sizes, and how many are proved."""
    parts, proved = [], [one.optimal for results in found.values() for one in results]
    for contrast, results in found.items():
        sizes = sorted({len(one.nodes) for one in results})
        ends = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else f"{sizes[0]}"
        parts.append(f"{contrast} {ends} regions")
    return f"found in {cohort}: {', '.join(parts)}; {sum(proved)} of {len(proved)} proved"
