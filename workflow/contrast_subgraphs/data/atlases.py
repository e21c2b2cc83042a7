"""The atlases that the package ships: AAL's 116 regions."""

from importlib.resources import files

import pandas as pd


def load_aal():
    """Return the 116 regions of the AAL atlas in the order of the series' columns.

    Returns
    -------
    pandas.DataFrame
        Columns ``code`` (int, as in the header of a ``.1D`` file), ``name``,
        ``hemisphere`` (``L``, ``R`` or ``M`` for the vermis), ``x``, ``y``, ``z``
        (centroid, MNI, mm), ``voxels`` and ``system``.

    Notes
    -----
    Tzourio-Mazoyer et al., NeuroImage 2002; the centroids are those of the mask that
    the ABIDE Preprocessed release used.
    """
    path = files(__package__) / "aal116.csv"
    with path.open(encoding="utf-8") as file:
        return pd.read_csv(file)
