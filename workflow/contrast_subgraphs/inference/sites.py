"""Does it hold elsewhere? Each site is measured inside the set that the other sites choose.

A set that is found with a site's people and measured in them differs too much. So for every site
the set is found in all other sites, and the effect is measured within the site, which had no part
in the choice. The mean over sites is a random-effects mean (`pooling`). The sets of two sites share
most of the people who chose them, so that effects vary together: leaving out both sites shows by
how much (`within_sites`).
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..contrast.alpha import Penalties
from ..core.checks import RandomState, plural
from ..core.columns import NO_SITE, identifiers, missing_entries, whole_identifiers
from ..core.data_warnings import PEOPLE, DataWarning
from ..core.errors import InputError
from ..core.notebook import draw_intervals
from ..core.processes import check_jobs
from ..core.results import Result
from ..design import CohortGraphs, Design, NoTest, asked_of
from ..design.asked import in_order_of
from ..design.of_cohort import SITE, cohort_design
from .chosen_penalty import shown_sets
from .pooling import Pooled, pooled_effect
from .within_sites import covariance_within, effects_within

#: A site with fewer people in a group (or, for a variable, with fewer than twice this number of
#: people) is listed, but left out of the mean.
LEAST = 3


@dataclass(frozen=True, repr=False)
class SiteEffectsResult(Result):
    """Result of `site_effects`, for the two directions, K penalties and S sites.

    Attributes
    ----------
    contrasts, percentiles, sites : tuple
        Of length 2, K and S. A percentile is None for a penalty that was given as a value.
    people : numpy.ndarray of int, shape (S, n_strata)
        People of each group at each site; for a variable those above its median, and the others.
    used : numpy.ndarray of bool, shape (S,)
        Whether a site has enough people to be in the mean.
    effect, error : numpy.ndarray of shape (2, K, S)
        The difference of the mean weight within the site, inside the set that the other sites
        choose, in the contrast's direction, and its standard error. NaN for sites with one group.
    nodes : list of list of list of numpy.ndarray of int
        The set for each direction, penalty and site.
    covariance : numpy.ndarray of shape (2, K, S, S)
        How the effects of two sites vary together, since each helps to choose the set of the other.
        The diagonal is 0.

    See Also
    --------
    site_effects : Returns it.

    Examples
    --------
    >>> effect = np.array([[[0.1, 0.12, 0.08]], [[-0.1, -0.12, -0.08]]])
    >>> found = SiteEffectsResult(
    ...     contrasts=("a-b", "b-a"),
    ...     percentiles=(80.0,),
    ...     sites=("x", "y", "z"),
    ...     people=np.full((3, 2), 10),
    ...     used=np.ones(3, dtype=bool),
    ...     effect=effect,
    ...     error=np.full(effect.shape, 0.03),
    ...     nodes=[[[np.arange(5)] * 3], [[np.arange(2)] * 3]],
    ...     covariance=np.zeros((2, 1, 3, 3)),
    ... )
    >>> found.means()[["contrast", "holds", "count"]].values.tolist()
    [['a-b', 3, 3], ['b-a', 0, 3]]
    >>> found.table()["size"].tolist()
    [5, 5, 5, 2, 2, 2]
    """

    contrasts: tuple
    percentiles: tuple
    sites: tuple
    people: np.ndarray
    used: np.ndarray
    effect: np.ndarray
    error: np.ndarray
    nodes: list
    covariance: np.ndarray

    _columns = ("contrast", "percentile", "site", "effect", "error", "used", "size")

    def _said(self) -> str:
        # The first direction at the first penalty stands for all: the table has the others.
        used = int(self.used.sum())
        first = self.pooled(self.contrasts[0])
        return (
            f"{used} of {plural(len(self.sites), 'site')} measured inside the sets of the others; "
            f"{self.contrasts[0]}: {first._said()}"
        )

    def _draw(self, axes: Any) -> bool:
        effect = self.effect[0, 0]
        # Each site by itself, for the eye: the interval that counts is that of the mean.
        half = 1.96 * self.error[0, 0]
        what = f"{self.contrasts[0]} within each site"
        return draw_intervals(axes, self.sites, effect, effect - half, effect + half, what)

    def pooled(self, contrast: str, place: int = 0) -> Pooled:
        """Return the mean over sites of a contrast at a penalty.

        Parameters
        ----------
        contrast : str
        place : int
            The number of the penalty; by default the first.

        Returns
        -------
        Pooled
        """
        row = self.contrasts.index(contrast)
        return pooled_effect(
            self.effect[row, place, self.used],
            self.error[row, place, self.used],
            self.covariance[row, place][np.ix_(self.used, self.used)],
        )

    def table(self) -> pd.DataFrame:
        """Return one row for each direction, penalty and site, with the columns `COLUMNS`."""
        rows = []
        for row, contrast in enumerate(self.contrasts):
            for place, percentile in enumerate(self.percentiles):
                for number, site in enumerate(self.sites):
                    first, second = self.people[number]
                    rows.append(
                        {
                            "contrast": contrast,
                            "percentile": percentile,
                            "site": site,
                            "n_first": first,
                            "n_second": second,
                            "used": bool(self.used[number]),
                            "effect": self.effect[row, place, number],
                            "error": self.error[row, place, number],
                            "size": len(self.nodes[row][place][number]),
                        }
                    )
        return pd.DataFrame(rows, columns=COLUMNS).astype({"percentile": float})

    def means(self) -> pd.DataFrame:
        """Return one row for each direction and penalty: the mean over sites, `MEANS`."""
        rows = []
        for row, contrast in enumerate(self.contrasts):
            for place, percentile in enumerate(self.percentiles):
                held = self.effect[row, place, self.used]
                found = vars(self.pooled(contrast, place))
                about = {"contrast": contrast, "percentile": percentile}
                rows.append(about | {"holds": int((held > 0).sum())} | found)
        return pd.DataFrame(rows, columns=MEANS).astype({"percentile": float})


COLUMNS = "contrast percentile site n_first n_second used effect error size".split()
MEANS = (
    "contrast percentile holds count mean low high i2 tau predicted_low predicted_high error"
).split()


def site_effects(
    X: ArrayLike | CohortGraphs,
    y: ArrayLike | Design | None = None,
    sites: ArrayLike | None = None,
    *,
    percentiles: float | Sequence[float] = 80,
    alphas: float | Sequence[float] = (),
    edge_statistic: str = "difference",
    labels: Sequence | Mapping | None = None,
    variable: str | None = None,
    ranks: bool = False,
    paired: bool = False,
    covariates: Mapping[str, ArrayLike] | pd.DataFrame | None = None,
    subjects: ArrayLike | None = None,
    exchange: str = "auto",
    modes: int | str | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = 1,
    name: str = "",
) -> SiteEffectsResult:
    """Measure at each site the difference inside the contrast subgraph that the others choose.

    Parameters
    ----------
    X, y
        As for `permutation_test`.
    sites : array_like of shape (n_graphs,)
        The site of each graph.
    percentiles, alphas : float or sequence of float
        The penalties: percentiles of the difference graph of the other sites, and plain values.
    edge_statistic : {"difference", "t", "welch"}
        The weight of a pair in the search for a set. The effect is in the graphs' own weights.
    labels, variable, ranks, paired, covariates, subjects, exchange, modes
        As for `permutation_test`.
    random_state, n_jobs, name
        As for `permutation_test`.

    Returns
    -------
    SiteEffectsResult

    Raises
    ------
    InputError
        If there are fewer than two sites, or if a graph has none.
    NoTest
        If fewer than two sites have enough people, or if the other sites have one group only.

    See Also
    --------
    held_out_effect : The same for random parts of the people.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> graphs = rng.normal(size=(60, 8, 8))
    >>> y = np.tile(["a", "b"], 30)
    >>> graphs[y == "a", :4, :4] += 1
    >>> graphs = graphs + graphs.transpose(0, 2, 1)
    >>> found = site_effects(graphs, y, np.repeat(["x", "y", "z"], 20))
    >>> found.means()[["contrast", "holds", "count"]].head(1).to_numpy().tolist()
    [['a-b', 3, 3]]
    >>> bool(1 < found.pooled("a-b").mean < 3)
    True
    """
    penalties = Penalties.of(percentiles, alphas)
    # Checked before the hours of work, not after.
    jobs = check_jobs(n_jobs)
    if sites is None:
        raise InputError("give the site of each graph as sites")
    # A series of sites is matched by the people's names, like all else that is known about them.
    sites = in_order_of(X, y, sites=sites)[1]["sites"]
    X, design = asked_of(
        X,
        y,
        labels=labels,
        variable=variable,
        ranks=ranks,
        paired=paired,
        covariates=covariates,
        subjects=subjects,
        exchange=exchange,
        modes=modes,
        random_state=random_state,
        name=name,
    )
    if len(design.contrasts) < 2:
        raise NoTest(f"{design.what} has no direction: there is no effect size of it")
    names, here = _graphs_of_sites(sites, design)
    people = _people(design, here)
    used = enough_people(people, design.labels)
    _check_enough(used, design)
    statistic = design.statistic(X, edge_statistic)
    found = effects_within(statistic, penalties, here)
    # A site without an effect at some penalty is left out at all, so that means are comparable.
    used &= np.isfinite(found.effect).all(axis=(0, 1))
    return SiteEffectsResult(
        contrasts=design.contrasts[:2],
        percentiles=penalties.labels,
        sites=tuple(names),
        people=people,
        used=used,
        effect=found.effect,
        error=found.error,
        nodes=found.nodes,
        covariance=covariance_within(statistic, penalties, here, found, used, jobs),
    )


def _graphs_of_sites(sites, design):
    """Return the names of the sites, and the design's graphs of each, (n_sites, n_graphs)."""
    site = whole_identifiers(sites, "sites", design.n_graphs)[design.rows]
    names = sorted(set(site.tolist()))
    if len(names) < 2:
        raise InputError(
            "sites: all graphs are of one site; two are needed, and five say something"
        )
    return names, np.array([site == name for name in names])


