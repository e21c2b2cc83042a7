"""Small made images: an atlas of six regions, and 4-D files in which each has its series."""

from pathlib import Path

import nibabel
import numpy as np

#: Labels of the atlas, in no order of places.
CODES = (2, 3, 5, 7, 11, 13)
_SHAPE = (8, 8, 8)


def labels():
    """Return the labels: six boxes of 3 x 3 x 3 voxels."""
    found = np.zeros(_SHAPE, dtype=np.int16)
    corners = [(1, 1, 1), (5, 1, 1), (1, 5, 1), (1, 1, 5), (5, 5, 1), (5, 1, 5)]
    for code, (i, j, k) in zip(CODES, corners, strict=True):
        found[i : i + 3, j : j + 3, k : k + 3] = code
    return found


def affine(shift=0):
    found = np.diag([4.0, 4.0, 4.0, 1.0])
    found[:3, 3] = -14 + shift
    return found


def write_atlas(path, shift=0, scale=1):
    data = labels() if scale == 1 else (labels() * scale).astype(np.float32)
    nibabel.save(nibabel.Nifti1Image(data, affine(shift)), path)
    return Path(path)


def write_image(path, series, t_r=2.0):
    """Write an image in which the voxels of a region have its series, around 100."""
    data = np.zeros((*_SHAPE, len(series)), dtype=np.float32)
    for column, code in enumerate(CODES):
        data[labels() == code] = series[:, column] + 100 * (np.ptp(series[:, column]) > 0)
    image = nibabel.Nifti1Image(data, affine())
    image.header.set_zooms((4, 4, 4, t_r))
    image.header.set_xyzt_units("mm", "sec")
    nibabel.save(image, path)
    return Path(path)
