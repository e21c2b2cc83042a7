"""Which design a vector of labels asks for."""

from ..core.errors import InputError
from ..core.graphs import check_labels
from .design import Design, two_groups


def make_design(X, y, *, random_state=0, name="", **question):
    """Return the design of labels and what goes with them, or the design itself.

    Parameters
    ----------
    X : array_like of shape (n_graphs, n_vertices, n_vertices)
        There must be one label for each graph.
    y : array_like of shape (n_graphs,), or Design
    random_state, name
        As for `Design`.
    **question
        ``labels, blocks, covariates, subjects, exchange`` as for `two_groups`.

    Returns
    -------
    Design
    """
    if isinstance(y, Design):
        for key, value in question.items():
            if value is not None and value != "within":
                raise InputError(f"a design has its own {key}: give it where the design is made")
        return y
    return two_groups(check_labels(y, len(X)), random_state=random_state, name=name, **question)
