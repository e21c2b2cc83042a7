"""Modes that all people share: principal components of their graphs, as covariates.

Each person has a little more or less of some patterns over the whole brain (arousal, motion, the
global signal). If the groups happen to differ in these, they differ everywhere, and a local
difference drowns in what permuted labels do to the patterns. Their scores as covariates are
surrogate variables (Leek and Storey, PLoS Genetics 2007), found without looking at labels. A
difference that is itself one of the patterns is removed with them.
"""

import numpy as np
from numpy.typing import ArrayLike

from ..core import seeds
from ..core.check_graphs import condensed_graphs
from ..core.checks import RandomState, check_count, check_seed
from ..core.errors import InputError
from ..core.graphs import GraphStack
from ..core.pairs import blocks_of_pairs

#: The names of modes as covariates begin with this.
MODE = "mode "

#: The number of modes is that of parallel analysis.
AUTO = "auto"
#: The number of data sets without modes that a mode is compared with: it must exceed all of them.
FLIPPED = 19
#: Squares below this share of the largest are rounding errors.
_LEAST = 1e-10


class Modes:
    """Principal components of the weights of all pairs, learnt from some people.

    `n_modes` is a number, or ``auto``: a mode then counts if it is larger than the same one in data
    where the sign of each deviation is random (parallel analysis; Hong, Sheng and Dobriban 2020).
    Attributes: `n_modes_`; `loadings_` (n_modes, n_pairs), orthonormal; `mean_` (n_pairs,).
    """

    def __init__(self, n_modes=AUTO, *, random_state=0):
        self.n_modes = check_modes(n_modes)
        self.random_state = check_seed(random_state)

    def fit(self, weights, rows=None):
        """Learn the modes from weights, (n_people, n_pairs), of all people or some `rows`."""
        weights = weights if rows is None else weights[rows]
        blocks = blocks_of_pairs(weights)
        self.mean_ = np.concatenate([weights[:, part].mean(axis=0, dtype=float) for part in blocks])
        squares, vectors = np.linalg.eigh(self._products(weights))
        # `eigh` sorts from the smallest on.
        squares = squares[::-1]
        vectors = vectors[:, ::-1]
        there = int((squares > _LEAST * squares[0]).sum()) if squares[0] > 0 else 0
        count = self.n_modes
        if count == AUTO:
            count = self._beyond_chance(weights, squares[:there])
        elif count > there - 1:
            raise InputError(
                f"modes: {len(weights)} people's graphs have {there} modes in all, of which some "
                f"must be left: give fewer than {count}"
            )
        self.n_modes_ = count
        kept = vectors[:, :count] / np.sqrt(squares[:count])
        # The sign of a component is arbitrary: its largest entry is made positive.
        largest = np.abs(kept).argmax(axis=0)
        kept *= np.where(kept[largest, np.arange(count)] < 0, -1.0, 1.0)
        loadings = [kept.T @ self._centred(weights, part) for part in blocks]
        self.loadings_ = np.concatenate(loadings, axis=1)
        return self

    def transform(self, weights):
        """Return people's scores, (n_people, n_modes)."""
        scores = np.zeros((len(weights), self.n_modes_))
        for part in blocks_of_pairs(weights):
            scores += self._centred(weights, part) @ self.loadings_[:, part].T
        return scores

    def adjusted(self, weights):
        """Return weights of people without the modes, (n_people, n_pairs)."""
        scores = self.transform(weights)
        left = np.empty(weights.shape)
        for part in blocks_of_pairs(weights):
            left[:, part] = weights[:, part] - scores @ self.loadings_[:, part]
        return left

    def _centred(self, weights, part):
        return weights[:, part].astype(float) - self.mean_[part]

    def _products(self, weights, rng=None):
        """Products of people's deviations over all pairs, with random signs if `rng` is given."""
        products = np.zeros((len(weights), len(weights)))
        for part in blocks_of_pairs(weights):
            centred = self._centred(weights, part)
            if rng is not None:
                centred *= 1 - 2 * rng.integers(0, 2, size=centred.shape, dtype=np.int8)
            products += centred @ centred.T
        return products

    def _beyond_chance(self, weights, squares):
        """The number of leading modes that are larger than the same ones with random signs."""
        rng = seeds.generator(self.random_state, "modes")
        largest = np.zeros(len(weights))
        for _ in range(FLIPPED):
            largest = np.maximum(largest, np.linalg.eigvalsh(self._products(weights, rng))[::-1])
        exceeds = squares > largest[: len(squares)]
        # Modes after the first one that does not exceed chance do not count.
        return int(np.argmin(exceeds)) if not exceeds.all() else max(0, len(squares) - 1)


def check_modes(n_modes):
    """Return the number of modes, or `AUTO`, or raise InputError."""
    if isinstance(n_modes, str) and n_modes == AUTO:
        return n_modes
    try:
        return check_count(n_modes, "modes")
    except InputError as error:
        raise InputError(f"{error}, or auto") from None


def mode_scores(
    X: ArrayLike | GraphStack, n_modes: int | str = AUTO, *, random_state: RandomState = 0
) -> dict[str, np.ndarray]:
    """Return the scores of each person on the modes that all people share, as covariates.

    Parameters
    ----------
    X : array_like of shape (n_graphs, n_vertices, n_vertices), or CohortGraphs
        Or only their pairs, (n_graphs, n_pairs), as for `permutation_test`. No group label is used.
    n_modes : int or "auto"
        The number of principal components of the weights of all pairs; by default those that
        exceed chance (parallel analysis).
    random_state : int
        For ``auto``.

    Returns
    -------
    dict of str to numpy.ndarray of shape (n_graphs,)
        ``mode 1``, ``mode 2``, ...: scores of mean 0.

    Raises
    ------
    InputError
        If there are fewer modes.

    See Also
    --------
    permutation_test : Adds them to the covariates if `modes` is given.

    References
    ----------
    Leek, Storey: Capturing heterogeneity in gene expression studies by surrogate variable analysis.
    PLoS Genetics 3, 2007. https://doi.org/10.1371/journal.pgen.0030161

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> graphs = rng.normal(size=(40, 1, 1)) + 0.5 * rng.normal(size=(40, 12, 12))
    >>> scores = mode_scores(graphs + graphs.transpose(0, 2, 1))
    >>> list(scores), scores["mode 1"].shape
    (['mode 1'], (40,))
    """
    if isinstance(X, GraphStack):
        X = X.weights
    weights, _ = condensed_graphs(X)
    scores = Modes(n_modes, random_state=random_state).fit(weights).transform(weights)
    return {f"{MODE}{number}": column for number, column in enumerate(scores.T, 1)}
