"""`info`: what is installed, and where things are kept."""

import sys
from importlib.metadata import PackageNotFoundError, version

import click

from .. import __version__
from ..methods import METHODS
from .command import command, cores
from .run import PACKAGE

#: For each extra, the package whose presence shows that it is installed.
_EXTRAS = {"files": "openpyxl", "sdp": "cvxpy", "workflow": "snakemake"}


@command()
def info():
    """Show what is installed, and where things are kept."""
    from ..core.compiled import cache_folder

    click.echo(f"contrast-subgraphs {__version__}, in {PACKAGE}")
    click.echo(f"Python {sys.version.split()[0]}, {cores()} cores")
    # A missing extra is named with the command that installs it, as in errors.
    for extra, package in _EXTRAS.items():
        try:
            click.echo(f"{extra}: {package} {version(package)}")
        except PackageNotFoundError:
            click.echo(f"{extra}: not installed (pip install 'contrast-subgraphs[{extra}]')")
    click.echo(f"compiled functions: {cache_folder('contrast') or 'nowhere: set NUMBA_CACHE_DIR'}")
    click.echo(f"methods: {', '.join(METHODS)}")
