"""Binary quadratic problems of other fields: their files, and the forms in which they are written.

All become ``maximise sum of w_ij over the pairs in S + sum of c_i over S`` (`maximize_quadratic`).
"""

import gzip
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..core.atomic_files import save_text
from ..core.checks import check_option
from ..core.errors import InputError
from ..core.notebook import draw_weights
from ..core.results import Result
from .difference import check_weights

#: What the lines ``i j number`` of a file mean.
FORMS = ("qubo", "cut")


@dataclass(frozen=True, repr=False)
class QuadraticProblem(Result):
    """A binary quadratic problem: what pairs add, what vertices add by themselves, and a constant.

    Attributes
    ----------
    weights : numpy.ndarray of shape (n_vertices, n_vertices)
        Symmetric, with zeros on the diagonal.
    linear : numpy.ndarray of shape (n_vertices,)
        What each vertex adds by itself.
    constant : float
        What is added to the value of every set.
    names : tuple of str
        Names of the vertices; empty if they have none.

    See Also
    --------
    maximize_quadratic : Solves it.

    Examples
    --------
    >>> from contrast_subgraphs import maximize_quadratic
    >>> problem = QuadraticProblem.of_qubo([[-1, 3], [0, -1]])  # minimise -x1 - x2 + 3 x1 x2
    >>> found = maximize_quadratic(problem.weights, problem.linear)
    >>> found.nodes.tolist(), -found.objective
    ([0], -1.0)
    """

    weights: np.ndarray
    linear: np.ndarray
    constant: float = 0.0
    names: tuple[str, ...] = ()

    def _said(self) -> str:
        pairs = np.count_nonzero(np.triu(self.weights))
        return f"{len(self.weights)} vertices, {pairs} pairs that count"

    def _draw(self, axes: Any) -> bool:
        return draw_weights(axes, self.weights, self.names, self.names)

    @classmethod
    def of_qubo(cls, matrix: ArrayLike) -> Self:
        """Return the problem of minimising ``x'Qx`` over x in {0, 1}.

        Parameters
        ----------
        matrix : array_like of shape (n_vertices, n_vertices)
            Q, symmetric or not: a pair counts ``q_ij + q_ji``.

        Returns
        -------
        QuadraticProblem
            The objective of a set is ``-x'Qx``.
        """
        try:
            given = np.array(matrix, dtype=float)
        except (TypeError, ValueError) as error:
            raise InputError(f"Q must be a matrix of numbers ({error})") from error
        if given.ndim != 2 or len(given) != given.shape[1] or not np.isfinite(given).all():
            raise InputError(f"Q must be square and finite; its shape is {given.shape}")
        both = given + given.T
        np.fill_diagonal(both, 0.0)
        return cls(0.0 - both, 0.0 - np.diagonal(given))

    @classmethod
    def of_cut(cls, weights: ArrayLike) -> Self:
        """Return the problem of the maximum cut of a graph: the set is one side of the cut.

        It is the side without the first vertex, which a large negative term keeps out.

        Parameters
        ----------
        weights : array_like of shape (n_vertices, n_vertices)
            Symmetric weights of the edges, of any sign.

        Returns
        -------
        QuadraticProblem
            The objective of a set is the weight of its cut.

        Examples
        --------
        >>> from contrast_subgraphs import maximize_quadratic
        >>> triangle = QuadraticProblem.of_cut([[0, 1, 2], [1, 0, 3], [2, 3, 0]])
        >>> found = maximize_quadratic(triangle.weights, triangle.linear)
        >>> found.nodes.tolist(), found.objective
        ([2], 5.0)
        """
        graph = check_weights(weights, "the graph")
        linear = np.array([math.fsum(row) for row in graph])
        if len(graph):
            largest = np.abs(graph).max()
            linear[0] = -4 * np.abs(graph[0]).sum() - (largest if largest > 0 else 1.0)
        return cls(-2 * graph, linear)

    @classmethod
    def of_bqm(cls, model: Any) -> Self:
        """Return the problem of the lowest energy of a binary quadratic model of `dimod`.

        Parameters
        ----------
        model : dimod.BinaryQuadraticModel
            Binary or spin.

        Returns
        -------
        QuadraticProblem
            The energy is ``-(constant + objective)``; the set holds the variables that are 1.
        """
        for part in ("vartype", "linear", "quadratic", "offset", "change_vartype"):
            if not hasattr(model, part):
                raise InputError(f"this is no binary quadratic model: it has no {part}")
        binary = model.change_vartype("BINARY", inplace=False)
        place = {variable: k for k, variable in enumerate(binary.linear)}
        weights = np.zeros((len(place), len(place)))
        for (u, v), bias in binary.quadratic.items():
            weights[place[u], place[v]] -= bias
            weights[place[v], place[u]] -= bias
        linear = np.array([-float(bias) for bias in binary.linear.values()])
        return cls(weights, linear, -float(binary.offset), tuple(map(str, place)))

    @classmethod
    def read(cls, path: str | Path, form: str = "qubo") -> Self:
        """Read a file of the Biq Mac library, or an edge list of a maximum cut.

        A line ``n m`` and then lines ``i j number``, with vertices from 1; `.gz` is unpacked.

        Parameters
        ----------
        path : str or pathlib.Path
        form : {"qubo", "cut"}
            ``qubo``: minimise x'Qx, where each line of a pair stands for both ``q_ij`` and
            ``q_ji`` (`.sparse`). ``cut``: the edges of a graph to be cut.

        Returns
        -------
        QuadraticProblem
            As `of_qubo` or `of_cut` returns it.

        Raises
        ------
        InputError
            If the file is not of that form.
        """
        check_option("form", form, FORMS)
        matrix = _read_pairs(Path(path))
        if form == "cut":
            vertex = np.flatnonzero(np.diagonal(matrix))
            if vertex.size:
                raise InputError(
                    f"{path}: an edge from vertex {vertex[0] + 1} to itself cannot be cut: "
                    "is it of the form qubo?"
                )
            return cls.of_cut(matrix)
        return cls.of_qubo(matrix)

    def as_cut(self) -> np.ndarray:
        """Return the graph whose cuts have the values of the sets, with one vertex more.

        Returns
        -------
        numpy.ndarray of shape (n_vertices + 1, n_vertices + 1)
            Weights of the edges. A set is the side without the first vertex.

        Examples
        --------
        >>> QuadraticProblem.of_qubo([[-1, 3], [0, -1]]).as_cut().tolist()
        [[0.0, -0.5, -0.5], [-0.5, 0.0, 1.5], [-0.5, 1.5, 0.0]]
        """
        graph = np.zeros((len(self.weights) + 1, len(self.weights) + 1))
        graph[1:, 1:] = 0.0 - self.weights / 2
        graph[0, 1:] = self.linear + self.weights.sum(axis=0) / 2
        graph[1:, 0] = graph[0, 1:]
        return graph

    def write(self, path: str | Path, form: str = "qubo") -> None:
        """Write the problem as a file of the Biq Mac library, or as an edge list of a maximum cut.

        Parameters
        ----------
        path : str or pathlib.Path
        form : {"qubo", "cut"}
            As for `read`; a cut has one vertex more (`as_cut`).

        Examples
        --------
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "pair.sparse"
        >>> QuadraticProblem.of_qubo([[-1, 3], [3, -1]]).write(path)
        >>> path.read_text().splitlines()
        ['2 3', '1 1 -1', '1 2 3', '2 2 -1']
        """
        check_option("form", form, FORMS)
        if form == "qubo":
            matrix = np.triu(self.weights / -2, 1) + np.diag(0.0 - self.linear)
        else:
            matrix = np.triu(self.as_cut(), 1)
        pairs = np.argwhere(matrix).tolist()
        lines = [f"{u + 1} {v + 1} {_plain(matrix[u, v])}" for u, v in pairs]
        save_text(path, "\n".join([f"{len(matrix)} {len(lines)}", *lines, ""]))


