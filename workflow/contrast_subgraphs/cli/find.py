"""`find`: the contrast subgraphs of a comparison, with their proof."""

import json
from pathlib import Path

import click
import numpy as np

from ..core.errors import InputError
from ..core.graphs import group_label
from .command import command, given, say
from .options import beside_modes, grouped, hold_option

_NOTHING = "empty; no pair of regions differs by more than alpha"


@command()
@grouped
@click.option(
    "--percentile",
    "percentiles",
    type=float,
    multiple=True,
    help="The penalty alpha, as a percentile of the differences. [default: the first from 80 on at "
    "which the sets have at most 30 regions]",
)
@click.option(
    "--alpha", "alphas", type=float, multiple=True, help="The penalty alpha, as a number."
)
@click.option(
    "--problem",
    "-p",
    type=click.IntRange(1, 2),
    help="1: connections that one group has more of; 2: that differ either way. [default: both]",
)
@hold_option
@click.option("--alternatives", type=float, help="Also list sets within this share of the best.")
@click.option(
    "--sets",
    type=click.IntRange(1),
    default=1,
    help="How many sets for each penalty, each the best given those before it.",
)
@click.option("--between", is_flag=True, help="Find two sets, for the connections between them.")
@click.option(
    "--objective",
    type=click.Choice(["surplus", "density"]),
    default="surplus",
    help="What to maximize: the surplus over alpha, or the average degree (for sparse networks).",
)
@click.option("--seconds", type=float, help="Stop each proof after this time and give a bound.")
@click.option(
    "--save",
    type=click.Path(dir_okay=False),
    help="Write the sets to this file (.json), for `confirm` in other people.",
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False),
    help="Draw what was found to this file (.png, .pdf, .svg).",
)
@beside_modes
def find(read, edge_statistic, seed, as_json, percentiles, alphas, hold, problem, **options):
    """Find the contrast subgraphs of two groups, and prove them.

    \b
    contrast-subgraphs find controls/ patients/ --percentile 80 --plot found.png
    contrast-subgraphs find people.tsv --group-column dx --files 'matrices/{id}.csv'
    contrast-subgraphs find controls/ patients/ --alpha 0.05 --problem 2 --json
    contrast-subgraphs find controls/ patients/ --percentile 90 --sets 3 --between
    contrast-subgraphs find healthy.tsv tumour.tsv --objective density
    contrast-subgraphs find people.tsv --files '{id}.csv' --variable age
    """
    from ..inference.fixed_sets import save_sets

    # 1. The options and the data.
    _check_options(percentiles, alphas, hold, **options)
    asked = read().beside_modes(options["modes"], seed)
    graphs = asked.graphs
    # 2. The difference graph of each contrast.
    signed, statistic, rows = _signed_difference(asked, seed, edge_statistic)
    # Densities are of the people who are compared: not of those without a partner.
    compared = graphs.of(rows)
    if hold == "observed":
        statistic = None
    # 3. The sets, with their proof.
    records, drawn, differences = _sets(
        signed, statistic, compared, (percentiles, alphas), problem, seed, options
    )
    if options["plot"]:
        atlas = click.get_current_context().params["atlas"]
        _draw(drawn, graphs, differences, atlas, options["plot"])
    if options["save"]:
        save_sets(options["save"], records, graphs, asked.how())
        say(f"saved: {options['save']}")
    if as_json:
        click.echo(json.dumps(asked.about() | {"subgraphs": records}, indent=1))
        return
    for record in records:
        if options["between"]:
            told = _told_between(record)
        else:
            told = _told_all(record, graphs, asked.covariates is not None)
        for text in told:
            click.echo(text)


def _sets(signed, statistic, graphs, penalties, problem, seed, options):
    """Return the sets of the contrasts that are asked for.

    These are their records, pairs of contrast and result to draw, and the difference graphs.
    """
    from ..contrast.difference import directed
    from ..contrast.solve import Settings

    contrasts = graphs.contrasts
    differences = {name: directed(signed, name, contrasts) for name in contrasts}
    chosen = {1: contrasts[:2], 2: contrasts[2:], None: contrasts}[problem]
    limits = None
    if options["seconds"] is not None:
        limits = {"seconds": options["seconds"]}
    settings = Settings(
        random_state=seed,
        alternatives=options["alternatives"],
        limits=limits,
        n_sets=options["sets"],
    )
    kind = options["objective"]
    if options["between"]:
        kind = "between"
    asked = {name: differences[name] for name in chosen}
    at = dict.fromkeys(chosen, penalties)
    # The density has no penalty.
    if kind != "density":
        at = _penalties(asked, statistic, *penalties, seed)
    # An alpha above the weights of all contrasts is an error.
    largest = max(float(one.max(initial=0.0)) for one in asked.values())
    records = []
    drawn = []
    for contrast, difference in asked.items():
        for results, record in _solved(kind, difference, graphs, at[contrast], largest, settings):
            records.append({"contrast": contrast} | record)
            drawn += [(contrast, one) for one in results]
    return records, drawn, differences


