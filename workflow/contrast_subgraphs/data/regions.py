"""The user's regions: the table of an atlas, the names in the files, and the regions all have."""

import itertools
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

from ..core.atlas import HEMISPHERES
from ..core.checks import in_words
from ..core.columns import WORDS, check_column, columns_of, identifiers
from ..core.data_warnings import PEOPLE, DataWarning
from ..core.errors import InputError
from ..core.reading_options import check_reading
from .atlases import load_aal
from .people import existing_file, plain, read_people

#: The names by which columns of an atlas's table are recognized.
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
    """Return the path of a source `folder`'s table of regions; None without one."""
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
        A table with a row per region, in the order of the data if these have no names; columns
        ``name`` (or ``label``), and any of ``code`` (or ``index``), ``hemisphere`` (else from
        ``x``: left below 0), ``system`` (or ``network``), ``x``, ``y``, ``z`` (MNI, mm). Or only
        names, one per line, without a header.

    Returns
    -------
    pandas.DataFrame
        ``name, hemisphere, system, x, y, z``, and ``code`` if it is there. A name that several
        regions have is numbered in the order of the rows, with a warning; ``given`` are then the
        names as they stand in the table.

    Raises
    ------
    InputError
        If the table cannot be read, or a region has no name, or two have the same number.

    See Also
    --------
    read_groups : Takes its path.
    plot_contrast : Takes the table.

    Examples
    --------
    >>> from importlib.resources import files
    >>> aal = read_atlas(files("contrast_subgraphs.data") / "aal116.csv")
    >>> aal[["name", "hemisphere", "system"]].values.tolist()[0]
    ['Precentral_L', 'L', 'frontal']
    """
    given = _table_of_regions(path)
    lower = {str(name).lower(): name for name in columns_of(given)}
    found = {
        wanted: next((lower[name] for name in names if name in lower), None)
        for wanted, names in _ATLAS_NAMES.items()
    }
    named = found["name"] or found["code"] or "name"
    check_column(given, named, path)
    # As they are written: the region 001 is not 1.
    names = identifiers(given, named)
    if None in names.tolist():
        line = names.tolist().index(None) + 2
        raise InputError(f"{path} has no {named} in line {line}: each region needs one")
    table = pd.DataFrame({"name": names}, index=given.index)
    nothing = pd.Series(np.nan, index=table.index)
    for column in ("hemisphere", "system"):
        known = given.get(found[column], nothing)
        known = known.astype(object).where(known.notna() & ~known.isin(WORDS), "")
        table[column] = known.astype(str)
    for column in ("x", "y", "z"):
        known = given.get(found[column], nothing)
        numbers = pd.to_numeric(known, errors="coerce")
        if (numbers.isna() & known.notna()).any():
            raise InputError(f"{path}: a place in the column {found[column]} is not a number")
        table[column] = numbers.astype(float)
    # The first letter is enough, also for LH and left.
    side = table["hemisphere"].str.strip().str[:1].str.upper()
    # Coordinates that start at a corner of the brain have no sign that says the side.
    if not found["hemisphere"] and table["x"].min() < 0 < table["x"].max():
        side = np.sign(table["x"]).map({-1: "L", 0: "M", 1: "R"})
    table["hemisphere"] = side.where(side.isin(list(HEMISPHERES)), "")
    if found["code"]:
        table["code"] = [plain(value) for value in given[found["code"]]]
        twice = table["code"][table["code"].duplicated() & given[found["code"]].notna().to_numpy()]
        if len(twice):
            raise InputError(f"{path} has the number {twice.iloc[0]} twice")
    if table["name"].duplicated().any():
        first = table["name"].mode()[0]
        different = table["name"].nunique()
        if not found["name"] or different == 1:
            more = ", and no other" if different == 1 else ""
            raise InputError(f"{path} has the region {first} twice{more}")
        table["given"] = table["name"]
        table["name"] = _numbered(table["name"].tolist(), path)
    return table


def _table_of_regions(path):
    """Return the table of an atlas, or make one from a list of names without a header."""
    table = read_people(path)
    known = {name for names in _ATLAS_NAMES.values() for name in names}
    first, *others = columns_of(table)
    if others or first.lower() in known:
        return table
    return pd.DataFrame({"name": [first, *identifiers(table, first)]})


def _numbered(names, path):
    """Return names of regions; those that occur several times get a number."""
    count = Counter(names)
    taken = set(names)
    numbered = {}
    for name in names:
        if count[name] > 1 and name not in numbered:
            free = (f"{name} {k}" for k in itertools.count(1) if f"{name} {k}" not in taken)
            numbered[name] = list(itertools.islice(free, count[name]))
    said = [f"{name} ({own[0]} to {own[-1]})" for name, own in numbered.items()]
    warnings.warn(
        f"{path} has several regions of one name, which are numbered in the order of its rows: "
        f"{in_words(said, most=3)}",
        stacklevel=3,
    )
    left = {name: iter(own) for name, own in numbered.items()}
    return [next(left[name]) if name in left else name for name in names]


def name_regions(names, count, atlas):
    """Return the names of a file's regions: its own, in the atlas's spelling, or the atlas's."""
    if names is None and atlas is None:
        return [str(index) for index in range(1, count + 1)]
    known = load_aal() if atlas is None else atlas
    codes = [str(code) for code in known.get("code", ())]
    if names is not None:
        # Without an atlas, AAL's numbers are understood: four digits, all of them known.
        if set(names) <= set(codes) and (atlas is None or not set(names) <= set(known["name"])):
            code = dict(zip(codes, known["name"], strict=True))
            return [code[name] for name in names]
        return list(names)
    numbers = codes or atlas["name"].tolist()
    if all(number.isdigit() for number in numbers) and numbers != sorted(numbers, key=int):
        raise InputError(
            "it has no names of regions, or their numbers only, and the numbers of the atlas "
            "are not in the order of its rows: sort the rows of the atlas by number (or, if "
            "its rows are in the order of the file, leave the numbers out)"
        )
    return atlas["name"].tolist()


