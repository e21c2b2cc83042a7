"""`init`: what is recognised in folders of all kinds, and that its config fits the data."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
import yaml
from click.testing import CliRunner
from contrast_subgraphs.cli import main
from contrast_subgraphs.config import checked, effective, read_config, without_defaults
from contrast_subgraphs.config.propose import PERCENTILES, propose_config
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.data.folder import read_folder
from contrast_subgraphs.data.people import find_subjects
from contrast_subgraphs.graphs.expressions import check_expression, evaluate
from pipelines import NAMES, PIPELINES, PLANTED, Study, dpabi, xcp_d


def proposed(folder, tmp_path, root, **choices):
    """Return the checked config that `init` writes, and what it says."""
    path = tmp_path / "mine.yaml"
    proposal = propose_config(folder, path, **choices)
    proposal.save(path)
    return effective([path], root / "config.yaml"), proposal.found


def expected(study, what, label):
    """Return the numbers of a person's file."""
    if what == "series":
        return study.series[label]
    values = {"matrix": study.correlations, "z": study.z, "counts": study.counts}[what](label)
    return values - np.diag(np.diag(values))


@pytest.mark.parametrize("name", PIPELINES)
def test_pipelines_are_recognised_and_read(name, tmp_path, root):
    write, what, choices, names = PIPELINES[name]
    study, folder = Study(), tmp_path / "study" / "derivatives" / "x"
    folder.mkdir(parents=True)
    write(folder, study)
    config, found = proposed(folder, tmp_path, root, **choices)
    source = config["sources"]["folder"]
    assert source["kind"] == ("series" if what == "series" else "matrix")
    assert "groups by the column group" in found
    assert list(config["groups"]) == ["control", "patient"]
    data, table, *_ = read_folder(source)
    assert table["status"].tolist() == ["fetched"] * 8
    regions = data.roi_code if what == "series" else data.roi
    assert regions.tolist()[:9] == (names or regions.tolist()[:9])
    rows = list(data) if what == "series" else zip(data.subject, data.weights, strict=True)
    upper = np.triu_indices(9, 1)
    for label, (_, values) in zip(study.labels, rows, strict=True):
        wanted = expected(study, what, label)
        wanted = wanted if what == "series" else wanted[upper]
        assert np.allclose(values, wanted, atol=2e-6, rtol=1e-6)


def test_bids_of_linked_folders_with_runs(tmp_path, root):
    study, folder = Study(), tmp_path / "study" / "derivatives" / "xcp_d"
    displacement = xcp_d(folder, study, runs=("1", "2"))
    linked = tmp_path / "linked"
    linked.mkdir()
    for label in study.labels:
        (linked / f"sub-{label}").symlink_to(folder / f"sub-{label}")
    with pytest.raises(InputError, match="more than one choice|no table|two groups|column"):
        propose_config(tmp_path / "study" / "derivatives" / "xcp_d" / "atlases")
    people = tmp_path / "study" / "participants.tsv"
    config, found = proposed(linked, tmp_path, root, people=people)
    source = config["sources"]["folder"]
    assert source["runs"] == "join"
    assert any("several runs" in sentence for sentence in found)
    data, table, *_ = read_folder(source)
    assert table["volumes"].tolist() == [120] * 8
    for label, (_, values) in zip(study.labels, data, strict=True):
        once = np.corrcoef(study.series[label].T)
        assert np.allclose(np.corrcoef(values.T), once)
    subjects = find_subjects(source)
    fd = subjects.table["func_mean_fd"].to_numpy()
    assert np.allclose(fd, [np.mean(displacement[label]) for label in study.labels])
    first, table, *_ = read_folder(source | {"runs": "first"})
    assert table["volumes"].tolist() == [60] * 8
    with pytest.raises(InputError, match="runs"):
        read_folder({name: value for name, value in source.items() if name != "runs"})


def write_matrices(folder, study, pattern):
    for label, group in zip(study.labels, study.groups, strict=True):
        path = folder / pattern.format(label=label, group=group)
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savetxt(path, study.correlations(label), delimiter=",")


