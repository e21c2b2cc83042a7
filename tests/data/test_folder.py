"""The source `folder`: data as people have them; what bad input gets."""

import gzip
import io
import re
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from contrast_subgraphs.config import checked, read_config, without_defaults
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.data.atlases import describe_atlas, load_aal
from contrast_subgraphs.data.files import read_groups, read_matrices, read_series
from contrast_subgraphs.data.folder import load_subjects, read_folder
from contrast_subgraphs.data.people import find_subjects, read_people
from contrast_subgraphs.data.phenotypes import read_phenotypes
from contrast_subgraphs.data.reading.layouts import symmetric
from contrast_subgraphs.data.regions import atlas_of
from contrast_subgraphs.graphs.cohorts import build_cohort, group_labels
from contrast_subgraphs.graphs.correlation import site_graphs
from own_data import atlas, matrix, people, series, write_config
from scipy.io import savemat

P = 6
NAMES = [f"Région {i}" for i in range(P)]


@pytest.fixture
def own(tmp_path):
    """Data of 4 + 4 people: a folder, and a source that reads it."""
    table = people({"control": 4, "patient": 4})
    table.to_csv(tmp_path / "participants.tsv", sep="\t", index=False)
    atlas(P).to_csv(tmp_path / "atlas.csv", index=False)
    rng = np.random.default_rng(0)
    for name in table["participant_id"]:
        frame = pd.DataFrame(matrix(rng, P, [0, 1], 0.5), index=NAMES, columns=NAMES)
        frame.to_csv(tmp_path / f"{name}.csv")
        values = pd.DataFrame(series(rng, P, 30, [0, 1], 1.0), columns=NAMES)
        values.to_csv(tmp_path / f"{name}_timeseries.tsv", sep="\t", index=False)
    return tmp_path


def of_matrices(own, **changes):
    given = {"subjects": str(own / "participants.tsv"), "files": "{id}.csv", "kind": "matrix"}
    return given | {"atlas": "atlas.csv"} | changes


def of_series(own, **changes):
    return of_matrices(own, files="{id}_timeseries.tsv", kind="series") | changes


def rewrite(path, change):
    """Read a CSV of a matrix, change it and write it without names."""
    frame = change(pd.read_csv(path, index_col=0))
    frame.to_csv(path)


def test_matrices_become_graphs_of_two_groups(own, tmp_path):
    data, table, coverage, _ = read_folder(of_matrices(own))
    assert data.roi.tolist() == NAMES
    assert table["status"].tolist() == ["fetched"] * 8
    assert coverage["regions"].tolist() == [P] * 8 and (coverage["lacking"] == "").all()
    for name, values in data:
        assert np.array_equal(values, pd.read_csv(own / f"{name}.csv", index_col=0))
    data.save(tmp_path / "all.npz")
    again = load_subjects(tmp_path / "all.npz")
    assert np.array_equal(again.weights, data.weights)
    graphs, status = site_graphs(again, table, threshold=None, weights="weighted")
    assert np.allclose(graphs.adjacency, [np.maximum(one, 0) for _, one in data])
    path = tmp_path / "phenotypes.csv"
    find_subjects(of_matrices(own)).table.to_csv(path, index=False)
    groups = {"control": "group == 'control'", "patient": "group == 'patient'"}
    none = pd.DataFrame({"subject": [], "reason": []})
    phenotypes = read_phenotypes(path)
    cohort, members, _ = build_cohort(graphs, phenotypes, none, groups, "all", "age > 20", status)
    assert cohort.groups == ("control", "patient")
    assert members["site"].isin(["A", "NA"]).all() and members["volumes"].isna().all()
    assert members["sex"].isin(["male", "female"]).all() and (members["age"] > 20).all()


def test_series_become_graphs(own, tmp_path):
    data, table, _, _ = read_folder(of_series(own))
    data.save(tmp_path / "all.npz")
    graphs, status = site_graphs(load_subjects(tmp_path / "all.npz"), table)
    assert graphs.roi.tolist() == NAMES
    assert (status["volumes"] == 30).all() and (status["status"] == "used").all()


