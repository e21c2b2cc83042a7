"""The command line: contrast subgraphs of two groups of matrices, without any code.

Results go to stdout, progress and warnings to stderr. Exit codes: 0 done; 1 an input cannot
be used, or a run failed (one line that begins with `error:` says why); 2 the command itself
is not understood; 130 interrupted.
"""

import functools
import gc
import inspect
import json
import os
import sys
import warnings
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from . import __version__
from .core.atomic_files import check_writable
from .core.checks import check_count, check_option, in_words, plural
from .core.compiled import Kernel
from .core.errors import InputError
from .core.extras import optional
from .core.processes import run_with_signals, show_progress
from .methods import METHODS

PACKAGE = Path(__file__).resolve().parent
#: Methods that need no more than the graphs: of groups by default, and of a variable.
EVALUATED, PREDICTING = ("cs-p1", "cs-p2", "edges"), ("cs-p1", "edges", "cpm")
_NOTHING = "empty; no pair of regions differs by more than alpha"
_SLOPE = "slope per standard deviation, counted in the contrast's direction,"
_GROUPS_HELP = """

The groups are two folders with one matrix per file (.csv, .tsv, .txt, .1D, .xlsx, .npy, .npz,
.mat, .h5), two quoted patterns such as 'data/*_patient.csv', or two files with a stack of matrices
each; or one table of people (.csv, .tsv, .xlsx), with --files and --group-column or --variable.
"""


class _Command(click.Command):
    """A command that shows an error in one line, and each warning once."""

    def invoke(self, context):
        told = set()

        def show(message, category, *_, **__):
            if category is UserWarning and str(message) not in told:
                told.add(str(message))
                click.echo(f"warning: {' '.join(str(message).split())}", err=True)

        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = show
            try:
                return super().invoke(context)
            except InputError as error:
                click.echo(f"error: {error}", err=True)
                context.exit(1)
            except KeyboardInterrupt:
                click.echo("error: interrupted", err=True)
                context.exit(130)


@click.group(
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "show_default": True,
    }
)
@click.version_option(__version__, prog_name="contrast-subgraphs")
def main():
    """Where do two groups of brain networks differ, is it real, and what can it predict?"""
    gc.set_threshold(50_000, 20, 50)  # a fifth of the first answer: no garbage in what is imported


def _command(function):
    return main.command(cls=_Command)(function)


def _grouped(function):
    """Add what `find`, `test` and `evaluate` share: what is compared, and how it is read.

    The function gets `read`, which gives it as `_Asked` when the function has checked its options.
    """
    options = [
        click.argument("groups", nargs=-1, required=True, metavar="FIRST SECOND | TABLE"),
        click.option(
            "--names",
            help="Names of the groups, as control,patient; of a table two values of its column.",
        ),
        click.option("--group-column", help="The table's column that says the group."),
        click.option(
            "--files", help="Of a table: where the matrices are, seen from it: 'matrices/{id}.csv'."
        ),
        click.option(
            "--id",
            "id_column",
            default="participant_id",
            help="The table's column of what {id} stands for.",
        ),
        click.option(
            "--edges",
            type=float,
            help="Make each matrix a graph of the pairs from this percentile of it, such as 80.",
        ),
        click.option(
            "--atlas",
            type=click.Path(exists=True, dir_okay=False),
            help="Table of the regions, one per row, with a column `name`.",
        ),
        click.option("--key", help="Array of .npz, .mat and .h5 files, or sheet of .xlsx."),
        click.option(
            "--header/--no-header",
            default=None,
            help="Whether the first line of texts holds names; by default as it fits.",
        ),
        click.option("--index/--no-index", default=None, help="Whether their first column does."),
        click.option("--decimal", type=click.Choice([".", ","]), help="Their decimal mark."),
        click.option(
            "--triangle",
            type=click.Choice(["upper", "lower"]),
            help="Of rows of weights, one a person: which triangle they go through.",
        ),
        click.option(
            "--windows",
            type=click.Choice(["mean"]),
            help="Of files with windows of dynamic connectivity, one a person: take their mean.",
        ),
        click.option(
            "--regions",
            type=click.Choice(["error", "common", "drop"]),
            default="error",
            help="If not all have all regions: stop, keep those that all have, or those that also "
            "have a weight in all.",
        ),
        click.option(
            "--edge-statistic",
            type=click.Choice(["difference", "t", "welch"]),
            default="difference",
            help="What a pair weighs: a difference of means (or slope), or that over its error.",
        ),
        click.option(
            "--missing-codes",
            help="Of a table: what means not known, beside n/a, empty and -9999: '-99,unknown'.",
        ),
        click.option("--variable", help="Of a table: a column of numbers, in place of groups."),
        click.option("--covariates", help="Of a table: columns held constant, as age,sex,site."),
        click.option(
            "--blocks",
            help="Permute labels within these, such as sites: a column of the table, or of two "
            "groups a text file with one per line, first group first.",
        ),
        click.option("--paired", help="Of a table: the column of the person, in each group once."),
        click.option(
            "--person", help="Of a table: whose graphs these are, if people have several."
        ),
        click.option(
            "--exchange",
            type=click.Choice(["auto", "within", "whole", "signs"]),
            default="auto",
            help="Permute within people (--person) what varies within them, else whole people; or "
            "ask for one of the two. Of --blocks, whole: blocks take each other's places. Signs: "
            "flip those of people's residuals, where people spread unequally.",
        ),
        click.option("--seed", default=0, help="Seed of all random draws."),
        click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text."),
        click.option("--quiet", "-q", is_flag=True, help="Results, warnings and errors alone."),
        click.option("--verbose", "-v", is_flag=True, help="Progress also where no terminal is."),
    ]
    passed = ("edge_statistic", "seed", "as_json")
    own = {option.name for option in getattr(function, "__click_params__", ())}

    @functools.wraps(function)
    def wrapper(quiet, verbose, **given):
        show_progress(verbose or (sys.stderr.isatty() and not quiet))
        Kernel.said = quiet
        kept = {name: given.pop(name) for name in [*given] if name in own or name in passed}
        return function(read=functools.partial(_read_asked, **given), **kept)

    for option in reversed(options):
        wrapper = option(wrapper)
    wrapper.__doc__ = inspect.cleandoc(function.__doc__) + _GROUPS_HELP
    return wrapper


