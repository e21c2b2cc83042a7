"""The options that `find`, `test` and `evaluate` share: what is compared, and how it is read."""

import functools
import inspect
import sys

import click

from ..core.compiled import Kernel
from ..core.processes import show_progress
from ..design.question import KINDS, asked_kinds
from .asked import read_asked

_GROUPS_HELP = """

The groups are two folders with one matrix per file (.csv, .tsv, .txt, .1D, .xlsx, .npy, .npz,
.mat, .h5), two quoted patterns such as 'data/*_patient.csv', or two files with a stack of matrices
each; or one table of people (.csv, .tsv, .xlsx), with --files and --group-column or --variable.
"""

_WHO = (
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
        "--missing-codes",
        help="Of a table: what means not known, beside n/a, empty and -9999: '-99,unknown'.",
    ),
)

_READING = (
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
)

_QUESTION = (
    click.option(
        "--edge-statistic",
        type=click.Choice(["difference", "t", "welch"]),
        default="difference",
        help="What a pair weighs: a difference of means (or slope), or that over its error.",
    ),
    *(
        click.option(f"--{kind}", help=KINDS[kind].option)
        for kind in asked_kinds()
        if KINDS[kind].option
    ),
    click.option("--covariates", help="Of a table: columns held constant, as age,sex,site."),
    click.option(
        "--blocks",
        help="Permute labels within these, such as sites: a column of the table, or of two "
        "groups a text file with one per line, first group first.",
    ),
    click.option("--person", help="Of a table: whose graphs these are, if people have several."),
    click.option(
        "--exchange",
        type=click.Choice(["auto", "within", "whole", "signs"]),
        default="auto",
        help="Permute within people (--person) what varies within them, else whole people; or "
        "ask for one of the two. Of --blocks, whole: blocks take each other's places. Signs: "
        "flip those of people's residuals, where people spread unequally.",
    ),
)

_OUTPUT = (
    click.option("--seed", default=0, help="Seed of all random draws."),
    click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text."),
    click.option("--quiet", "-q", is_flag=True, help="Results, warnings and errors alone."),
    click.option("--verbose", "-v", is_flag=True, help="Progress also where no terminal is."),
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
    help="Hold constant how much each person is of K modes that all people share (principal "
    "components of all pairs, known to no label); auto: those that are more than chance.",
)

#: The option of `find` and `test` that says where alpha comes from.
hold_option = click.option(
    "--hold",
    type=click.Choice(["null", "observed"]),
    default="null",
    help="Take a percentile's alpha from other relabellings, which know no label, or from the "
    "observed differences, as the paper does.",
)

#: What a command gets itself of these.
_PASSED = ("edge_statistic", "seed", "as_json")


def grouped(function):
    """Add what `find`, `test` and `evaluate` share to a command.

    The function gets `read`, which gives what is compared as `Asked` when the function has checked
    its own options.
    """
    own = {option.name for option in getattr(function, "__click_params__", ())}
    own |= set(inspect.signature(function).parameters)  # arguments that come before the groups

    @functools.wraps(function)
    def wrapper(quiet, verbose, **options):
        show_progress(verbose or (sys.stderr.isatty() and not quiet))
        Kernel.said = quiet
        kept = {}
        for name in [*options]:
            if name in own or name in _PASSED:
                kept[name] = options.pop(name)
        return function(read=functools.partial(read_asked, **options), **kept)

    for option in reversed((*_WHO, *_READING, *_QUESTION, *_OUTPUT)):
        wrapper = option(wrapper)
    wrapper.__doc__ = inspect.cleandoc(function.__doc__) + _GROUPS_HELP
    return wrapper