def _plain(number):
    """A number with all of its digits; a whole one without a point, as other programs want it."""
    value = float(number)
    return str(int(value)) if value.is_integer() else repr(value)


def _read_pairs(path):
    """The symmetric matrix of a file of lines ``i j number``."""
    try:
        data = path.read_bytes()
        if path.suffix == ".gz":
            data = gzip.decompress(data)
        lines = [line.split() for line in data.decode().splitlines()]
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read ({error})") from error
    rows = [(number, words) for number, words in enumerate(lines, 1) if words]
    try:
        n, count = (int(word) for word in rows[0][1])
        if n < 0:
            raise ValueError
    except (IndexError, ValueError):
        raise InputError(
            f"{path} must begin with the numbers of vertices and of lines: n m"
        ) from None
    if len(rows) != count + 1:
        raise InputError(f"{path} says {count} lines, and has {len(rows) - 1}")
    matrix = np.zeros((n, n))
    met = np.zeros((n, n), dtype=bool)
    for number, words in rows[1:]:
        try:
            u = int(words[0]) - 1
            v = int(words[1]) - 1
            value = float(words[2])
            if len(words) != 3 or not (0 <= u < n and 0 <= v < n) or not math.isfinite(value):
                raise ValueError
        except (IndexError, ValueError):
            raise InputError(
                f"{path}, line {number}: {' '.join(words)!r} is no pair of vertices from 1 to {n} "
                "and a number"
            ) from None
        if met[u, v]:
            raise InputError(f"{path}, line {number}: the pair {u + 1} {v + 1} stands there twice")
        met[u, v] = met[v, u] = True
        matrix[u, v] = matrix[v, u] = value
    return matrix