def _modes_given(context, parameter, value):
    """The number of modes, or auto."""
    if value is None or value == "auto":
        return value
    return click.IntRange(1).convert(value, parameter, context)


_beside_modes = click.option(
    "--modes",
    callback=_modes_given,
    metavar="K|auto",
    help="Hold constant how much each person is of K modes that all people share (principal "
    "components of all pairs, known to no label); auto: those that are more than chance.",
)


@_command
@_grouped
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
    help="1: connections of which one group has more; 2: that differ either way. [default: both]",
)
@click.option("--alternatives", type=float, help="List sets within this share of the best, too.")
@click.option(
    "--sets",
    type=click.IntRange(1),
    default=1,
    help="This many sets for each penalty, each the best given those before it.",
)
@click.option("--between", is_flag=True, help="Two sets, for the connections between them.")
@click.option(
    "--objective",
    type=click.Choice(["surplus", "density"]),
    default="surplus",
    help="What is largest: the surplus over alpha, or the average degree (of sparse networks).",
)
@click.option("--seconds", type=float, help="Stop each proof after so long and give a bound.")
@click.option(
    "--plot",
    type=click.Path(dir_okay=False),
    help="Draw what was found into this file (.png, .pdf, .svg).",
)
@_beside_modes
def find(read, edge_statistic, seed, as_json, percentiles, alphas, problem, **options):
    """Find the contrast subgraphs of two groups, and prove them.

    \b
    contrast-subgraphs find controls/ patients/ --percentile 80 --plot found.png
    contrast-subgraphs find people.tsv --group-column dx --files 'matrices/{id}.csv'
    contrast-subgraphs find controls/ patients/ --alpha 0.05 --problem 2 --json
    contrast-subgraphs find controls/ patients/ --percentile 90 --sets 3 --between
    contrast-subgraphs find healthy.tsv tumour.tsv --objective density
    contrast-subgraphs find people.tsv --files '{id}.csv' --variable age
    """
    from .contrast.cohort import cohort_difference
    from .contrast.difference import directed
    from .contrast.solve import READABLE, Settings, readable_percentile
    from .design.exchange import unsaid

    if options["plot"]:
        _check_plot(options["plot"])
    if options["between"] and options["alternatives"] is not None:
        raise InputError("--alternatives does not go with --between: leave one of the two out")
    if options["objective"] == "density":
        given = {"--percentile": percentiles, "--alpha": alphas, "--between": options["between"]}
        given |= {"--sets": options["sets"] > 1, "--alternatives": options["alternatives"]}
        if wrong := [name for name, value in given.items() if value]:
            raise InputError(f"{wrong[0]} does not go with --objective density: leave it out")
    if click.get_current_context().params["blocks"]:
        raise InputError("--blocks is of permuted labels, and find permutes none: leave it out")
    asked = read().beside_modes(options["modes"], seed)
    graphs, contrasts = asked.graphs, asked.graphs.contrasts
    if not graphs.question.of_means or asked.covariates is not None:
        with unsaid():
            statistic = asked.design(seed).statistic(graphs.weights, edge_statistic)
        signed = statistic.observed()
    else:
        signed = cohort_difference(graphs, contrasts[0], edge_statistic)
    differences = {name: directed(signed, name, contrasts) for name in contrasts}
    chosen = {1: contrasts[:2], 2: contrasts[2:], None: contrasts}[problem]
    settings = Settings(
        random_state=seed,
        alternatives=options["alternatives"],
        limits=None if options["seconds"] is None else {"seconds": options["seconds"]},
        n_sets=options["sets"],
    )
    kind = "between" if options["between"] else options["objective"]
    if not percentiles and not alphas and kind != "density":
        percentiles = (readable_percentile([differences[name] for name in chosen], seed),)
        _say(
            f"percentile {percentiles[0]:g}, chosen for sets of at most {READABLE} regions, or as "
            "near to that as there are. A p-value at a penalty chosen from the same people is too "
            "small: test one chosen beforehand"
        )
    penalties = percentiles, alphas
    # Beyond the weights of all contrasts, an alpha is an error.
    largest = max(float(differences[name].max(initial=0.0)) for name in chosen)
    records, rows = [], []
    for contrast in chosen:
        found = _solved(kind, differences[contrast], graphs, penalties, largest, settings)
        records += [{"contrast": contrast} | record for _, record in found]
        rows += [(contrast, one) for result, _ in found for one in result]
    if options["plot"]:
        atlas = click.get_current_context().params["atlas"]
        _draw(rows, graphs, differences, atlas, options["plot"])
    if as_json:
        click.echo(json.dumps(_about(graphs) | {"subgraphs": records}, indent=1))
        return
    for record in records:
        if options["between"]:
            click.echo(_told_between(record))
            continue
        click.echo(_told(record, graphs.groups))
        for one in record.get("further", ()):
            known = {key: record[key] for key in ("contrast", "alpha", "percentile")}
            click.echo(_told(known | one | {"alternatives": None}, graphs.groups))


