"""BIDS derivatives: what is chosen, what is asked for, what is known about the people."""

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.core.columns import columns_of
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.data import bids
from pipelines import Study, halfpipe, motion, place, xcp_d


def choose(folder, chosen, kind=None):
    return bids.choose(folder, bids.known_files(folder), chosen, kind)


@pytest.fixture
def folder(tmp_path):
    """Return the folder of a derivative below a raw dataset."""
    return tmp_path / "study" / "derivatives" / "xcp_d"


def test_series_are_taken_and_never_motion(folder):
    study = Study()
    displacement = xcp_d(folder, study)
    dataset = choose(folder, {})
    assert dataset.kind == "series" and list(dataset.files) == study.labels
    names = {path.name.split("_")[-2:][0] for own in dataset.files.values() for path in own}
    assert names == {"stat-mean"}
    assert dataset.pattern.startswith("sub-{id}/func/sub-{id}_task-rest_space-MNI")
    assert any("matrix" in sentence for sentence in dataset.found)
    means = bids.mean_displacement(folder, dataset)
    assert means == pytest.approx({k: float(v) for k, v in displacement.items()})
    assert choose(folder, {}, "matrix").files["01"][0].name.endswith("_relmat.tsv")
    assert bids.atlas_table(folder, "4S156Parcels").name == "atlas-4S156Parcels_dseg.tsv"
    assert bids.atlas_table(folder, "4S156") is None and bids.atlas_table(folder, None) is None


def test_what_is_open_is_asked_for(folder):
    xcp_d(folder, Study(), atlases=("Gordon", "Glasser"), sessions=("01", "02"))
    with pytest.raises(InputError) as caught:
        choose(folder, {})
    assert "--atlas: Glasser (8 people), Gordon (8 people)" in str(caught.value)
    assert "--session: 01 (8 people), 02 (8 people)" in str(caught.value)
    with pytest.raises(InputError, match="--session"):
        choose(folder, {"atlas": "Gordon"})
    with pytest.raises(InputError, match="no atlas-Gordn: did you mean Gordon"):
        choose(folder, {"atlas": "Gordn", "ses": "01"})
    dataset = choose(folder, {"atlas": "Gordon", "ses": "02"})
    paths = [path for own in dataset.files.values() for path in own]
    assert len(paths) == 8
    assert all("ses-02" in path.name and "seg-Gordon_" in path.name for path in paths)


def test_an_entity_without_an_option_is_asked_for_too(tmp_path):
    study = Study()
    halfpipe(tmp_path, study)
    for label in study.labels:
        path = place(tmp_path, label, "task-rest_feature-gsr_atlas-schaefer_timeseries.tsv")
        np.savetxt(path, study.series[label], delimiter="\t")
    with pytest.raises(InputError, match="--entity feature=VALUE: corr .*, gsr"):
        choose(tmp_path, {})
    assert choose(tmp_path, {"feature": "gsr"}).entities["feature"] == "gsr"
    # An entity that only some files have.
    for label in study.labels:
        path = place(tmp_path, label, "task-rest_feature-gsr_atlas-schaefer_desc-a_timeseries.tsv")
        np.savetxt(path, study.series[label], delimiter="\t")
    with pytest.raises(InputError, match="--entity desc=VALUE: a .*, none"):
        choose(tmp_path, {"feature": "gsr"})
    found = choose(tmp_path, {"feature": "gsr", "desc": "none"})
    assert not [p for own in found.files.values() for p in own if "desc-a" in p.name]


def test_runs_of_a_person(folder):
    study = Study(4)
    displacement = xcp_d(folder, study, runs=("1", "2"))
    place(
        folder,
        "01",
        "task-rest_run-2_space-MNI152NLin2009cAsym_seg-4S156Parcels_stat-mean_timeseries.tsv",
    ).unlink()
    dataset = choose(folder, {})
    assert [len(own) for own in dataset.files.values()] == [1, 2, 2, 2]
    pattern = dataset.pattern.format(id="02")
    assert sorted(folder.glob(pattern)) == dataset.files["02"]
    means = bids.mean_displacement(folder, dataset)
    assert means["02"] == pytest.approx(displacement["02"])
    first = bids.mean_displacement(folder, dataset, "first")
    assert first["02"] != pytest.approx(means["02"])


