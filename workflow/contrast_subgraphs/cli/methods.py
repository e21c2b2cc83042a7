"""`methods`: the text for a methods section, as a run wrote it."""

import click

from .command import command


@command()
@click.argument("results", type=click.Path())
@click.option(
    "--format",
    "how",
    type=click.Choice(["text", "md", "html", "bib"]),
    default="text",
    help="Plain text, Markdown, a piece of HTML, or only the references, as BibTeX.",
)
def methods(results, how):
    """Print the text for a methods section, from the results of a finished run.

    It says what the run did, from its config and its results, with references.

    \b
    contrast-subgraphs methods results/abide
    contrast-subgraphs methods results/abide --format bib > references.bib
    """
    from ..report.methods_text import read_methods

    click.echo(read_methods(results).printed(how).rstrip("\n"))