def _say(text):
    """Say on stderr what is no result, warning or error, unless `--quiet` is given."""
    if not click.get_current_context().params["quiet"]:
        click.echo(text, err=True)


def _check_plot(path):
    """Raise InputError, before long work, if no picture can be written there."""
    if Path(path).suffix.lower() not in (".png", ".pdf", ".svg"):
        raise InputError(f"--plot {path}: give a name that ends in .png, .pdf or .svg")
    if not Path(path).resolve().parent.is_dir():
        raise InputError(f"--plot {path}: there is no folder {Path(path).parent}")
    optional("matplotlib", "plot")


def _solved(kind, difference, graphs, penalties, largest, settings):
    """Return what is found for each penalty, as results and as a record."""
    from .contrast.bipartite import bipartite_sweep
    from .contrast.density import densest_contrast
    from .contrast.solve import solve

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
    """Return a record with the density, or mean weight, inside its sets, in either group."""
    from .contrast.objective import density

    measure = _measure(graphs)
    for one in (record, *record.get("further", ())):
        for k, name in enumerate(graphs.groups):
            inside = density(graphs.weights[graphs.y == k], one["nodes"])
            one[f"{measure}_{name}"] = float(np.nan_to_num(inside))
    return record


def _measure(graphs):
    binary = all(((row == 0) | (row == 1)).all() for row in graphs.weights)
    return "density" if binary else "mean_weight"


def _draw(rows, graphs, differences, atlas, path):
    """Draw contrast subgraphs, one below the other; pairs of either sign for `symmetric`."""
    from .data.atlases import describe_atlas
    from .data.regions import read_atlas
    from .report.figures.contrasts import draw_contrasts
    from .report.figures.style import Looks, save

    ends = graphs.groups or [f"people of {end}" for end in graphs.question.ends(())]
    called = None if graphs.groups else {n: n.replace("-", " ") for n in graphs.contrasts}
    looks = Looks(ends, contrasts=called)
    first, second, symmetric = looks.contrasts
    differences = differences | {symmetric: differences[first]}
    drawn = {first: looks.groups[:1], second: looks.groups[1:], symmetric: looks.groups}
    table = describe_atlas(graphs.roi, read_atlas(atlas) if atlas else None)
    picture = draw_contrasts(
        [(looks.contrasts[n].label, differences[n], one, drawn[n]) for n, one in rows], table
    )
    title = f"Contrast subgraphs of {' and '.join(graphs.groups) or graphs.question.column}"
    save(picture, path, title=title)
    _say(f"drawn: {path}")