def test_the_atlas_gives_names_places_and_order(own):
    known = atlas_of(of_matrices(own))
    table = describe_atlas(NAMES[::-1], known)
    assert table["name"].tolist() == NAMES[::-1]
    assert table["system"].tolist()[0] == "Limbic" and table["x"].notna().all()
    # By number, by name in another order, and without any names.
    for name in find_subjects(of_matrices(own)).files:
        frame = pd.read_csv(own / f"{name}.csv", index_col=0)
        order = np.random.default_rng(len(name)).permutation(P)
        frame.iloc[order, order].to_csv(own / f"{name}_other.csv")
        np.savetxt(own / f"{name}.txt", frame.to_numpy(), fmt="%.6f")
        numbered = frame.set_axis(range(1, P + 1)).set_axis([f"#{i + 1}" for i in range(P)], axis=1)
        numbered.to_csv(own / f"{name}_numbers.csv")
    first = read_folder(of_matrices(own))[0]
    for files in ("{id}_other.csv", "{id}.txt", "{id}_numbers.csv"):
        other = read_folder(of_matrices(own, files=files))[0]
        assert other.roi.tolist() == NAMES
        assert np.array_equal(other.weights, first.weights)
    without = read_folder(of_matrices(own, files="{id}.txt", atlas=None))[0]
    assert without.roi.tolist() == ["1", "2", "3", "4", "5", "6"]


def test_aal_s_numbers_in_athena_s_files_are_aal(tmp_path):
    table = people({"a": 2, "b": 1})
    table.to_csv(tmp_path / "participants.tsv", sep="\t", index=False)
    codes = load_aal()["code"]
    for name in table["participant_id"]:
        values = series(np.random.default_rng(0), 116, 10, [0], 1.0)
        frame = pd.DataFrame(values, columns=[f"Mean_{code} " for code in codes])
        frame.insert(0, "Sub-brick", [f"{i}[?]" for i in range(10)])
        frame.insert(0, "File", "x.nii.gz")
        frame.to_csv(tmp_path / f"{name}.1D", sep="\t", index=False)
    source = {"subjects": str(tmp_path / "participants.tsv"), "files": "{id}.1D"}
    data, _, _, _ = read_folder(source)
    table = describe_atlas(data.roi_code, atlas_of(source))
    assert table["name"].tolist() == load_aal()["name"].tolist() and table["x"].notna().all()


def test_one_stacked_array(own):
    first = read_folder(of_matrices(own))[0]
    np.save(own / "all.npy", np.stack([values for _, values in first]))
    stacked = read_folder(of_matrices(own, files="all.npy"))[0]
    assert np.array_equal(stacked.weights, first.weights)
    np.save(own / "all.npy", np.ones((7, P, P)))
    with pytest.raises(InputError, match="7 subjects, but the table lists 8"):
        read_folder(of_matrices(own, files="all.npy"))


def lopsided(frame, by=1.0):
    frame.iloc[1, 3] += by
    return frame


def with_nan(frame):
    frame.iloc[1, 3] = frame.iloc[3, 1] = np.nan
    return frame


BAD_MATRICES = [
    (lambda f: lopsided(f), r"not symmetric: row 2, column 4 .*\(w \+ w\.T\) / 2"),
    (lambda f: f.replace(f.iloc[1, 3], -9999), "row 2, column 4 holds -9999"),
    (with_nan, "weight of Région 1 and Région 3 is not a finite number"),
    (lambda f: f.iloc[:-1], "square matrix, not of the shape"),
    (
        lambda f: f.iloc[:4, :4],
        r"not on the same regions: sub-003 lacks 2 of 6 .*`regions: common`",
    ),
    (lambda f: f.rename(columns={"Région 1": "Mars"}), "row 2 is 'Région 1', column 2 is 'Mars'"),
    (lambda f: f.rename(columns={"Région 1": "Région 2"}), "Région 2 appears twice"),
    (lambda f: f.astype(object).replace({f.iloc[0, 1]: "x"}), "holds 'x'"),
]


@pytest.mark.parametrize(("change", "words"), BAD_MATRICES)
def test_bad_matrices_are_named(own, change, words):
    rewrite(own / "sub-003.csv", change)
    with pytest.raises(InputError, match=words) as caught:
        read_folder(of_matrices(own))
    assert "sub-003" in str(caught.value)


def fill_diagonal(frame):
    return frame.mask(np.eye(P, dtype=bool), np.nan)


