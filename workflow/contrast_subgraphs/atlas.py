"""The AAL atlas: names, hemispheres, systems and centroids of the 116 regions."""

from importlib.resources import files

import pandas as pd

#: Anatomical systems in the order in which the atlas lists their regions.
SYSTEMS = (
    "frontal",
    "insula",
    "limbic",
    "occipital",
    "parietal",
    "basal ganglia",
    "thalamus",
    "temporal",
    "cerebellum",
)


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
    path = files(__package__) / "resources" / "aal116.csv"
    with path.open(encoding="utf-8") as file:
        return pd.read_csv(file)
