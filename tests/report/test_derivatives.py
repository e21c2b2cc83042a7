"""BIDS derivatives: names, sidecars, and that nothing of an earlier run stays."""

import json
import os
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.core.atlas import COLUMNS
from contrast_subgraphs.core.atomic_files import save_json, save_table
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.core.graphs import SubjectGraphs
from contrast_subgraphs.data.bids import is_own, known_files, walk
from contrast_subgraphs.report.derivatives import (
    Derivatives,
    check_folder,
    has_group,
    remove_group,
    write_citation,
    write_dataset,
    write_group,
    write_people,
)
from contrast_subgraphs.report.methods_text import MethodsText, save_methods
from pipelines import Study, xcp_d

REGIONS = ["LH_0, upper", "RH_1", "RH_2"]
SETTINGS = {"kind": "series", "measure": "correlation"}
ENTITIES = {"task": "rest", "space": "MNI", "atlas": "Gordon", "stat": "mean", "desc": "denoised"}
STEM = "task-rest_space-MNI_seg-Gordon_meas-graph_desc-denoised"


@pytest.fixture
def atlas():
    texts = pd.DataFrame({"name": REGIONS, "hemisphere": "", "system": ""})
    return texts.assign(x=[1.5, np.nan, 3.0], y=np.nan, z=np.nan)[list(COLUMNS)]


def dataset(tmp_path, people=("sub-01", "sub-02"), **changes):
    source = tmp_path / "xcp d"
    files = {name: [source / name / "func" / f"{name}_timeseries.tsv"] for name in people}
    return Derivatives(tmp_path / "out", source, ENTITIES | changes, files)


def graphs(people=("sub-01", "sub-02"), weights=((1, 0, 1), (0, 1, 1)), kind=np.uint8):
    return SubjectGraphs(np.array(weights, kind), np.array(people), np.array(REGIONS))


def names_in(folder):
    return sorted(path.relative_to(folder).as_posix() for path in walk(folder))


def test_a_person_has_a_matrix_its_regions_and_how_it_was_made(tmp_path, atlas):
    one = dataset(tmp_path)
    assert write_people(one, graphs(), atlas, SETTINGS, True)
    place = tmp_path / "out" / "sub-02" / "func"
    assert np.loadtxt(place / f"sub-02_{STEM}_relmat.dense.tsv", delimiter="\t").tolist() == [
        [0, 0, 1],
        [0, 0, 1],
        [1, 1, 0],
    ]
    nodes = pd.read_csv(place / f"sub-02_{STEM}_nodeindices.tsv", sep="\t")
    assert nodes["label"].tolist() == REGIONS
    assert nodes["x"].tolist()[::2] == [1.5, 3.0]
    assert np.isnan(nodes["x"][1])
    sidecar = json.loads((place / f"sub-02_{STEM}_relmat.json").read_text())
    assert sidecar["Sources"] == ["bids:input:sub-02/func/sub-02_timeseries.tsv"]
    assert (sidecar["Edges"], sidecar["Density"], sidecar["Weighted"]) == (2, 2 / 3, False)
    assert not write_people(one, graphs(), atlas, SETTINGS, True)  # nothing has changed


def test_weights_are_written_with_all_their_digits(tmp_path, atlas):
    weights = np.random.default_rng(0).normal(size=(2, 3)).astype(np.float32)
    write_people(dataset(tmp_path), graphs(weights=weights, kind=np.float32), atlas, SETTINGS, True)
    path = next((tmp_path / "out").rglob("sub-01_*_relmat.dense.tsv"))
    assert (np.loadtxt(path)[np.triu_indices(3, 1)].astype(np.float32) == weights[0]).all()
    sidecar = json.loads(path.with_name(path.name.replace(".dense.tsv", ".json")).read_text())
    assert sidecar["Weighted"]
    assert sidecar["NonNegative"] == bool((weights[0] >= 0).all())


def test_sessions_are_folders(tmp_path, atlas):
    write_people(dataset(tmp_path, ses="2"), graphs(), atlas, SETTINGS, True)
    place = tmp_path / "out" / "sub-01" / "ses-2" / "func"
    assert (place / f"sub-01_ses-2_{STEM}_relmat.dense.tsv").is_file()


