"""Small graphs and brute force for the tests of the solver."""

import numpy as np
from hypothesis import strategies as st


def subsets(n):
    """All sets of n vertices as rows of zeros and ones."""
    return (np.arange(2**n)[:, None] >> np.arange(n)) & 1


def brute_force(matrix):
    """Value of every set, in the order of `subsets`."""
    rows = subsets(len(matrix)).astype(float)
    return np.einsum("sv,sv->s", rows @ matrix, rows) / 2


def locally_optimal(matrix, slack):
    """Which rows of `subsets` no single move improves by more than `slack`."""
    rows = subsets(len(matrix))
    gains = rows @ matrix
    return ~(((rows == 1) & (gains < -slack)) | ((rows == 0) & (gains > slack))).any(axis=1)


@st.composite
def surplus_matrices(draw, smallest=2, largest=9):
    """Symmetric matrices with zero diagonal of many kinds, and of any scale."""
    n = draw(st.integers(smallest, largest))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(
        st.sampled_from(
            ["normal", "ties", "sparse", "negative", "positive", "duplicated", "split", "zero"]
        )
    )
    matrix = rng.normal(size=(n, n)) - draw(st.sampled_from([0.0, 0.3, 0.8]))
    if kind == "ties":
        matrix = rng.integers(-2, 3, size=(n, n)).astype(float)
    elif kind == "sparse":
        matrix *= rng.random((n, n)) < 0.3
    elif kind == "negative":
        matrix = -np.abs(matrix)
    elif kind == "positive":
        matrix = np.abs(matrix) + 0.01
    elif kind == "zero":
        matrix[:] = 0.0
    matrix = np.triu(matrix, 1)
    matrix = matrix + matrix.T
    if kind == "duplicated":  # vertices that are copies of one another
        twin = rng.integers(0, n, size=n)
        matrix = matrix[np.ix_(twin, twin)]
        np.fill_diagonal(matrix, 0.0)
    elif kind == "split":  # two parts without a weight between them
        matrix[: n // 2, n // 2 :] = matrix[n // 2 :, : n // 2] = 0.0
    return matrix * draw(st.sampled_from([1.0, 1e-300, 1e-9, 1e9, 1e280]))
