"""Two commands and no edited file: from BIDS derivatives and from images to the sets."""

import json
import os
import subprocess
import sys

import pandas as pd
import pytest
import yaml
from images import write_atlas, write_image
from pipelines import NAMES, PLANTED, Study, xcp_d
from workflow_runs import run

#: Laid over what `init` writes: a run of seconds.
FAST = {
    "methods": ["cs-p1"],
    "inference": {"permutations": 19, "halves": 4, "effects": {"folds": 2, "repeats": 1}},
    "evaluation": {
        "repeats": {"paper": 2, "nested": 2},
        "folds": 2,
        "permutations": 1,
        "svm": {"C": [0.1, 1]},
    },
}


def init(root, folder, output, *options):
    """Run `init`; return the config."""
    command = [sys.executable, "-m", "contrast_subgraphs", "init", folder, "-o", output, *options]
    place = root / "workflow"
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return yaml.safe_load(output.read_text())


def found_at(results, name, percentile):
    """Return the regions of a contrast's set at a percentile."""
    record = json.loads((results / "contrast" / "all" / f"{name}.json").read_text())
    return {one["percentile"]: one["regions"] for one in record["subgraphs"]}[percentile]


@pytest.mark.slow
def test_bids_derivatives_to_the_sets_and_their_test(root, checkout, tmp_path):
    """Slow: a test. The BIDS App goes on to the page, with the same config (`test_bids_app`)."""
    study, folder = Study(24), tmp_path / "study" / "derivatives" / "xcp_d"
    displacement = xcp_d(folder, study, atlases=("4S156Parcels", "Gordon"))
    config = init(root, folder, tmp_path / "mine.yaml", "--atlas", "Gordon")
    assert config["sources"]["folder"]["atlas"].endswith("atlas-Gordon_dseg.tsv")
    (tmp_path / "fast.yaml").write_text(yaml.safe_dump(FAST))
    configs = (tmp_path / "mine.yaml", tmp_path / "fast.yaml")
    targets = ["inference/all.csv", "data/atlas.tsv"]
    wanted = [f"results/folder/{target}" for target in targets]
    done = run(checkout, tmp_path / "run", "--", *wanted, configs=configs)
    assert done.returncode == 0, done.stdout
    results = tmp_path / "run" / "results" / "folder"
    planted = [NAMES[k] for k in PLANTED]
    assert found_at(results, "patient-control", 90) == planted
    people = pd.read_csv(results / "data" / "phenotypes.csv").set_index("FILE_ID")
    assert people.loc["sub-03", "func_mean_fd"] == pytest.approx(displacement["03"])
    atlas = pd.read_csv(results / "data" / "atlas.tsv", sep="\t")
    assert atlas["system"].tolist() == ["Vis"] * 5 + ["Default"] * 4
    assert (results / "inference" / "all.csv").is_file()


@pytest.mark.slow
def test_images_to_the_contrasts(root, checkout, tmp_path):
    """The planted set of three of six regions is found, by the names of the atlas's table.

    Slow: each image is a job that imports nilearn.
    """
    study, scans = Study(6, 6, (1, 3, 5)), tmp_path / "scans" / "derivatives" / "fmriprep"
    study.people(tmp_path / "scans")
    atlas = write_atlas(tmp_path / "regions.nii.gz")
    table = "index\tlabel\n" + "".join(f"{k}\tR{k}\n" for k in (2, 3, 5, 7, 11, 13))
    (tmp_path / "regions.tsv").write_text(table)
    for label in study.labels:
        path = scans / f"sub-{label}" / "func"
        path.mkdir(parents=True)
        stem = f"sub-{label}_task-rest_space-MNI152NLin2009cAsym_desc-preproc_bold"
        write_image(path / f"{stem}.nii.gz", study.series[label])
    config = init(root, scans, tmp_path / "mine.yaml", "--atlas-image", str(atlas))
    assert config["sources"]["folder"]["kind"] == "image"
    (tmp_path / "fast.yaml").write_text(yaml.safe_dump(FAST))
    configs = (tmp_path / "mine.yaml", tmp_path / "fast.yaml")
    target = "results/folder/contrast/all/patient-control.json"
    done = run(checkout, tmp_path / "run", target, configs=configs)
    assert done.returncode == 0, done.stdout
    results = tmp_path / "run" / "results" / "folder"
    assert len(list((results / "data" / "images").glob("*.npz"))) == len(study.labels)
    assert found_at(results, "patient-control", 80) == ["R3", "R7", "R13"]
    # One person's image replaced, also with an older date: the series of all others are kept.
    made = {path.stem: path.stat().st_mtime_ns for path in (results / "data/images").glob("*.npz")}
    replaced = next((scans / "sub-03").rglob("*.nii.gz"))
    write_image(replaced, 2 * study.series["03"][::-1])
    os.utime(replaced, (1e9, 1e9))
    done = run(checkout, tmp_path / "run", target, configs=configs)
    assert done.returncode == 0, done.stdout
    now = {path.stem: path.stat().st_mtime_ns for path in (results / "data/images").glob("*.npz")}
    assert {name for name in now if now[name] != made[name]} == {"sub-03"}