def test_who_has_no_graph_any_more_loses_the_old_one(tmp_path, atlas):
    write_people(dataset(tmp_path), graphs(), atlas, SETTINGS, True)
    # Asked for, but of no use now.
    one = graphs(["sub-01"], [(1, 0, 1)])
    assert write_people(dataset(tmp_path), one, atlas, SETTINGS, False)
    assert not (tmp_path / "out" / "sub-02").exists()
    # Another one who was not asked for stays, unless everybody was.
    other = dataset(tmp_path, ["sub-03"])
    third = graphs(["sub-03"], [(1, 0, 1)])
    write_people(other, third, atlas, SETTINGS, False)
    assert (tmp_path / "out" / "sub-01").exists()
    write_people(other, third, atlas, SETTINGS, True)
    assert not (tmp_path / "out" / "sub-01").exists()


def test_graphs_made_otherwise_are_not_mixed(tmp_path, atlas):
    write_people(dataset(tmp_path), graphs(), atlas, SETTINGS, True)
    other = dataset(tmp_path, ["sub-03"])
    third = graphs(["sub-03"], [(1, 0, 1)])
    with pytest.raises(InputError, match="other settings"):
        write_people(other, third, atlas, SETTINGS | {"kind": "matrix"}, False)
    write_people(other, third, atlas, SETTINGS | {"kind": "matrix"}, True)


@pytest.mark.parametrize("changes", [{"atlas": "AAL"}, {"task": "nback"}, {"ses": "1"}])
def test_another_choice_needs_another_folder(tmp_path, atlas, changes):
    write_people(dataset(tmp_path), graphs(), atlas, SETTINGS, True)
    check_folder(dataset(tmp_path))
    check_folder(dataset(tmp_path, stat="median"))  # of the input alone
    with pytest.raises(InputError, match="another choice"):
        check_folder(dataset(tmp_path, **changes))


def test_other_datasets_are_not_written_into(tmp_path):
    one = dataset(tmp_path)
    one.folder.mkdir()
    (one.folder / "dataset_description.json").write_text('{"Name": "mine"}')
    with pytest.raises(InputError, match="another dataset"):
        check_folder(one)
    with pytest.raises(InputError, match="is the input"):
        check_folder(Derivatives(one.source, one.source, ENTITIES, one.files))


def results_of(folder, page="<p>page</p>"):
    """Write what a run leaves, with a table that has commas, tabs and gaps."""
    table = pd.DataFrame({"region": [*REGIONS[:2], "a\tb"], "p": [0.1 + 0.2, np.nan, 1e-17]})
    save_table(table, folder / "tables" / "over_sites.csv")
    explained = {name: {"Description": f"{name}, as it is"} for name in table}
    (folder / "tables" / "over_sites.json").write_text(json.dumps(explained))
    excluded = pd.DataFrame({"subject": ["sub-09"], "site": ["A"], "reason": ["no file"]})
    save_table(excluded, folder / "graphs" / "excluded.tsv")
    for name in ("b-a", "old"):
        save_json(folder / "contrast" / "all" / f"{name}.json", {"subgraphs": [{"size": 3}]})
    (folder / "report.html").write_text(page)
    return table


def test_tables_keep_their_digits_and_each_column_is_explained(tmp_path):
    table = results_of(tmp_path / "results")
    one = dataset(tmp_path)
    write_group(one, tmp_path / "results", {"all": ("b-a", "a-b")})
    path = one.folder / "desc-contrastsubgraph_oversites.tsv"
    read = pd.read_csv(path, sep="\t", na_values="n/a")
    pd.testing.assert_frame_equal(read, table)
    for path in one.folder.glob("*.tsv"):
        explained = json.loads(path.with_suffix(".json").read_text())
        assert list(explained) == list(pd.read_csv(path, sep="\t"))
        assert all(entry["Description"] for entry in explained.values())
    sets = json.loads((one.folder / "desc-contrastsubgraph_sets.json").read_text())
    assert sets == {"all": {"b-a": {"subgraphs": [{"size": 3}]}}}
    assert (one.folder / "report.html").read_text() == "<p>page</p>"