def test_people_are_those_with_files(folder, tmp_path):
    study = Study(6)
    xcp_d(folder, study)
    table = pd.read_csv(folder.parent.parent / "participants.tsv", sep="\t", dtype=str)
    table["participant_id"] = table["participant_id"].str.removeprefix("sub-")
    table.iloc[1:].to_csv(folder / "participants.tsv", sep="\t", index=False)
    people, path, lacking = bids.participants(folder, study.labels)
    assert path == (folder / "participants.tsv").resolve()  # the nearest one
    assert people["participant_id"].tolist() == [f"sub-{one}" for one in study.labels[1:]]
    assert lacking == ["sub-01"]
    twice = pd.concat([table, table.assign(group="x")])
    twice.to_csv(folder / "participants.tsv", sep="\t", index=False)
    with pytest.raises(InputError, match="sub-01 twice"):
        bids.participants(folder, study.labels)
    table = table.rename(columns={"participant_id": "Subject"})
    table.to_csv(tmp_path / "people.csv", sep=";", index=False)
    people, path, _ = bids.participants(folder, study.labels, tmp_path / "people.csv")
    assert people["participant_id"].tolist() == [f"sub-{one}" for one in study.labels]
    assert columns_of(people) == ["participant_id", "sex", "age", "group"]
    with pytest.raises(InputError, match="no column of .*people.csv names"):
        bids.participants(folder, ["1", "2", "3"], tmp_path / "people.csv")  # 1 is not 01
    (tmp_path / "people.csv").rename(folder / "people.csv")
    (folder / "participants.tsv").unlink()
    (folder.parent.parent / "participants.tsv").unlink()
    assert bids.participants(folder, study.labels)[1].name == "people.csv"
    alone, path, _ = bids.participants(tmp_path, ["1"])
    assert path is None and alone.columns.tolist() == ["participant_id"]


def test_motion_of_fmriprep_beside_the_dataset(tmp_path):
    study, folder = Study(4), tmp_path / "halfpipe"
    halfpipe(folder, study)
    rng, expected = np.random.default_rng(0), {}
    for label in study.labels:
        path = place(tmp_path / "fmriprep", label, "task-rest_desc-confounds_timeseries.tsv")
        expected[label] = motion(path, rng)
        motion(place(tmp_path / "fmriprep", label, "task-x_desc-confounds_timeseries.tsv"), rng)
    dataset = choose(folder, {})
    assert bids.mean_displacement(folder, dataset) == pytest.approx(expected)
    with pytest.raises(InputError, match="no file of"):
        choose(tmp_path / "fmriprep", {})  # confounds are no series


def test_linked_folders_and_loops(folder, tmp_path):
    study = Study(4)
    xcp_d(folder, study)
    linked = tmp_path / "linked"
    linked.mkdir()
    for label in study.labels:
        (linked / f"sub-{label}").symlink_to(folder / f"sub-{label}")
    (linked / "sub-01x").symlink_to(linked)  # leads back
    assert list(choose(linked, {}).files) == study.labels


def test_raw_dataset_with_two_derivatives(folder):
    study = Study(4)
    xcp_d(folder, study)
    xcp_d(folder.parent / "other", study)
    with pytest.raises(InputError, match="choose one of .*derivatives/other.*derivatives/xcp_d"):
        choose(folder.parent.parent, {})


def test_a_run_that_is_chosen_is_part_of_what_all_files_have(folder):
    xcp_d(folder, Study(), runs=("1", "2"))
    assert "run" not in choose(folder, {}).entities
    chosen = choose(folder, {"run": "2"})
    assert chosen.entities["run"] == "2"
    assert {len(own) for own in chosen.files.values()} == {1}