def _told_between(record):
    """Return a pair of sets as text."""
    if not record["objective"]:
        return _head(record) + _NOTHING
    sizes = " and ".join(str(len(record[side])) for side in ("first", "second"))
    names = [f"  {', '.join(record[f'{side}_regions'])}" for side in ("first", "second")]
    found = f"{sizes} regions, objective {record['objective']:.6g}, {_proof(record)}"
    return "\n".join([_head(record) + found, *names])


def _head(record):
    if "criterion" in record:
        return f"{record['contrast']}: "
    named = "" if record["percentile"] is None else f" (percentile {record['percentile']:g})"
    return f"{record['contrast']}, alpha {record['alpha']:.4g}{named}: "


def _proof(record):
    if record["optimal"]:
        return "proved: no set is better"
    return f"not proved: none is better than {record['upper_bound']:.6g}"


def _told(record, groups):
    """Return a contrast subgraph as text."""
    head = _head(record)
    if not record["regions"]:
        return head + _NOTHING
    lines = [
        f"{head}{len(record['regions'])} regions, {record.get('criterion', 'objective')} "
        f"{record['objective']:.6g}, {_proof(record)}"
    ]
    lines.append("  " + ", ".join(record["regions"]))
    for measure, words in (("density", "density"), ("mean_weight", "mean weight of its pairs")):
        inside = {name: record.get(f"{measure}_{name}") for name in groups}
        if groups and None not in inside.values():
            shown = ", ".join(f"{value:.3f} in {name}" for name, value in inside.items())
            lines.append(f"  {words}, in these people: {shown}")
    if record["alternatives"]:
        found = record["alternatives"]
        which = "all" if found["complete"] else "not all: the search for more was limited"
        lines.append(f"  {len(found['sets'])} close rivals ({which}; listed with --json)")
    return "\n".join(lines)


@_command
@_grouped
@click.option("--percentile", "percentiles", type=float, multiple=True, help="[default: 80]")
@click.option("--permutations", "-n", default=1000)
@click.option(
    "--hold",
    type=click.Choice(["null", "observed"]),
    default="null",
    help="Take alpha from other relabellings, so that p is valid by construction, or from the "
    "observed differences, as `find` does.",
)
@_beside_modes
def test(read, edge_statistic, seed, as_json, percentiles, permutations, hold, modes):
    """Test whether the groups differ by more than chance (permutation test).

    \b
    contrast-subgraphs test controls/ patients/ --percentile 80 --permutations 1000
    """
    from .contrast.solve import FIRST
    from .inference import chosen_penalty, held_out_effect, permutation_test

    asked = read().beside_modes(modes, seed)
    if not percentiles:
        _say(
            "tested at percentile 80. To test one that `find` chose from these people, give "
            f"--percentile for each that it chooses from ({in_words(FIRST, most=99)}): the p over "
            "all penalties allows for the choice"
        )
    if hold == "null":
        _say("alpha is that of other relabellings: sets may differ from those of `find`")
    design, graphs = asked.design(seed), asked.graphs
    options = dict(percentiles=percentiles or (80,), edge_statistic=edge_statistic, n_jobs=_cores())
    asked_for = dict(hold=hold, n_permutations=permutations, regions=graphs.roi)
    table = permutation_test(graphs.weights, design, **asked_for, **options).table()
    # Small groups have fewer folds; with two people no one is left to measure.
    folds = min(5, int(design.people_of_strata().min()) - 1)
    if folds > 1 and len(design.contrasts) > 1:
        effects = held_out_effect(graphs.weights, design, n_folds=folds, **options).table()
        held_out = {name: f"held_out_{name}" for name in ("effect", "d", "low", "high")}
        effects = effects[["contrast", "percentile", *held_out, "in_sample"]]
        table = table.merge(effects.rename(columns=held_out), how="left")
    if as_json:
        measured = {f"density_{name}": f"{_measure(graphs)}_{name}" for name in graphs.groups}
        records = json.loads(table.rename(columns=measured).to_json(orient="records"))
        click.echo(json.dumps(_about(graphs) | {"tests": records}, indent=1))
        return
    for row in table.to_dict("records"):
        click.echo(
            f"{row['contrast']}, percentile {row['percentile']:g} (alpha {row['alpha']:.4g}): "
            f"{row['size']} regions, objective {row['objective']:.6g}, by chance "
            f"{row['null_mean']:.6g} ± {row['null_sd']:.2g}; p = {row['p']:.4g} (all contrasts and "
            f"penalties together: {row['p_familywise']:.4g})"
        )
        if not np.isnan(row.get("held_out_low", np.nan)):
            click.echo(
                f"  {'difference' if design.labels else _SLOPE} inside a set at this percentile, "
                "in people who did not choose it: "
                f"{row['held_out_effect']:.3g} ({row['held_out_low']:.3g} to "
                f"{row['held_out_high']:.3g}), d = {row['held_out_d']:.2f}; in these people "
                f"{row['in_sample']:.3g}"
            )
    if len(set(table["percentile"])) > 1:
        for row in chosen_penalty(table).to_dict("records"):
            click.echo(f"{row['contrast']}, over these penalties: {row['verdict']}")


