"""One awkward table of people, read by the workflow, the command line and in Python."""

import functools
import warnings

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.cli.asked import read_asked
from contrast_subgraphs.core.atomic_files import load_table, save_table
from contrast_subgraphs.core.columns import as_written, groups, identifiers, internal, typed
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.data.folder import read_folder
from contrast_subgraphs.data.manifest import own_files
from contrast_subgraphs.data.patterns import Pattern
from contrast_subgraphs.data.people import find_subjects, read_texts
from contrast_subgraphs.data.phenotypes import read_phenotypes
from contrast_subgraphs.design import of_variable, question_of
from contrast_subgraphs.graphs.cohorts import build_cohort
from contrast_subgraphs.graphs.correlation import site_graphs

N = 12
TABLE = {
    "participant_id": [f"{k:03d}" for k in range(1, N + 1)],
    "dx": ["NA", "None"] * (N // 2),
    "site": ["NA", "1", "1.0", "B"] * 2 + ["1", "NA", "B", "1.0"],
    "age": ["20.4", "20.6", ".", "n/a", "30", "31", "32", "33", "34", "35", "36", "NA"],
    "dose": [*map(str, range(N - 1)), "unknown"],
    "score": [*map(str, range(N - 1)), "-99"],
    "scan": [f"2024-01-{k:02d}" for k in range(1, N + 1)],
    "who": ["1.1", "1.1", "1.10", "1.10", "1", "1", "001", "001", "", "n/a", "2" * 20, "2" * 20],
    "SUB_ID": [str(50000 + k) for k in range(N)],
    "AGE_YEARS": ["25.6"] * 6 + ["26.4"] * 6,
}
#: Groups in expressions, as the command line takes them from the column.
WHERE = {"NA": "dx == 'NA'", "None": "dx == 'None'"}
FILES = {"files": "{id}.csv", "kind": "matrix"}


@pytest.fixture
def people(tmp_path):
    """The table, and a matrix for each of its people."""
    rng = np.random.default_rng(0)
    for name in TABLE["participant_id"]:
        matrix = np.abs(rng.normal(size=(5, 5)))
        np.savetxt(tmp_path / f"{name}.csv", matrix + matrix.T, delimiter=",")
    path = tmp_path / "people.tsv"
    pd.DataFrame(TABLE).to_csv(path, sep="\t", index=False)
    return path


@pytest.fixture
def workflow(people, tmp_path):
    """Return a cohort as the jobs of a run make it, from file to file."""

    def cohort(question=None, where="True", groups=WHERE, **source):
        given = {"subjects": people, **FILES, **source}
        save_table(as_written(find_subjects(given).table), tmp_path / "data" / "phenotypes.csv")
        data, table, _, _ = read_folder(given)
        graphs, _ = site_graphs(data, table, threshold=None, weights="weighted")
        found, members, _ = build_cohort(
            graphs,
            read_phenotypes(tmp_path / "data" / "phenotypes.csv"),
            pd.DataFrame({"subject": [], "reason": []}),
            groups,
            "all",
            where,
            question=question_of(question, "all", groups),
        )
        save_table(members, tmp_path / "graphs" / "all.tsv")
        return found, load_table(tmp_path / "graphs" / "all.tsv")

    return cohort


@pytest.fixture
def command_line(people, monkeypatch):
    """Return what `find` and `test` read for some options."""
    keys = "variable covariates blocks paired person names edges atlas missing_codes".split()
    how = {
        "exchange": "auto",
        "windows": None,
        "regions": "error",
        "id_column": "participant_id",
        "files": "{id}.csv",
    }
    how |= dict.fromkeys(("key", "header", "index", "decimal", "triangle"))

    def read(group_column=None, **options):
        given = dict.fromkeys(keys) | how | options
        return read_asked(groups=[str(people)], group_column=group_column, **given)

    return read


def by_name(graphs, values):
    """Return values by the names of the people."""
    return dict(zip(graphs.subject.tolist(), np.asarray(values).tolist(), strict=True))


@pytest.mark.filterwarnings("ignore")
def test_who_is_in_which_group(workflow, command_line, people):
    run, _ = workflow()
    told = command_line("dx").graphs
    in_python = groups(typed(read_texts(people)), "dx").tolist()
    expected = dict(zip(TABLE["participant_id"], in_python, strict=True))
    for graphs in (run, told):
        assert by_name(graphs, np.array(graphs.groups)[graphs.y]) == expected


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("column", "codes"), [("age", []), ("score", []), ("score", [-99]), ("dose", ["unknown"])]
)
def test_values_of_a_variable(workflow, command_line, people, column, codes):
    run, members = workflow({"variable": column}, groups={}, missing_codes=codes)
    told = command_line(variable=column, missing_codes=",".join(map(str, codes))).graphs
    texts = pd.read_csv(people, sep="\t", dtype=str, keep_default_na=False)
    texts = texts.replace({column: dict.fromkeys(map(str, codes), "n/a")})
    in_python = of_variable(texts[column])
    names = texts["participant_id"][in_python.rows].tolist()
    assert set(names) == set(run.subject) == set(told.subject)
    assert by_name(run, run.y) == by_name(told, told.y)
    assert dict(zip(members["subject"], members["value"], strict=True)) == by_name(run, run.y)
    order = [by_name(run, run.y)[name] for name in names]
    standard = (np.array(order) - np.mean(order)) / np.std(order)
    assert np.allclose(in_python.regressors[:, 0], standard)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("column", ["dose", "scan", "site"])