@pytest.mark.parametrize(
    "change",
    [
        fill_diagonal,
        lambda f: f.mask(np.eye(P, dtype=bool), np.inf),
        lambda f: lopsided(f, 1e-9),
        lambda f: f.where(np.triu(np.ones((P, P), bool)), 0),
        lambda f: f.where(np.tril(np.ones((P, P), bool)), 0),
        lambda f: f.where(np.tril(np.ones((P, P), bool))),
    ],
)
def test_harmless_habits_change_nothing(own, change):
    before = read_folder(of_matrices(own))[0].weights
    rewrite(own / "sub-003.csv", change)
    assert np.allclose(read_folder(of_matrices(own))[0].weights, before, atol=1e-8)


def test_symmetry_is_exact_afterwards():
    rng = np.random.default_rng(0)
    correlations = np.corrcoef(rng.standard_normal((200, 50)), rowvar=False)
    assert np.array_equal(symmetric(correlations), symmetric(correlations).T)


def test_one_triangle_keeps_what_it_lacks():
    full = np.array([[0, 1, np.nan, 2], [1, 0, np.nan, 3], [np.nan] * 4, [2, 3, np.nan, 0]])
    full[2, 2] = 0
    for half in (np.triu(full), np.tril(full), np.where(np.tri(4, k=-1) > 0, np.nan, full)):
        assert np.array_equal(symmetric(half), full, equal_nan=True)
    assert np.isinf(symmetric(np.array([[0, np.inf], [0, 0]]))[1, 0])


def test_a_huge_weight_hides_no_asymmetry():
    matrix = np.full((4, 4), 0.5)
    matrix[0, 1] = matrix[1, 0] = 1e9
    matrix[2, 3] += 1e-3
    with pytest.raises(InputError, match="not symmetric: row 3, column 4"):
        symmetric(matrix)
    matrix[2, 3] = 0.5 + 1e-7
    with pytest.raises(InputError, match="not symmetric"):
        symmetric(matrix)
    assert symmetric(matrix, 1e-6)[2, 3] == symmetric(matrix, 1e-6)[3, 2]
    with pytest.raises(InputError, match="not symmetric"):
        symmetric(np.array([[0, np.inf], [1, 0]]))


def test_regions_without_names_are_told_by_their_place_alone(own):
    for name in find_subjects(of_matrices(own)).files:
        frame = pd.read_csv(own / f"{name}.csv", index_col=0)
        kept = frame.iloc[:5, :5] if name == "sub-002" else frame
        np.savetxt(own / f"{name}.txt", kept.to_numpy())
    for regions in ("error", "common"):
        with pytest.raises(InputError, match="sub-002.txt has 5, .* has 6. Without names"):
            read_folder(of_matrices(own, files="{id}.txt", atlas=None, regions=regions))
    pd.read_csv(own / "sub-002.csv", index_col=0).to_csv(own / "sub-002.txt")
    with pytest.raises(
        InputError, match="sub-002.txt is not written like .*sub-001.txt: commas, a header"
    ):
        read_folder(of_matrices(own, files="{id}.txt", atlas=None))


def test_uneven_regions(own):
    path = own / "sub-002_timeseries.tsv"
    frame = pd.read_csv(path, sep="\t")
    frame["Région 4"] = np.nan
    frame.drop(columns="Région 1").to_csv(path, sep="\t", index=False, na_rep="n/a")
    with pytest.raises(InputError, match="sub-002 lacks 2 of 6"):
        read_folder(of_series(own))
    with pytest.warns(UserWarning, match="2 of 6 regions are left out"):
        data, _, coverage, _ = read_folder(of_series(own, regions="common"))
    assert data.roi_code.tolist() == [NAMES[i] for i in (0, 2, 3, 5)]
    told = coverage.set_index("subject")
    assert told.loc["sub-002"].tolist() == [4, "Région 1, Région 4"]
    assert told.loc["sub-001"].tolist() == [6, ""]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"subjects": "nowhere.tsv"}, "there is no file nowhere.tsv"),
        ({"id": "name"}, "no column 'name'.*'participant_id'"),
        ({"site": "scanner"}, "sources.folder.site: .* no column 'scanner'"),
        ({"files": "{id}.txt"}, "no file of the subject sub-001: .*sub-001.txt .and 7 more"),
        ({"files": "{session}.csv"}, "`{session}` is neither"),
        ({"files": "*.csv"}, "put `{id}`"),
        ({"files": "{id}*"}, "the subject sub-001 has 2 files"),
        ({"files": "{group}.csv"}, "no file"),
        ({"atlas": "none.csv"}, "sources.folder.atlas: there is no file"),
        ({"kind": "series"}, "set `kind: matrix`"),
        ({"kind": "matrix", "files": "{id}_timeseries.tsv"}, "set `kind: series`"),
    ],
)
def test_sources_that_cannot_be(own, change, words):
    with pytest.raises(InputError, match=words):
        read_folder(of_matrices(own, **change))