@pytest.mark.parametrize(
    ("files", "prefix", "pattern"),
    [
        ("{group}/sub-{label}.csv", "sub-", "{group}/{id}.csv"),
        ("fc/sub-{label}_run-1.csv", "", "fc/sub-{id}_run-1.csv"),
        ("sub-{label}.csv", "", "sub-{id}.csv"),
        ("{label}/fc.csv", "", "{id}/fc.csv"),
    ],
)
def test_patterns(tmp_path, root, files, prefix, pattern):
    study, folder = Study(), tmp_path / "study"
    study.labels = [str(k) for k in range(1, 9)]  # 1 is also a part of run-1
    study.series = dict(zip(study.labels, study.series.values(), strict=True))
    study.people(folder, prefix)
    write_matrices(folder, study, files)
    config, _ = proposed(folder, tmp_path, root)
    assert config["sources"]["folder"]["files"] == pattern
    data, *_ = read_folder(config["sources"]["folder"])
    assert np.allclose(data.weights[2], study.correlations("3")[np.triu_indices(9, 1)])


@pytest.mark.parametrize("same", [False, True])
def test_two_plain_folders(tmp_path, root, same):
    study, folder = Study(), tmp_path / "study"
    write_matrices(folder, study, "{group}/sub-{label}.csv")
    if same:  # 01 to 04 in both groups
        for old, new in zip(study.labels[4:], study.labels, strict=False):
            (folder / "patient" / f"sub-{old}.csv").rename(folder / "patient" / f"sub-{new}.csv")
    config, found = proposed(folder, tmp_path, root)
    assert list(config["groups"]) == ["control", "patient"]
    data, *_ = read_folder(config["sources"]["folder"])
    assert len(set(data.subject)) == 8
    assert np.allclose(data.weights[5], study.correlations("06")[np.triu_indices(9, 1)])
    assert any("folder of files for each group" in sentence for sentence in found)


def test_several_files_of_a_person_are_asked_for(tmp_path, root):
    study, folder = Study(), tmp_path / "study"
    study.people(folder)
    for kind in ("aal", "schaefer"):
        write_matrices(folder, study, f"sub-{{label}}_{kind}.csv")
    with pytest.raises(InputError, match="(?s)--files.*aal.*schaefer"):
        propose_config(folder)
    config, _ = proposed(folder, tmp_path, root, files="{id}_aal.csv")
    assert config["sources"]["folder"]["files"] == "{id}_aal.csv"
    with pytest.raises(InputError, match="no file"):
        propose_config(folder, files="{id}_x.csv")


def test_matrices_of_a_pipeline_that_wrote_series_too(tmp_path, root):
    study = Study()
    dpabi(tmp_path / "d", study)
    pattern = "Results/ROISignals_FunImgARCWF/ROICorrelation_{id}.txt"
    config, _ = proposed(tmp_path / "d", tmp_path, root, files=pattern)
    assert config["sources"]["folder"]["kind"] == "matrix"


def test_the_group_is_no_covariate(tmp_path, root):
    study, folder = Study(), tmp_path / "study"
    study.people(folder)
    write_matrices(folder, study, "sub-{label}.csv")
    table = pd.read_csv(folder / "participants.tsv", sep="\t").drop(columns="group")
    table["genotypes"] = ["wt", "het", "hom", "ko"] * 2
    table["handedness"] = ["L", "R"] * 4
    table.to_csv(folder / "participants.tsv", sep="\t", index=False)
    config, found = proposed(folder, tmp_path, root)
    assert list(config["groups"]) == ["het", "hom", "ko", "wt"]
    assert "column sex: F (4), M (4); describes people: a covariate, not the group" in found
    config, _ = proposed(folder, tmp_path, root, group_column="sex")
    assert list(config["groups"]) == ["F", "M"]
    with pytest.raises(InputError, match="did you mean genotypes"):
        propose_config(folder, group_column="genotype")


