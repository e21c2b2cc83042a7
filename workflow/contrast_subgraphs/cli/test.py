"""`test`: is the difference more than chance, and how large is it in held-out people?"""

import json
from dataclasses import dataclass
from typing import Any

import click
import numpy as np

from ..core.checks import in_words
from .command import command, cores, say
from .find import measure_of
from .options import beside_modes, grouped, hold_option


@command()
@grouped
@click.option("--percentile", "percentiles", type=float, multiple=True, help="[default: 80]")
@click.option("--permutations", "-n", default=1000)
@hold_option
@beside_modes
@click.option(
    "--sites",
    help="For a table: the column of the site. Each site is measured inside the set that the "
    "others choose.",
)
@click.option(
    "--would-find",
    "asks_power",
    is_flag=True,
    help="Say what difference would have been found in 80 % of cases.",
)
def test(
    read, edge_statistic, seed, as_json, percentiles, permutations, hold, modes, sites, asks_power
):
    """Test whether the groups differ by more than chance (permutation test).

    \b
    contrast-subgraphs test controls/ patients/ --percentile 80 --permutations 1000
    """
    from ..contrast.solve import FIRST
    from ..inference import permutation_test, site_effects, would_find

    asked = read().beside_modes(modes, seed)
    if not percentiles:
        say(
            "tested at percentile 80. To test one that `find` chose from these people, give "
            f"--percentile for each that it chooses from ({in_words(FIRST, most=99)}): the p over "
            "all penalties allows for the choice"
        )
    site = None
    if sites is not None:
        site = asked.column("--sites", sites)
    # 1. Whose labels are exchanged with whose.
    design = asked.design(seed)
    graphs = asked.graphs
    how = {"edge_statistic": edge_statistic, "n_jobs": cores()}
    options = {"percentiles": percentiles or (80,), **how}
    # 2. Is it more than chance?
    tested = permutation_test(
        graphs.weights,
        design,
        hold=hold,
        n_permutations=permutations,
        regions=graphs.roi,
        **options,
    )
    # 3. How large is it? The set's own people exaggerate, since they chose it.
    found = _Found(graphs, tested.table(), _held_out(graphs, design, options))
    # 4. Does it hold at each site?
    if site is not None:
        found.at_sites = site_effects(graphs.weights, design, site, **options)
    # 5. What would have been found at all?
    if asks_power:
        found.smallest = would_find(graphs.weights, design, tested, **how)
    if as_json:
        click.echo(json.dumps(asked.about() | found.record(), indent=1))
        return
    for text in found.told():
        click.echo(text)


@dataclass
class _Found:
    """What the command has found, to be printed as JSON or as text."""

    graphs: Any
    tests: Any  # a row for each contrast and penalty
    effects: Any  # in held-out people
    at_sites: Any = None
    smallest: Any = None

    @property
    def table(self):
        """The tests, with the effects in held-out people next to each."""
        return _with_held_out(self.tests, self.effects)

    @property
    def chosen(self):
        """The effect whose direction and penalty the other people chose: one row, or none."""
        from ..inference.effect_size import CHOSEN

        return self.effects[self.effects["contrast"] == CHOSEN]

    def record(self):
        """Return all of it for JSON."""
        graphs = self.graphs
        # Weighted graphs have no density: the key says that it is a mean weight.
        measured = {f"density_{name}": f"{measure_of(graphs)}_{name}" for name in graphs.groups}
        said = {"tests": _records(self.table.rename(columns=measured))}
        for record in _records(self.chosen[list(_OF_CHOSEN)]):
            said["chosen"] = record
        if self.at_sites is not None:
            said["sites"] = _records(self.at_sites.table())
            said["over_sites"] = _records(self.at_sites.means())
        if self.smallest is not None:
            said["would_find"] = _records(self.smallest.table())
        return said

    def told(self):
        """Yield all of it as lines of text."""
        from ..inference import chosen_penalty

        table = self.table
        what = _measured(self.graphs)
        penalties = len(set(table["percentile"]))
        for row in table.to_dict("records"):
            yield _told(row)
            if not np.isnan(row.get("held_out_low", np.nan)):
                yield _told_held_out(row, what)
        if penalties > 1:
            for row in chosen_penalty(table, effects=self.effects).to_dict("records"):
                yield f"{row['contrast']}, over these penalties: {row['verdict']}"
        for row in self.chosen.to_dict("records"):
            yield _told_chosen(row, what, penalties)
        if self.at_sites is not None:
            yield from _told_sites(self.at_sites)
        if self.smallest is not None:
            for row in self.smallest.table().to_dict("records"):
                yield _told_smallest(row, what)


def _measured(graphs):
    """Return what an effect is: a difference, or a slope per unit."""
    numbers = graphs.numbers
    unit = graphs.question.unit(None if numbers is None else len(np.unique(numbers)))
    if not unit:
        return "difference"
    return f"slope per {unit}, counted in the contrast's direction,"


def _records(table):
    """Return the rows of a table for JSON."""
    return json.loads(table.to_json(orient="records"))


def _told_sites(found):
    """Yield as text how many sites each contrast holds at, and the sites that are left out."""
    for row in found.means().to_dict("records"):
        at = ""
        if not np.isnan(row["percentile"]):
            at = f", percentile {row['percentile']:g}"
        further = ""
        if np.isfinite(row["predicted_low"]):
            expected = f"{row['predicted_low']:.3g} to {row['predicted_high']:.3g}"
            further = f"; at a further site {expected}"
        yield (
            f"{row['contrast']}{at}: holds at {row['holds']} of {row['count']} sites; mean over "
            f"sites {row['mean']:.3g} ({row['low']:.3g} to {row['high']:.3g}), I2 {row['i2']:.0%}"
            + further
        )
    # Sites without enough people are in the table of sites, and must not be missed here.
    left = [name for name, used in zip(found.sites, found.used, strict=True) if not used]
    if left:
        yield f"too few people of a group, and not in the mean: {in_words(left, most=99)}"


def _told_smallest(row, what):
    """Return as text what would have been found inside some number of regions."""
    where = f"inside {row['regions']} random regions"
    cases = f"would have been found in {row['share']:.0%} of cases (p up to {row['level']:g})"
    if np.isnan(row["difference"]):
        return f"no {what} {where} {cases}: too few people, or too few relabellings"
    return f"a {what} of {row['difference']:.3g} or more {where}, d = {row['d']:.2f}, {cases}"


def _held_out(graphs, design, options):
    """Return the effects in held-out people; no rows if there are too few people."""
    import pandas as pd

    from ..inference import held_out_effect
    from ..inference.effect_size import COLUMNS

    # Small groups have fewer folds; with two people in a group, no one is left to measure.
    folds = min(5, int(design.people_of_strata().min()) - 1)
    if folds < 2 or len(design.contrasts) < 2:
        return pd.DataFrame(columns=COLUMNS)
    return held_out_effect(graphs.weights, design, n_folds=folds, **options).table()


def _with_held_out(table, effects):
    """Return the table with the effects in held-out people next to each test."""
    if effects.empty:
        return table
    held_out = {name: f"held_out_{name}" for name in ("effect", "d", "low", "high")}
    effects = effects[["contrast", "percentile", *held_out, "in_sample"]]
    return table.merge(effects.rename(columns=held_out), how="left")


#: What JSON holds about the effect at the other people's choice.
_OF_CHOSEN = "effect", "d", "low", "high"


def _told_chosen(row, what, penalties):
    """Return as text the effect at the other people's choice."""
    choice = "direction"
    if penalties > 1:
        choice = "direction and percentile"
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
