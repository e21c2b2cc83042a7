"""Ridge regression on features of all people, to predict a variable."""

from dataclasses import dataclass, field, replace

import numpy as np

#: Penalties in units of the mean squared length of a person's features, the largest first.
PENALTIES = tuple(float(10**k) for k in np.arange(3, -3.25, -0.5))
#: The number of training parts that are kept, since controls meet them again.
KEPT = 24


def ridge_grid(penalties=PENALTIES):
    """Return the penalties as candidates of a learner, in order of preference when they tie."""
    return [{"alpha": penalty} for penalty in penalties]


@dataclass(frozen=True)
class Ridge:
    """Features of all people, or their inner products; with the methods of `svm.Columns`."""

    numbers: np.ndarray
    products: bool = False
    kept: dict = field(default_factory=dict)

    def accuracy(self, y, train, test, candidates):
        """Minus the mean squared error of each candidate in the test part, in variances."""
        errors = self._predictions(y, train, test, candidates) - y[test]
        return -(errors**2).mean(axis=1) / (y[train].var() or 1.0)

    def left_out(self, y, train, person, candidates):
        """The same with each training person left out in turn, without any new fit."""
        U, squares = self._axes(train)
        values = y[train] - y[train].mean()
        along = U.T @ values
        scores = []
        first, several = np.unique(person[train], return_inverse=True, return_counts=True)[1:]
        for candidate in candidates:
            # 1. The hat matrix of ridge regression is U share U' plus 1 / n for the mean.
            share = squares / (squares + candidate["alpha"] * _size(squares, train))
            rest = values - U @ (share * along)
            # 2. A residual over 1 - leverage is the error without this person (Allen's PRESS).
            errors = rest / (1 - 1 / len(train) - (U**2) @ share)
            # 3. The same in blocks for people with several graphs, who are left out as wholes.
            for one in np.flatnonzero(several > 1):
                rows = np.flatnonzero(first == one)
                hat = 1 / len(train) + (U[rows] * share) @ U[rows].T
                errors[rows] = np.linalg.solve(np.eye(len(rows)) - hat, rest[rows])
            scores.append(-(errors**2).mean() / (values.var() or 1.0))
        return np.array(scores)

    def decision(self, y, train, test, candidate):
        """Predictions of the test people."""
        return self._predictions(y, train, test, [candidate])[0]

    def changed(self, change):
        """The features changed by a linear function of each column."""
        changed = change(self.numbers)
        if self.products:
            changed = change(changed.T)
        return replace(self, numbers=changed, kept={})

    def _predictions(self, y, train, test, candidates):
        U, squares = self._axes(train)
        outer = self._once((train, test), self._outer)
        along = U.T @ (y[train] - y[train].mean())
        size = _size(squares, train)
        fits = np.array([along / (squares + one["alpha"] * size) for one in candidates])
        return y[train].mean() + fits @ outer.T

    def _axes(self, train):
        """Axes of the training people, centred, and their squared lengths along them."""
        return self._once((train,), self._found)[:2]

    def _once(self, parts, make):
        key = tuple(part.tobytes() for part in parts)
        if key not in self.kept:
            if len(self.kept) >= 2 * KEPT:
                self.kept.clear()
            self.kept[key] = make(*parts)
        return self.kept[key]

    def _found(self, train):
        if not self.products:
            features = self.numbers[train] - self.numbers[train].mean(axis=0)
            U, lengths, axes = np.linalg.svd(features, full_matrices=False)
            return U, lengths**2, axes.T * lengths
        inner = self.numbers[np.ix_(train, train)]
        mean = inner.mean(axis=0)
        # Inner products of centred features: rows and columns without their means.
        squares, U = np.linalg.eigh(inner - mean - mean[:, None] + mean.mean())
        return U, np.maximum(squares, 0.0), mean

    def _outer(self, train, test):
        """Products of the test people, centred by the training people's mean, with the axes."""
        U, _, right = self._once((train,), self._found)
        if not self.products:
            return (self.numbers[test] - self.numbers[train].mean(axis=0)) @ right
        outer = self.numbers[np.ix_(test, train)]
        return (outer - outer.mean(axis=1, keepdims=True) - right + right.mean()) @ U


def _size(squares, train):
    """Mean squared length of a person's features; 1 where none varies."""
    return squares.sum() / len(train) or 1.0