@_command
@_grouped
@click.option(
    "--method",
    "methods",
    multiple=True,
    type=click.Choice([*EVALUATED, "cpm"]),
    help="Can be given several times. [default: all but cpm; of a variable all but cs-p2]",
)
@click.option(
    "--percentile",
    "percentiles",
    type=float,
    multiple=True,
    help="Percentiles to choose alpha from. [default: 70 to 97]",
)
@click.option("--repeats", default=20, help="Random splits.")
@click.option("--folds", default=5, help="Folds of the inner cross-validation.")
@click.option("--permutations", "-n", default=20, help="Control runs.")
def evaluate(read, edge_statistic, seed, as_json, methods, percentiles, **options):
    """Measure how well held-out people can be classified, or a variable predicted.

    Everything is found inside the training part of every split. The control is the same with
    permuted labels.

    \b
    contrast-subgraphs evaluate controls/ patients/ --method cs-p1 --method edges
    contrast-subgraphs evaluate people.tsv --files '{id}.csv' --variable age --blocks site
    """
    from .contrast.alpha import PERCENTILES
    from .evaluation.prediction import scores_of_graphs
    from .evaluation.summary import accuracy_table, p_values, prediction_table
    from .evaluation.svm import MANY_PEOPLE

    for option, least in (("repeats", 1), ("folds", 2), ("permutations", 0)):
        check_count(options[option], f"--{option}", least)
    asked = read()
    graphs = asked.graphs
    if not graphs.groups and "cs-p2" in methods:
        raise InputError("--method cs-p2 tells groups apart: with --variable take another")
    if not methods:
        methods = EVALUATED if graphs.groups else PREDICTING
        if len(graphs.y) > MANY_PEOPLE:
            methods = [name for name in methods if name != "edges"]
            click.echo("without edges, slow for many: --method edges asks for it", err=True)
    if graphs.person is not None:
        asked.say_what_moves(seed)
    scores = scores_of_graphs(
        graphs,
        {name: replace(METHODS[name], inputs="graphs", needs=()) for name in methods},
        covariates=asked.covariates,
        blocks=asked.blocks,
        exchange=asked.exchange,
        protocol="nested",
        n_splits=options["repeats"],
        n_folds=options["folds"],
        n_permutations=options["permutations"],
        percentiles=percentiles or PERCENTILES,
        edge_statistic=edge_statistic,
        random_state=seed,
        n_jobs=_cores(),
    )
    if graphs.groups:
        kind, table = "accuracy", accuracy_table(scores)
        within = "site_" if table["site_permutations"].any() else ""
        shown = table.assign(p=p_values(table)[0], control=table[f"{within}control_mean"])
        words = "accuracy {mean:.2f} ± {std:.2f} (permuted labels: {control:.2f}), p = {p:.2g}, "
        words += "ROC AUC {roc_auc:.2f}"
    else:
        kind, table = "prediction", prediction_table(scores)
        shown = table
        words = "r {r_mean:.2f} ± {r_std:.2f} (permuted values: {control_r:.2f}), "
        words += "p = {p_value:.2g}, mean absolute error {mae_mean:.3g}"
    if as_json:
        kept = table.drop(columns=["cohort", "paper_mean", "paper_std"], errors="ignore")
        records = json.loads(kept.to_json(orient="records"))
        click.echo(json.dumps(_about(graphs) | {kind: records}, indent=1))
        return
    for row in shown.to_dict("records"):
        click.echo(f"{METHODS[row['method']].label}: {words.format(**row)}")


