"""Several groups: does any differ from any other? One test in addition to those of the pairs."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..core.check_graphs import check_labels
from ..core.checks import RandomState, in_words
from ..core.graphs import GraphStack, labels_of_people
from ..core.labels import in_one_order
from .covariates import NOTHING, nuisance_basis, unexplained
from .design import Design
from .determined import refuse_determining
from .edge_statistic import BEYOND, EdgeStatistic, NoTest
from .freedman_lane import explained_again
from .question import Question


class Several(Question):
    """Whether any of several groups differs from any other; the answer has no direction."""

    kind = "several"
    schema = {"const": True}
    refused = {"groups": "names two of them; several means all"} | Question.refused
    by_pairs = False
    named_by_groups = False
    directed = False
    unpredicted = "two groups are told apart: give their pair a cohort of its own"

    @property
    def contrasts(self):
        return ("any-difference",)

    def make_design(self, graphs, **common):
        return several_groups(
            graphs.labels,
            labels=self.groups,
            **common,
        )

    def estimate(self, labels):
        return f"the F statistic over {in_words(labels)}"

    def called_in_text(self, label):
        return "all groups at once"

    def contrast_labels(self, labels):
        return ("Any difference",)


def several_groups(
    y: ArrayLike | GraphStack,
    *,
    labels: Sequence | None = None,
    blocks: ArrayLike | None = None,
    covariates: Mapping[str, ArrayLike] | pd.DataFrame | None = None,
    subjects: ArrayLike | None = None,
    exchange: str = "auto",
    random_state: RandomState = 0,
    name: str = "",
) -> Design:
    """Return the `Design` of the omnibus test of two groups or more.

    The weight of a pair of regions is the F of the groups, whatever `edge_statistic` says. There is
    one contrast.

    Parameters
    ----------
    y : array_like of shape (n_graphs,), or CohortGraphs
        The group of each graph, or people, as `read_groups` returns them.
    labels : sequence, optional
        The groups in order; sorted by default.
    blocks, covariates, subjects, exchange, random_state, name
        As for `permutation_test`. The draws depend on `name`, that of the cohort, too.

    Returns
    -------
    Design
        With the contrast ``any-difference``.

    Raises
    ------
    NoTest
        If a group has fewer than two graphs, or no relabelling changes anything.
    InputError
        If labels are missing, or if graphs have labels that are not among those given.

    See Also
    --------
    two_groups : Each pair of groups.
    permutation_test : Takes the design as `y`.

    Examples
    --------
    >>> several_groups(["a", "b", "c"] * 3).contrasts
    ('any-difference',)
    """
    common = {
        "blocks": blocks,
        "covariates": covariates,
        "subjects": subjects,
        "exchange": exchange,
        "random_state": random_state,
        "name": name,
    }
    y, labels, common = labels_of_people(y, labels, common)
    y, common = in_one_order(y, **common)
    given = check_labels(y, np.size(y))
    labels = list(np.unique(given) if labels is None else labels)
    groups = given[:, None] == np.array(labels)
    if len(labels) < 2 or groups.sum(axis=0).min() < 2 or not groups.any(axis=1).all():
        raise NoTest(
            f"a test of several groups needs at least two graphs of each of {in_words(labels)}, "
            "and none of other labels"
        )
    refuse_determining(common.get("covariates"), given)
    return _Several(
        # One column fewer than groups: with the constant in the model the last would be redundant.
        groups[:, 1:].astype(float),
        contrasts=Several().contrasts,
        labels=tuple(map(str, labels)),
        strata=groups.argmax(axis=1),
        **common,
    )


class _Several(Design):
    """A design whose statistic is F."""

    def statistic(self, X, kind="difference"):
        return _OmnibusF(self, X, "t" if kind == "difference" else kind)


class _OmnibusF(EdgeStatistic):
    """F of all regressors together, from permuted residuals (Freedman and Lane 1983)."""

    bound = np.inf

    def values(self, draws):
        """Return F of each pair, finite, (n_draws, n_pairs)."""
        design = self.design
        columns = (design.moved(column, draws) for column in design.tested.T)
        rows = (unexplained(column, design.nuisance) for column in columns)
        explained = sum(self._sums(one) ** 2 for one in rows)
        rest = self._residual_squares - explained_again(self.design, draws, self._sums) - explained
        return self._f(explained, rest, len(design.rows))

    def of_parts(self, parts, draws):
        """Return F in parts of the people, (n_parts, n_pairs)."""
        design = self.design
        explained = []
        rest = self._sums(parts.astype(float), squared=True)
        for left, part, draw in zip(rest, parts, draws, strict=True):
            nuisance = nuisance_basis(design.nuisance[part], constant=False)
            tested = unexplained(design.moved(design.residuals, draw)[part].T, nuisance).T
            tested = nuisance_basis(tested, constant=False)
            if tested.shape[1] < design.residuals.shape[1]:
                raise NoTest("a part of the people lacks a group")
            columns = np.zeros((len(part), nuisance.shape[1] + tested.shape[1]))
            columns[part] = np.column_stack([tested, nuisance])
            # The columns are orthonormal: each square is what that direction explains.
            sums = self._sums(columns.T) ** 2
            explained.append(sums[: tested.shape[1]].sum(axis=0))
            left -= sums.sum(axis=0)
        return self._f(np.array(explained), rest, parts.sum(axis=1)[:, None])

    def _f(self, explained, rest, n):
        """F that is large but finite if the groups are separated completely, as `t_statistic`.

        The squares are at least those of one person who deviates by the difference between one
        group and all others, in groups of equal size.
        """
        # Imported here, as in `edge_statistic`.
        from scipy.special import fdtri

        k = self.design.residuals.shape[1]
        freedom = np.maximum(n - self.design.nuisance.shape[1] - k, 1)
        largest = np.maximum(n * freedom / (k + 1) ** 2, fdtri(k, freedom, 1 - BEYOND))
        least = np.maximum(explained * freedom / (k * largest), np.finfo(float).tiny)
        found = explained / np.maximum(rest, least) * freedom / k
        # A pair that is the same in all people differs only by rounding.
        return np.where(explained <= NOTHING * (explained + rest), 0.0, found)
