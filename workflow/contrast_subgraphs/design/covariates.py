"""Covariates regressed out of the weights of graphs, by coefficients of some of the people."""

import numpy as np
import pandas as pd

from ..core.errors import InputError


def adjusted_graphs(adjacency, table, names, train=None):
    """Return graphs without what covariates explain of each pair's weight.

    Least squares of each weight on the covariates; what they explain, counted from the mean of
    the people it is fitted on, is subtracted from everybody. No diagnosis is used, so what the
    covariates share with it goes too. Adjusted weights can be negative, and a pair without an edge
    need not stay at 0.

    Parameters
    ----------
    adjacency : numpy.ndarray of shape (n_graphs, n_vertices, n_vertices)
        Symmetric.
    table : pandas.DataFrame
        One row for each graph.
    names : sequence of str
        Columns: numbers, of which a missing one is taken to be the median, or texts, which are
        categories (missing: the most frequent).
    train : numpy.ndarray of int, optional
        Whose coefficients, medians and categories these are; everybody's by default. A category
        that these people do not have counts as their mean.

    Returns
    -------
    numpy.ndarray of shape (n_graphs, n_vertices, n_vertices)

    Raises
    ------
    InputError
        If a covariate is not known of anybody, or nothing would be left to compare.

    Examples
    --------
    >>> graphs = np.zeros((4, 2, 2))
    >>> graphs[:, 0, 1] = graphs[:, 1, 0] = [1, 2, 3, 6]
    >>> table = pd.DataFrame({"age": [20, 30, 20, 30], "sex": ["f", "f", "m", "m"]})
    >>> adjusted_graphs(graphs, table, ["age"])[:, 0, 1].tolist()
    [2.0, 1.0, 4.0, 5.0]
    """
    train = np.arange(len(adjacency)) if train is None else train
    columns = np.column_stack([_columns(table[name], name, train) for name in names])
    fitted = columns[train]
    rank = np.linalg.matrix_rank(fitted, tol=1e-10 * np.sqrt(fitted.size))
    if rank + 2 >= len(train):
        raise InputError(
            f"graph.adjust: {', '.join(names)} explain all of {len(train)} people's weights: "
            "remove some"
        )
    pairs = np.triu_indices(adjacency.shape[1], 1)
    weights = adjacency[:, *pairs].astype(float)
    weights -= columns @ (np.linalg.pinv(fitted, rcond=1e-10) @ weights[train])
    adjusted = np.zeros(adjacency.shape)
    adjusted[:, *pairs] = weights
    return adjusted + adjusted.transpose(0, 2, 1)


def _columns(values, name, train):
    """Columns of one covariate, centred and scaled by the training people."""
    values = values.reset_index(drop=True)
    known = values.iloc[train].dropna()
    if known.empty:
        raise InputError(f"graph.adjust: {name} is not known of anybody there: take it out")
    if pd.api.types.is_numeric_dtype(values):
        columns = values.fillna(known.median()).to_numpy(float)[:, None]
    else:
        values = values.fillna(known.mode()[0]).astype(str).to_numpy()
        there = np.unique(known.astype(str))
        columns = (values[:, None] == there).astype(float)
        columns[~np.isin(values, there)] = columns[train].mean(axis=0)
    columns = columns - columns[train].mean(axis=0)
    scale = columns[train].std(axis=0)
    return columns / np.where(scale > 0, scale, 1.0)
