"""`confirm`: does a set that was chosen elsewhere differ in these people too?"""

import json
import warnings
from pathlib import Path

import click
import numpy as np

from ..core.checks import in_words
from ..core.errors import InputError
from ..core.holm import LEVEL
from .command import command
from .options import grouped


@command()
@click.argument("found", type=click.Path())
@grouped
@click.option(
    "--rename",
    type=click.Path(),
    help="Table with the columns `from` and `to`: names of regions in the file and in these data.",
)
@click.option(
    "--contrast", help="The claimed direction, for a file that does not name it: control-patient."
)
@click.option("--permutations", "-n", default=1000)
def confirm(read, found, seed, as_json, rename, contrast, permutations):
    """Test sets that were found in other people in new data: one test each, no search.

    FOUND is a file of `find --save`, or inference/<cohort>.found.json of a run (the sets that its
    page shows), or contrast/<cohort>/<contrast>.json (those of all penalties), or of Python's
    `save`, which names no direction (--contrast). Or name the regions and the direction that is
    claimed: 'td-asd: Temporal_*', and of the connections between two lists 'td-asd: Precuneus_L |
    Parietal_Sup_*'.

    \b
    contrast-subgraphs find controls/ patients/ --percentile 80 --save found.json
    contrast-subgraphs confirm found.json new/controls/ new/patients/
    contrast-subgraphs confirm 'controls-patients: Temporal_*' new/controls/ new/patients/
    """
    from ..inference import confirm as confirm_sets
    from ..inference.fixed_sets import doubts_of_the_same, names_of, refuse_the_same_people

    # A mistyped path must not be read as a pattern of names.
    if Path(found).suffix == ".json" and not Path(found).is_file():
        raise InputError(f"there is no file {found}")
    for option, given in (("--rename", rename), ("--contrast", contrast)):
        if given is not None and not Path(found).is_file():
            raise InputError(f"{option} is for a file of sets: leave it out")
    asked = read()
    graphs = asked.graphs
    sets = _sets(found, rename, contrast, graphs.roi)
    # The same people would confirm whatever was found in them.
    refuse_the_same_people(graphs.weights, sets)
    for text in doubts_of_the_same(sets, names_of(graphs.people), asked.how()):
        warnings.warn(text, stacklevel=2)
    result = confirm_sets(
        graphs.weights,
        asked.design(seed),
        sets,
        regions=graphs.roi,
        n_permutations=permutations,
    )
    table = result.table()
    if as_json:
        records = json.loads(table.to_json(orient="records"))
        click.echo(json.dumps(asked.about() | {"sets": records}, indent=1))
        return
    for row in table.to_dict("records"):
        click.echo(_told(row, len(table)))


def _sets(found, rename, contrast, regions):
    """Return the sets in a file, or given by a direction, a colon, and patterns of names."""
    from ..inference import load_sets, named_set

    if Path(found).is_file():
        return load_sets(found, _table_of_names(rename), contrast=contrast)
    contrast, colon, patterns = found.partition(":")
    if not colon:
        raise InputError(
            f"there is no file {found}. To name regions, put the direction before a colon: "
            "'control-patient: Temporal_*'"
        )
    first, between, second = patterns.partition("|")
    if between and not (_listed(first) and _listed(second)):
        raise InputError(f"{found}: there must be names of regions on both sides of |")
    between = _listed(second) or None
    return [
        named_set(_listed(first), regions, contrast.strip(), between=between, name=patterns.strip())
    ]


def _listed(text):
    return [name.strip() for name in text.split(",") if name.strip()]


def _table_of_names(path):
    """Return what regions of the file are called in the data."""
    if path is None:
        return None
    from ..data.people import read_texts

    table = read_texts(path)
    lacking = {"from", "to"} - set(table.columns)
    if lacking:
        raise InputError(f"--rename {path}: it lacks the column {in_words(sorted(lacking))}")
    return dict(zip(table["from"], table["to"], strict=True))


def _told(row, count):
    """Return the test of one set as text."""
    corrected = ""
    if count > 1:
        corrected = f", {row['p_holm']:.4g} corrected for {count} sets"
    how = f"{row['permutations']} permutations"
    if row["exact"]:
        how = f"all {row['permutations'] + 1} relabellings"
    shown = f"{row['effect']:.3g} ({row['low']:.3g} to {row['high']:.3g}), d = {row['d']:.2f}"
    verdict = "not confirmed"
    if row["p_holm"] <= LEVEL:
        verdict = "confirmed"
    if not np.isfinite(row["effect"]):
        shown = "nothing varies"
    return (
        f"{row['set']} ({row['pairs']} pairs): {verdict}; {row['contrast']} {shown}; one-sided "
        f"p = {row['p']:.4g}{corrected} ({how}, no search)"
    )