def renamed(own, name):
    """Give each person's file another name, a function of the number."""
    for number in range(1, 9):
        (own / f"sub-{number:03d}.csv").rename(own / name(number))


@pytest.mark.parametrize(
    ("ids", "name"),
    [
        (lambda n: f"{n:03d}", lambda n: f"sub-{n:03d}.csv"),
        (lambda n: f"sub-{n:03d}", lambda n: f"{n:03d}.csv"),
        (lambda n: f"{50770 + n}", lambda n: f"{50770 + n:07d}.csv"),
        (lambda n: f"{50770 + n:07d}", lambda n: f"{50770 + n}.csv"),
        (lambda n: f"{n}", lambda n: f"sub-{n:02d}.csv"),
    ],
)
def test_names_spelt_otherwise_in_the_files_are_matched_if_all_are(own, ids, name):
    renamed(own, name)
    table = pd.read_csv(own / "participants.tsv", sep="\t", dtype=str)
    table["participant_id"] = [ids(number) for number in range(1, 9)]
    table.to_csv(own / "participants.tsv", sep="\t", index=False)
    subjects = find_subjects(of_matrices(own))
    files = subjects.files
    with pytest.warns(UserWarning, match="files have the names of the table"):
        subjects.warn()
    assert [path.name for path in files.values()] == [name(number) for number in range(1, 9)]
    (own / name(3)).unlink()
    with pytest.raises(InputError, match="no file of the subject"):
        find_subjects(of_matrices(own))


def test_a_number_in_the_pattern_can_be_padded(own):
    table = pd.read_csv(own / "participants.tsv", sep="\t", dtype=str)
    table["participant_id"] = range(1, 9)
    table.to_csv(own / "participants.tsv", sep="\t", index=False)
    files = find_subjects(of_matrices(own, files="sub-{id:03d}.csv")).files
    assert files["3"].name == "sub-003.csv" and len(files) == 8


def test_a_star_after_the_name_does_not_give_the_file_of_a_longer_one(own):
    renamed(own, lambda n: f"sub-{n}0_x.csv")
    table = pd.read_csv(own / "participants.tsv", sep="\t", dtype=str)
    table["participant_id"] = [f"sub-{n}" for n in range(1, 9)]
    table.to_csv(own / "participants.tsv", sep="\t", index=False)
    with pytest.raises(InputError, match="no file of the subject sub-1"):
        find_subjects(of_matrices(own, files="{id}*.csv"))
    table["participant_id"] = [f"{n}0" for n in range(1, 9)]
    table.to_csv(own / "participants.tsv", sep="\t", index=False)
    assert len(find_subjects(of_matrices(own, files="*{id}*.csv")).files) == 8


def test_tables_from_excel_and_old_programs(own):
    before = find_subjects(of_matrices(own)).table
    text = (own / "participants.tsv").read_text()
    for coding in ("latin-1", "utf-16"):
        (own / "participants.tsv").write_bytes(text.replace("site", "Gerät").encode(coding))
        assert "Gerät" in find_subjects(of_matrices(own)).table
    pytest.importorskip("openpyxl", reason="for .xlsx")
    table = pd.read_csv(io.StringIO(text), sep="\t", keep_default_na=False)
    table.to_excel(own / "people.xlsx", index=False)
    again = find_subjects(of_matrices(own, subjects=str(own / "people.xlsx"))).table
    pd.testing.assert_frame_equal(again, before)
    (own / "participants.tsv").write_text(text.replace("sex", "age"))
    with pytest.raises(InputError, match="column 'age' twice"):
        find_subjects(of_matrices(own))


