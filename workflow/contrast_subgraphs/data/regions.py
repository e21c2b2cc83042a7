"""The user's regions: the table of an atlas, names of files matched with it, those all have."""

import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

from ..core.errors import InputError
from .atlases import load_aal
from .people import existing_file, plain, read_people
from .series import constant_rois

#: By which names the columns of an atlas's table are known.
_ATLAS_NAMES = {
    "name": ("name", "label", "region", "roi", "roi_name", "roi name", "region_name"),
    "code": ("code", "index", "number", "id", "roi_id", "roi number", "value"),
    "hemisphere": ("hemisphere", "hemi", "side"),
    "system": ("system", "network", "module", "lobe", "yeo", "network_label"),
    "x": ("x", "x_mni", "mni_x", "r"),
    "y": ("y", "y_mni", "mni_y", "a"),
    "z": ("z", "z_mni", "mni_z", "s"),
}


def atlas_path(source):
    """Return the path of the user's table of regions; None without one.

    Raises
    ------
    InputError
        If it is not there, neither beside the table of people nor as it is given.
    """
    if not source.get("atlas"):
        return None
    beside = Path(source["subjects"]).expanduser().parent if source.get("subjects") else None
    return existing_file(source["atlas"], "sources.folder.atlas", "the table of regions", beside)


def atlas_of(source):
    """Return `read_atlas` of a source `folder` of the config; None without an atlas."""
    path = atlas_path(source)
    return None if path is None else read_atlas(path)


def read_atlas(path: str | Path) -> pd.DataFrame:
    """Read a table of regions.

    Parameters
    ----------
    path : str or pathlib.Path
        A CSV or TSV with a row per region, in the order of the data if these have no names;
        columns ``name`` (or ``label``), and any of ``code`` (or ``index``), ``hemisphere``,
        ``system`` (or ``network``), ``x``, ``y``, ``z`` (MNI, mm).

    Returns
    -------
    pandas.DataFrame
        ``name, hemisphere, system, x, y, z``, and ``code`` if it is there.

    Raises
    ------
    InputError
        If it cannot be read, has no names, a name twice or a place that is not a number.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "atlas.csv"
    >>> _ = path.write_text("label,network\\nV1,Visual\\n")
    >>> read_atlas(path)[["name", "system"]].values.tolist()
    [['V1', 'Visual']]
    """
    given = read_people(path)
    lower = {str(name).lower(): name for name in given.columns}
    found = {
        wanted: next((lower[name] for name in names if name in lower), None)
        for wanted, names in _ATLAS_NAMES.items()
    }
    if found["name"] is None:
        if found["code"] is None:
            raise InputError(
                f"{path} has no column `name` (or `label`) of the regions; it has "
                f"{', '.join(map(repr, given.columns))}"
            )
        found["name"] = found["code"]
    table = pd.DataFrame({"name": given[found["name"]].astype(str).str.strip()})
    for column in ("hemisphere", "system"):
        known = given[found[column]] if found[column] else pd.Series("", index=table.index)
        table[column] = known.astype(object).where(known.notna(), "").astype(str)
    for column in ("x", "y", "z"):
        known = given[found[column]] if found[column] else pd.Series(np.nan, index=table.index)
        numbers = pd.to_numeric(known, errors="coerce")
        if (numbers.isna() & known.notna()).any():
            raise InputError(f"{path}: a place in the column {found[column]} is not a number")
        table[column] = numbers.astype(float)
    if table["name"].duplicated().any():
        raise InputError(
            f"{path} has the region {table['name'][table['name'].duplicated()].iloc[0]} twice"
        )
    if found["code"]:
        table["code"] = [plain(value) for value in given[found["code"]]]
    return table


def name_regions(numbers, count, atlas, what):
    """Return the names of a file's regions: its own, or else the atlas's."""
    if numbers.names is not None:
        names = _of_the_atlas(numbers.names, atlas)
        twice = [name for name, n in Counter(names).items() if n > 1]
        if twice:
            raise InputError(f"the region {twice[0]} appears twice in it")
        return names
    if atlas is not None:
        if len(atlas) != count:
            raise InputError(
                f"it has {count} {what}, and the atlas has {len(atlas)} regions. Without names in "
                "the file they must be the same, in the same order"
            )
        codes = [str(code) for code in atlas.get("code", ())]
        counted = [{str(k + first) for k in range(count)} for first in (0, 1)]
        if set(codes) in counted and codes != sorted(codes, key=int):
            raise InputError(
                "it has no names of regions, or their numbers only, and the numbers of the atlas "
                "are not in the order of its rows: sort the rows of the atlas by number (or, if "
                "its rows are in the order of the file, leave the numbers out)"
            )
        return atlas["name"].tolist()
    return [str(index) for index in range(1, count + 1)]


