"""Atlases: what the regions of the graphs are called, and where they lie."""

from importlib.resources import files

import numpy as np
import pandas as pd

from ..core.atlas import describe_regions


def load_aal():
    """Return the 116 regions of the AAL atlas in the order of the series' columns.

    Tzourio-Mazoyer et al., NeuroImage 2002; the centroids (MNI, mm) are those of the mask that
    the ABIDE Preprocessed release used.
    """
    path = files(__package__) / "aal116.csv"
    with path.open(encoding="utf-8") as file:
        return pd.read_csv(file)


def region_names(codes):
    """Return AAL's names for AAL's numbers, all of them in its order; else numbers are names."""
    aal = load_aal()
    if np.array_equal(codes, aal["code"]):
        return aal["name"].to_numpy(str)
    return np.array([str(code) for code in codes], dtype=str)


def describe_atlas(names, atlas=None):
    """Return the table of the data's regions: from the given atlas, or AAL's if all names match.

    Otherwise everything but the name stays empty: wrong places in a picture are worse than none.
    """
    if atlas is None:
        aal = load_aal()
        known = np.array_equal(np.asarray(names, dtype=str), aal["name"])
        atlas = aal if known else aal.iloc[:0]
    return describe_regions(names, atlas)
