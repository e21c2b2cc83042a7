"""`bids`: options as other BIDS Apps have them, and what is said before anything is made."""

import json
import re
import shutil

import pandas as pd
import pytest
import yaml
from click.testing import CliRunner
from contrast_subgraphs.cli import main
from contrast_subgraphs.cli.bids import _container, _unknown_covariates, bids
from pipelines import Study, giga_connectome, halfpipe, xcp_d


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A study with two atlases and two sessions; not to be changed."""
    folder = tmp_path_factory.mktemp("a study, two") / "derivatives" / "xcp_d"
    xcp_d(folder, Study(), atlases=("Gordon", "Glasser"), sessions=("1", "2"))
    return folder


@pytest.fixture(scope="module")
def simple(tmp_path_factory):
    """A dataset in which nothing has to be chosen; not to be changed."""
    folder = tmp_path_factory.mktemp("simple") / "giga"
    giga_connectome(folder, Study())
    return folder


def refused(*arguments):
    """Run a command that ends with an error before Snakemake starts; return the error."""
    done = CliRunner().invoke(main, ["bids", *map(str, arguments)])
    assert done.exit_code == 1, done.output
    return next(line for line in done.stderr.splitlines() if line.startswith("error: "))


def parsed(*arguments):
    return bids.make_context("bids", ["in", "out", "group", *arguments]).params


@pytest.mark.parametrize(
    "arguments",
    [
        ("--participant-label", "01", "sub-02", "--n-cpus", "2"),
        ("--participant_label", "01", "sub-02", "--n_cpus", "2"),
        ("--participant-label", "01", "--nprocs=2", "--participant_label=sub-02"),
    ],
)
def test_options_are_written_as_those_of_other_apps(arguments):
    found = parsed(*arguments)
    assert found["participant_label"] == ("01", "sub-02")
    assert found["n_cpus"] == 2


def test_all_options_of_the_specification_are_there():
    found = parsed(
        *("--session-label", "1", "--task-id", "rest", "--atlas", "A", "--bids-filter-file", "f"),
        *("-w", "work", "--mem-mb", "2000", "--skip-bids-validation"),
    )
    assert found["session_label"] == ("1",)
    assert (found["task_id"], found["atlas"]) == (("rest",), ("A",))
    assert (found["work_dir"], found["mem_mb"]) == ("work", 2000)
    assert found["skip_bids_validation"]


def test_its_version_is_that_of_the_software():
    done = CliRunner().invoke(main, ["bids", "--version"])
    assert done.output == CliRunner().invoke(main, ["--version"]).output


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "choose with"),
        (("--atlas", "Gordon"), "choose with"),
        (("--atlas", "Gorden"), "no atlas-Gorden: did you mean Gordon"),
        (("--atlas", "Gordon", "Glasser"), "--atlas: Gordon and Glasser"),
        (("--session-label", "1", "2"), "--session-label: 1 and 2"),
        (
            ("--participant-label", "1", "02"),
            "no file of sub-1 .* mean 01[?]; it has files of 01, 02, 03",
        ),
        (("--kind", "image"), "no file of image"),
        (("--atlas", "Gordon", "--session", "1", "--people", "no.csv"), "no.csv"),
    ],
)
def test_what_cannot_be_chosen_is_said_and_nothing_is_made(study, tmp_path, arguments, says):
    before = {path: path.stat().st_mtime_ns for path in study.parents[1].rglob("*")}
    assert re.search(says, refused(study, tmp_path / "out", "group", *arguments))
    assert not (tmp_path / "out").exists()
    assert before == {path: path.stat().st_mtime_ns for path in study.parents[1].rglob("*")}


def test_options_that_choose_are_named_with_what_there_is(study, tmp_path):
    done = CliRunner().invoke(main, ["bids", str(study), str(tmp_path / "out"), "participant"])
    assert "--atlas: Glasser (8 people), Gordon (8 people)" in done.stderr
    assert "--session: 1 (8 people), 2 (8 people)" in done.stderr


def test_a_filter_file_and_an_option_do_not_contradict(study, tmp_path):
    path = tmp_path / "filters.json"
    path.write_text(json.dumps({"bold": {"session": "1", "segmentation": "Gordon"}}))
    asked = (study, tmp_path / "out", "group", "--bids-filter-file", path)
    assert "says ses-1, and an option 2" in refused(*asked, "--session-label", "ses-2")
    # With both chosen the next thing that is wrong is said.
    path.write_text(json.dumps({"bold": {"session": "1", "segmentation": "Gordon", "task": "x"}}))
    assert "no task-x" in refused(*asked)


def test_groups_need_a_table_and_a_column(simple, tmp_path):
    folder = tmp_path / "giga"
    shutil.copytree(simple, folder)
    table = folder / "participants.tsv"
    table.write_text(table.read_text().replace("patient", "control"))
    assert "no column tells groups apart" in refused(folder, tmp_path / "out", "group")
    table.unlink()
    assert "there is no participants.tsv" in refused(folder, tmp_path / "out", "group")
    assert not (tmp_path / "out").exists()


def test_who_is_asked_for_is_never_left_out_silently(simple, tmp_path):
    folder = tmp_path / "giga"
    shutil.copytree(simple, folder)
    table = folder / "participants.tsv"
    lines = table.read_text().splitlines(keepends=True)
    table.write_text("".join(line for line in lines if not line.startswith("sub-03")))
    asked = (folder, tmp_path / "out", "participant", "--participant-label")
    assert "has no row for sub-03" in refused(*asked, "02", "03", "04")


def test_where_results_cannot_go(simple, tmp_path):
    assert "is the input" in refused(simple, simple, "group")
    other = tmp_path / "other"
    other.mkdir()
    (other / "dataset_description.json").write_text('{"Name": "mine", "BIDSVersion": "1.9.0"}')
    assert "another dataset" in refused(simple, other, "participant")
    (tmp_path / "file").write_text("")
    assert "is a file" in refused(simple, tmp_path / "file", "participant")


def test_what_is_no_dataset_is_refused(tmp_path):
    halfpipe(tmp_path / "halfpipe", Study())  # without a description
    assert "is not a BIDS dataset" in refused(tmp_path / "halfpipe", tmp_path / "out", "group")
    assert "is not a folder" in refused(tmp_path / "none", tmp_path / "out", "group")
    (tmp_path / "plain").mkdir()
    for name in ("a", "b"):
        (tmp_path / "plain" / f"{name}.csv").write_text("1,0\n0,1\n")
    (tmp_path / "plain" / "people.csv").write_text("id,group\na,x\nb,y\n")
    asked = (tmp_path / "plain", tmp_path / "out", "group", "--skip-bids-validation")
    assert "contrast-subgraphs init" in refused(*asked)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({"results": "elsewhere"}, "results is set"),
        ({"source": "abide"}, "source is set"),
        ({"only_graphs": True}, "only_graphs is set"),
        ({"sources": {"folder": {"files": "{id}.csv"}}}, "sources.folder.files is set"),
        ({"sources": {"abide": {"url": "x"}}}, "sources.abide is set"),
        ({"grph": {}}, "the config cannot be used"),
    ],
)
def test_a_further_config_says_nothing_that_the_command_says(simple, tmp_path, content, says):
    path = tmp_path / "more.yaml"
    path.write_text(yaml.safe_dump(content))
    assert says in refused(simple, tmp_path / "out", "group", "--config", path)


def test_covariates_that_no_column_gives_are_named():
    people = pd.DataFrame({"participant_id": ["a"], "Age": [1], "group": ["x"]})
    config = {"graph": {"adjust": ["age"]}, "sources": {"folder": {"sex": "gndr"}}}
    config["inference"] = {"covariates": ["motion", "sex", "volumes", "income"]}
    assert list(_unknown_covariates(config, people)) == ["motion", "income"]


def test_a_container_is_said_only_with_its_image(monkeypatch):
    for name in ("APPTAINER_CONTAINER", "SINGULARITY_CONTAINER"):
        monkeypatch.delenv(name, raising=False)
    assert _container() is None
    monkeypatch.setenv("APPTAINER_CONTAINER", "/images/contrast.sif")
    assert _container() == {"Type": "apptainer", "Tag": "contrast.sif"}
