"""`init`: a config for a folder of your own data."""

from pathlib import Path

import click

from ..core.errors import InputError
from .command import command, entity_of


@command()
@click.argument("folder", type=click.Path())
@click.option("--output", "-o", default="mine.yaml", help="Where to write the config.")
@click.option("--group-column", help="The table's column with the group.")
@click.option("--people", type=click.Path(), help="The table of people, if it is elsewhere.")
@click.option("--files", help="Where each person's file is, as 'fc/{id}.csv'.")
@click.option(
    "--kind", type=click.Choice(["series", "matrix", "image"]), help="What the files hold."
)
@click.option("--key", help="The name of the array in .mat, .npz and .h5 files.")
@click.option("--atlas", help="For BIDS derivatives: which atlas.")
@click.option("--session", help="For BIDS derivatives: which session.")
@click.option("--task", help="For BIDS derivatives: which task.")
@click.option("--entity", multiple=True, help="Any other entity in their names, as space=MNI.")
@click.option(
    "--runs", type=click.Choice(["join", "first"]), help="What to do with several runs of a person."
)
@click.option("--atlas-image", type=click.Path(), help="For 4-D images: the regions (NIfTI).")
def init(folder, output, atlas, session, task, entity, **choices):
    """Look at a folder of your own data and write a config for it.

    \b
    contrast-subgraphs init /data/study
    contrast-subgraphs init /data/study/derivatives/xcp_d --atlas 4S156Parcels
    contrast-subgraphs run mine.yaml --cores 2
    """
    from ..config.propose import propose_config

    # A config may have been edited by hand since: it is never overwritten.
    if Path(output).exists():
        raise InputError(f"{output} exists: give another name with --output")
    entities = {"atlas": atlas, "ses": session, "task": task}
    for one in entity:
        name, value = entity_of(one)
        entities[name] = value
    entities = {name: value for name, value in entities.items() if value}
    proposal = propose_config(folder, output, entities=entities, **choices)
    proposal.save(output)
    # What was found, and what was decided for the user, goes to stderr; the path is the result.
    for sentence in proposal.found:
        click.echo(sentence, err=True)
    click.echo(output)
