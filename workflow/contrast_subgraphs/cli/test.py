"""`test`: is what is asked more than chance, and how large is it in held-out people?"""

import json

import click
import numpy as np
import pandas as pd

from ..core.checks import in_words
from .command import command, cores, say
from .find import measure_of
from .options import beside_modes, grouped, hold_option

_SLOPE = "slope per standard deviation, counted in the contrast's direction,"


@command()
@grouped
@click.option("--percentile", "percentiles", type=float, multiple=True, help="[default: 80]")
@click.option("--permutations", "-n", default=1000)
@hold_option
@beside_modes
def test(read, edge_statistic, seed, as_json, percentiles, permutations, hold, modes):
    """Test whether the groups differ by more than chance (permutation test).

    \b
    contrast-subgraphs test controls/ patients/ --percentile 80 --permutations 1000
    """
    from ..contrast.solve import FIRST
    from ..inference import chosen_penalty, permutation_test

    asked = read().beside_modes(modes, seed)
    if not percentiles:
        say(
            "tested at percentile 80. To test one that `find` chose from these people, give "
            f"--percentile for each that it chooses from ({in_words(FIRST, most=99)}): the p over "
            "all penalties allows for the choice"
        )
    design = asked.design(seed)
    graphs = asked.graphs
    options = {
        "percentiles": percentiles or (80,),
        "edge_statistic": edge_statistic,
        "n_jobs": cores(),
    }
    tested = permutation_test(
        graphs.weights,
        design,
        hold=hold,
        n_permutations=permutations,
        regions=graphs.roi,
        **options,
    )
    effects = _held_out(graphs, design, options)
    table = _with_held_out(tested.table(), effects)
    chosen = effects[effects["contrast"] == "chosen"]
    if as_json:
        measured = {f"density_{name}": f"{measure_of(graphs)}_{name}" for name in graphs.groups}
        records = json.loads(table.rename(columns=measured).to_json(orient="records"))
        told = asked.about() | {"tests": records}
        if len(chosen):
            [told["chosen"]] = json.loads(chosen[list(_OF_CHOSEN)].to_json(orient="records"))
        click.echo(json.dumps(told, indent=1))
        return
    what = "difference" if design.labels else _SLOPE
    for row in table.to_dict("records"):
        click.echo(_told(row))
        if not np.isnan(row.get("held_out_low", np.nan)):
            click.echo(_told_held_out(row, what))
    if len(set(table["percentile"])) > 1:
        for row in chosen_penalty(table, effects=effects).to_dict("records"):
            click.echo(f"{row['contrast']}, over these penalties: {row['verdict']}")
    for row in chosen.to_dict("records"):
        click.echo(_told_chosen(row, what, len(set(table["percentile"]))))


def _held_out(graphs, design, options):
    """Return the effects in held-out people, without a row if there are too few people."""
    from ..inference import held_out_effect
    from ..inference.effect_size import COLUMNS

    # Small groups have fewer folds; with two people no one is left to measure.
    folds = min(5, int(design.people_of_strata().min()) - 1)
    if folds < 2 or len(design.contrasts) < 2:
        return pd.DataFrame(columns=COLUMNS)
    return held_out_effect(graphs.weights, design, n_folds=folds, **options).table()


def _with_held_out(table, effects):
    """Return the table with the effects in held-out people beside each test."""
    if effects.empty:
        return table
    held_out = {name: f"held_out_{name}" for name in ("effect", "d", "low", "high")}
    effects = effects[["contrast", "percentile", *held_out, "in_sample"]]
    return table.merge(effects.rename(columns=held_out), how="left")


#: What JSON tells of the effect at what the other people choose.
_OF_CHOSEN = "effect", "d", "low", "high"


def _told_chosen(row, what, penalties):
    """Return the effect at what the other people choose as text."""
    choice = "direction and percentile" if penalties > 1 else "direction"
    return (
        f"{what} where the other people choose the {choice} too, which makes none too large: "
        f"{row['effect']:.3g} ({row['low']:.3g} to {row['high']:.3g}), d = {row['d']:.2f}"
    )


def _told(row):
    """Return the test of one set as text."""
    return (
        f"{row['contrast']}, percentile {row['percentile']:g} (alpha {row['alpha']:.4g}): "
        f"{row['size']} regions, objective {row['objective']:.6g}, by chance "
        f"{row['null_mean']:.6g} ± {row['null_sd']:.2g}; p = {row['p']:.4g} (all contrasts and "
        f"penalties together: {row['p_familywise']:.4g})"
    )


def _told_held_out(row, what):
    """Return the effect in held-out people as text."""
    return (
        f"  {what} inside a set at this percentile, in people who did not choose it: "
        f"{row['held_out_effect']:.3g} ({row['held_out_low']:.3g} to {row['held_out_high']:.3g}), "
        f"d = {row['held_out_d']:.2f}; in these people {row['in_sample']:.3g}"
    )