def _penalties(differences, statistic, percentiles, alphas, seed):
    """Return the percentiles and alphas of each contrast; chosen here if none is given.

    Those from other relabellings do not depend on the labels that a test would permute.
    """
    from ..contrast.relabelled import relabelled_penalties
    from ..contrast.solve import READABLE

    if not percentiles and not alphas:
        percentiles = (_readable(differences, statistic, seed),)
        say(
            f"percentile {percentiles[0]:g}, chosen for sets of at most {READABLE} regions, or as "
            "near to that as there are. A p-value at a penalty chosen from the same people is too "
            "small: test one chosen beforehand"
        )
    if statistic is None or not percentiles:
        return dict.fromkeys(differences, (percentiles, alphas))
    held = relabelled_penalties(statistic, percentiles)
    return {name: (held[name], alphas) for name in differences}


def _check_options(
    percentiles, alphas, hold, *, plot, save, between, objective, sets, alternatives, **_
):
    """Raise InputError, before long work, for options that contradict each other."""
    if plot:
        check_plot(plot)
    if save and between:
        raise InputError("--save is for sets, and --between finds pairs of them: leave one out")
    if save and not Path(save).resolve().parent.is_dir():
        raise InputError(f"--save {save}: there is no folder {Path(save).parent}")
    if between and alternatives is not None:
        raise InputError("--alternatives cannot be used with --between: leave one of the two out")
    if objective == "density":
        others = {
            "--percentile": percentiles,
            "--alpha": alphas,
            "--between": between,
            "--sets": sets > 1,
            "--alternatives": alternatives,
        }
        wrong = [name for name, value in others.items() if value]
        if wrong:
            raise InputError(f"{wrong[0]} cannot be used with --objective density: leave it out")
    without_percentile = objective == "density" or (alphas and not percentiles)
    if given("hold") and without_percentile:
        raise InputError("--hold says where the alpha of a percentile comes from: leave it out")
    # Labels are permuted for one thing only here: the alpha of a percentile.
    if given("blocks") and (without_percentile or hold == "observed"):
        raise InputError(
            "--blocks is for permuted labels, and here alpha comes from none: leave it out"
        )


def check_plot(path):
    """Raise InputError if a picture cannot be written to this path."""
    if Path(path).suffix.lower() not in (".png", ".pdf", ".svg"):
        raise InputError(f"--plot {path}: give a name that ends in .png, .pdf or .svg")
    if not Path(path).resolve().parent.is_dir():
        raise InputError(f"--plot {path}: there is no folder {Path(path).parent}")


def _signed_difference(asked, seed, edge_statistic):
    """Return the signed weights of all pairs, first direction positive, and where they come from.

    That is their statistic, None if there are too few people for other relabellings, and the
    rows of the graphs that are compared.
    """
    from ..contrast.cohort import warn_of_bound
    from ..contrast.difference import signed_weights
    from ..design import NoTest
    from ..design.exchange import unsaid, varies_within

    graphs = asked.graphs
    varies = varies_within(graphs.y, graphs.person)
    if graphs.question.of_means and graphs.person is not None and not varies:
        raise InputError(
            "--person: no person has graphs in both groups, so the option does not change what "
            "find gives: leave it out"
        )
    # A plain difference of means needs no design: it can be drawn even for too few people to test.
    plain = graphs.question.of_means and asked.covariates is None and not varies
    # Blocks in which nothing can be permuted are an error, as in a test.
    plain = plain and asked.blocks is None
    try:
        with unsaid():
            design = asked.design(seed)
            signed, statistic = signed_weights(graphs, edge_statistic, design)
    except NoTest:
        if not plain:
            raise
        signed, statistic = signed_weights(graphs, edge_statistic)
        warn_of_bound(signed, edge_statistic, statistic, "the graphs")
        # For other relabellings there are too few people.
        return signed, None, np.arange(len(graphs.y))
    warn_of_bound(signed, edge_statistic, statistic, "the graphs")
    return signed, statistic, design.rows


def _readable(differences, statistic, seed):
    """Return the default percentile, chosen for sets that are small enough to read."""
    from ..contrast.relabelled import relabelled_alphas
    from ..contrast.solve import FIRST, readable_percentile

    alphas = None
    if statistic is not None:
        known = statistic.design.contrasts
        found = dict(zip(known, relabelled_alphas(statistic, FIRST), strict=True))
        alphas = [found[name] for name in differences]
    return readable_percentile(list(differences.values()), seed, alphas)


