"""`map`: the contrast subgraph of a map of statistics that people already have."""

import functools
import json
from pathlib import Path

import click
import numpy as np

from ..core.errors import InputError
from .command import command
from .options import reading_option

_FILE = click.Path(exists=True, dir_okay=False)


@command(name="map")
@click.argument("statistics", type=_FILE, metavar="MAP")
@click.option(
    "--percentile", type=float, help="The penalty, as a percentile of the pairs that were tested."
)
@click.option("--alpha", type=float, help="The penalty, as a number.")
@click.option(
    "--direction",
    type=click.Choice(["positive", "negative", "absolute"]),
    default="positive",
    help="Whether high numbers count, low ones, or those far from 0.",
)
@click.option(
    "--values",
    type=click.Choice(["statistic", "p"]),
    help="What numbers from 0 to 1 are; p values become -log10 p.",
)
@click.option("--mask", type=_FILE, help="Which pairs were tested: 1, or 0.")
@click.option("--null", type=_FILE, help="Maps of permuted data, for a p-value: a stack (.npy).")
@reading_option("key")
@reading_option("triangle", "For files with a map in a row: the triangle that it goes through.")
@click.option("--seconds", type=float, help="Stop the proof after this time and give a bound.")
@click.option("--seed", default=0, help="Seed of all random draws.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
@click.option("--quiet", "-q", is_flag=True, help="Only results, warnings and errors.")
def map_(statistics, null, mask, key, triangle, seconds, seed, as_json, quiet, **options):
    """Find the contrast subgraph of a map: t, F or -log p of each pair of regions.

    The map is one symmetric matrix, its upper triangle, or a list of edges. No people are needed;
    with maps of permuted data the set is tested.

    \b
    contrast-subgraphs map t.csv --percentile 95
    contrast-subgraphs map p.csv --values p --alpha 3 --mask tested.csv
    contrast-subgraphs map t.npy --percentile 95 --null null_maps.npy
    """
    from ..contrast.maps import contrast_of_map
    from ..core.compiled import Kernel
    from ..core.pairs import n_vertices_of
    from ..inference.maps import map_permutation_test

    Kernel.said = quiet
    used: set[str] = set()
    read = functools.partial(_read, key=key, triangle=triangle, used=used)
    own_names, weights, tested = read(statistics)
    # Regions are numbered as in the other commands.
    names = own_names or [str(k + 1) for k in range(n_vertices_of(len(weights)))]
    limits = None
    if seconds is not None:
        limits = {"seconds": seconds}
    options |= {"names": names, "random_state": seed, "limits": limits}
    if mask is not None:
        options["mask"] = _named(*read(mask)[:2])
    if tested is not None:
        # Pairs that a list of edges does not name were not tested.
        options["mask"] = _both(options.get("mask"), tested, names)
    maps = None
    if null is not None:
        null_names, maps, _ = read(null, several=True)
        maps = _in_order(maps, null_names, own_names, null)
    _check_used(used, key=key, triangle=triangle)
    if maps is None:
        found = contrast_of_map(weights, **options)
        record = found.to_dict()
    else:
        test = map_permutation_test(weights, maps, **options)
        found = test.found
        # The p-values, by the names of the table's columns.
        [row] = test.table().filter(regex="^p").to_dict("records")
        numbers = {name: float(number) for name, number in row.items()}
        record = found.to_dict() | {"null_maps": len(test.null_distribution)} | numbers
    if as_json:
        click.echo(json.dumps(record, indent=1))
        return
    for line in _told(record):
        click.echo(line)


def _check_used(used, **given):
    """Raise InputError for an option of reading that no file of the command has used."""
    for name, value in given.items():
        if value is not None and name not in used:
            raise InputError(f"--{name} {value} changes nothing in these files: leave it out")


def _read(path, key, triangle, used, several=False):
    """Return the names of a file's regions, or None, and its pairs: of one map, or of several.

    And for a list of edges which pairs it names; else None. `used`: a set to which the options that
    the file needs are added.
    """
    from ..data.reading import KEYED, read_files

    # The option is for files of several arrays, but another one of the command may be a text.
    if Path(path).suffix.lower() not in (*KEYED, ".xlsx"):
        key = None
    how = {"key": key, "unlisted": np.nan}
    try:
        names, arrays, reading = read_files([path], "matrix", triangle=triangle, **how)
        if triangle is not None and not reading.edges:
            used.add("triangle")
    except InputError:
        if triangle is None:
            raise
        # The option is for maps in rows, but another file of the command may hold matrices.
        names, arrays, reading = read_files([path], "matrix", **how)
    if key is not None:
        used.add("key")
    pairs = np.asarray(arrays[0], dtype=float)
    tested = None
    if reading.edges:
        tested = ~np.isnan(pairs)
        pairs = np.where(tested, pairs, 0.0)
    if several:
        return names[0], np.atleast_2d(pairs), tested
    if pairs.ndim == 2 and len(pairs) == 1:
        pairs = pairs[0]
    if pairs.ndim != 1:
        raise InputError(f"{path} holds {len(pairs)} maps: one is needed")
    return names[0], pairs, tested


def _both(mask, tested, names):
    """Return the mask of the pairs that a list of edges names, within a further mask, if any."""
    named = _named(names, tested)
    if mask is None:
        return named
    if isinstance(mask, np.ndarray):
        mask = _named(names, mask)
    if set(mask.columns) != set(names):
        raise InputError("the mask has other regions than the map")
    return named.astype(bool) & mask.loc[names, names].astype(bool)


def _in_order(maps, names, order, path):
    """Return null maps with their regions in the order of the map's, if both are named."""
    if names is None or order is None or list(names) == list(order):
        return maps
    if set(names) != set(order):
        raise InputError(f"{path} has other regions than the map")
    from ..core.pairs import square_of, upper_triangle

    places = [list(names).index(name) for name in order]
    first, second = upper_triangle(len(order))
    return np.array([square_of(one)[np.ix_(places, places)][first, second] for one in maps])


def _named(names, pairs):
    """Return a map with the names of its regions, if it has them."""
    if names is None:
        return pairs
    import pandas as pd

    from ..core.pairs import square_of

    return pd.DataFrame(square_of(pairs), index=names, columns=names)


def _told(record):
    """Yield what was found as text."""
    proof = "proved: no set is better"
    if not record["optimal"]:
        proof = f"not proved: none is better than {record['upper_bound']:.6g}"
    yield (
        f"alpha {record['alpha']:.4g}: {len(record['regions'])} regions, objective "
        f"{record['objective']:.6g}, {proof}"
    )
    yield f"  {', '.join(record['regions'])}"
    if "p" in record:
        yield (
            f"  p = {record['p']:.4g} ({record['p_low']:.3g} to {record['p_high']:.3g}), of "
            f"{record['null_maps']} null maps"
        )