@main.command(
    cls=_Command, context_settings={"ignore_unknown_options": True, "allow_extra_args": True}
)
@click.argument("configs", nargs=-1, type=click.Path())
@click.option("--cores", "-c", default=None, type=int, help="[default: all]")
@click.option("--dry-run", "-n", is_flag=True, help="Show what would be done, and do nothing.")
@click.option("--quiet", "-q", is_flag=True, help="Warnings, errors and the last lines alone.")
@click.option("--verbose", "-v", is_flag=True, help="All that Snakemake says.")
@click.pass_context
def run(context, configs, cores, dry_run, quiet, verbose):
    """Run the whole workflow, from data to report, with a config file (or several).

    Results go to the folder `results` here. The same command resumes a run that stopped.
    Other options are Snakemake's.

    \b
    contrast-subgraphs run mine.yaml --cores 2
    contrast-subgraphs run mine.yaml --dry-run
    """
    options = [argument for argument in configs if argument.startswith("-")]
    if options:  # an option with a value would take a config for it
        cut = configs.index(options[0])
        configs, context.args = configs[:cut], [*configs[cut:], *context.args]
    for config in configs:
        if not Path(config).is_file():
            raise InputError(f"there is no config file {config}")
    optional("snakemake", "workflow")
    check_writable(Path(), "run it in a folder of your own, with the path of the config")
    home = _workflow()
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(home / "Snakefile")]
    command += ["--workflow-profile", str(home / "profiles" / "default")]
    command += ["--cores", str(cores or _cores()), *(["--dry-run"] if dry_run else [])]
    command += ["--verbose"] if verbose else []
    command += ["--configfile", *configs] if configs else []
    # Snakemake's own --quiet would keep errors back.
    env = os.environ | ({"CONTRAST_SUBGRAPHS_QUIET": "1"} if quiet else {})
    context.exit(run_with_signals([*command, *context.args], env))


@_command
@click.argument("folder", type=click.Path())
@click.option("--output", "-o", default="mine.yaml", help="The config.")
@click.option("--group-column", help="The table's column that says the group.")
@click.option("--people", type=click.Path(), help="The table of people, if it lies elsewhere.")
@click.option("--files", help="Where each person's file is, as 'fc/{id}.csv'.")
@click.option("--kind", type=click.Choice(["series", "matrix", "image"]), help="What files hold.")
@click.option("--key", help="Of the array in .mat, .npz and .h5 files.")
@click.option("--atlas", help="Of BIDS derivatives: which atlas.")
@click.option("--session", help="Of BIDS derivatives: which session.")
@click.option("--task", help="Of BIDS derivatives: which task.")
@click.option("--entity", multiple=True, help="Any other one of their names, as space=MNI.")
@click.option("--runs", type=click.Choice(["join", "first"]), help="Several runs of a person.")
@click.option("--atlas-image", type=click.Path(), help="Of 4-D images: the regions (NIfTI).")
def init(folder, output, atlas, session, task, entity, **choices):
    """Look at a folder of your own data and write a config for it.

    \b
    contrast-subgraphs init /data/study
    contrast-subgraphs init /data/study/derivatives/xcp_d --atlas 4S156Parcels
    contrast-subgraphs run mine.yaml --cores 2
    """
    from .config.propose import propose_config
    from .core.atomic_files import save_text

    if Path(output).exists():
        raise InputError(f"{output} exists: give another name with --output")
    entities = {"atlas": atlas, "ses": session, "task": task}
    entities |= dict([*one.split("=", 1), ""][:2] for one in entity)
    entities = {name: value for name, value in entities.items() if value}
    proposal = propose_config(folder, output, entities=entities, **choices)
    if proposal.people is not None:
        table = proposal.people.to_csv(sep="\t", index=False, na_rep="n/a")
        save_text(proposal.people_path, table)
    save_text(output, proposal.text)
    for sentence in proposal.found:
        click.echo(sentence, err=True)
    click.echo(output)


