"""The table of the regions of a run: names, sides, systems and places.

`data.atlases` makes it, for AAL and for any other atlas.
"""

import numpy as np
import pandas as pd

from .atomic_files import WAY_OUT, load_table
from .errors import InputError

#: Hemispheres in the order of the columns; M is the vermis, in the midline.
HEMISPHERES = {"L": "left", "R": "right", "M": "midline"}

#: Columns of an atlas; all but the name may be empty.
COLUMNS = ("name", "hemisphere", "system", "x", "y", "z")


def load_atlas(path):
    """Read ``data/atlas.tsv``: a row for each region; unknown texts are empty, places NaN."""
    table = load_table(path, COLUMNS, dtype=dict.fromkeys(COLUMNS, str)).fillna("")
    twice = table["name"][table["name"].duplicated()]
    if len(twice):
        raise InputError(f"{path} has the region {twice.iloc[0]} twice: {WAY_OUT}")
    # A place that is a word would become NaN without notice, and its region would miss on the
    # pictures.
    for axis in "xyz":
        given = table[axis].str.strip()
        values = pd.to_numeric(given, errors="coerce").astype(float)
        wrong = (given != "") & ~np.isfinite(values)
        if wrong.any():
            raise InputError(f"{path}: {axis} of {table['name'][wrong].iloc[0]} is not a number")
        table[axis] = values
    return table[list(COLUMNS)]


def describe_regions(names, atlas):
    """Return the atlas's rows for a graph's regions; regions of another atlas have only a name."""
    table = pd.DataFrame({"name": np.asarray(names, dtype=str)})
    table = table.merge(atlas[list(COLUMNS)], on="name", how="left", validate="many_to_one")
    texts = ["hemisphere", "system"]
    table[texts] = table[texts].fillna("").astype(object)
    return table
