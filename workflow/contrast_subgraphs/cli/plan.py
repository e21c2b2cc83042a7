"""`plan`: how many people would it take to confirm what a pilot found, or to find it again?"""

import json
import math

import click

from ..core.checks import in_words
from .command import command, cores
from .find import check_plot
from .options import beside_modes, grouped


@command()
@grouped
@click.option("--percentile", "percentiles", type=float, multiple=True, help="[default: 80]")
@click.option("--share", default=0.8, help="The share of cases in which it should be found.")
@click.option("--permutations", "-n", default=200, help="For the pilot and for each of its parts.")
@click.option("--parts", default=8, help="How many parts with 25, 50 and 75 % of the people.")
@beside_modes
@click.option("--plot", help="Draw the power against the number of people (.png, .pdf, .svg).")
def plan(read, edge_statistic, seed, as_json, percentiles, share, permutations, parts, modes, plot):
    """Say how many people it would take, from the people of a pilot study.

    \b
    contrast-subgraphs plan controls/ patients/ --plot plan.png
    """
    from ..inference import plan as plan_of

    if plot:
        check_plot(plot)
    asked = read().beside_modes(modes, seed)
    # The pilot's own effect is too large, since it chose the set: `plan` corrects for that.
    planned = plan_of(
        asked.graphs.weights,
        asked.design(seed),
        percentiles=percentiles or (80,),
        share=share,
        edge_statistic=edge_statistic,
        n_permutations=permutations,
        n_parts=parts,
        n_jobs=cores(),
    )
    if plot:
        _draw(planned, plot)
    if as_json:
        click.echo(json.dumps(asked.about() | _recorded(planned), indent=1))
        return
    for text in _told(planned):
        click.echo(text)


def _draw(planned, path):
    """Draw the plan into a file."""
    from ..core.extras import optional

    figures = optional("matplotlib.figure", "workflow")
    figure = figures.Figure((6, 4), layout="constrained")
    planned.plot(figure.subplots())
    figure.savefig(path, dpi=150)


def _recorded(planned):
    """Return a plan for JSON, in which infinite numbers are null."""
    confirming = planned.confirm
    numbers = {
        "pilot": planned.pilot,
        "share": planned.share,
        "d": confirming.d,
        "d_low": confirming.d_low,
        "d_high": confirming.d_high,
        "confirm": confirming.people,
        "confirm_low": confirming.people_low,
        "confirm_resampled": confirming.resampled,
        "discover": planned.discover,
        "discover_low": planned.discover_low,
        "discover_high": planned.discover_high,
    }
    # JSON knows no infinity: null says that no number is enough.
    known = dict.fromkeys(numbers)
    known |= {name: value for name, value in numbers.items() if math.isfinite(value)}
    for name, rows in (("parts", planned.parts), ("table", planned.table())):
        known[name] = json.loads(rows.to_json(orient="records"))
    return known


def _told(planned):
    """Yield a plan as text."""
    confirming = planned.confirm
    cases = f"in {planned.share:.0%} of cases"
    yield (
        f"pilot: {planned.pilot} people, d = {confirming.d:.2f} in those who did not choose the "
        f"set (95 % interval {confirming.d_low:.2f} to {confirming.d_high:.2f})"
    )
    text = f"to confirm this set {cases}: {_people(confirming.people)}"
    if math.isfinite(confirming.people):
        text += (
            f" ({confirming.resampled:.0%} of as many drawn from the pilot); with the lower end of "
            f"the interval {_people(confirming.people_low)}"
        )
    yield text
    ends = [_people(planned.discover_low), _people(planned.discover_high)]
    yield (
        f"to find a set {cases}: {_people(planned.discover)} (95 % interval {ends[0]} to "
        f"{ends[1]}), extrapolated from the p of the pilot alone"
    )
    for people, rows in planned.parts.groupby("people"):
        # Parts that were too small for a test say nothing about its power.
        known = rows.dropna(subset="p")
        if known.empty:
            yield f"  {people} people: too few for a test"
            continue
        found = int((known["p"] <= planned.level).sum())
        which = "the pilot"
        if people != planned.pilot:
            which = f"{found} of {len(known)} parts find a set"
        text = f"  {people} people: {which}, median p = {known['p'].median():.3g}"
        effect = known["effect"].mean()
        # In the smallest parts too few are left to measure it.
        if math.isfinite(effect):
            text += f", difference in held-out people {effect:.3g}"
        yield text
    # The parts above were measured: only what follows from them is extrapolated.
    further = planned.table()
    for row in further[further["extrapolated"]].to_dict("records"):
        found = in_words([f"{row['discover_low']:.2f}", f"{row['discover_high']:.2f}"])
        confirmed = in_words([f"{row['confirm_low']:.2f}", f"{row['confirm_high']:.2f}"])
        yield (
            f"  {row['people']} people (extrapolated): find a set {row['discover']:.2f} (between "
            f"{found}), confirm this one {row['confirm']:.2f} (between {confirmed})"
        )


def _people(count):
    """Return a number of people as text; infinite means that no number is enough."""
    if math.isinf(count):
        return "no number that the pilot can tell"
    return f"{count:.0f} people"
