"""Series of regions from preprocessed images: an atlas applied to 4-D NIfTI files by nilearn."""

import json
import os
import re
import warnings
import zlib
from pathlib import Path

import numpy as np

from ..core.checks import check_number, check_option, in_words
from ..core.errors import InputError

STRATEGIES = ("simple", "scrubbing", "compcor", "ica_aroma")
#: Endings of what is read along with an image (`files_beside`).
_BESIDE = (".tsv", ".json", ".hdr", ".img", ".HEAD", ".BRIK")
#: The repetition times of the header and of the .json file may differ by this share.
_ROUNDING = 0.01


def image_series(
    paths: list[str | Path],
    atlas: str | Path,
    *,
    confounds: str | None = None,
    detrend: bool = True,
    standardize: bool = True,
    low_pass: float | None = None,
    high_pass: float | None = None,
    t_r: float | None = None,
    smoothing_fwhm: float | None = None,
) -> tuple[np.ndarray, list[str]]:
    """Return the mean series of an atlas's regions in a person's 4-D images, and their numbers.

    Each run is cleaned by itself; then they are joined, one after the other. `atlas`: a 3-D image
    of labels (0 is not a region), or a 4-D image with a map for each region, in the same space. The
    other options are those of ``sources.folder.image`` (docs/reference/config.md).
    """
    import nibabel

    if confounds is not None:
        check_option("confounds", confounds, STRATEGIES)
    for name, value in (("low_pass", low_pass), ("high_pass", high_pass), ("t_r", t_r)):
        if value is not None:
            check_number(value, name, 1e-4, 1e3)
    atlas_image = _load(nibabel, atlas, "the atlas")
    count = _count_of_labels(atlas_image, atlas) if len(atlas_image.shape) == 3 else None
    cleaning = {
        "detrend": detrend,
        "standardize": "zscore_sample" if standardize else None,
        "low_pass": low_pass,
        "high_pass": high_pass,
        "smoothing_fwhm": smoothing_fwhm,
    }
    timed = low_pass or high_pass or t_r
    parts: list[np.ndarray] = []
    names: list[str] = []
    for path in paths:
        image = _load(nibabel, path, "the image")
        if len(image.shape) != 4:
            raise InputError(f"{path} is not a 4-D image: its shape is {image.shape}")
        cleaning["t_r"] = _repetition(image, path, t_r) if timed else None
        values, found = _of_regions(image, path, atlas_image, atlas, cleaning, confounds)
        _check_place(path, atlas, found, values, count or len(found))
        if names and found != names:
            raise InputError(f"{path} covers other regions than {paths[0]}: use one of the runs")
        names = found
        parts.append(values)
    return np.vstack(parts), names


def _count_of_labels(image, path):
    """Return how many regions an image of labels has."""
    codes = np.unique(np.asanyarray(image.dataobj))
    codes = codes[np.isfinite(codes) & (codes != 0)]
    if len(codes) < 2 or (codes != codes.round()).any():
        raise InputError(f"{path} must hold whole numbers, one for each of several regions")
    return len(codes)


def _of_regions(image, path, atlas_image, atlas, cleaning, confounds):
    """Return the series of an atlas's regions in one image, and the numbers of the regions."""
    from nilearn import maskers

    labelled = len(atlas_image.shape) == 3
    of = maskers.NiftiLabelsMasker if labelled else maskers.NiftiMapsMasker
    masker = of(atlas_image, **cleaning, reports=False)
    regressors, kept = _confounds(path, confounds)
    with warnings.catch_warnings():
        # nilearn warns of labels that the image lacks; they are counted below.
        warnings.simplefilter("ignore")
        try:
            values = masker.fit_transform(image, confounds=regressors, sample_mask=kept)
        except (ValueError, OSError, EOFError, zlib.error) as error:
            raise InputError(
                f"{path}: no series of the regions of {atlas} (whole? in its space?): {error}"
            ) from error
    if not labelled:
        return values, [str(place) for place in range(1, values.shape[1] + 1)]
    codes = [code for key, code in masker.region_ids_.items() if key != "background"]
    return values, [str(int(code)) for code in codes]


def files_beside(path: str | Path, names: list[str] | None = None) -> list[Path]:
    """Return the files that may be read along with an image.

    Parameters
    ----------
    path : str or pathlib.Path
        The image.
    names : list of str, optional
        What its folder holds, if that is known.

    Returns
    -------
    list of pathlib.Path
        The files of the same scan in its folder: tables and JSON (confounds, the repetition time),
        and the other half of an image that consists of two files.
    """
    path = Path(path)
    # The names of fMRIPrep's confounds begin like the scan's, but do not say its space.
    scan = re.split(r"_space-|_desc-|_bold|\.", path.name)[0]
    if names is None:
        names = os.listdir(path.parent)
    others = [path.with_name(name) for name in names if name.startswith(scan)]
    return sorted(other for other in others if other.suffix in _BESIDE and other != path)


def _load(nibabel, path, what):
    try:
        image = nibabel.load(path)
        # The header of a cut file is good, so a part of the data is read too.
        np.asanyarray(image.dataobj[..., :1])
        return image
    except (OSError, ValueError, EOFError, nibabel.filebasedimages.ImageFileError) as error:
        raise InputError(f"{what} {path} cannot be read: {error}") from error


def _repetition(image, path, given):
    """Return the repetition time in seconds."""
    if given is not None:
        return given
    sidecar = Path(str(path).removesuffix(".gz").removesuffix(".nii") + ".json")
    known = []
    if sidecar.is_file():
        known.append(json.loads(sidecar.read_text(encoding="utf-8")).get("RepetitionTime"))
    unit = {"sec": 1.0, "msec": 1e-3, "usec": 1e-6}.get(image.header.get_xyzt_units()[1])
    known.append(unit and float(image.header.get_zooms()[3]) * unit)
    known = [float(one) for one in known if one and 0.1 <= one <= 20]
    if not known or max(known) > min(known) * (1 + _ROUNDING):
        said = "no repetition time"
        if known:
            said = "two repetition times"
        raise InputError(
            f"{path} has {said}; filters need one: give it in seconds (`t_r` of "
            "sources.folder.image)"
        )
    return known[0]


def _confounds(path, strategy):
    """Return the confounds of an output of fMRIPrep, and which volumes are kept."""
    if strategy is None:
        return None, None
    from nilearn.interfaces.fmriprep import load_confounds_strategy as load

    try:
        return load(str(path), denoise_strategy=strategy)
    except (ValueError, OSError, KeyError) as error:
        raise InputError(
            f"{path} has no confounds for the strategy {strategy}: {error}. Set `confounds` of "
            "sources.folder.image to another one, or to null for images that are clean"
        ) from error


def _check_place(path, atlas, found, values, count):
    """Raise InputError if few regions have a signal: the image may be in another space."""
    there = np.ptp(values, axis=0) > 0
    if there.sum() < max(2, count / 2):
        lacking = [name for name, one in zip(found, there, strict=True) if not one]
        raise InputError(
            f"only {int(there.sum())} of the {count} regions of {atlas} have a signal in {path} "
            f"(none has {in_words(lacking, 'or', 3) or 'any other'}): are they in the same space?"
        )


def series_source(source: dict, folder: str, names: list[str]) -> dict:
    """Return a source `folder` for the series that were made from its images, one file each."""
    wrong = [name for name in names if not re.fullmatch(r"[\w.+-]+", name)]
    if wrong:
        raise InputError(f"the subject {wrong[0]!r} cannot be the name of a file: rename them")
    return source | {"kind": "series", "files": f"{folder}/{{id}}.npz", "key": "series"}