@_command
def info():
    """Show what is installed, and where things are kept."""
    from .core.compiled import cache_folder

    click.echo(f"contrast-subgraphs {__version__}, in {PACKAGE}")
    click.echo(f"Python {sys.version.split()[0]}, {_cores()} cores")
    extras = {"files": "openpyxl", "sdp": "cvxpy", "plot": "matplotlib", "workflow": "snakemake"}
    for extra, package in extras.items():
        try:
            click.echo(f"{extra}: {package} {version(package)}")
        except PackageNotFoundError:
            click.echo(f"{extra}: not installed (pip install 'contrast-subgraphs[{extra}]')")
    click.echo(f"compiled functions: {cache_folder('contrast') or 'nowhere: set NUMBA_CACHE_DIR'}")
    click.echo(f"methods: {', '.join(METHODS)}")


# --- reading --------------------------------------------------------------------------


class _Asked(NamedTuple):
    """Graphs with their question, and what goes with each of them."""

    graphs: Any
    blocks: np.ndarray | None
    covariates: Any  # a data frame
    exchange: str = "auto"

    def design(self, seed):
        """Return the design of what is asked."""
        return self.graphs.question.design(
            self.graphs,
            blocks=self.blocks,
            covariates=self.covariates,
            exchange=self.exchange,
            random_state=seed,
        )

    def beside_modes(self, modes, seed):
        """Return the same with what all people share of their graphs held constant too."""
        if modes is None:
            return self
        import pandas as pd

        from .design.modes import mode_scores

        scores = mode_scores(self.graphs.weights, modes, random_state=seed)
        _say(f"beside {plural(len(scores), 'mode')} that all people share")
        held = scores if self.covariates is None else dict(self.covariates) | scores
        return self._replace(covariates=pd.DataFrame(held))

    def say_what_moves(self, seed):
        """Warn of people whose labels cannot be permuted, also where no test needs that."""
        from .design import NoTest

        try:
            self._replace(covariates=None).design(seed)
        except NoTest as error:
            warnings.warn(f"permuted labels say nothing: {error}", stacklevel=2)


def _read_asked(variable, covariates, blocks, paired, person, exchange, **how):
    """Return what the options ask as `_Asked`, of the people of whom it is known."""
    import pandas as pd

    from .core.columns import columns_of, covariates_of, identifiers, missing_entries, numbers
    from .design.paired import Paired
    from .design.variable import Variable

    if paired and (variable or blocks or person):
        other = "--variable" if variable else "--blocks" if blocks else "--person"
        raise InputError(
            f"--paired exchanges the labels of each person's two graphs: leave {other} out"
        )
    for option in ("names", "group_column"):
        if variable and how[option]:
            name = option.replace("_", "-")
            raise InputError(f"--{name} is of two groups: leave it out, or --variable")
    if exchange in ("within", "whole") and not (person or blocks):
        raise InputError(
            f"--exchange {exchange} says how people with several graphs, or blocks, take each "
            "other's places: give --person, or --blocks"
        )
    found = _read_groups(variable, **how)
    graphs = found.graphs
    columns = [] if covariates is None else _listed(covariates, "--covariates")
    asked = [name for name in (variable, paired, person, *columns) if name]
    if asked and found.people is None:
        raise InputError(f"{in_words(asked)}: columns need a table of people with --files")
    for name in asked:
        check_option("a column of the table", name, columns_of(found.people))
    if variable in columns:
        raise InputError(f"--covariates {variable}: this is the variable itself, leave it out")
    blocks = None if blocks is None else np.array(_blocks(blocks, found))
    if not asked:
        return _Asked(graphs, blocks, None, exchange)
    people = found.people.reset_index(drop=True)
    held = covariates_of(people, columns)
    needed = [missing_entries(values) for values in held.values()]
    if variable:
        y = numbers(people, variable)
        question = Variable(called=variable, column=variable)
        graphs = replace(graphs, y=y, groups=(), cohort=variable, question=question)
        needed.append(missing_entries(y))
    whose = paired or person
    if whose:
        names = identifiers(people, whose)
        graphs = replace(graphs, person=names)
        if paired:
            graphs = replace(graphs, question=Paired(column=paired))
        needed.append(missing_entries(names))
    held = pd.DataFrame(held, index=people.index)
    lost = np.logical_or.reduce(needed)
    if lost.any():
        lacking = in_words([*columns, *(name for name in (variable, whose) if name)], "or")
        warnings.warn(f"{lost.sum()} of {len(lost)} lack {lacking}: left out", stacklevel=2)
        graphs, held = graphs.of(~lost), held[~lost].reset_index(drop=True)
        blocks = None if blocks is None else blocks[~lost]
    if whose:
        graphs = replace(graphs, person=graphs.person.astype(str))
    if columns:
        graphs.question.check_nuisance(held, graphs.y, "--covariates")
    return _Asked(graphs, blocks, held if columns else None, exchange)