def test_percentiles_fit_the_data(tmp_path, root):
    """Where people share most of their edges, low percentiles of the differences are 0."""
    study, folder = Study(), tmp_path / "study"
    study.people(folder)
    rng = np.random.default_rng(0)
    base = np.triu(rng.random((30, 30)) < 0.1, 1) * 50
    for label, group in zip(study.labels, study.groups, strict=True):
        own = base.copy()
        chance = rng.random((30, 30)) < (0.5 if group == "patient" else 0.1)
        own[:4, 4:7] += 40 * chance[:4, 4:7]
        own[8:12, 12:15] += 40 * ~chance[8:12, 12:15]
        (folder / f"sub-{label}.csv").write_text(
            "\n".join(",".join(map(str, row)) for row in own + own.T)
        )
    config, _ = proposed(folder, tmp_path, root)
    chosen = config["contrast"]["percentiles"]
    assert chosen != list(PERCENTILES) and min(chosen) > 90
    drawn = config["report"]
    for figure in ("contrast_large", "contrast_small", "contrast_symmetric"):
        assert set(drawn[figure].values()) <= set(chosen)


def test_percentiles_at_which_sets_are_too_large_to_read_are_left_out(tmp_path, root):
    study, folder = Study(), tmp_path / "study"
    study.people(folder)
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(150, 6)) / np.sqrt(6)
    for label in study.labels:
        scaled = factors * rng.lognormal(0, 0.3, 6)
        own = scaled @ scaled.T + 0.35 * rng.normal(size=(150, 150))
        own = np.clip((own + own.T) / 4, -0.99, 0.99)
        np.fill_diagonal(own, 1)
        np.savetxt(folder / f"sub-{label}.csv", own, "%.4f", ",")
    config, _ = proposed(folder, tmp_path, root)
    assert min(config["contrast"]["percentiles"]) > 80
    assert max(config["contrast"]["percentiles"]) >= 97


def test_people_on_different_regions(tmp_path, root):
    study, folder = Study(), tmp_path / "study" / "derivatives" / "xcp_d"
    xcp_d(folder, study)
    path = next(folder.glob("sub-03/func/*_timeseries.tsv"))
    table = pd.read_csv(path, sep="\t")
    table[NAMES[8]] = np.nan
    table.to_csv(path, sep="\t", index=False, na_rep="n/a")
    config, found = proposed(folder, tmp_path, root)
    assert config["sources"]["folder"]["regions"] == "common"
    with pytest.warns(UserWarning, match="left out"):
        data, *_ = read_folder(config["sources"]["folder"])
    assert len(data.roi_code) == 8 and set(PLANTED) == {1, 4, 6}


@pytest.mark.parametrize(
    ("header", "values", "groups", "says"),
    [
        (
            "sex,patient",
            ("m,yes", "f,no"),
            {"no": "patient == 'no'", "yes": "patient == 'yes'"},
            "column sex: ",
        ),
        (
            "sex,patient",
            ("1,True", "2,False"),
            {"False": "not patient", "True": "patient and True"},
            "column sex: ",
        ),
        (
            "sex,arm",
            ("m,a b", "f,a_b"),
            {"a_b_1": "arm == 'a b'", "a_b_2": "arm == 'a_b'"},
            "column arm",
        ),
        (
            "sex,DX_GROUP",
            ("1,1", "2,2"),
            {"group1": "DX_GROUP == 1", "group2": "DX_GROUP == 2"},
            "column DX_GROUP",
        ),
        ("sex,age", ("m,20", "f,30"), None, "column age"),
    ],
)
def test_init_takes_the_likeliest_column_and_quotes(tmp_path, header, values, groups, says):
    rows = [f"subject,{header}"]
    for number in range(1, 5):
        rows.append(f"{number:03d},{values[number % 2]}")
        (tmp_path / f"{number:03d}.csv").write_text(
            "1,.1,.2,.7\n.1,1,.4,.5\n.2,.4,1,.3\n.7,.5,.3,1\n"
        )
    (tmp_path / "participants.csv").write_text("\n".join(rows) + "\n")
    proposal = propose_config(tmp_path)
    text, found = proposal.text, proposal.found
    config = yaml.safe_load(text)
    assert config["sources"]["folder"]["files"] == "{id}.csv"
    assert says in "\n".join(found)
    if groups is not None:
        assert config["groups"] == groups
        table = find_subjects(config["sources"]["folder"]).table
        assert [evaluate(rule, table).sum() for rule in groups.values()] == [2, 2]
        for rule in groups.values():
            check_expression(rule, table)


