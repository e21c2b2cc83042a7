"""Any linear model: a design matrix and a contrast vector, as NBS and PALM take them."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..core.checks import RandomState
from ..core.errors import InputError
from ..core.labels import in_one_order
from .design import Design
from .variable import Variable


def design_matrix(
    matrix: ArrayLike,
    contrast: ArrayLike,
    *,
    called: str = "contrast",
    blocks: ArrayLike | None = None,
    covariates: Mapping[str, ArrayLike] | pd.DataFrame | None = None,
    subjects: ArrayLike | None = None,
    exchange: str = "auto",
    random_state: RandomState = 0,
    name: str = "",
) -> Design:
    """Return the `Design` of one linear combination of a model's coefficients.

    Parameters
    ----------
    matrix : array_like of shape (n_graphs, n_columns)
        Columns of numbers. A constant is always added to the model.
    contrast : array_like of shape (n_columns,)
        The combination that is tested; what is orthogonal to it is projected out.
    called : str
        The name of the combination.
    blocks, covariates, subjects, exchange, random_state, name
        As for `permutation_test`. The draws depend on `name`, that of the cohort, too.

    Returns
    -------
    Design
        With the contrasts ``more-with-<called>``, ``less-with-<called>`` and ``symmetric``.

    Raises
    ------
    InputError
        If the shapes do not fit, a number is not finite, or nothing is left to test.
    NoTest
        If no relabelling changes anything, so that there is no test.

    See Also
    --------
    two_groups, of_variable : The usual questions.
    permutation_test : Takes the design as `y`.

    References
    ----------
    Winkler, Ridgway, Webster, Smith, Nichols: Permutation inference for the general linear model.
    NeuroImage 92, 2014. https://doi.org/10.1016/j.neuroimage.2014.01.060

    Examples
    --------
    >>> design = design_matrix([[1, 0, 3], [1, 0, 5], [0, 1, 4], [0, 1, 1]], [1, -1, 0])
    >>> design.nuisance.shape
    (4, 2)
    """
    common = {
        "blocks": blocks,
        "covariates": covariates,
        "subjects": subjects,
        "exchange": exchange,
        "random_state": random_state,
        "name": name,
    }
    try:
        matrix, common = in_one_order(matrix, **common)
        # Masked entries become NaN, which is refused below; numpy would take what is under the
        # mask.
        matrix, contrast = (
            np.ma.filled(np.ma.asarray(given, dtype=float), np.nan) for given in (matrix, contrast)
        )
    except (TypeError, ValueError) as error:
        raise InputError(f"a design matrix and its contrast must be numbers ({error})") from error
    if matrix.ndim != 2 or contrast.shape != matrix.shape[1:]:
        raise InputError(
            "a design matrix has one row for each graph, and its contrast one number for each "
            f"column; their shapes are {matrix.shape} and {contrast.shape}"
        )
    if not (np.isfinite(matrix).all() and np.isfinite(contrast).all() and contrast.any()):
        raise InputError("a design matrix and its contrast must be finite, the contrast not all 0")
    # Imported here, as in `edge_statistic`.
    from scipy.linalg import null_space

    # The columns are split into the part along the contrast, which is tested, and the rest, which
    # is held constant (Winkler et al. 2014, appendix A).
    return Design(
        (matrix @ contrast / (contrast @ contrast))[:, None],
        contrasts=Variable(called=called).contrasts,
        what=called,
        held=[matrix @ null_space(contrast[None])],
        **common,
    )
