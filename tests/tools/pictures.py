"""Pictures compared with stored ones: what changes them is looked at, not passed over."""

import os
from pathlib import Path

import numpy as np
from PIL import Image

STORED = Path(__file__).resolve().parents[1] / "report/pictures"


def looks_as_stored(picture, name, width=360):
    """Say how far a picture is from the stored one: the mean difference in grey, of 255.

    Both are made small, so that another machine's way of drawing letters counts little. With
    `RENEW_PICTURES` set, the picture is stored instead.
    """
    new = Image.open(picture).convert("L")
    new = new.resize((width, round(width * new.height / new.width)), Image.Resampling.BOX)
    path = STORED / f"{name}.png"
    if os.environ.get("RENEW_PICTURES"):
        path.parent.mkdir(exist_ok=True)
        new.quantize(32).save(path, optimize=True)
    old = Image.open(path).convert("L")
    if old.size != new.size:
        return 255.0
    return float(np.abs(np.asarray(old, dtype=float) - np.asarray(new, dtype=float)).mean())