def test_one_row_a_person_is_matched_by_its_name(own):
    data = read_folder(of_matrices(own))[0]
    rows = pd.DataFrame(data.weights, index=data.subject).iloc[::-1]
    rows.to_csv(own / "all.csv")
    for how in ({"triangle": "upper"}, {"triangle": "upper", "atlas": None}):
        again, _, _, reading = read_folder(of_matrices(own, files="all.csv", **how))
        assert np.allclose(again.weights, data.weights) and "upper" in reading.sentence()
    with pytest.raises(InputError, match="triangle"):
        read_folder(of_matrices(own, files="all.csv"))
    rows.set_axis([*rows.index[:-1], "someone"]).to_csv(own / "all.csv")
    with pytest.raises(InputError, match="row for someone"):
        read_folder(of_matrices(own, files="all.csv", triangle="upper"))


def test_no_numbers_and_numbers_on_another_scale_are_said(own):
    rewrite(own / "sub-002.csv", lambda f: f * 0)
    rewrite(own / "sub-003.csv", lambda f: f * 1000)
    with pytest.warns(UserWarning) as said:
        read_folder(of_matrices(own))
    told = " ".join(str(one.message) for one in said)
    assert "sub-002: nothing but zeros" in told
    assert "sub-003: on another scale" in told


def test_an_atlas_in_another_order_than_files_without_names(own):
    for path in own.glob("sub-*.csv"):
        np.savetxt(path, pd.read_csv(path, index_col=0).to_numpy())
    table = atlas(P).assign(index=[2001, 2002, 2101, 2102, 2111, 2112])
    table.to_csv(own / "atlas.csv", index=False)
    assert read_folder(of_matrices(own))[0].roi.tolist() == NAMES
    table.iloc[[2, 0, 1, 3, 4, 5]].to_csv(own / "atlas.csv", index=False)
    with pytest.raises(InputError, match="numbers of the atlas are not in the order of its rows"):
        read_folder(of_matrices(own))


def test_endings_in_a_folder(own):
    folder = own / "folder"
    folder.mkdir()
    for name in ("sub-001.csv", "sub-002.csv"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((own / name).read_bytes()))
    assert len(read_matrices(folder)) == 2
    (folder / "notes.md").write_text("x")
    with pytest.warns(UserWarning, match="notes.md"):
        assert len(read_matrices(folder)) == 2
    np.save(folder / "sub-001.npy", np.eye(P))
    for place in (folder, f"{folder}/sub*"):
        with pytest.raises(InputError, match="two endings"):
            read_matrices(place)


def test_people_without_files_and_files_without_people(own):
    (own / "sub-004.csv").rename(own / "sub-099.csv")
    with pytest.raises(InputError, match=r"sub-004: .*`missing: skip`"):
        read_folder(of_matrices(own))
    with pytest.warns(UserWarning, match=r"1 file of no one in .*sub-099"):
        data, table, _, _ = read_folder(of_matrices(own, missing="skip"))
    assert len(data) == 7
    assert table.set_index("subject").loc["sub-004", "status"] == "missing"


def test_tables_of_people(own):
    path = own / "participants.tsv"
    good = path.read_text()
    for wrong, words in (
        (good.replace("sub-002", "sub-001"), "sub-001 twice"),
        (good.replace("sub-002", ""), "no participant_id in line 3"),
        (good.splitlines()[0] + "\n", "no rows"),
        (good.replace("\t21\t", "\told\t"), "age must hold numbers: 'old'"),
    ):
        assert wrong != good
        path.write_text(wrong)
        with pytest.raises(InputError, match=words):
            find_subjects(of_matrices(own))
    # Names that look like numbers stay as they are.
    path.write_text(good.replace("participant_id", "number").replace("sub-", ""))
    numbers = of_matrices(own, id="number", files="sub-{id}.csv")
    assert list(find_subjects(numbers).files)[:2] == ["001", "002"]
    # Windows, Excel and a BOM.
    path.write_bytes(good.replace("\t", ";").replace("\n", "\r\n").encode("utf-8-sig"))
    assert find_subjects(of_matrices(own)).table["site"].tolist()[:2] == ["NA", "A"]