@pytest.mark.parametrize("third", ["c", ""])
def test_init_takes_three_groups_and_never_the_sex_instead(tmp_path, third):
    rows = ["subject,sex,group,site_id", "001,m,a,X", "002,f,b,X", f"003,f,{third},Y"]
    for number in range(1, 4):
        own = np.array([[0, 7, 2, 5], [7, 0, 9, 3], [2, 9, 0, 1], [5, 3, 1, 0]]) * number
        text = "\n".join(",".join(map(str, row)) for row in own / 4)
        (tmp_path / f"{number:03d}.csv").write_text(text)
    (tmp_path / "participants.csv").write_text("\n".join(rows) + "\n")
    proposal = propose_config(tmp_path)
    text, found = proposal.text, proposal.found
    config = yaml.safe_load(text)
    assert config["methods"] == ["cs-p1", "cs-p2", "edges", "site"]
    if third:
        assert list(config["groups"]) == ["a", "b", "c"] and "each pair" in "\n".join(found)
    else:
        assert "EDIT" in text and "no column tells groups apart" in "\n".join(found)


@pytest.mark.parametrize("files", ["{label}.csv", "x{label:0>7}_fc.csv"])
def test_names_that_files_spell_differently(tmp_path, root, files):
    study, folder = Study(), tmp_path / "study"
    study.labels = [str(k) for k in range(1, 9)]
    study.series = dict(zip(study.labels, study.series.values(), strict=True))
    study.people(folder, "sub-" if files == "{label}.csv" else "")
    write_matrices(folder, study, files)
    config, _ = proposed(folder, tmp_path, root)
    subjects = find_subjects(config["sources"]["folder"])
    with pytest.warns(UserWarning, match="have the names of the table"):
        subjects.warn()
    data, *_ = read_folder(config["sources"]["folder"], subjects)
    assert np.allclose(data.weights[2], study.correlations("3")[np.triu_indices(9, 1)])


def test_people_without_files_and_further_files_are_said(tmp_path, root):
    study, folder = Study(), tmp_path / "study"
    study.people(folder)
    write_matrices(folder, study, "sub-{label}_aal.csv")
    write_matrices(folder, study, "sub-{label}_ho.csv")
    (folder / "sub-01_aal.csv").unlink()
    (folder / "sub-01_ho.csv").unlink()
    (folder / "sub-02_ho.csv").unlink()
    config, found = proposed(folder, tmp_path, root)
    assert config["sources"]["folder"]["files"] == "{id}_aal.csv"
    assert config["sources"]["folder"]["missing"] == "skip"
    assert any("7 of them" in sentence for sentence in found)
    assert any("not taken: {id}_ho.csv (6 people)" in sentence for sentence in found)


def test_shortened_percentiles_are_no_error_about_figures(root):
    default = read_config(root / "config.yaml")
    given = {"contrast": {"percentiles": [75, 99]}, "report": {"contrast_large": {"asd-td": 75}}}
    merged = read_config(root / "config.yaml")
    merged["contrast"]["percentiles"] = [75, 99]
    merged["report"]["contrast_large"]["asd-td"] = 75
    config = checked(without_defaults(merged, default, given))
    assert config["report"]["contrast_large"] == {"td-asd": 75, "asd-td": 75}
    assert config["report"]["contrast_small"] == {"td-asd": 99, "asd-td": 99}
    given["report"]["contrast_large"]["asd-td"] = merged["report"]["contrast_large"]["asd-td"] = 80
    with pytest.raises(InputError, match="80 is not among"):  # one that was asked for
        checked(without_defaults(merged, default, given))


