"""The sets of a run for other programs: GraphML, BrainNet Viewer, and painted into an atlas.

The files hold what the table ``regions`` says about a set. Edges are all its pairs with their
difference. An image of labels (NIfTI) gets each region's weighted degree. Labels on a surface
(GIFTI, CIFTI) keep only the labels of the set's regions.
"""

import gzip
import re
import warnings
import xml.etree.ElementTree as xml
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from ..contrast.difference import difference_graph
from ..core.atlas import load_atlas
from ..core.atomic_files import save_text, written_whole
from ..core.checks import check_option, in_words
from ..core.errors import InputError
from ..core.extras import optional
from ..data.atlases import load_aal
from ..data.regions import read_atlas
from ..design.cohort_graphs import CohortGraphs
from ..inference.chosen_penalty import shown_sets
from .tables import TABLES

#: Characters that XML cannot hold.
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
#: Endings of the file of each kind of atlas.
_ENDINGS = {"image": ".nii.gz", "gifti": ".label.gii", "cifti": ".dlabel.nii"}


@dataclass(frozen=True)
class Atlas:
    """An image of regions, and the label of each region of the graphs in it."""

    path: Path
    kind: str  # image, gifti or cifti
    image: object
    keys: dict[str, int]  # name of a region -> its label in the image


def export_sets(
    results: str | Path,
    folder: str | Path,
    *,
    cohort: str | None = None,
    contrast: str | None = None,
    percentile: float | None = None,
    atlases: Sequence[str | Path] = (),
    regions: str | Path | None = None,
    in_order: bool = False,
) -> list[Path]:
    """Write the sets of a finished run for other programs.

    Parameters
    ----------
    results : str or pathlib.Path
        Folder of the results, such as ``results/abide``.
    folder : str or pathlib.Path
        The folder that the files are written to.
    cohort, contrast : str, optional
        Export only this cohort or contrast; by default all.
    percentile : float, optional
        The penalty; by default that of the sets shown on the page, or all without a test.
    atlases : sequence of str or pathlib.Path
        Images of labels: NIfTI, GIFTI (``.label.gii``, one for each side) or CIFTI
        (``.dlabel.nii``).
    regions : str or pathlib.Path, optional
        A table with the names of the regions and their labels in the images (``name, index``).
    in_order : bool
        Whether the labels of an image, in ascending order, are the regions of ``data/atlas.tsv``.

    Returns
    -------
    list of pathlib.Path
        The files that were written.

    Raises
    ------
    InputError
        If there is no such set, or if the label of a region in an image cannot be determined.
    """
    results = Path(results)
    sets = _sets(results, cohort, contrast, percentile)
    known = load_atlas(results / "data" / "atlas.tsv")["name"].tolist()
    images = [_atlas(path, known, regions, in_order) for path in atlases]
    written = []
    for (name, of, at), part in sets.groupby(["cohort", "contrast", "percentile"], sort=False):
        beginning = Path(folder) / f"{name}-{of}-p{at:g}"
        graphs = CohortGraphs.load(results / "graphs" / f"{name}.npz")
        nodes = part["index"].to_numpy(int)
        weights = difference_graph(graphs, of)[np.ix_(nodes, nodes)]
        written.append(_write(f"{beginning}.graphml", graphml(part, weights)))
        if part[["x", "y", "z"]].notna().all(axis=None):
            written.append(_write(f"{beginning}.node", brainnet_nodes(part)))
            written.append(_write(f"{beginning}.edge", brainnet_edges(weights)))
        degrees = dict(zip(part["region"], part["degree"], strict=True))
        _check_found(degrees, images)
        for image in images:
            side = ""
            if len(images) > 1:
                side = f"-{image.path.name.split('.')[0]}"
            written.append(_paint(image, degrees, f"{beginning}{side}"))
    return written


def _sets(results, cohort, contrast, percentile):
    """Return the rows of the table ``regions`` for the requested sets."""
    path = results / "tables" / "regions.csv"
    if not path.is_file():
        raise InputError(
            f"there is no {path}: give the folder of a finished run, such as results/abide"
        )
    table = TABLES["regions"].load(path)
    table = table[table["percentile"].notna()]
    for column, wanted in (("cohort", cohort), ("contrast", contrast), ("percentile", percentile)):
        if wanted is not None:
            check_option(column, wanted, list(table[column].unique()))
            table = table[table[column] == wanted]
    tests = results / "tables" / "significance.csv"
    if percentile is None and tests.is_file():
        effects = TABLES["effects"].load(results / "tables" / "effects.csv")
        shown = shown_sets(TABLES["significance"].load(tests), effects)
        keys = ["cohort", "contrast", "percentile"]
        # Cohorts without a test have no shown set: all of their sets are kept.
        tested = table["cohort"].isin(shown["cohort"])
        marked = table[keys].merge(shown[keys].assign(there=True), how="left", on=keys)
        table = table[~tested.to_numpy() | marked["there"].eq(True).to_numpy()]
    if table.empty:
        raise InputError("there is no set of regions with this cohort, contrast and percentile")
    return table