def _listed(text, option):
    """Return the names in an option such as ``age,sex``, each once."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise InputError(f"{option} {text}: a name is empty: give columns as age,sex,site")
    return list(dict.fromkeys(names))


def _read_groups(
    variable,
    groups,
    names,
    group_column,
    files,
    id_column,
    missing_codes,
    edges,
    atlas,
    regions,
    windows,
    **how,
):
    """Return matrices of two groups, or people, as `TwoGroups`, and say how they were read."""
    from .core.graphs import square_of, upper_triangle
    from .data.folder import read_two_groups
    from .graphs.threshold import threshold_graph

    if edges is not None and not 1 <= edges < 100:
        meant = f": did you mean {edges * 100:g}?" if 0 < edges < 1 else ""
        raise InputError(f"--edges {edges:g}: give a percentile from 1 to below 100{meant}")
    table = None
    if group_column is not None or files is not None:
        if len(groups) != 1 or not (group_column or variable) or files is None:
            raise InputError(
                "a table of people goes with both --files and --group-column (or --variable), and "
                "without any other file: contrast-subgraphs find people.tsv --group-column dx "
                "--files 'matrices/{id}.csv'"
            )
        codes = [code.strip() for code in (missing_codes or "").split(",") if code.strip()]
        table = {"column": group_column, "files": files, "id": id_column, "missing_codes": codes}
    elif missing_codes:
        raise InputError("--missing-codes is of a table of people: leave it out")
    elif len(groups) != 2:
        raise InputError(
            f"give two groups, not {len(groups)}, or one table with --group-column and --files"
        )
    if names is not None:
        called, names = names, [name.strip() for name in names.split(",")]
        if len(names) != 2 or names[0] == names[1] or not all(names):
            raise InputError(f"--names {called}: give two different names, as control,patient")
    found = read_two_groups(groups, names, atlas, how, regions, table, windows)
    _say(f"read: {found.reading.sentence()}")
    if edges is None:
        return found
    # A zero is no edge, also where most pairs of a matrix of counts are zero.
    graphs = found.graphs
    kept = np.empty(graphs.weights.shape, dtype=np.uint8)
    for row, weights in zip(kept, graphs.weights, strict=True):
        one = threshold_graph(square_of(weights), {"percentile": edges}, zeros=False)
        row[:] = one[upper_triangle(len(one))]
    if np.array_equal(kept, graphs.weights):
        warnings.warn(f"--edges {edges:g} changes nothing: the graphs are binary", stacklevel=2)
    return found._replace(graphs=replace(graphs, weights=kept))


def _blocks(given, found):
    """Return the block of each matrix: a column of the table of people, or lines of a file."""
    from .core.columns import columns_of, identifiers, internal

    if found.people is not None and given in columns_of(found.people):
        blocks = identifiers(found.people, given)
        unknown = [name is None for name in blocks]
        if any(unknown):
            name = internal(found.people, "FILE_ID")[unknown].iloc[0]
            raise InputError(f"--blocks {given}: {name} has none in the table")
        return blocks.tolist()
    if not Path(given).is_file():
        columns = "" if found.people is None else ", nor a column of the table"
        raise InputError(f"--blocks {given}: there is no such file{columns}")
    if found.people is not None:
        raise InputError(
            f"--blocks {given}: with a table of people give a column of it, such as site: lines of "
            "a file belong to matrices in order, and the table has an order of its own"
        )
    lines = Path(given).read_text(encoding="utf-8-sig").splitlines()
    lines = [line.strip() for line in lines if line.strip()]
    if len(lines) != len(found.graphs.y):
        raise InputError(f"{given} has {len(lines)} lines, not {len(found.graphs.y)}")
    return lines


def _about(graphs):
    """Who is compared, for JSON."""
    if not graphs.groups:
        return {"variable": graphs.question.column, "people": len(graphs.y)}
    return {"groups": {name: int((graphs.y == k).sum()) for k, name in enumerate(graphs.groups)}}


def _cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _workflow():
    """Folder of the Snakefile: the checkout's, or inside the installed package."""
    checkout = PACKAGE.parents[1]
    return checkout if (checkout / "Snakefile").is_file() else PACKAGE / "_workflow"
