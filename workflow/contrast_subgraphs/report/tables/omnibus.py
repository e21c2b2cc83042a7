"""Table ``omnibus``: tests without a direction, such as whether any of several groups differs."""

from ...core.checks import in_words
from ...inference.chosen_penalty import chosen_penalty
from ..formats import number
from .table import Table, written


def omnibus_table(tests, names):
    """Return where each question stands out most: `groups`, and the mean F inside the set."""
    best = chosen_penalty(tests)
    # The objective sums F - alpha over pairs: the mean F is recovered from it.
    pairs = (best["size"] * (best["size"] - 1) / 2).clip(lower=1)
    of = {f"density_{name}": label for name, label in names.groups.items()}
    asked = [
        in_words([of[column] for column in of if column in row and row[column] == row[column]])
        for _, row in best.iterrows()
    ]
    return best.assign(mean_f=best["objective"] / pairs + best["alpha"], groups=asked)


def omnibus_shown(table, names):
    """Return the table for people."""
    headings = {"cohort": "Question", "groups": "Groups", "mean_f": ("Mean F", number)}
    return written(table, names, "cohort groups percentile size mean_f z p_familywise", headings)


TABLE = Table(
    name="omnibus",
    columns="cohort groups percentile alpha objective size mean_f z p_familywise permutations",
    make=lambda results: omnibus_table(results.omnibus, results.names),
    show=omnibus_shown,
    text=("blocks", "adjusted"),
)
