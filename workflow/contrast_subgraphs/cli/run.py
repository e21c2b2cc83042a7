"""`run`: the whole workflow, from data to the page."""

import os
import sys
from pathlib import Path

import click

from ..core.atomic_files import check_writable
from ..core.errors import InputError
from ..core.extras import optional
from ..core.processes import run_with_signals
from .command import command, cores

PACKAGE = Path(__file__).resolve().parents[1]


@command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("configs", nargs=-1, type=click.Path())
@click.option("--cores", "-c", "n_cores", default=None, type=int, help="[default: all]")
@click.option("--dry-run", "-n", is_flag=True, help="Show what would be done, and do nothing.")
@click.option("--quiet", "-q", is_flag=True, help="Only warnings, errors and the last lines.")
@click.option("--verbose", "-v", is_flag=True, help="Everything that Snakemake says.")
@click.pass_context
def run(context, configs, n_cores, dry_run, quiet, verbose):
    """Run the whole workflow, from data to report, with a config file (or several).

    Results go to the folder `results` here. The same command resumes a run that stopped.
    Other options are Snakemake's.

    \b
    contrast-subgraphs run mine.yaml --cores 2
    contrast-subgraphs run mine.yaml --dry-run
    """
    options = [argument for argument in configs if argument.startswith("-")]
    # An option's value would be taken for a config.
    if options:
        cut = configs.index(options[0])
        context.args = [*configs[cut:], *context.args]
        configs = configs[:cut]
    for config in configs:
        if not Path(config).is_file():
            raise InputError(f"there is no config file {config}")
    check_writable(Path(), "run it in a folder of your own, with the path of the config")
    options = list(context.args)
    if dry_run:
        options.append("--dry-run")
    if verbose:
        options.append("--verbose")
    context.exit(run_workflow(configs, options, n_cores=n_cores, quiet=quiet))


def run_workflow(configs, options=(), *, n_cores=None, quiet=False):
    """Run Snakemake to its end.

    Parameters
    ----------
    configs : sequence of str
        What is laid over ``config.yaml``, in this order.
    options : sequence of str
        Further options for Snakemake.
    n_cores : int, optional
        By default all.
    quiet : bool
        Whether it only says warnings, errors and the last lines.

    Returns
    -------
    int
        Its exit code (see `core.processes.run_with_signals`).
    """
    # Say how to install it now, instead of a traceback from the other process.
    optional("snakemake", "workflow")
    home = workflow_folder()
    asked = [sys.executable, "-m", "snakemake", "--snakefile", str(home / "Snakefile")]
    asked += ["--workflow-profile", str(home / "profiles" / "default")]
    asked += ["--cores", str(n_cores or cores())]
    if configs:
        asked += ["--configfile", *configs]
    env = dict(os.environ)
    # Snakemake's own --quiet would keep errors back.
    if quiet:
        env["CONTRAST_SUBGRAPHS_QUIET"] = "1"
    return run_with_signals([*asked, *options], env)


def workflow_folder():
    """Return the folder of the Snakefile: the checkout's, or inside the installed package."""
    checkout = PACKAGE.parents[1]
    # In a checkout its own rules are run, so that an edit of them counts.
    if (checkout / "Snakefile").is_file():
        return checkout
    return PACKAGE / "_workflow"