def test_atlases_that_cannot_be(own):
    with pytest.raises(InputError, match="no column 'name'"):
        (own / "atlas.csv").write_text("foo,x\na,1\n")
        atlas_of(of_matrices(own))
    atlas(P + 1).to_csv(own / "atlas.csv", index=False)
    for path in own.glob("sub-*.csv"):
        np.savetxt(path, pd.read_csv(path, index_col=0).to_numpy())
    with pytest.raises(InputError, match="it has 6 rows, and the atlas has 7 regions"):
        read_folder(of_matrices(own))
    table = atlas(P).assign(index=[2, 1, *range(3, P + 1)])  # which order is the file's?
    table.to_csv(own / "atlas.csv", index=False)
    with pytest.raises(InputError, match="numbers of the atlas are not in the order of its rows"):
        read_folder(of_matrices(own))
    table = atlas(P)
    table["label"] = "same"
    table.to_csv(own / "atlas.csv", index=False)
    with pytest.raises(InputError, match="the region same twice"):
        atlas_of(of_matrices(own))


def test_reading_for_one_s_own_scripts(own):
    paths = sorted(own.glob("sub-*.csv"))
    found = read_matrices(paths)
    assert found.shape == (8, P, P) and not found[:, range(P), range(P)].any()
    assert np.array_equal(read_matrices(str(own / "sub-*.csv")), found)
    assert len(read_series(str(own / "*_timeseries.tsv"))) == 8
    with pytest.raises(InputError, match=r"sub-003.csv is given 2 times"):
        read_matrices([*paths, own / "sub-003.csv"])
    rewrite(own / "sub-003.csv", lambda f: f.iloc[:4, :4])
    with pytest.raises(InputError, match="sub-003.csv lacks 2 of 6"):
        read_matrices(paths)
    with pytest.raises(InputError, match="no .csv"):
        read_matrices(own / "nowhere" / "*.csv")


def test_the_same_numbers_twice_are_told(own):
    (own / "sub-003.csv").write_bytes((own / "sub-001.csv").read_bytes())
    with pytest.warns(UserWarning, match="sub-001 with sub-003: the same numbers twice"):
        read_folder(of_matrices(own))
    groups = {"a": [own / "sub-001.csv", own / "sub-002.csv"], "b": own / "sub-003.csv"}
    with pytest.warns(UserWarning, match=r"001.csv with .*003.csv: the same numbers twice"):
        read_groups(groups)


def test_the_examples_of_the_documentation_read_files_laid_out_so(root, tmp_path):
    page = (root / "docs" / "own_data.md").read_text(encoding="utf-8")
    blocks = map(yaml.safe_load, re.findall(r"```yaml\n(.*?)```", page, re.DOTALL))
    blocks = [block for block in blocks if "sources" in block]
    assert len(blocks) == 5
    rng = np.random.default_rng(0)
    for number, block in enumerate(blocks):
        assert block["source"] == "folder"
        source = block["sources"]["folder"]
        subjects = tmp_path / str(number) / Path(source["subjects"]).name
        rules = {n: g["where"] if isinstance(g, dict) else g for n, g in block["groups"].items()}
        column = next(iter(rules.values())).split()[0]
        names = ["001", "002", "003", "004"]
        values = [yaml.safe_load(rule.split("=")[-1]) for rule in rules.values()] * 2
        for name in names:
            place = source["files"].replace("{id}", name).replace("*", "x")
            path = subjects.parent / place
            path.parent.mkdir(parents=True, exist_ok=True)
            weights = matrix(rng, 116, [], 0)
            if path.suffix == ".mat":
                np.fill_diagonal(weights, np.nan)
                regions = np.array([f"R{k}" for k in range(116)], dtype=object)
                savemat(path, {"Z": weights, "names": regions})
            elif path.suffix == ".1D":
                frame = pd.DataFrame(weights[:40], columns=load_aal()["code"]).add_prefix("Mean_")
                frame.insert(0, "File", "rest.nii.gz")
                frame.insert(1, "Sub-brick", [f"{k}[?]" for k in range(40)])
                frame.to_csv(path, sep="\t", index=False)
            elif source.get("kind") == "matrix":
                pd.DataFrame(weights).to_csv(path, index=False, header=False)
            else:
                frame = pd.DataFrame(weights[:40]).add_prefix("R")
                if name == "002":
                    frame["R5"] = np.nan
                frame.to_csv(path, sep="\t", index=False, na_rep="n/a")
        table = pd.DataFrame({source.get("id", "participant_id"): names, column: values})
        table.to_csv(subjects, sep="\t" if subjects.suffix == ".tsv" else ",", index=False)
        if "atlas" in source:
            atlas(116).to_csv(subjects.parent / source["atlas"], index=False)
        source = source | {"subjects": str(subjects)}
        lacking = source.get("regions") == "common"
        told = pytest.warns(UserWarning, match="1 of 116 regions") if lacking else nullcontext()
        with told:
            data, _, _, _ = read_folder(source)
        assert len(data) == 4 and len(data.roi_code) == 116 - lacking
        assert group_labels(find_subjects(source).table, rules).tolist() == [0, 1, 0, 1]


