"""The workflow on data of one's own, and on other atlases than the paper's."""

import itertools
import json
import os

import numpy as np
import pandas as pd
import pytest
from mirror import Mirror
from own_data import abide_config, atlas, matrix, people, write_config, write_release
from workflow_runs import planned_files, run

#: The regions of the set that each group has more weight in.
PLANTED = {"control": range(8), "patient": range(12, 19), "sibling": range(25, 32)}


@pytest.mark.slow
def test_own_matrices_of_three_groups_to_the_report(checkout, tmp_path):
    """Each pair is compared; each group leads in its own set, against both others.

    Slow: three cohorts, their tests, and a page.
    """
    table = people(dict.fromkeys(PLANTED, 12))
    table.to_csv(tmp_path / "participants.tsv", sep="\t", index=False)
    regions = atlas(40)
    regions.to_csv(tmp_path / "atlas.csv", index=False)
    rng = np.random.default_rng(0)
    for name, group in zip(table["participant_id"], table["group"], strict=True):
        frame = pd.DataFrame(matrix(rng, 40, list(PLANTED[group]), 0.5))
        frame.set_axis(regions["label"], axis=1).to_csv(tmp_path / f"{name}.csv", index=False)
    groups = {name: {"where": f"group == '{name}'"} for name in PLANTED}
    groups["patient"]["label"] = "Patients"
    drawn = {f"{one}-{other}": 90 for one in PLANTED for other in PLANTED if one != other}
    config = write_config(
        tmp_path / "mine.yaml",
        tmp_path,
        {"files": "{id}.csv", "kind": "matrix", "atlas": "atlas.csv"},
        graph={"weights": "weighted", "threshold": None},
        contrast={"percentiles": [90, 95], "limits": {"nodes": 100, "alternatives": 20}},
        groups=groups,
        inference={"permutations": 19, "halves": 4, "effects": {"folds": 2, "repeats": 1}},
        methods=["cs-p1"],
        report={
            "cohorts": ["all-control-patient"],
            "contrast_large": drawn,
            "contrast_small": drawn,
            "contrast_symmetric": {"symmetric": 90},
        },
    )
    done = run(checkout, tmp_path / "run", configs=(config,))
    assert done.returncode == 0, done.stdout
    results = tmp_path / "run" / "results" / "folder"
    for first, second in itertools.permutations(PLANTED, 2):
        pair = [name for name in PLANTED if name in (first, second)]
        folder = results / "contrast" / "-".join(("all", *pair))
        for found in json.loads((folder / f"{first}-{second}.json").read_text())["subgraphs"]:
            assert found["optimal"]
            assert found["regions"] == [f"Région {i}" for i in PLANTED[first]]
        tested = pd.read_csv(results / f"inference/{folder.name}.csv").set_index("contrast")
        assert (tested.loc[f"{first}-{second}", "p_familywise"] == 1 / 20).all()
    page = (results / "report.html").read_text(encoding="utf-8")
    assert "Région 12" in page and "control−Patients" in page and "TD−ASD" not in page
    assert "control against Patients" in page and "corrected over these 3 cohorts" in page
    sizes = pd.read_csv(results / "tables" / "cohorts.csv", index_col="cohort")
    assert list(sizes)[1:4] == list(PLANTED)
    assert sizes.loc["all-control-sibling", list(PLANTED)].fillna(0).tolist() == [12, 0, 12]
    # Another date reruns nothing; another content everything, also with an older date.
    first, second = (tmp_path / f"{name}.csv" for name in table["participant_id"][:2])
    os.utime(first)
    assert planned_files(checkout, tmp_path / "run", configs=(config,)) == set()
    content = second.read_bytes()
    first.write_bytes(content)
    os.utime(first, (1e9, 1e9))
    pending = planned_files(checkout, tmp_path / "run", configs=(config,))
    assert {"data/series/all.npz", "graphs/all-control-patient.npz", "report.html"} <= pending


@pytest.mark.slow
def test_another_atlas_of_the_release_to_the_figures(checkout, tmp_path):
    """Nothing has a place there, and the sets are drawn; what was missing is tried again.

    Slow: a job for each of the release's twenty sites. The page of regions without places is
    made in `test_new_question`.
    """
    write_release(tmp_path / "release", "rois_ho", range(1, 61))
    target = "results/abide/data/series/NYU.npz"
    with Mirror(tmp_path / "release") as mirror:
        config = abide_config(
            tmp_path / "c.yaml",
            mirror.url,
            tmp_path / "cache",
            derivative="rois_ho",
            missing="skip",
        )

        def done(*what):
            done = run(checkout, tmp_path / "run", *what, configs=(config,))
            assert done.returncode == 0, done.stdout
            assert "Fetching the time series of the site NYU" in done.stdout
            with np.load(tmp_path / "run" / target) as arrays:
                return len(arrays["subject"])

        mirror.faults["NYU_0000005_rois_ho.1D"] = [404]
        drawn = "results/abide/figures/contrast_large.png"
        assert done("--", drawn, target, "results/abide/data/atlas.tsv") == 15
        results = tmp_path / "run" / "results" / "abide"
        assert (tmp_path / "run" / drawn).stat().st_size > 10_000
        table = pd.read_csv(results / "data" / "atlas.tsv", sep="\t")
        assert len(table) == 60 and table[["system", "x", "y", "z"]].isna().all(axis=None)
        assert done("--", target) == 15  # tried again each time, while it is missing
        mirror.faults.clear()
        assert done("--", target) == 16