def _of_the_atlas(names, atlas):
    """Return the atlas's names of regions that a header calls by name or by number."""
    if atlas is None:
        aal = load_aal()
        code = dict(zip(aal["code"].astype(str), aal["name"], strict=True))
        # AAL's numbers are like no other's: four digits, all of them known.
        return [code[name] for name in names] if set(names) <= set(code) else list(names)
    if set(names) <= set(atlas["name"]):
        return list(names)
    if "code" in atlas:
        code = dict(zip(atlas["code"].astype(str), atlas["name"], strict=True))
        if set(names) <= set(code):
            return [code[name] for name in names]
    unknown = [name for name in names if name not in set(atlas["name"])]
    raise InputError(f"the region {unknown[0]!r} in its header is not in the atlas")


def common_regions(read, source, atlas, kind):
    """Return the regions to work on, and ``{subject: (how many, which it lacks)}``.

    Parameters
    ----------
    read : dict
        For each subject what its file has data for, and the names of all its regions.
    """
    everything = list(dict.fromkeys(name for _, names in read.values() for name in names))
    if atlas is not None:
        place = {name: index for index, name in enumerate(atlas["name"])}
        everything.sort(key=place.__getitem__)
    there = {
        subject: set(data if kind == "series" else data[1]) for subject, (data, _) in read.items()
    }
    # A constant series counts as there in `error`: the stage graphs leaves its subject out.
    covered = {
        subject: there[subject] - (_constant(data) if kind == "series" else set())
        for subject, (data, _) in read.items()
    }
    coverage = {
        subject: (len(names), [name for name in everything if name not in names])
        for subject, names in covered.items()
    }
    worst = min(coverage, key=lambda subject: coverage[subject][0])
    if source.get("regions", "error") == "error":
        uneven = [subject for subject, names in there.items() if len(names) < len(everything)]
        if uneven:
            gone = [name for name in everything if name not in there[uneven[0]]]
            raise InputError(
                f"the subjects are not on the same regions: {uneven[0]} lacks {len(gone)} of "
                f"{len(everything)} ({', '.join(gone[:3])}{', ...' if len(gone) > 3 else ''}), "
                f"and {len(uneven) - 1} others lack some. Set `regions: common` to keep those "
                "that all have"
            )
        return everything, coverage
    regions = [name for name in everything if all(name in names for names in covered.values())]
    if len(regions) < 3:
        raise InputError(
            f"the subjects have only {len(regions)} regions in common: leave out those who lack "
            f"most, such as {worst}"
        )
    if len(regions) < len(everything):
        warnings.warn(
            f"{len(everything) - len(regions)} of {len(everything)} regions are left out, since "
            f"some subjects lack them ({worst} lacks {len(coverage[worst][1])}; all in "
            "all.coverage.tsv)",
            stacklevel=3,
        )
    return regions, coverage


def check_positions(read, unnamed, subjects):
    """Regions without names are known by their place alone: all files must have as many."""
    sizes = {len(read[name][1]): name for name in unnamed}
    if len(sizes) > 1:
        (few, one), *_, (many, other) = sorted(sizes.items())
        raise InputError(
            f"the subjects are not on the same regions: {subjects.files[one]} has {few}, "
            f"{subjects.files[other]} has {many}. Without names in the files it is not known "
            "which are which"
        )
    if unnamed and len(unnamed) < len(read):
        named = next(name for name in read if name not in unnamed)
        raise InputError(
            f"{subjects.files[unnamed[0]]} has no names of regions, but {subjects.files[named]} "
            "has: give all or none, or an atlas"
        )


def in_order(matrix, names, regions):
    """Return a matrix on some of its regions, in their order."""
    if names == regions:
        return matrix
    place = {name: index for index, name in enumerate(names)}
    order = [place[name] for name in regions]
    return matrix[np.ix_(order, order)]


def _constant(data):
    """Names of the regions without data, of a subject's series by region."""
    names = np.array(list(data))
    return set(names[constant_rois(np.column_stack(list(data.values())))]) if data else set()
