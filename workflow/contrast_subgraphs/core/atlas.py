"""What is known about the regions of a graph: names, sides, systems and places."""

import numpy as np
import pandas as pd

#: Hemispheres in the order of the columns; M is the vermis, in the midline.
HEMISPHERES = {"L": "left", "R": "right", "M": "midline"}


def describe_regions(names, atlas):
    """Return what is known about the regions of a graph.

    Parameters
    ----------
    names : array_like of str, shape (n_rois,)
        The graph's regions, in the order of its rows.
    atlas : pandas.DataFrame
        What `atlas.load_aal` gives.

    Returns
    -------
    pandas.DataFrame of n_rois rows
        Columns ``name, hemisphere, system, x, y, z``. Regions of another atlas have
        empty texts and no centroid.
    """
    columns = ["name", "hemisphere", "system", "x", "y", "z"]
    table = pd.DataFrame({"name": np.asarray(names, dtype=str)})
    table = table.merge(atlas[columns], on="name", how="left", validate="many_to_one")
    texts = ["hemisphere", "system"]
    table[texts] = table[texts].fillna("").astype(object)
    return table
