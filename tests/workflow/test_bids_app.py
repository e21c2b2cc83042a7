"""The BIDS App, to derivatives. With ``BIDS_APP=all`` of every pipeline, and run again."""

import json
import os
import shutil
import subprocess
import sys

import pandas as pd
import pytest
import yaml
from pipelines import PLANTED, Study, description, fmriprep, giga_connectome, xcp_d

#: A run of seconds.
FAST = {
    "methods": ["cs-p1"],
    "contrast": {"percentiles": [80, 90]},
    "inference": {"permutations": 19, "halves": 2, "effects": {"folds": 2, "repeats": 1}},
    "evaluation": {
        "protocols": ["nested"],
        "repeats": {"nested": 2},
        "folds": 2,
        "permutations": 1,
        "svm": {"kernel": "linear", "C": [1]},
    },
}
#: What holds times, which no two runs share.
TIMED = ("_runtime.tsv", "_solver.tsv", "report.html", "config.yaml")
everything = pytest.mark.skipif(
    os.environ.get("BIDS_APP") != "all", reason="minutes: with BIDS_APP=all"
)


def app(checkout, *arguments):
    """Run the command as a process of its own; return what it says."""
    command = [sys.executable, "-m", "contrast_subgraphs", "bids", *map(str, arguments)]
    place = checkout / "workflow"
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def further(tmp_path):
    path = tmp_path / "fast.yaml"
    path.write_text(yaml.safe_dump(FAST))
    return "--config", path


def listing(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


def contents(folder):
    """Return what is in a dataset: all but the work, and times."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "work" not in path.parts and not path.name.endswith(TIMED)
    }


def assert_valid(folder):
    """Let the validator of BIDS look at a dataset, where there is one."""
    validator = os.environ.get("BIDS_VALIDATOR") or shutil.which("bids-validator-deno")
    if validator is not None:
        done = subprocess.run([validator, folder, "--json"], capture_output=True, text=True)
        assert json.loads(done.stdout)["issues"]["issues"] == [], done.stdout


def found_at(folder, contrast, percentile):
    sets = json.loads((folder / "desc-contrastsubgraph_sets.json").read_text())["all"]
    return {one["percentile"]: one["regions"] for one in sets[contrast]["subgraphs"]}[percentile]


@pytest.mark.slow
def test_participant_then_group(checkout, tmp_path):
    """Slow: two runs of Snakemake, a test, an evaluation and a page."""
    source = tmp_path / "a study, one" / "giga"
    output = source / "derivatives" / "contrast subgraphs"  # inside of the input
    giga_connectome(source, Study(16))
    before = listing(source)
    app(checkout, source, output, "participant", "--participant_label", "sub-01", "02")
    assert sorted(path.name for path in output.glob("sub-*")) == ["sub-01", "sub-02"]
    graphs = {path: path.read_bytes() for path in output.rglob("*_relmat.*")}
    assert len(graphs) == 4
    app(checkout, source, output, "group", "--mem-mb", "3000", *further(tmp_path))
    assert len(list(output.glob("sub-*"))) == 16
    assert graphs == {path: path.read_bytes() for path in graphs}
    assert found_at(output, "patient-control", 90) == [str(k + 1) for k in PLANTED]
    assert (output / "report.html").is_file()
    for table in output.glob("*.tsv"):
        explained = json.loads(table.with_suffix(".json").read_text())
        assert list(explained) == list(pd.read_csv(table, sep="\t"))
    assert listing(source).items() >= before.items()
    assert_valid(output)


@everything
@pytest.mark.parametrize("pipeline", ["xcp_d", "fmriprep"])
def test_other_pipelines(checkout, tmp_path, pipeline):
    source = tmp_path / "study" / "derivatives" / pipeline
    output = tmp_path / "study" / "derivatives" / "out"
    options = further(tmp_path)
    if pipeline == "fmriprep":
        atlas = fmriprep(source, Study(8, 6, (1, 3, 5)))
        options += ("--atlas-image", atlas)
    else:
        xcp_d(source, Study(16), atlases=("Gordon", "Glasser"))
        options += ("--atlas", "Gordon")
    app(checkout, source, output, "group", *options)
    assert len(list(output.glob("sub-*"))) == len(list(source.glob("sub-*")))
    assert (output / "report.html").is_file()
    assert_valid(output)


@everything
def test_after_people_were_added_all_is_as_in_a_fresh_run(checkout, tmp_path):
    source = tmp_path / "giga"
    giga_connectome(source, Study(20))
    description(tmp_path, "the study")
    late = [source / f"sub-{label}" for label in ("04", "19", "20")]
    for folder in late:
        shutil.move(folder, tmp_path / folder.name)
    first = tmp_path / "first"
    app(checkout, source, first, "group", *further(tmp_path))
    for folder in late:
        shutil.move(tmp_path / folder.name, folder)
    said = app(checkout, source, first, "participant", "--participant-label", "04", "19")
    assert "earlier results of the group are removed" in said
    assert not (first / "report.html").exists()
    app(checkout, source, first, "group", *further(tmp_path))
    fresh = tmp_path / "fresh"
    app(checkout, source, fresh, "group", *further(tmp_path))
    assert contents(first) == contents(fresh)