def test_what_is_no_variable(workflow, command_line, column):
    told = "dates" if column == "scan" else "must hold numbers"
    for read in (
        functools.partial(workflow, {"variable": column}, groups={}),
        functools.partial(command_line, variable=column),
        functools.partial(of_variable, TABLE[column]),
    ):
        with pytest.raises(InputError, match=told):
            read()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("column", ["dose", "scan"])
def test_what_is_no_covariate(command_line, column):
    with pytest.raises(InputError, match="dates|must hold numbers: 'unknown'"):
        command_line("dx", covariates=f"{column},site")


@pytest.mark.filterwarnings("ignore")
def test_covariates_and_blocks(command_line):
    found = command_line("dx", covariates="site,age", blocks="site")
    assert found.covariates["site"].dtype == "category"
    assert sorted(set(found.covariates["site"])) == ["1", "1.0", "B", "NA"]
    assert len(found.graphs.y) == len(found.blocks) == N - 3
    assert found.blocks.tolist() == found.covariates["site"].tolist()


@pytest.mark.filterwarnings("ignore")
def test_whose_graphs_these_are(workflow, command_line, people):
    run, _ = workflow({"paired": "who"})
    told = command_line("dx", paired="who").graphs
    in_python = identifiers(typed(read_texts(people)), "who")
    expected = dict(zip(TABLE["participant_id"], in_python, strict=True))
    expected = {name: one for name, one in expected.items() if one is not None}
    assert by_name(run, run.person) == by_name(told, told.person) == expected
    assert len(set(expected.values())) == 5  # 1.1, 1.10, 1, 001 and the one of twenty digits
    with pytest.warns(UserWarning, match="2 of 12 are left out: who not known"):
        command_line("dx", person="who")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("where", "of"),
    [
        ("SUB_ID != 50003", lambda t: t["SUB_ID"] != "50003"),
        ("AGE_YEARS < 26", lambda t: t["AGE_YEARS"] == "25.6"),
        ("site != 'B'", lambda t: t["site"] != "B"),
        ("dx != 'NA' or age < 25", lambda t: (t["dx"] == "None") | (t["age"] == "20.4")),
        ("age >= 20.5", lambda t: ~t["age"].isin(["20.4", ".", "n/a", "NA"])),
        ("AGE_AT_SCAN >= 20.5", lambda t: ~t["age"].isin(["20.4", ".", "n/a", "NA"])),
        ("dose == 'unknown' or dx == 'NA'", lambda t: (t["dose"] == "unknown") | (t["dx"] == "NA")),
    ],
)
def test_expressions_choose_by_the_user_s_columns(workflow, where, of):
    table = pd.DataFrame(TABLE)
    chosen = set(table["participant_id"][of(table)])
    run, _ = workflow(where=where)
    assert set(run.subject) == chosen


def test_names_that_begin_like_ours_are_refused(people):
    table = pd.DataFrame(TABLE).rename(columns={"dx": "contrast-subgraphs:dx"})
    table.to_csv(people, sep="\t", index=False)
    with pytest.raises(InputError, match="no name may begin with contrast-subgraphs:"):
        find_subjects({"subjects": people, **FILES})


def test_people_are_found_once_and_doubted_once(people, monkeypatch):
    """Who reads their files, or lists them, does neither again."""
    source = {"subjects": str(people), **FILES}
    subjects = find_subjects(source)
    monkeypatch.setattr(Pattern, "files", None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_folder(source, subjects)
        listed = own_files("folder", source, subjects)
    assert [one.subject for one in listed if one.role == "data"] == TABLE["participant_id"]
    with pytest.warns(UserWarning) as said:
        subjects.warn()
    columns = [str(one.message).split("the column ")[1].split(" ")[0] for one in said]
    # Of a person and a site it is asked whether 1, 1.0 and 001 are the same.
    assert columns == ["site", "score", "who"]


@pytest.mark.parametrize(("name", "key"), [("age", "age"), ("site", "site"), ("SEX", "sex")])
def test_known_columns_that_differ_by_capitals_are_asked_about(people, name, key):
    table = pd.DataFrame(TABLE).drop(columns=["age", "site"])
    other = name.swapcase() if name == "SEX" else name.capitalize()
    values = [str(k) for k in range(N)]
    table.assign(**{name: values, other: values[::-1]}).to_csv(people, sep="\t", index=False)
    source = {"subjects": str(people), **FILES}
    if name != "SEX":  # a column that is called as in the results is that
        with pytest.raises(InputError, match=rf"columns {name} and {other}.*sources.folder.{key}"):
            find_subjects(source)
    standard = {"age": "AGE_AT_SCAN", "site": "SITE_ID", "sex": "SEX"}[key]
    found = internal(find_subjects(source | {key: other}).table, standard)
    assert [str(int(one)) for one in found] == values[::-1]
