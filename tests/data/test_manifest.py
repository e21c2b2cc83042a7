"""The manifest lists all that a source reads of the user's disk."""

import pandas as pd
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.data.manifest import Manifest, check_unchanged, own_files


@pytest.fixture
def study(tmp_path):
    """Two people with a matrix each, an atlas, and a file of nobody."""
    table = pd.DataFrame({"participant_id": ["a", "b"], "group": ["x", "y"]})
    table.to_csv(tmp_path / "people.tsv", sep="\t", index=False)
    (tmp_path / "m").mkdir()
    for name in ("a", "b", "c"):
        (tmp_path / "m" / f"{name}.csv").write_text(f"0,{len(name)}\n1,0\n")
    (tmp_path / "atlas.csv").write_text("name\nX\nY\n")
    return {
        "subjects": str(tmp_path / "people.tsv"),
        "files": "m/{id}.csv",
        "kind": "matrix",
        "atlas": "atlas.csv",
    }


def manifest_of(source):
    return Manifest.of(own_files("folder", source))


def test_own_files_are_listed_with_whose_they_are(study):
    table = manifest_of(study).table
    assert table["role"].tolist() == ["people", "atlas", "data", "data", "not used"]
    assert table["subject"].tolist() == ["", "", "a", "b", ""]
    assert table["path"].tolist() == ["people.tsv", "atlas.csv", "m/a.csv", "m/b.csv", "m/c.csv"]
    assert (table["bytes"][:4] > 0).all() and table["sha256"].str.len().tolist() == [64] * 4 + [0]


def test_a_file_elsewhere_keeps_its_whole_path(study, tmp_path_factory):
    other = tmp_path_factory.mktemp("other") / "atlas.csv"
    other.write_text("name\nX\nY\n")
    table = manifest_of(study | {"atlas": str(other)}).table
    assert other.as_posix() in table["path"].tolist()


def test_it_can_be_written_and_read(study, tmp_path):
    manifest = manifest_of(study)
    manifest.save(tmp_path / "manifest.tsv")
    assert Manifest.load(tmp_path / "manifest.tsv").digest == manifest.digest


def test_a_person_called_na_is_read_as_such(study, tmp_path):
    (tmp_path / "people.tsv").write_text("participant_id\tgroup\nNA\tx\nb\ty\n")
    (tmp_path / "m" / "a.csv").rename(tmp_path / "m" / "NA.csv")
    manifest = manifest_of(study)
    manifest.save(tmp_path / "manifest.tsv")
    assert Manifest.load(tmp_path / "manifest.tsv").table["subject"].tolist()[2] == "NA"


def test_a_study_can_move_as_a_whole(study, tmp_path):
    before = manifest_of(study).digest
    moved = tmp_path.rename(tmp_path.with_name("moved"))
    assert manifest_of(study | {"subjects": str(moved / "people.tsv")}).digest == before


@pytest.mark.parametrize("change", ["content", "swap", "stranger", "table"])
def test_any_change_is_another_digest(study, tmp_path, change):
    before = manifest_of(study).digest
    folder = tmp_path / "m"
    if change == "content":
        (folder / "a.csv").write_text("0,2\n2,0\n")
    elif change == "swap":
        (folder / "b.csv").write_text("0,5\n5,0\n")
        before = manifest_of(study).digest
        (folder / "a.csv").rename(folder / "x")
        (folder / "b.csv").rename(folder / "a.csv")
        (folder / "x").rename(folder / "b.csv")
    elif change == "stranger":
        (folder / "d.csv").write_text("")
    else:
        (tmp_path / "people.tsv").write_text("participant_id\tgroup\na\ty\nb\ty\n")
    assert manifest_of(study).digest != before


def test_one_person_s_digest_changes_with_that_person_alone(study, tmp_path):
    before = manifest_of(study)
    (tmp_path / "m" / "a.csv").write_text("0,2\n2,0\n")
    after = manifest_of(study)
    assert after.digest_of("a") != before.digest_of("a")
    assert after.digest_of("b") == before.digest_of("b")


def test_files_that_change_while_they_are_read_are_an_error(study, tmp_path):
    path = tmp_path / "manifest.tsv"
    manifest_of(study).save(path)
    check_unchanged(path, "folder", study)
    (tmp_path / "m" / "b.csv").write_text("0,9\n9,0\n")
    with pytest.raises(InputError, match=r"changed since the run began \(m/b.csv\)"):
        check_unchanged(path, "folder", study)


def test_no_manifest_where_nothing_is_the_user_s(tmp_path):
    for name, source in (("simulated", {}), ("abide", {"url": None}), ("abide", {})):
        assert own_files(name, source) == []
    assert own_files("published", {"archive": "https://example.org/a.zip"}) == []
    assert Manifest.of([]).digest == ""
    check_unchanged(None, "simulated", {})
