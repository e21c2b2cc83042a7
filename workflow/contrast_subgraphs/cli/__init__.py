"""The command line: contrast subgraphs of two groups of matrices, without any code.

Results go to stdout, progress and warnings to stderr. Exit codes: 0 done; 1 an input cannot
be used, or a run failed (one line that begins with `error:` says why); 2 the command itself
is not understood; 130 interrupted.
"""

import gc

import click

from .. import __version__
from .bids import bids
from .confirm import confirm
from .evaluate import evaluate
from .export import export
from .find import find
from .info import info
from .init import init
from .map import map_
from .methods import methods
from .plan import plan
from .run import run
from .test import test

_SETTINGS = {
    "help_option_names": ["-h", "--help"],
    "max_content_width": 100,
    "show_default": True,
}


@click.group(context_settings=_SETTINGS)
@click.version_option(__version__, prog_name="contrast-subgraphs")
def main():
    """Where do two groups of brain networks differ, is it real, and what can it predict?"""
    # Imports leave hardly any garbage, and looking for it takes a fifth of the time to the first
    # answer.
    gc.set_threshold(50_000, 20, 50)


for _command in (find, test, confirm, plan, evaluate, map_, run, init, bids, methods, export, info):
    main.add_command(_command)