# The config ---------------------------------------------------------------------------------


def test_own_groups_and_cohorts_take_the_place_of_the_paper_s(own, root):
    default = read_config(root / "config.yaml")
    given = read_config(write_config(own / "c.yaml", own, of_matrices(own)))
    merged = default | given  # as much as is needed of how Snakemake merges
    merged["groups"] = default["groups"] | merged["groups"]
    merged["sources"] = default["sources"] | merged["sources"]
    merged["contrast"] = default["contrast"] | merged["contrast"]
    merged["evaluation"] = default["evaluation"] | merged["evaluation"]
    merged["inference"] = default["inference"] | merged["inference"]
    merged["report"] = default["report"] | {
        name: default["report"][name] | report for name, report in merged["report"].items()
    }
    found = checked(without_defaults(merged, default, given))
    assert list(found["groups"]) == ["control", "patient"]
    assert list(found["cohorts"]) == ["all"] == found["report"]["cohorts"]
    assert found["report"]["contrast_large"] == {"control-patient": 80, "patient-control": 80}
    wrong = without_defaults(merged, default, given)
    wrong["groups"]["control"] = "grup == 'control'"
    with pytest.raises(InputError, match="'grup'.*did you mean group"):
        checked(wrong)
    assert without_defaults(default, default, {}) == default


def test_cohorts_that_are_named_stay_also_if_they_are_the_paper_s(root):
    default = read_config(root / "config.yaml")
    merged = default | {"source": "folder"}
    given = {"source": "folder", "cohorts": {"male": default["cohorts"]["male"]}}
    assert list(without_defaults(merged, default, given)["cohorts"]) == ["male"]
    # In an edited config.yaml everything is meant.
    assert without_defaults(merged, merged, {}) == merged


