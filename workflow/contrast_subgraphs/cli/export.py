"""`export`: the sets of a run for other programs, and painted into an atlas."""

import click

from .command import command


@command()
@click.argument("results", type=click.Path())
@click.argument("folder", type=click.Path())
@click.option("--cohort", help="Only this cohort.  [default: all]")
@click.option("--contrast", help="Only this contrast.  [default: all]")
@click.option(
    "--percentile", type=float, help="The penalty.  [default: that of the sets on the page]"
)
@click.option(
    "--atlas-image",
    "atlases",
    multiple=True,
    type=click.Path(),
    help="Image with the regions' labels, to paint a set into: NIfTI, .label.gii (give both sides) "
    "or .dlabel.nii.",
)
@click.option(
    "--regions",
    type=click.Path(),
    help="Table of the regions' names and their labels in the image: name, index.",
)
@click.option("--in-order", is_flag=True, help="The labels are in the order of the run's regions.")
def export(results, folder, cohort, contrast, percentile, atlases, regions, in_order):
    """Write the sets of a finished run for other programs.

    These are GraphML (networkx, Gephi, Cytoscape), nodes and edges for BrainNet Viewer, and with an
    atlas's image the set painted into it. Prints the names of the files.

    \b
    contrast-subgraphs export results/abide sets --atlas-image AAL.nii.gz
    contrast-subgraphs export results/folder sets --cohort all --percentile 90
    """
    from ..report.export import export_sets

    # Only finished results are read: an export never starts jobs of its own.
    written = export_sets(
        results,
        folder,
        cohort=cohort,
        contrast=contrast,
        percentile=percentile,
        atlases=atlases,
        regions=regions,
        in_order=in_order,
    )
    click.echo("\n".join(map(str, written)))