@pytest.mark.parametrize("name", [n for n, one in PIPELINES.items() if one[1] != "series"])
def test_find_reads_the_matrices_of_pipelines(name, tmp_path, root):
    write, what, choices, _ = PIPELINES[name]
    study, folder = Study(), tmp_path / "study" / "derivatives" / "x"
    folder.mkdir(parents=True)
    write(folder, study)
    config, _ = proposed(folder, tmp_path, root, **choices)
    source = config["sources"]["folder"]
    options = ["--group-column", "group", "--files", source["files"], "--percentile", "80"]
    options += ["--hold", "observed", "--id", source["id"], "--json"]
    options += ["--key", source["key"]] if source["key"] else []
    done = CliRunner().invoke(main, ["find", source["subjects"], *options])
    assert done.exit_code == 0, done.output
    found = {one["contrast"]: one for one in json.loads(done.stdout)["subgraphs"]}
    matrices = np.array([expected(study, what, label) for label in study.labels])
    difference = matrices[4:].mean(axis=0) - matrices[:4].mean(axis=0)
    pairs = difference[np.triu_indices(9, 1)]
    weights = np.triu(difference - np.percentile(pairs, 80), 1)
    best = max(
        weights[np.ix_(chosen, chosen)].sum()
        for size in range(2, 10)
        for chosen in itertools.combinations(range(9), size)
    )
    assert found["patient-control"]["objective"] == pytest.approx(best, abs=1e-5)


def a_study(folder, people=8, **columns):
    """Write matrices of some people and their table."""
    folder.mkdir(exist_ok=True)
    rng = np.random.default_rng(0)
    names = [f"sub-{k:02d}" for k in range(1, people + 1)]
    for name in names:
        values = np.triu(rng.normal(size=(6, 6)), 1)
        np.savetxt(folder / f"{name}.csv", values + values.T, delimiter=",")
    table = pd.DataFrame({"participant_id": names, **columns})
    table.to_csv(folder / "participants.tsv", sep="\t", index=False)
    return table


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: pd.concat([t, t[:1]]), "has the participant_id sub-01 twice"),
        (lambda t: pd.concat([t, t.assign(group="c")]), "has the participant_id sub-01 twice"),
        (lambda t: t.replace("sub-03", np.nan), "has no participant_id in line 4"),
    ],
)
def test_a_person_who_stands_twice_is_named_as_the_reason(tmp_path, change, words):
    table = a_study(tmp_path / "study", group=["a", "b"] * 4)
    path = tmp_path / "study" / "participants.tsv"
    change(table).to_csv(path, sep="\t", index=False)
    with pytest.raises(InputError, match=words):
        propose_config(tmp_path / "study")


def test_sessions_that_are_not_taken_are_said(tmp_path):
    study, folder = Study(), tmp_path / "study" / "derivatives" / "xcp_d"
    xcp_d(folder, study, sessions=("1", "2"))
    for label in study.labels[4:]:
        for path in (folder / f"sub-{label}" / "ses-2").glob("**/*"):
            if path.is_file():
                path.unlink()
    found = propose_config(folder, entities={"ses": "1"}).found
    assert "not taken: ses-2 of 4 people" in found
    found = propose_config(folder, entities={"ses": "2"}).found
    assert "not taken: ses-1 of 8 people" in found
    assert any(one.startswith("no such file, and left out: sub-") for one in found)


def test_sessions_of_a_plain_folder_are_said_too(tmp_path, root):
    a_study(tmp_path / "study", group=["a", "b"] * 4)
    for path in sorted((tmp_path / "study").glob("*.csv")):
        path.rename(path.with_name(f"{path.stem}_ses-1.csv"))
    for k in (3, 5, 7):
        path = tmp_path / "study" / f"sub-{k:02d}_ses-1.csv"
        path.with_name(f"sub-{k:02d}_ses-2.csv").write_text(path.read_text())
    config, found = proposed(tmp_path / "study", tmp_path, root)
    assert config["sources"]["folder"]["files"] == "{id}_ses-1.csv"
    assert "not taken: {id}_ses-2.csv (3 people) (--files)" in found


TECHNICAL = {
    "head_coil": ["12ch", "32ch"] * 4,
    "Scanner model": ["Prisma", "Trio"] * 4,
    "magnetic_field": [1.5, 3] * 4,
    "software_version": ["VB17", "VE11"] * 4,
    "phase_encoding": ["AP", "PA"] * 4,
    "qc": ["good", "fair"] * 4,
    "scan_date": ["2019", "2020"] * 4,
    "batch": [1, 2] * 4,
}