def _check_enough(used, design):
    """Raise NoTest if fewer than two sites have enough people for a mean."""
    if used.sum() < 2:
        needed = f"{2 * LEAST} people"
        if design.labels:
            needed = f"{LEAST} people of each group"
        raise NoTest(
            f"sites: {int(used.sum())} of {len(used)} sites have {needed} or more; a mean needs "
            "two such sites"
        )


def enough_people(people, labels):
    """Return whether counts of people in both groups (or above and below a median) suffice.

    `people` (..., 2) are counts for the strata of a design; `labels` says whether these are groups.

    Examples
    --------
    >>> enough_people(np.array([[3, 3], [2, 9]]), labels=True).tolist()
    [True, False]
    >>> enough_people(np.array([2, 4]), labels=False).tolist()
    True
    """
    if labels:
        return people.min(axis=-1) >= LEAST
    return people.sum(axis=-1) >= 2 * LEAST


def _people(design, here):
    """People of both strata at each site, (n_sites, 2)."""
    # People and not graphs: several graphs of a person say little more than one.
    counts = []
    for rows in here:
        each = [len(np.unique(design.cluster[rows & (design.strata == k)])) for k in (0, 1)]
        counts.append(each)
    return np.array(counts)


def cohort_sites(
    graphs, members, tests, effects, settings, seed, cohort, *, edge_statistic, n_jobs=1
):
    """Return the sites of a cohort, and the means over them, as tables.

    Sets are those at the penalties at which the two directions are shown (`shown_sets`). People
    without a site are left out and counted. The tables are empty if there are fewer than two sites,
    or no test of the cohort. If there are too few people for a mean over sites, a warning says so.

    Parameters
    ----------
    graphs, settings, seed, cohort
        As for `cohort_test`.
    members : pandas.DataFrame
        The table of the cohort's people, with ``site`` if it is known.
    tests, effects : pandas.DataFrame
        For the same cohort, from `cohort_test` and `cohort_effects`.
    edge_statistic, n_jobs
        As for `site_effects`.

    Returns
    -------
    tuple of pandas.DataFrame
        With the columns `COLUMNS` and `MEANS`, in addition to ``cohort``.
    """
    nothing = (
        pd.DataFrame(columns=["cohort", *COLUMNS]),
        pd.DataFrame(columns=["cohort", *MEANS]),
    )
    if SITE not in members:
        return nothing
    site = identifiers(members, SITE)
    # People whose site is not known are at no common site, and have no effect there.
    known = ~missing_entries(site) & (site != NO_SITE)
    if len(set(site[known])) < 2:
        if not known.all():
            warnings.warn(
                f"{cohort}: {(~known).sum()} of {len(known)} people have no site, and the others "
                "are at one: there are no effects at each site",
                stacklevel=2,
            )
        return nothing
    shown = shown_sets(tests, effects)
    shown = shown[shown["contrast"].isin(graphs.contrasts[:2])]
    # The tests of such a cohort already say why there are none.
    if shown.empty:
        return nothing
    if not known.all():
        text = (
            f"{cohort}: {(~known).sum()} of {len(known)} {PEOPLE} have no site: they are left out "
            "of the effects at each site"
        )
        warnings.warn(DataWarning(text), stacklevel=2)
    try:
        with warnings.catch_warnings():
            # The tests of the cohort give these warnings.
            warnings.simplefilter("ignore")
            graphs, design = cohort_design(graphs.of(known), members[known], settings, seed, cohort)
        at = dict(zip(members["subject"], site, strict=True))
        found = site_effects(
            graphs.weights,
            design,
            [at[name] for name in graphs.subject],
            percentiles=sorted(set(shown["percentile"])),
            edge_statistic=edge_statistic,
            n_jobs=n_jobs,
        )
    except NoTest as error:
        warnings.warn(f"{cohort}: no mean over its sites: {error}", stacklevel=2)
        return nothing
    tables = []
    for table in (found.table(), found.means()):
        table = table.merge(shown[["contrast", "percentile"]])
        table.insert(0, "cohort", cohort)
        tables.append(table)
    return tuple(tables)