def _solved(kind, difference, graphs, penalties, largest, settings):
    """Return what is found for each penalty, as results and as a record."""
    from ..contrast.bipartite import bipartite_sweep
    from ..contrast.density import densest_contrast
    from ..contrast.solve import solve

    if kind == "between":
        pairs = bipartite_sweep(difference, settings, *penalties, largest=largest)
        return [((one,), one.to_dict(graphs.roi)) for several in pairs for one in several]
    if kind == "density":
        found = densest_contrast(difference, random_state=settings.seed, limits=settings.limits)
        record = _with_densities(found.to_dict(graphs.roi), graphs)
        return [((found,), record | {"criterion": "average degree"})]
    results = solve(difference, settings, *penalties, largest=largest)
    return [
        ((one, *one.further), _with_densities(one.to_dict(graphs.roi), graphs)) for one in results
    ]


def _with_densities(record, graphs):
    """Return a record with the density, or mean weight, inside its sets, in each group."""
    from ..contrast.features import density

    measure = measure_of(graphs)
    for one in (record, *record.get("further", ())):
        for code, name in enumerate(graphs.groups):
            inside = density(graphs.weights[graphs.y == code], one["nodes"])
            one[f"{measure}_{name}"] = float(np.nan_to_num(inside))
    return record


def measure_of(graphs):
    """Return the name of the mean over the pairs of a set: ``density``, or ``mean_weight``."""
    binary = all(((row == 0) | (row == 1)).all() for row in graphs.weights)
    if binary:
        return "density"
    return "mean_weight"


def _draw(rows, graphs, differences, atlas, path):
    """Draw contrast subgraphs, one below the other; pairs of either sign for `symmetric`."""
    from ..data.atlases import describe_atlas
    from ..data.regions import read_atlas
    from ..report.figures.contrasts import draw_contrasts
    from ..report.figures.style import Looks, save

    question = graphs.question
    labels = tuple(map(group_label, graphs.groups))
    called = dict(zip(graphs.contrasts, question.contrast_labels(labels), strict=True))
    looks = Looks((), question.ends(labels), called)
    first, second, symmetric = looks.contrasts
    differences = differences | {symmetric: differences[first]}
    shown = {first: looks.groups[:1], second: looks.groups[1:], symmetric: looks.groups}
    table = describe_atlas(graphs.roi, read_atlas(atlas) if atlas else None)
    panels = [(looks.contrasts[n].label, differences[n], one, shown[n]) for n, one in rows]
    save(draw_contrasts(panels, table), path, title=question.title(labels))
    say(f"drawn: {path}")


# --- as text ------------------------------------------------------------------------------


def _told_between(record):
    """Yield a pair of sets as text."""
    if not record["objective"]:
        yield _head(record) + _NOTHING
        return
    sizes = " and ".join(str(len(record[side])) for side in ("first", "second"))
    yield f"{_head(record)}{sizes} regions, objective {record['objective']:.6g}, {_proof(record)}"
    for side in ("first", "second"):
        yield f"  {', '.join(record[f'{side}_regions'])}"


def _told_all(record, graphs, held):
    """Yield the sets of one penalty as text; `held`: whether something is held constant."""
    yield _told(record, graphs.groups, held)
    penalty = {key: record[key] for key in ("contrast", "alpha", "percentile")}
    for one in record.get("further", ()):
        yield _told(penalty | one | {"alternatives": None}, graphs.groups, held)


def _told(record, groups, held):
    """Return a contrast subgraph as text."""
    # Means of the graphs as they are do not differ by what the set was chosen for.
    unadjusted = ""
    if held:
        unadjusted = ", not adjusted"
    head = _head(record)
    if not record["regions"]:
        return head + _NOTHING
    lines = [
        f"{head}{len(record['regions'])} regions, {record.get('criterion', 'objective')} "
        f"{record['objective']:.6g}, {_proof(record)}",
        "  " + ", ".join(record["regions"]),
    ]
    for measure, words in (("density", "density"), ("mean_weight", "mean weight of its pairs")):
        inside = {name: record.get(f"{measure}_{name}") for name in groups}
        if groups and None not in inside.values():
            shown = ", ".join(f"{value:.3f} in {name}" for name, value in inside.items())
            lines.append(f"  {words}, in these people{unadjusted}: {shown}")
    rivals = record["alternatives"]
    if rivals:
        which = "not all: the search for more was limited"
        if rivals["complete"]:
            which = "all"
        lines.append(f"  {len(rivals['sets'])} close rivals ({which}; listed with --json)")
    return "\n".join(lines)


def _head(record):
    if "criterion" in record:
        return f"{record['contrast']}: "
    named = ""
    if record["percentile"] is not None:
        named = f" (percentile {record['percentile']:g})"
    return f"{record['contrast']}, alpha {record['alpha']:.4g}{named}: "


def _proof(record):
    if record["optimal"]:
        return "proved: no set is better"
    return f"not proved: none is better than {record['upper_bound']:.6g}"