@pytest.mark.parametrize("name", TECHNICAL)
def test_how_people_were_measured_is_never_their_group(tmp_path, name):
    a_study(tmp_path / "study", **{name: TECHNICAL[name]})
    proposal = propose_config(tmp_path / "study")
    assert "EDIT" in proposal.text
    assert any("describes the measurement" in one for one in proposal.found)
    a_study(tmp_path / "study", **{name: TECHNICAL[name], "genotype": ["wt", "ko"] * 4})
    assert '"ko": "genotype ==' in propose_config(tmp_path / "study").text
    chosen = propose_config(tmp_path / "study", group_column=name)  # who asks for it gets it
    assert f"groups by the column {name}" in chosen.found


def test_two_columns_that_may_be_the_groups_are_asked_about(tmp_path):
    a_study(tmp_path / "study", cheese=["brie", "edam"] * 4, wine=["red", "white"] * 4)
    proposal = propose_config(tmp_path / "study")
    assert "EDIT" in proposal.text
    assert "the groups may be in cheese or wine: say it by --group-column" in proposal.found


def test_common_regions_are_proposed_only_where_there_are_some(tmp_path, root):
    folder = tmp_path / "study"
    a_study(folder, group=["a", "b"] * 4)
    values = pd.read_csv(folder / "sub-02.csv", header=None).to_numpy()
    np.savetxt(folder / "sub-02.csv", values[:5, :5], delimiter=",")
    config, found = proposed(folder, tmp_path, root)
    assert config["sources"]["folder"]["regions"] == "error"
    assert any("5 or 6 regions, without names" in one for one in found)
    for path in folder.glob("*.csv"):
        values = pd.read_csv(path, header=None)
        names = [f"{path.stem}_{k}_R" for k in "abcdef"[: len(values)]]
        values.set_axis(names).set_axis(names, axis=1).to_csv(path)
    config, found = proposed(folder, tmp_path, root)
    assert config["sources"]["folder"]["regions"] == "error"
    assert any("only 0 are in all files" in one for one in found)


def test_windows_of_dynamic_connectivity_are_said_and_averaged(tmp_path, root):
    folder = tmp_path / "study"
    a_study(folder, group=["a", "b"] * 4)
    windows = {}
    for path in sorted(folder.glob("*.csv")):
        own = np.random.default_rng(len(windows)).normal(size=(30, 12, 12))
        windows[path.stem] = own + own.transpose(0, 2, 1)
        np.save(path.with_suffix(".npy"), windows[path.stem])
        path.unlink()
    config, found = proposed(folder, tmp_path, root)
    source = config["sources"]["folder"]
    assert source["windows"] == "mean"
    assert any("windows of dynamic connectivity" in one for one in found)
    data, _, _, reading = read_folder(source)
    for name, weights in zip(data.subject, data.weights, strict=True):
        expected = windows[name].mean(axis=0)[np.triu_indices(12, 1)]
        assert np.allclose(weights, expected, atol=1e-6)
    assert "means over the 30 windows of each person" in reading.sentence()


def test_a_stack_says_in_whose_order_it_is_read(tmp_path, root):
    folder = tmp_path / "study"
    table = a_study(folder, group=["a", "b"] * 4)
    matrices = [pd.read_csv(folder / f"{n}.csv", header=None) for n in table["participant_id"]]
    np.save(folder / "all.npy", np.stack(matrices))
    order = [6, 1, 0, 3, 4, 5, 7, 2]
    table.iloc[order].to_csv(folder / "participants.tsv", sep="\t", index=False)
    config, found = proposed(folder, tmp_path, root, files="all.npy")
    assert "one file of all people, in the order of the table: first sub-07, last sub-03" in found
    *_, reading = read_folder(config["sources"]["folder"])
    assert "people in the order of the table: first sub-07, last sub-03" in reading.sentence()
    np.savez(folder / "all.npz", w=np.stack(matrices), subjects=sorted(table["participant_id"]))
    config, found = proposed(folder, tmp_path, root, files="all.npz")
    assert not any("in the order of the table" in one for one in found)
    data, _, _, reading = read_folder(config["sources"]["folder"])
    assert "people found by the names in it" in reading.sentence()
    expected = matrices[6].to_numpy()[np.triu_indices(6, 1)]
    assert data.subject[0] == "sub-07" and np.allclose(data.weights[0], expected, atol=1e-6)
    np.save(folder / "all.npy", np.stack(matrices[1:]))
    with pytest.raises(InputError, match="holds 7 people, and the table has 8"):
        propose_config(folder, files="all.npy")


