"""The sets of a run in the formats of other programs, read back by their own readers."""

import xml.etree.ElementTree as xml

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from contrast_subgraphs.cli import main
from contrast_subgraphs.contrast.difference import difference_graph
from contrast_subgraphs.core.atlas import COLUMNS
from contrast_subgraphs.core.atomic_files import save_json, save_table
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.data.atlases import load_aal
from contrast_subgraphs.inference.chosen_penalty import shown_sets
from contrast_subgraphs.report.export import export_sets, graphml
from contrast_subgraphs.report.results import Results
from contrast_subgraphs.report.tables import TABLES
from small_report import small_config, small_contrasts, small_graphs
from workflow_runs import RESULTS

nibabel = pytest.importorskip("nibabel")


@pytest.fixture(scope="module")
def results(tmp_path_factory, root):
    """Graphs, sets and the table of regions of a small run."""
    folder = tmp_path_factory.mktemp("export") / "published"
    graphs = small_graphs(40)
    graphs.save(folder / "graphs/children.npz")
    save_table(load_aal()[list(COLUMNS)], folder / "data/atlas.tsv")
    paths = []
    for name, record in small_contrasts(graphs).items():
        paths.append(folder / f"contrast/children/{name}.json")
        save_json(paths[-1], record)
    files = {"graphs": [folder / "graphs/children.npz"], "atlas": [folder / "data/atlas.tsv"]}
    made = Results(small_config(root), contrasts=paths, **files)
    TABLES["regions"].save(made, folder / "tables")
    return folder


@pytest.fixture(scope="module")
def chosen(results):
    """The rows of one set."""
    table = TABLES["regions"].load(results / "tables/regions.csv")
    return table[(table["contrast"] == "td-asd") & (table["percentile"] == 90)]


SPACE = "{http://graphml.graphdrawing.org/xmlns}"
ONE = {"cohort": "children", "contrast": "td-asd", "percentile": 90}


def labels_of(codes, shape=(6, 5, 5)):
    """Return an image in which each label has a voxel, the first two have more."""
    data = np.zeros(shape, dtype=np.int32)
    data.flat[: len(codes)] = codes
    data.flat[-2:] = codes[:2]
    return nibabel.Nifti1Image(data, np.diag([2.0, 2, 2, 1]))


def test_graphs_are_those_of_the_tables(results, chosen, tmp_path):
    paths = export_sets(results, tmp_path, **ONE)
    assert [path.name for path in paths] == [
        f"children-td-asd-p90{ending}" for ending in (".graphml", ".node", ".edge")
    ]
    graphs = small_graphs(40)
    nodes = chosen["index"].to_numpy(int)
    weights = difference_graph(graphs, "td-asd")[np.ix_(nodes, nodes)]
    matrix = np.loadtxt(paths[2], delimiter="\t")
    np.testing.assert_array_equal(matrix, weights)
    np.testing.assert_allclose(matrix.sum(axis=1), chosen["degree"])
    lines = [line.split("\t") for line in paths[1].read_text().splitlines()]
    assert [line[5] for line in lines] == chosen["region"].tolist()
    assert [float(line[0]) for line in lines] == chosen["x"].tolist()
    root = xml.parse(paths[0]).getroot()
    labels = [one.text for one in root.findall(f".//{SPACE}data[@key='label']")]
    assert labels == chosen["region"].tolist()
    first = root.find(f".//{SPACE}edge")
    assert (first.get("source"), first.get("target")) == ("n0", "n1")
    assert float(first.find(f"{SPACE}data").text) == weights[0, 1]


def test_each_edge_of_graphml_is_a_pair_that_differs(chosen):
    weights = np.zeros((2, 2))
    rows = chosen.iloc[:2].assign(region=["a<&b", "c\x00d"], system=["", "x"])
    root = xml.fromstring(graphml(rows, weights).encode())
    assert not root.findall(f".//{SPACE}edge")
    texts = [one.text for one in root.findall(f".//{SPACE}data[@key='label']")]
    assert texts == ["a<&b", "c?d"]


def test_without_a_choice_all_penalties_are_written(results, tmp_path):
    assert len(export_sets(results, tmp_path)) == 3 * 3 * 3


def test_of_a_tested_run_the_sets_that_the_page_shows_are_written(small_run, tmp_path):
    """One penalty of each cohort and contrast."""
    results = small_run / RESULTS
    names = {path.stem for path in export_sets(results, tmp_path) if path.suffix == ".graphml"}
    shown = shown_sets(
        TABLES["significance"].load(results / "tables/significance.csv"),
        TABLES["effects"].load(results / "tables/effects.csv"),
    )
    shown = shown[shown["size"] > 0]
    keys = zip(shown["cohort"], shown["contrast"], shown["percentile"], strict=True)
    assert names == {f"{cohort}-{contrast}-p{at:g}" for cohort, contrast, at in keys}
    assert len(names) == 6


def test_a_set_is_painted_into_an_image_of_labels(results, chosen, tmp_path):
    aal = load_aal()
    nibabel.save(labels_of(aal["code"].to_numpy()), tmp_path / "aal.nii.gz")
    options = {"atlases": [tmp_path / "aal.nii.gz"], **ONE}
    path = export_sets(results, tmp_path / "a", **options)[-1]
    assert path.name == "children-td-asd-p90.nii.gz"
    image = nibabel.load(path)
    values = image.get_fdata().ravel()
    wanted = np.zeros(len(aal))
    wanted[chosen["index"]] = chosen["degree"]
    np.testing.assert_allclose(values[: len(aal)], wanted, rtol=1e-6)
    assert values[len(aal) : -2].max() == 0
    np.testing.assert_allclose(values[-2:], wanted[:2], rtol=1e-6)
    np.testing.assert_array_equal(image.affine, np.diag([2.0, 2, 2, 1]))
    again = export_sets(results, tmp_path / "b", **options)[-1]
    assert again.read_bytes() == path.read_bytes()


