"""Table ``prediction``: how well each method predicts a variable in held-out people."""

from ...evaluation.scores import PREDICTION_COLUMNS, load_scores
from ...evaluation.summary import prediction_table
from ..formats import plus_minus
from ..sentences import sentence
from .table import Table, written


def prediction_shown(table, names):
    """Return the table for people."""
    r = map(plus_minus, table["r_mean"], table["r_std"])
    shown = "cohort method protocol r mae_mean adjusted_r nuisance_r control_r control_mae"
    headings = {
        "r": "r",
        "mae_mean": ("Mean absolute error", ".3g"),
        "adjusted_r": ("Adjusted", ".2f"),
        "nuisance_r": ("No brain", ".2f"),
        "control_r": ("Permuted", ".2f"),
        "control_mae": ("Error, permuted", ".3g"),
    }
    return written(table.assign(r=list(r)), names, f"{shown} p_value p_holm", headings)


def prediction_notes(table, names):
    """Return what an r below 0 means, where there is one."""
    below = (table[["r_mean", "adjusted_r", "nuisance_r", "control_r"]] < 0).any(axis=None)
    if below:
        return [sentence("tables.txt", "worse_than_mean", names)]
    return []


TABLE = Table(
    name="prediction",
    columns="cohort method protocol r_mean r_std mae_mean repeats adjusted_r nuisance_r control_r "
    "control_mae permutations within_sites p_value p_holm",
    make=lambda results: prediction_table(
        load_scores(results.paths["predictions"], PREDICTION_COLUMNS)
    ),
    show=prediction_shown,
    notes=prediction_notes,
)
