"""The workflow on data of one's own, and on other atlases than the paper's."""

import json

import numpy as np
import pandas as pd
import pytest
from mirror import Mirror
from own_data import abide_config, atlas, matrix, people, write_config, write_release
from workflow_runs import run


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A folder of 12 + 12 weighted matrices of 40 regions, with planted contrast subgraphs."""
    folder = tmp_path_factory.mktemp("own")
    table = people({"control": 12, "patient": 12})
    table.to_csv(folder / "participants.tsv", sep="\t", index=False)
    regions = atlas(40)
    regions.to_csv(folder / "atlas.csv", index=False)
    rng = np.random.default_rng(0)
    for name, group in zip(table["participant_id"], table["group"], strict=True):
        planted = range(8) if group == "control" else range(25, 32)
        frame = pd.DataFrame(matrix(rng, 40, list(planted), 0.5))
        frame.set_axis(regions["label"], axis=1).to_csv(folder / f"{name}.csv", index=False)
    return folder


@pytest.mark.slow
def test_own_matrices_to_the_report(checkout, own, tmp_path):
    config = write_config(
        tmp_path / "mine.yaml",
        own,
        {"files": "{id}.csv", "kind": "matrix", "atlas": "atlas.csv"},
        graph={"weights": "weighted", "threshold": None},
    )
    done = run(checkout, tmp_path / "run", configs=(config,))
    assert done.returncode == 0, done.stdout
    results = tmp_path / "run" / "results" / "folder"
    for contrast, planted in (
        ("control-patient", range(8)),
        ("patient-control", range(25, 32)),
    ):
        record = json.loads((results / f"contrast/all/{contrast}.json").read_text())
        for found in record["subgraphs"]:
            assert found["optimal"]
            assert found["regions"] == [f"Région {i}" for i in planted]
    page = (results / "report.html").read_text(encoding="utf-8")
    assert "Région 25" in page and "control−Patients" in page and "TD−ASD" not in page
    assert list(pd.read_csv(results / "tables" / "cohorts.csv"))[2:4] == ["control", "patient"]


@pytest.mark.slow
def test_another_atlas_of_the_release_to_the_report(checkout, tmp_path):
    """Nothing has a place there, and everything is still drawn."""
    write_release(tmp_path / "release", "rois_cc200", range(1, 201))
    with Mirror(tmp_path / "release") as mirror:
        config = abide_config(
            tmp_path / "c.yaml", mirror.url, tmp_path / "cache", derivative="rois_cc200"
        )
        done = run(checkout, tmp_path / "run", configs=(config,))
    assert done.returncode == 0, done.stdout
    results = tmp_path / "run" / "results" / "abide"
    assert (results / "report.html").exists()
    table = pd.read_csv(results / "data" / "atlas.tsv", sep="\t")
    assert len(table) == 200 and table[["system", "x", "y", "z"]].isna().all(axis=None)


@pytest.mark.slow
def test_what_was_missing_is_tried_again_once_the_server_is_mended(checkout, tmp_path):
    write_release(tmp_path / "release", "rois_ho", range(1, 61))
    gone = "NYU_0000005_rois_ho.1D"
    target = "results/abide/data/series/NYU.npz"
    with Mirror(tmp_path / "release") as mirror:
        config = abide_config(
            tmp_path / "c.yaml",
            mirror.url,
            tmp_path / "cache",
            derivative="rois_ho",
            missing="skip",
        )
        mirror.faults[gone] = [404]
        for _ in range(2):  # tried again each time, while it is missing
            done = run(checkout, tmp_path / "run", "--", target, configs=(config,))
            assert done.returncode == 0, done.stdout
            assert "Fetching the time series of the site NYU" in done.stdout
            with np.load(tmp_path / "run" / target) as arrays:
                assert len(arrays["subject"]) == 15
        mirror.faults.clear()
        done = run(checkout, tmp_path / "run", "--", target, configs=(config,))
        assert done.returncode == 0, done.stdout
        with np.load(tmp_path / "run" / target) as arrays:
            assert len(arrays["subject"]) == 16