def test_a_table_that_is_made_no_longer_goes(tmp_path):
    results_of(tmp_path / "results")
    one = dataset(tmp_path)
    write_group(one, tmp_path / "results", {"all": ["b-a"]})
    (tmp_path / "results" / "tables" / "over_sites.csv").unlink()
    write_group(one, tmp_path / "results", {"all": ["b-a"]})
    assert not (one.folder / "desc-contrastsubgraph_oversites.tsv").exists()
    assert has_group(one)
    assert remove_group(one)
    assert not has_group(one)
    assert names_in(one.folder) == []
    assert not remove_group(one)


@pytest.mark.parametrize("authors", [None, ["A. Author"], []])
def test_the_dataset_says_what_it_is_and_whose(tmp_path, authors):
    one = dataset(tmp_path)
    one.source.mkdir()
    given = {"Name": "Study", "DatasetDOI": "doi:10.1/x", "GeneratedBy": [{"Name": "XCP-D"}]}
    if authors is not None:
        given["Authors"] = authors
    (one.source / "dataset_description.json").write_text(json.dumps(given))
    write_dataset(one, "1.2.3", {"Type": "docker", "Tag": "x:1"})
    said = json.loads((one.folder / "dataset_description.json").read_text())
    assert said["DatasetType"] == "derivative"
    assert [made["Name"] for made in said["GeneratedBy"]] == ["contrast-subgraphs", "XCP-D"]
    assert said["GeneratedBy"][0]["Container"]["Tag"] == "x:1"
    assert said["SourceDatasets"] == [{"URL": one.source.as_uri(), "DOI": "doi:10.1/x"}]
    assert "%20" in said["DatasetLinks"]["input"]
    assert said["Authors"][0] == ("A. Author" if authors else "The authors of Study")
    assert is_own(one.folder)
    assert not is_own(one.source)


def test_earlier_results_are_no_data(tmp_path, atlas):
    """Written into the input, they would be found as matrices of people."""
    folder = tmp_path / "study" / "derivatives" / "xcp_d"
    xcp_d(folder, Study())
    before = known_files(tmp_path / "study")
    output = tmp_path / "study" / "derivatives" / "contrast"
    files = {name: [folder / name / "a.tsv"] for name in ("sub-01", "sub-02")}
    one = Derivatives(output, folder, ENTITIES, files)
    write_dataset(one, "1")
    write_people(one, graphs(), atlas, SETTINGS, True)
    matrix = next(one.folder.rglob("sub-01_*_relmat.dense.tsv"))
    matrix.rename(matrix.with_name("sub-01_task-rest_relmat.tsv"))
    assert known_files(tmp_path / "study") == before
    assert known_files(one.folder)  # who asks for them gets them


def test_what_to_cite_is_the_software_before_there_are_results(tmp_path):
    one = dataset(tmp_path)
    write_citation(one, "1.2.3", tmp_path / "no results")
    logs = one.folder / "logs"
    for how in ("md", "html"):
        text = (logs / f"CITATION.{how}").read_text()
        assert "contrast-subgraphs 1.2.3" in text
        assert "Lanciano" in text
    assert (logs / "CITATION.bib").read_text().count("@") == 2
    said = MethodsText({"Tests": "Corrected [@holm1979]."})
    save_methods(said, tmp_path / "results")
    write_citation(one, "1.2.3", tmp_path / "results")
    assert "Holm" in (logs / "CITATION.html").read_text()
    assert (logs / "CITATION.md").read_text() == said.printed("md")


def test_the_validator_finds_nothing(tmp_path, atlas):
    """BIDS_VALIDATOR names the program where it is not on the path."""
    validator = os.environ.get("BIDS_VALIDATOR") or shutil.which("bids-validator-deno")
    if validator is None:
        pytest.skip("bids-validator-deno is not installed")
    results_of(tmp_path / "results")
    one = dataset(tmp_path)
    write_dataset(one, "1")
    write_people(one, graphs(), atlas, SETTINGS, True)
    write_group(one, tmp_path / "results", {"all": ["b-a"]})
    for name in ("work", "logs"):
        (one.folder / name).mkdir()
        (one.folder / name / "config.yaml").write_text("seed: 0\n")
    command = [validator, str(one.folder), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert json.loads(done.stdout)["issues"]["issues"] == [], done.stdout