@pytest.mark.parametrize("column", ["code", "scanner", "visit"])
def test_what_is_written_again_stays_as_it_was(tmp_path, column):
    """Of people in BIDS, whose table is written beside the config: 001 is not 1."""
    study, folder = Study(8), tmp_path / "study" / "derivatives" / "x"
    folder.mkdir(parents=True)
    xcp_d(folder, study)
    path = next(tmp_path.glob("study/**/participants.tsv"))
    table = pd.read_csv(path, sep="\t", dtype=str)
    entries = ["001", "1", "1.10", "1.1", "0", "10", "007", "1e3"]
    table.assign(**{column: entries}).to_csv(path, sep="\t", index=False)
    people = propose_config(folder, tmp_path / "mine.yaml").people
    assert people[column].tolist() == entries
    assert not [name for name in people.columns if ":" in name]


def folder_of(tmp_path, table, files):
    """Write a table of people and a matrix in each file; return the folder."""
    folder = tmp_path / "study"
    folder.mkdir()
    table.to_csv(folder / "people.csv", index=False)
    for seed, name in enumerate(files):
        values = np.triu(np.random.default_rng(seed).normal(size=(5, 5)), 1)
        np.savetxt(folder / name, values + values.T, delimiter=",")
    return folder


def test_numbers_of_rows_are_not_taken_for_people(tmp_path):
    """Both may be called as files are, and only one of them says whose they are."""
    ids = [3, 1, 2, 6, 4, 5]
    table = pd.DataFrame({"X": range(1, 7), "subject": ids, "group": list("aabbab")})
    folder = folder_of(tmp_path, table, [f"{k}.csv" for k in ids])
    with pytest.raises(InputError, match="columns X and subject .*name files, but not the same"):
        propose_config(folder, tmp_path / "mine.yaml")
    proposal = propose_config(folder, tmp_path / "mine.yaml", files="{subject}.csv")
    source = yaml.safe_load(proposal.text)["sources"]["folder"]
    found = [path.name for path in find_subjects(source).files.values()]
    assert found == [f"{k}.csv" for k in ids]


def test_a_column_that_says_the_same_or_fits_fewer_people_is_no_doubt(tmp_path):
    names = [f"s{k}" for k in range(6)]
    table = pd.DataFrame({"other": [*names[1:], "s9"], "who": names, "again": names})
    folder = folder_of(tmp_path, table.assign(group=list("aabbab")), [f"{n}.csv" for n in names])
    source = yaml.safe_load(propose_config(folder, tmp_path / "mine.yaml").text)
    assert source["sources"]["folder"]["id"] == "who"
    # What nothing in the folder uses is not passed over.
    for options, words in (
        (["--session", "1"], "ses: 1: this chooses among the names of BIDS"),
        (["--atlas-image", "a.nii"], "--atlas-image a.nii: "),
        (["--entity", "desc-x"], "--entity desc-x: give a name and a value"),
    ):
        asked = ["init", str(folder), "-o", str(tmp_path / "new.yaml"), *options]
        said = CliRunner().invoke(main, asked)
        assert said.exit_code == 1 and words in said.stderr


@pytest.mark.parametrize("column", ["class", "1st", "my group"])
def test_a_column_that_no_rule_can_name_is_to_be_renamed(tmp_path, column):
    names = [f"s{k}" for k in range(6)]
    table = pd.DataFrame({"who": names, column: list("aabbab")})
    folder = folder_of(tmp_path, table, [f"{name}.csv" for name in names])
    found = propose_config(folder, tmp_path / "mine.yaml").found
    assert any(one.startswith(f"rename the column {column!r}") for one in found)