# --- graphs -------------------------------------------------------------------------


def graphml(regions: pd.DataFrame, weights: np.ndarray) -> str:
    """Return a set as GraphML, for networkx, igraph, Gephi or Cytoscape.

    Parameters
    ----------
    regions : pandas.DataFrame
        ``region, system, degree``, and ``x, y, z`` where they are known.
    weights : numpy.ndarray of shape (n, n)
        The difference of each pair; pairs with 0 are not edges.
    """
    root = xml.Element("graphml", xmlns="http://graphml.graphdrawing.org/xmlns")
    kinds = {"label": "string", "system": "string", "degree": "double"}
    kinds |= dict.fromkeys(("x", "y", "z"), "double")
    for key, kind in kinds.items():
        _key(root, key, "node", kind)
    _key(root, "weight", "edge", "double")
    graph = xml.SubElement(root, "graph", edgedefault="undirected")
    rows = regions.rename(columns={"region": "label"}).to_dict("records")
    for number, row in enumerate(rows):
        node = xml.SubElement(graph, "node", id=f"n{number}")
        for key in kinds:
            if not pd.isna(row[key]) and row[key] != "":
                xml.SubElement(node, "data", key=key).text = _NOT_XML.sub("?", str(row[key]))
    for i, j in zip(*np.triu_indices(len(rows), 1), strict=True):
        if weights[i, j] != 0:
            edge = xml.SubElement(graph, "edge", source=f"n{i}", target=f"n{j}")
            xml.SubElement(edge, "data", key="weight").text = str(float(weights[i, j]))
    xml.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(root, "unicode") + "\n"


def _key(root, name, of, kind):
    attributes = {"id": name, "for": of, "attr.name": name, "attr.type": kind}
    xml.SubElement(root, "key", attributes)


def brainnet_nodes(regions: pd.DataFrame) -> str:
    """Return the file of nodes for BrainNet Viewer: x, y, z, color, size and label, by tabs."""
    lines = []
    for row in regions.to_dict("records"):
        # BrainNet Viewer splits lines at white space.
        name = re.sub(r"\s", ".", str(row["region"]))
        values = [row["x"], row["y"], row["z"], 1, row["degree"], name]
        lines.append("\t".join(map(str, values)))
    return "\n".join(lines) + "\n"


def brainnet_edges(weights: np.ndarray) -> str:
    """Return the file of edges for BrainNet Viewer: the matrix of a set, by tabs."""
    rows = ["\t".join(str(float(one)) for one in row) for row in weights]
    return "\n".join(rows) + "\n"


# --- atlases ------------------------------------------------------------------------


def _atlas(path, known, table, in_order):
    """Read an image of labels, and find the label of each region in it."""
    path = Path(path)
    kind, image, names, labels = _labels_of_image(path)
    # 0 is the background.
    labels = labels[np.isfinite(labels) & (labels != 0)]
    if (labels != labels.round()).any():
        raise InputError(f"{path} must hold whole numbers, one for each region")
    there = set(labels.astype(int).tolist())
    if in_order:
        if len(there) != len(known):
            raise InputError(
                f"{path} has {len(there)} labels, and the run {len(known)} regions: their order "
                "does not say which is which"
            )
        return Atlas(path, kind, image, dict(zip(known, sorted(there), strict=True)))
    keys = _labels_by_name(known, table, names)
    # A table or AAL may list labels that this image does not have.
    found = {name: keys[name] for name in known if keys.get(name) in there}
    if not found:
        raise InputError(
            f"{path}: which label is which region cannot be said: give a table with the columns "
            "name and index (--regions), or --in-order if the labels are in the regions' order"
        )
    return Atlas(path, kind, image, found)