def check_places(people):
    """Raise InputError unless all files name their regions, or none does and all have as many."""
    without = [one for one in people if not one.named]
    if without and len(without) < len(people):
        named = next(one for one in people if one.named)
        raise InputError(
            f"only one of {named.path} and {without[0].path} names its regions: whether they are "
            "in the same order is not known. Give all files names, or none, or an atlas"
        )
    if not without:
        return
    few = min(without, key=lambda one: len(one.names))
    many = max(without, key=lambda one: len(one.names))
    if len(few.names) < len(many.names):
        raise InputError(
            f"the subjects are not on the same regions: {few.path} has {len(few.names)}, "
            f"{many.path} has {len(many.names)}. Without names in the files it is not known which "
            "are which"
        )


def common_regions(people, atlas=None, regions="error"):
    """Return the regions to work on, and for each person how many have data and which do not.

    `atlas`: gives the order of the regions, by default the files do; `regions`: "error"; "common"
    for the regions that all have data for; or "drop" to leave out, for matrices, also the regions
    without any weight in one or more people.
    """
    check_reading(regions=regions)
    everything = list(dict.fromkeys(name for one in people for name in one.names))
    if atlas is not None:
        place = {name: index for index, name in enumerate(atlas["name"])}
        everything.sort(key=place.__getitem__)
    # A constant series counts as there in `error`: the stage graphs leaves its subject out.
    covered = {one.label: set(one.own) - one.constant for one in people}
    if regions == "drop":
        covered = {one.label: covered[one.label] - one.without_weight() for one in people}
    coverage = {
        label: (len(names), [name for name in everything if name not in names])
        for label, names in covered.items()
    }
    if regions == "error":
        _check_even(people, everything)
        return everything, coverage
    # The regions of all people, in the common order: two people's edges must be of the same pairs.
    kept = [name for name in everything if all(name in names for names in covered.values())]
    worst = min(coverage, key=lambda label: coverage[label][0])
    if len(kept) < 3:
        raise InputError(
            f"the subjects have only {len(kept)} regions in common: leave out those with the "
            f"fewest, such as {worst}"
        )
    if len(kept) < len(everything):
        counts = Counter(name for _, lacking in coverage.values() for name in lacking)
        said = [f"{name} ({counts[name]} of {len(people)})" for name in everything if counts[name]]
        text = (
            f"{len(everything) - len(kept)} of {len(everything)} regions are left out, since "
            f"some {PEOPLE} lack them ({worst} lacks {len(coverage[worst][1])}): "
            f"{in_words(said, most=5)}"
        )
        warnings.warn(DataWarning(text), stacklevel=3)
    return kept, coverage


def _check_even(people, everything):
    """Raise InputError unless all people have data on all regions."""
    uneven = [one for one in people if len(one.own) < len(everything)]
    if not uneven:
        return
    first = uneven[0]
    gone = [name for name in everything if name not in set(first.own)]
    raise InputError(
        f"the subjects are not on the same regions: {first.label} lacks {len(gone)} of "
        f"{len(everything)} ({in_words(gone, most=3)}), and {len(uneven) - 1} others lack "
        "some. Set `regions: common` (--regions common) to keep those that all have, "
        "or `regions: drop` for those that also have a signal in all people"
    )
