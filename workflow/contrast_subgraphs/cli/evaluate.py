"""`evaluate`: how well can held-out people be classified, or a variable be predicted?"""

import json

import click
import numpy as np

from ..core.checks import check_count, in_words
from ..core.errors import InputError
from ..core.method import TASKS
from ..methods import METHODS, alone, of_graphs
from .command import command, cores, given
from .options import grouped


@command()
@grouped
@click.option(
    "--method",
    "methods",
    multiple=True,
    type=click.Choice(list(dict.fromkeys(name for task in TASKS for name in alone(task)))),
    help="Can be given several times. [default: all but cpm; for a variable all but cs-p2]",
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
    from ..contrast.alpha import PERCENTILES
    from ..evaluation.prediction import scores_of_graphs

    for option, least in (("repeats", 1), ("folds", 2), ("permutations", 0)):
        check_count(options[option], f"--{option}", least)
    _check_used(methods)
    asked = read()
    if asked.exchange == "signs":
        raise InputError(
            "--exchange signs is for tests, which flip signs of residuals; accuracies need "
            "permuted labels: leave it out"
        )
    graphs = asked.graphs
    task = _task(graphs.question, methods)
    # Accuracies run even if no label can be permuted, but then the control says nothing.
    if graphs.person is not None:
        asked.say_what_moves(seed)
    chosen = methods or _usual_methods(task, len(graphs.y))
    scores = scores_of_graphs(
        graphs,
        of_graphs(chosen),
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
        n_jobs=cores(),
    )
    # Tables and lines differ by task: accuracies for groups, correlations for a variable.
    tell = {"classify": _accuracies, "predict": _predictions}[task]
    kind, table, lines = tell(scores)
    if as_json:
        kept = table.drop(columns=["cohort", "paper_mean", "paper_std"], errors="ignore")
        records = json.loads(kept.to_json(orient="records"))
        click.echo(json.dumps(asked.about() | {kind: records}, indent=1))
        return
    for line in lines:
        click.echo(line)


def _check_used(methods):
    """Raise InputError for an option that none of the chosen methods uses."""
    contrast = [name for name in methods if METHODS[name].kind == "contrast"]
    if not methods or contrast:
        return
    for option, name in (("--percentile", "percentiles"), ("--edge-statistic", "edge_statistic")):
        if given(name):
            raise InputError(
                f"{option} is for contrast subgraphs, and {in_words(methods)} finds none: leave it "
                "out, or add --method cs-p1"
            )


def _task(question, methods):
    """Return whether people are classified or predicted; InputError if neither can be done."""
    task = question.task or question.on_demand
    if not task:
        raise InputError(f"--{question.kind}: no one can be predicted: {question.unpredicted}")
    if task == "predict":
        for name in methods:
            if name not in alone(task):
                raise InputError(
                    f"--method {name} tells groups apart: take another one with --{question.kind}"
                )
    return task


def _usual_methods(task, people):
    """Return the default methods."""
    from ..evaluation.svm import MANY_PEOPLE

    usual = alone(task)
    if people <= MANY_PEOPLE:
        return usual
    click.echo(
        "without the method edges, slow for many people: --method edges asks for it", err=True
    )
    return [name for name in usual if name != "edges"]


def _accuracies(scores):
    """Return the table of accuracies, and a line for each method."""
    from ..evaluation.summary import accuracy_table, control_accuracy, p_values

    table = accuracy_table(scores)
    shown = table.assign(p=p_values(table)[0], control=control_accuracy(table))
    lines = [
        f"{METHODS[row['method']].label}: accuracy {_spread(row['mean'], row['std'])} "
        f"(permuted labels: {row['control']:.2f}), p = {row['p']:.2g}, "
        f"ROC AUC {row['roc_auc']:.2f}"
        for row in shown.to_dict("records")
    ]
    return "accuracy", table, lines


def _predictions(scores):
    """Return the table of predictions, and a line for each method."""
    from ..evaluation.summary import prediction_table

    table = prediction_table(scores)
    lines = [
        f"{METHODS[row['method']].label}: r {_spread(row['r_mean'], row['r_std'])} "
        f"(permuted values: {row['control_r']:.2f}), p = {row['p_value']:.2g}, mean absolute "
        f"error {row['mae_mean']:.3g}"
        for row in table.to_dict("records")
    ]
    return "prediction", table, lines


def _spread(mean, std):
    """Return a mean and how much it varies between the splits, which a single one does not show."""
    text = f"{mean:.2f}"
    if np.isfinite(std):
        text += f" ± {std:.2f}"
    return text