def _labels_of_image(path):
    """Return the kind of an image, the image, the names of its labels, and the labels in it."""
    nibabel = optional("nibabel", "plot")
    try:
        image = nibabel.load(path)
    except (OSError, ValueError, nibabel.filebasedimages.ImageFileError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    if isinstance(image, nibabel.GiftiImage):
        names = dict(image.labeltable.get_labels_as_dict())
        return "gifti", image, names, np.unique(image.darrays[0].data)
    if isinstance(image, nibabel.Cifti2Image):
        axis = image.header.get_axis(0)
        if not hasattr(axis, "label"):
            raise InputError(f"{path} holds no labels: give a .dlabel.nii")
        names = {key: name for key, (name, _) in axis.label[0].items()}
        return "cifti", image, names, np.unique(np.asanyarray(image.dataobj)[0])
    if len(image.shape) != 3:
        raise InputError(f"{path} is no image of labels: its shape is {image.shape}, not 3-D")
    return "image", image, {}, np.unique(np.asanyarray(image.dataobj))


def _labels_by_name(known, table, names):
    """Return the label of each region by its name: those of a table count before the image's."""
    # A name that two labels share is ambiguous.
    counts = Counter(names.values())
    named = {name: int(key) for key, name in names.items() if counts[name] == 1}
    numbers = _numbers(known, table)
    if table is None:
        return numbers | named
    return named | numbers


def _numbers(known, table):
    """Return the labels of regions by name, from a table, from AAL, or from numeric names."""
    if table is not None:
        given = read_atlas(table)
        if "code" not in given:
            raise InputError(f"{table} has no column with the labels of the regions (index)")
        numbers = pd.to_numeric(given["code"], errors="coerce")
        rows = zip(given["name"], numbers, strict=True)
        return {name: int(number) for name, number in rows if not pd.isna(number)}
    aal = load_aal()
    if set(known) <= set(aal["name"]):
        return dict(zip(aal["name"], aal["code"].astype(int), strict=True))
    return {name: int(name) for name in known if str(name).isdecimal()}


def _check_found(degrees, images):
    """Raise InputError if no image has a region of the set; for surfaces, only warn."""
    if not images:
        return
    lacking = [name for name in degrees if not any(name in image.keys for image in images)]
    if not lacking:
        return
    said = f"{in_words(lacking)} of the set {'is' if len(lacking) == 1 else 'are'} in no image"
    if any(image.kind == "image" for image in images):
        raise InputError(f"{said}: give --regions with the label of each region")
    # Surfaces lack subcortical regions.
    warnings.warn(f"{said}: left out there", stacklevel=3)


def _paint(atlas, degrees, beginning):
    """Write an atlas with only the regions of a set; return the path."""
    nibabel = optional("nibabel", "plot")
    chosen = {atlas.keys[name]: degree for name, degree in degrees.items() if name in atlas.keys}
    path = Path(f"{beginning}{_ENDINGS[atlas.kind]}")
    image = atlas.image
    if atlas.kind == "image":
        labels = np.asanyarray(image.dataobj)
        values = np.zeros(image.shape, dtype=np.float32)
        for key, degree in chosen.items():
            values[labels == key] = degree
        content = nibabel.Nifti1Image(values, image.affine).to_bytes()
        # Without a date, so that the bytes are the same each time.
        return _write(path, gzip.compress(content, mtime=0))
    if atlas.kind == "gifti":
        labels = image.darrays[0].data
        kept = np.where(np.isin(labels, list(chosen)), labels, 0).astype(np.int32)
        table = nibabel.gifti.GiftiLabelTable()
        table.labels = [one for one in image.labeltable.labels if one.key in {0, *chosen}]
        array = nibabel.gifti.GiftiDataArray(kept, intent="NIFTI_INTENT_LABEL")
        made = nibabel.GiftiImage(darrays=[array], labeltable=table, meta=image.meta)
        return _write(path, made.to_bytes())
    labels = np.asanyarray(image.dataobj)[:1]
    kept = np.where(np.isin(labels, list(chosen)), labels, 0)
    axis = image.header.get_axis(0)
    named = {key: one for key, one in axis.label[0].items() if key in {0, *chosen}}
    rows = nibabel.cifti2.LabelAxis([path.name.split(".")[0]], [named])
    made = nibabel.Cifti2Image(kept, header=(rows, image.header.get_axis(1)))
    made.update_headers()
    return _write(path, made.to_bytes())


def _write(path: str | Path, content: str | bytes) -> Path:
    path = Path(path)
    if isinstance(content, str):
        save_text(path, content)
        return path
    with written_whole(path) as beside:
        beside.write_bytes(content)
    return path
