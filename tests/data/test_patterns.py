"""Patterns of files: fields, stars, and signs that are letters of a folder's name."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from contrast_subgraphs.cli import main
from contrast_subgraphs.config.propose import propose_config
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.data.files import read_groups, read_matrices
from contrast_subgraphs.data.folder import read_folder
from contrast_subgraphs.data.patterns import Pattern, files_that_fit
from contrast_subgraphs.data.people import find_subjects

ODD = ["study [old]", "[a-z]", "x]y[", "what?", "a*b", "data[12]", "{id}", "a{b", "}"]


def study(folder, ids=("s1", "s2", "s3", "s10"), column="participant_id", name="{}.csv"):
    """Write a table and a file for each person; return the source that reads them."""
    rng = np.random.default_rng(0)
    (folder / "m").mkdir(parents=True)
    rows = []
    for k, one in enumerate(ids):
        values = np.triu(rng.normal(size=(5, 5)), 1)
        np.savetxt(folder / "m" / name.format(one), values + values.T, delimiter=",")
        rows.append({column: one, "group": "ab"[k % 2]})
    pd.DataFrame(rows).to_csv(folder / "people.csv", index=False)
    return {"subjects": str(folder / "people.csv"), "id": column, "kind": "matrix"}


@pytest.mark.parametrize("odd", ODD)
def test_signs_in_the_name_of_the_table_s_folder_are_letters(tmp_path, odd):
    source = study(tmp_path / odd)
    for files in ("m/{id}.csv", "*/{id}.csv", "m/{id}*"):
        found = find_subjects(source | {"files": files}).files
        assert [path.name for path in found.values()] == ["s1.csv", "s2.csv", "s3.csv", "s10.csv"]


@pytest.mark.parametrize("odd", ODD)
def test_signs_in_a_folder_that_the_pattern_names_are_letters(tmp_path, odd):
    source = study(tmp_path / "x" / odd)
    table = tmp_path / "people.csv"
    (tmp_path / "x" / odd / "people.csv").rename(table)
    written = odd.replace("{", "{{").replace("}", "}}")
    for files in (f"x/{written}/m/{{id}}.csv", f"{tmp_path}/x/{written}/*/{{id}}.csv"):
        found = find_subjects(source | {"subjects": str(table), "files": files}).files
        assert list(found) == ["s1", "s2", "s3", "s10"]


@pytest.mark.parametrize("odd", ODD)
def test_signs_in_names_of_people_and_files_are_letters(tmp_path, odd):
    ids = [f"{k}{odd}" for k in range(4)]
    source = study(tmp_path, ids, name="{}[1].csv")
    found = find_subjects(source | {"files": "m/{id}[1].csv"}).files
    assert list(found) == ids
    found = find_subjects(source | {"files": "m/{id}*.csv"}).files
    assert list(found) == ids


@pytest.mark.parametrize("odd", ODD)
def test_the_command_line_takes_folders_files_and_patterns(tmp_path, odd):
    study(tmp_path / odd)
    folder = tmp_path / odd / "m"
    assert len(read_matrices(folder)) == 4
    assert len(read_matrices(folder / "s1.csv")) == 1
    assert len(read_matrices(str(folder / "s[12].csv"))) == 2
    assert len(read_groups({"a": folder / "s1*.csv", "b": folder / "s[23].csv"}).y) == 4
    done = CliRunner().invoke(
        main, ["find", str(folder / "s1*.csv"), str(folder / "s[23].csv"), "--percentile", "80"]
    )
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("odd", ODD)
def test_init_writes_a_config_that_finds_the_files(tmp_path, odd):
    import yaml

    study(tmp_path / odd)
    config = yaml.safe_load(propose_config(tmp_path / odd, tmp_path / "mine.yaml").text)
    data, *_ = read_folder(config["sources"]["folder"])
    assert data.subject.tolist() == ["s1", "s2", "s3", "s10"]
    for group in "ab":
        study(tmp_path / "groups" / odd / group)
        (tmp_path / "groups" / odd / group / "people.csv").unlink()
        for path in (tmp_path / "groups" / odd / group / "m").iterdir():
            path.rename(path.parents[1] / path.name)
    proposal = propose_config(tmp_path / "groups" / odd, tmp_path / "mine.yaml")
    proposal.people.to_csv(tmp_path / "mine.people.tsv", sep="\t", index=False)
    source = yaml.safe_load(proposal.text)["sources"]["folder"]
    with pytest.warns(UserWarning, match="the same numbers twice"):
        assert len(read_folder(source)[0]) == 8


def test_a_pattern_stays_one_where_nothing_is_called_so(tmp_path):
    for name in ("a1", "a2", "a[1]"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.csv").touch()
    assert len(files_that_fit(tmp_path / "a[12]" / "x.csv")) == 2
    assert len(files_that_fit(tmp_path / "a[1]" / "x.csv")) == 1
    assert len(files_that_fit(tmp_path / "a*" / "x.csv")) == 3


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ("m/{id", "a brace has no partner"),
        ("m/id}.csv", "a brace has no partner"),
        ("m/{{id}.csv", "a brace has no partner"),
        ("m/{id{group}}.csv", "a brace has no partner"),
        ("m/{}.csv", "`{}` names no column"),
        ("m/{:03d}.csv", "`{}` names no column"),
        ("m/{0}.csv", "`{0}` is neither"),
        ("m/{id.x}.csv", "`{id.x}` is neither"),
        ("m/{id[0]}.csv", r"`{id\[0\]}` is neither"),
        ("m/{id!r}.csv", "`{id!r}` is neither"),
        ("m/{nobody}.csv", "`{nobody}` is neither"),
        ("m/{id:%Y}.csv", "`:%Y` is not understood"),
        ("m/{id:>99999999999}.csv", "`:>99999999999` is not understood"),
        ("m/{id:.3f}.csv", "`:.3f` is not understood"),
        ("m/{id:x}.csv", "`:x` is not understood"),
        ("m/{id:{group}}.csv", "a brace has no partner"),
        ("m/{id:03d}.csv", "`{id:03d}` is for numbers, not 's1'"),
        ("*.csv", "does not say whose file is whose"),
    ],
)
@pytest.mark.parametrize("command", ["config", "init"])
def test_a_pattern_that_cannot_be_is_one_clear_error(tmp_path, files, words, command):
    source = study(tmp_path)
    if command == "init":
        if files in ("*.csv", "m/{id:03d}.csv"):
            pytest.skip("no such file")
        with pytest.raises(InputError, match=words):
            propose_config(tmp_path, tmp_path / "mine.yaml", files=files)
        return
    with pytest.raises(InputError, match=words) as caught:
        find_subjects(source | {"files": files})
    assert str(caught.value).startswith("sources.folder.files: ")


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ("{id:03d}.csv", "{:03d}.csv"),
        ("{id:03}.csv", "{:03d}.csv"),
        ("sub-{id:d}.csv", "sub-{}.csv"),
        ("{id:0>4}.csv", "{:0>4}.csv"),
        ("{id:_<4}.csv", "{:_<4}.csv"),
    ],
)
def test_numbers_may_be_padded(tmp_path, files, name):
    source = study(tmp_path, [7, 12, 345], name=name)
    assert list(find_subjects(source | {"files": f"m/{files}"}).files) == ["7", "12", "345"]


@pytest.mark.parametrize("column", ["BIDS.ID", "ID 1", "a:b", "Subject[1]", "Größe", "id"])
def test_columns_with_any_signs_are_fields(tmp_path, column):
    source = study(tmp_path, ["x1", "x2", "x10"], column)
    for field in ("id", column):
        found = find_subjects(source | {"files": f"m/{{{field}}}.csv"}).files
        assert list(found) == ["x1", "x2", "x10"]
        # The name of a person ends where its digits end, whatever the field is called.
        found = find_subjects(source | {"files": f"m/{{{field}}}*.csv"}).files
        assert [path.name for path in found.values()] == ["x1.csv", "x2.csv", "x10.csv"]


def test_init_finds_files_by_columns_with_dots(tmp_path):
    import yaml

    for k in range(6):
        place = tmp_path / "ab"[k % 2] / f"s{k}.csv"
        place.parent.mkdir(exist_ok=True)
        values = np.triu(np.random.default_rng(k).normal(size=(5, 5)), 1)
        np.savetxt(place, values + values.T, delimiter=",")
    people = [(f"s{k}", "ab"[k % 2], "xy"[k % 2]) for k in range(6)]
    table = pd.DataFrame(people, columns=["BIDS.ID", "my.group", "dx"])
    table.to_csv(tmp_path / "people.csv", index=False)
    for files in (None, "{my.group}/{BIDS.ID}.csv"):
        config = yaml.safe_load(propose_config(tmp_path, tmp_path / "o.yaml", files=files).text)
        data, *_ = read_folder(config["sources"]["folder"])
        assert data.subject.tolist() == [f"s{k}" for k in range(6)]


def test_parts_of_a_pattern():
    pattern = Pattern("a{{{id:03d}}}/{x}.csv", ["x"], "n")
    assert pattern.filled({"id": "7", "x": "q"}) == "a{007}/q.csv"
    assert [field.column for field in Pattern("{n}{x}", ["n", "x"], "n").fields] == ["id", "x"]