def test_labels_are_by_a_table_or_by_the_order_and_never_guessed(results, chosen, tmp_path):
    aal = load_aal()
    path = tmp_path / "mine.nii"
    nibabel.save(labels_of(np.arange(1, 117)), path)
    with pytest.raises(InputError, match="which label is which region cannot be said"):
        export_sets(results, tmp_path, atlases=[path], **ONE)
    in_order = export_sets(results, tmp_path / "a", atlases=[path], in_order=True, **ONE)[-1]
    values = nibabel.load(in_order).get_fdata().ravel()
    assert set(np.flatnonzero(values[:116])) == set(chosen["index"])
    # The table says another order.
    table = pd.DataFrame({"name": aal["name"][::-1], "index": np.arange(1, 117)})
    table.to_csv(tmp_path / "mine.csv", index=False)
    options = {"regions": tmp_path / "mine.csv", "atlases": [path], **ONE}
    values = nibabel.load(export_sets(results, tmp_path / "b", **options)[-1]).get_fdata().ravel()
    assert set(115 - np.flatnonzero(values[:116])) == set(chosen["index"])
    nibabel.save(labels_of(np.arange(1, 101)), path)
    with pytest.raises(InputError, match="has 100 labels, and the run 116 regions"):
        export_sets(results, tmp_path, atlases=[path], in_order=True, **ONE)
    lacking = [code for code in aal["code"] if code != aal["code"][chosen["index"].iloc[0]]]
    nibabel.save(labels_of(np.array(lacking)), path)
    with pytest.raises(InputError, match=f"{chosen['region'].iloc[0]} of the set is in no image"):
        export_sets(results, tmp_path, atlases=[path], **ONE)


def gifti_of(names, path):
    table = nibabel.gifti.GiftiLabelTable()
    for key, name in enumerate(["???", *names]):
        label = nibabel.gifti.GiftiLabel(key, 1, 0, 0, 1)
        label.label = name
        table.labels.append(label)
    data = np.repeat(np.arange(len(names) + 1), 2).astype(np.int32)
    array = nibabel.gifti.GiftiDataArray(data, intent="NIFTI_INTENT_LABEL")
    nibabel.save(nibabel.GiftiImage(darrays=[array], labeltable=table), path)
    return data


def test_surfaces_keep_the_labels_of_the_set(results, chosen, tmp_path):
    names = {side: [n for n in load_aal()["name"] if n.endswith(f"_{side}")] for side in "LR"}
    paths = [tmp_path / f"{side}h.label.gii" for side in "LR"]
    data = [gifti_of(names[side], path) for side, path in zip("LR", paths, strict=True)]
    written = export_sets(results, tmp_path / "out", atlases=paths, **ONE)[-2:]
    assert [path.name for path in written] == [f"children-td-asd-p90-{s}h.label.gii" for s in "LR"]
    for side, before, path in zip("LR", data, written, strict=True):
        image = nibabel.load(path)
        inside = {name for name in chosen["region"] if name in names[side]}
        kept = {one.label for one in image.labeltable.labels} - {"???"}
        assert kept == inside
        keys = [names[side].index(name) + 1 for name in inside]
        wanted = np.where(np.isin(before, keys), before, 0)
        np.testing.assert_array_equal(image.darrays[0].data, wanted)


def test_cifti_keeps_the_labels_of_the_set_and_warns_of_what_it_lacks(results, chosen, tmp_path):
    names = chosen["region"].tolist()[1:] + ["another"]
    labels = {0: ("???", (0, 0, 0, 0))}
    labels |= {key: (name, (1, 0, 0, 1)) for key, name in enumerate(names, start=1)}
    axis = nibabel.cifti2.LabelAxis(["parcels"], [labels])
    count = len(names) + 1
    cortex = nibabel.cifti2.BrainModelAxis.from_surface(np.arange(count), count, name="CortexLeft")
    before = np.arange(count)[None].astype(np.float32)
    path = tmp_path / "mine.dlabel.nii"
    nibabel.save(nibabel.Cifti2Image(before, header=(axis, cortex)), path)
    with pytest.warns(UserWarning, match=f"{chosen['region'].iloc[0]} of the set is in no image"):
        written = export_sets(results, tmp_path / "out", atlases=[path], **ONE)[-1]
    image = nibabel.load(written)
    assert image.get_fdata()[0].tolist() == [*range(len(names)), 0]
    kept = {name for name, _ in image.header.get_axis(0).label[0].values()}
    assert kept == {"???", *chosen["region"].tolist()[1:]}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cohort": "child"}, "did you mean children"),
        ({"percentile": 91.0}, "percentile must be"),
        ({"contrast": "asd"}, "contrast must be"),
    ],
)
def test_what_is_not_there_is_named(options, words, results, tmp_path):
    with pytest.raises(InputError, match=words):
        export_sets(results, tmp_path, **options)


def test_on_the_command_line(results, tmp_path):
    asked = ["export", str(results), str(tmp_path / "out"), "--contrast", "td-asd"]
    done = CliRunner().invoke(main, [*asked, "--percentile", "90"])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "out/children-td-asd-p90.graphml").is_file()
    assert done.output.splitlines()[0].endswith("children-td-asd-p90.graphml")
    done = CliRunner().invoke(main, ["export", str(tmp_path), str(tmp_path)])
    assert done.exit_code == 1 and "give the folder of a finished run" in done.output
