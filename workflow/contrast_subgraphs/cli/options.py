"""The options that the commands on graphs share: what is compared, and how it is read."""

import functools
import inspect
import sys

import click

from ..core.compiled import Kernel
from ..core.processes import show_progress
from ..core.reading_options import READING_OPTIONS
from ..design.question import KINDS, asked_kinds
from .asked import read_asked

_GROUPS_HELP = """

The groups are two folders with one matrix per file (.csv, .tsv, .txt, .1D, .xlsx, .npy, .npz,
.mat, .h5), two quoted patterns such as 'data/*_patient.csv', or two files with a stack of matrices
each; or one table of people (.csv, .tsv, .xlsx), with --files and --group-column or --variable.
"""


def reading_option(name, said=None):
    """Return click's option for one of how files are read; `said` is another help for it."""
    option = READING_OPTIONS[name]
    flag = f"--{name}"
    if option.kind is bool:
        flag = f"--{name}/--no-{name}"
    values = None
    if option.choices:
        values = click.Choice(option.choices)
    return click.option(flag, type=values, default=option.usual, help=said or option.help)


_WHO = (
    click.argument("groups", nargs=-1, required=True, metavar="FIRST SECOND | TABLE"),
    click.option(
        "--names",
        help="Names of the groups, as control,patient; for a table, two values of its column.",
    ),
    click.option("--group-column", help="The table's column with the group."),
    click.option(
        "--files",
        help="For a table: where the matrices are, relative to it: 'matrices/{id}.csv'.",
    ),
    click.option(
        "--id",
        "id_column",
        default="participant_id",
        help="The table's column that {id} stands for.",
    ),
    click.option(
        "--missing-codes",
        help="For a table: what else means not known, besides n/a, empty and -9999: '-99,unknown'.",
    ),
)

_READING = (
    click.option(
        "--edges",
        type=float,
        help="Make each matrix a graph of its pairs from this percentile on, such as 80.",
    ),
    click.option(
        "--atlas",
        type=click.Path(exists=True, dir_okay=False),
        help="Table of the regions, one per row, with a column `name`.",
    ),
    *map(reading_option, READING_OPTIONS),
)

_QUESTION = (
    click.option(
        "--edge-statistic",
        type=click.Choice(["difference", "t", "welch"]),
        default="difference",
        help="The weight of a pair: a difference of means (or slope), or that over its error.",
    ),
    *(
        click.option(f"--{kind}", help=KINDS[kind].option)
        for kind in asked_kinds()
        if KINDS[kind].option
    ),
    click.option("--covariates", help="For a table: columns to hold constant, as age,sex,site."),
    click.option(
        "--blocks",
        help="Permute labels within these, such as sites: a column of the table, or for two "
        "groups a text file with one per line, first group first.",
    ),
    click.option(
        "--person", help="For a table: the column of the person, if people have several graphs."
    ),
    click.option(
        "--exchange",
        type=click.Choice(["auto", "within", "whole", "signs"]),
        default="auto",
        help="Permute within people (--person) what varies within them, else whole people; or "
        "ask for one of the two. With --blocks, whole: exchange whole blocks. Signs: "
        "flip those of people's residuals, if people vary unequally.",
    ),
)

_OUTPUT = (
    click.option("--seed", default=0, help="Seed of all random draws."),
    click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text."),
    click.option("--quiet", "-q", is_flag=True, help="Only results, warnings and errors."),
    click.option("--verbose", "-v", is_flag=True, help="Show progress even without a terminal."),
)


def _modes_given(context, parameter, value):
    """Return the number of modes, or auto."""
    if value is None or value == "auto":
        return value
    return click.IntRange(1).convert(value, parameter, context)


#: The option of `find` and `test` that holds constant what all people share.
beside_modes = click.option(
    "--modes",
    callback=_modes_given,
    metavar="K|auto",
    help="Hold constant how much each person has of K modes that all people share (principal "
    "components of all pairs, found without labels); auto: those that are more than chance.",
)

#: The option of `find` and `test` that says where alpha comes from.
hold_option = click.option(
    "--hold",
    type=click.Choice(["null", "observed"]),
    default="null",
    help="Take a percentile's alpha from other relabellings, without the true labels, or from the "
    "observed differences, as the paper does.",
)

#: Those that a command gets itself. One that its function does not take is not offered.
_PASSED = ("edge_statistic", "seed", "as_json")


def grouped(function):
    """Add what `find`, `test` and `evaluate` share to a command.

    The function gets `read`. It calls it once its own options are checked, and gets what is
    compared as `Asked`.
    """
    own = {option.name for option in getattr(function, "__click_params__", ())}
    # Arguments that come before the groups are the command's own too.
    own |= set(inspect.signature(function).parameters)

    @functools.wraps(function)
    def wrapper(quiet, verbose, **options):
        show_progress(verbose or (sys.stderr.isatty() and not quiet))
        # The note that functions are being compiled is left out, too.
        Kernel.said = quiet
        kept = {}
        for name in [*options]:
            if name in own or name in _PASSED:
                kept[name] = options.pop(name)
        return function(read=functools.partial(read_asked, **options), **kept)

    # The last decorator's option comes first in the help, so they are applied from the end.
    for option in reversed((*_WHO, *_READING, *_QUESTION, *_OUTPUT)):
        wrapper = option(wrapper)
    # An option that a command has no use for would only be refused: it is not offered.
    offered = getattr(wrapper, "__click_params__", [])
    unused = set(_PASSED) - own
    wrapper.__click_params__ = [option for option in offered if option.name not in unused]
    # What the groups may be is the same for all commands, and stands at the end of each help.
    wrapper.__doc__ = inspect.cleandoc(function.__doc__) + _GROUPS_HELP
    return wrapper