def test_a_table_with_more_fields_than_its_header_is_no_table(tmp_path):
    """As R writes row names: all columns would be read one place off."""
    text = "participant_id,group,age\n1,sub-1,a,30\n2,sub-2,b,31\n"
    (tmp_path / "people.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="line 2 has more fields than the header"):
        read_people(tmp_path / "people.csv")


def test_a_stack_in_a_file_is_read_as_the_files_are(tmp_path):
    rng, made = np.random.default_rng(0), []
    for group in ("a", "b"):
        stack = np.round(rng.normal(size=(5, 6, 6)), 3).astype(np.float32)
        stack = np.triu(stack, 1) + np.triu(stack, 1).transpose(0, 2, 1)
        (tmp_path / group).mkdir()
        np.save(tmp_path / f"{group}.npy", stack)
        for k, one in enumerate(stack):
            np.save(tmp_path / group / f"{k}.npy", one)
        made.append(stack)
    places = [{g: tmp_path / f"{g}{end}" for g in "ab"} for end in (".npy", "")]
    stacked, files = (read_groups(one) for one in places)
    assert np.array_equal(stacked.adjacency, np.concatenate(made))
    assert np.array_equal(stacked.weights, files.weights) and stacked.weights.dtype == np.float32
    assert stacked.y.tolist() == files.y.tolist() and stacked.roi.tolist() == files.roi.tolist()


def windows_of(path, seed, n=30, p=12, rows=False):
    """Write one person's matrices in windows of time; return their mean."""
    made = np.random.default_rng(seed).normal(size=(n, p, p)).astype(np.float32)
    made = made + made.transpose(0, 2, 1)
    np.save(path, made[:, *np.triu_indices(p, 1)] if rows else made)
    return made.mean(axis=0, dtype=float)


@pytest.mark.parametrize("rows", [False, True])
@pytest.mark.parametrize("place", ["table", "folders", "patterns"])
def test_windows_of_one_person_are_asked_about_and_averaged(tmp_path, rows, place):
    expected = {}
    for k, name in enumerate(["s1", "s2", "s3", "s4"]):
        group = "ab"[k // 2]
        (tmp_path / group).mkdir(exist_ok=True)
        expected[name] = windows_of(tmp_path / group / f"{name}.npy", k, 20 + k, rows=rows)
    table = pd.DataFrame({"participant_id": list(expected), "group": list("aabb")})
    table.to_csv(tmp_path / "people.csv", index=False)
    how = {"triangle": "upper"} if rows else {}
    source = {"subjects": str(tmp_path / "people.csv"), "files": "{group}/{id}.npy"}
    source |= {"kind": "matrix", **how}
    ending = {"folders": "", "patterns": "*.npy"}.get(place, "")
    places = {group: f"{tmp_path}/{group}/{ending}" for group in "ab"}

    def read(**more):
        if place == "table":
            return read_folder(source | more)[0].adjacency
        return read_groups(places, **how, **more).adjacency

    with pytest.raises(InputError, match="windows of dynamic connectivity, set `windows: mean`"):
        read()
    found = read(windows="mean")
    for one, wanted in zip(found, expected.values(), strict=True):
        assert np.allclose(one, wanted - np.diag(np.diag(wanted)), atol=1e-6)


def test_several_series_in_one_person_s_file_are_refused(tmp_path):
    for k in range(2):
        np.save(tmp_path / f"s{k}.npy", np.random.default_rng(k).normal(size=(3, 40, 5)))
    pd.DataFrame({"participant_id": ["s0", "s1"]}).to_csv(tmp_path / "p.csv", index=False)
    source = {"subjects": str(tmp_path / "p.csv"), "files": "{id}.npy", "kind": "series"}
    with pytest.raises(InputError, match="holds 3 series, and is of one person"):
        read_folder(source)


def test_windows_are_not_of_a_file_of_all_people(tmp_path):
    windows_of(tmp_path / "all.npy", 0, 2)
    pd.DataFrame({"participant_id": ["s0", "s1"]}).to_csv(tmp_path / "p.csv", index=False)
    source = {"subjects": str(tmp_path / "p.csv"), "files": "all.npy", "kind": "matrix"}
    assert len(read_folder(source)[0]) == 2
    with pytest.raises(InputError, match="one file of all people"):
        read_folder(source | {"windows": "mean"})


def test_regions_without_signal_are_dropped_instead_of_people(own, tmp_path):
    for name, region in (("sub-002", 1), ("sub-005", 1), ("sub-005", 4)):
        path = own / f"{name}_timeseries.tsv"
        frame = pd.read_csv(path, sep="\t")
        frame[f"Région {region}"] = 0.0
        frame.to_csv(path, sep="\t", index=False)
    data, table, _, _ = read_folder(of_series(own))
    graphs, status = site_graphs(data, table)
    assert len(graphs) == 6 and (status["status"] == "excluded").sum() == 2
    told = r"2 of 6 regions are left out.*Région 1 \(2 of 8\) and Région 4 \(1 of 8\)"
    with pytest.warns(UserWarning, match=told):
        data, table, _, _ = read_folder(of_series(own, regions="drop"))
    graphs, status = site_graphs(data, table)
    assert len(graphs) == 8 and graphs.roi.tolist() == [NAMES[k] for k in (0, 2, 3, 5)]


@pytest.mark.parametrize("how", ["zeros", "nan", "lacking"])
def test_regions_without_any_weight_are_dropped_from_matrices(own, how):
    def emptied(frame):
        if how == "lacking":
            return frame.drop(index=NAMES[2], columns=NAMES[2])
        frame.loc[NAMES[2]] = frame[NAMES[2]] = 0 if how == "zeros" else np.nan
        return frame

    rewrite(own / "sub-003.csv", emptied)
    with pytest.warns(UserWarning, match=r"1 of 6 regions.*Région 2 \(1 of 8\)"):
        data = read_folder(of_matrices(own, regions="drop"))[0]
    assert data.roi.tolist() == [name for name in NAMES if name != NAMES[2]]
    if how == "zeros":  # a region without edges is no region without data
        assert len(read_folder(of_matrices(own, regions="common"))[0].roi) == P
        assert len(read_folder(of_matrices(own))[0].roi) == P
    groups = {"a": sorted(own.glob("sub-00[1-4].csv")), "b": sorted(own.glob("sub-00[5-8].csv"))}
    with pytest.warns(UserWarning, match="1 of 6 regions"):
        assert len(read_groups(groups, regions="drop").roi) == P - 1
