"""Phenotypes, expressions over them, and cohorts."""

import numpy as np
import pandas as pd
import pytest
import yaml
from contrast_subgraphs.core.atomic_files import load_table, save_table
from contrast_subgraphs.core.columns import as_written, internal, typed
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.core.graphs import SubjectGraphs
from contrast_subgraphs.data.people import find_subjects
from contrast_subgraphs.data.phenotypes import (
    NO_FILE,
    quality_ok,
    read_phenotypes,
    subject_names,
)
from contrast_subgraphs.design import question_of
from contrast_subgraphs.design.sizes import check_sizes
from contrast_subgraphs.graphs.cohorts import (
    build_cohort,
    check_cohorts,
    exclusions,
    group_labels,
)
from contrast_subgraphs.graphs.expressions import check_expression, evaluate
from hypothesis import given, settings
from hypothesis import strategies as st

GROUPS = {"td": "DX_GROUP == 2", "asd": "DX_GROUP == 1"}


def small_phenotypes():
    return pd.DataFrame(
        {
            "SITE_ID": ["NYU", "NYU", "UM_1", "UM_1", "UM_1", "NYU"],
            "SUB_ID": [1, 2, 3, 4, 5, 6],
            "FILE_ID": ["NYU_1", "NYU_2", "UM_1_3", "UM_1_4", "no_filename", "NYU_6"],
            "DX_GROUP": [1, 2, 1, 2, 1, 2],
            "AGE_AT_SCAN": [8.5, 9.5, 9.49, 10.51, 30.0, np.nan],
            "SEX": [1, 2, 1, 1, 2, 2],
            "FIQ": [100, -9999, 90, 120, 80, -9999],
            "EYE_STATUS_AT_SCAN": [1, 2, 1, 2, 1, 2],
            "EMPTY": [np.nan] * 6,
        }
    )


@pytest.fixture
def phenotypes(tmp_path):
    small_phenotypes().to_csv(tmp_path / "p.csv", index=False)
    return read_phenotypes(tmp_path / "p.csv")


def small_graphs(names):
    rng = np.random.default_rng(0)
    adjacency = np.zeros((len(names), 4, 4), np.uint8)
    for index in range(len(names)):
        upper = np.triu(rng.random((4, 4)) < 0.5, 1)
        adjacency[index] = upper | upper.T
    return SubjectGraphs(adjacency, np.array(names), np.array(list("abcd")))


def people(names, dx):
    """Phenotypes of no more than a diagnosis."""
    table = {"FILE_ID": names, "SUB_ID": range(len(names)), "SITE_ID": "A", "DX_GROUP": dx}
    return pd.DataFrame(table)


NO_EXCLUSIONS = pd.DataFrame({"subject": [], "reason": []})


def chosen(text, phenotypes):
    return np.flatnonzero(np.asarray(evaluate(text, phenotypes).fillna(False))).tolist()


def test_ages_are_rounded_halves_to_even(phenotypes):
    assert phenotypes["AGE_YEARS"].tolist()[:5] == [8, 10, 9, 11, 30]
    assert np.isnan(phenotypes["AGE_YEARS"][5])


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("AGE_YEARS <= 9", [0, 2]),
        ("9 <= AGE_YEARS < 11", [1, 2]),
        ("not AGE_YEARS <= 9", [1, 3, 4]),
        ("AGE_YEARS != 9", [0, 1, 3, 4]),
        ("SITE_ID == 'NYU' and SEX == 2", [1, 5]),
        ("SITE_ID in ('UM_1', 'KKI') or SEX == 2", [1, 2, 3, 4, 5]),
        ("SITE_ID not in ['UM_1']", [0, 1, 5]),
        ("FIQ not in (100, 90)", [3, 4]),
        ("FIQ > 0", [0, 2, 3, 4]),
        ("isna(FIQ)", [1, 5]),
        ("notna(FIQ) and SEX == 1", [0, 2, 3]),
        ("FIQ > 95 or SEX == 2", [0, 1, 3, 4, 5]),
        ("not (FIQ > 95 and SEX == 2)", [0, 2, 3, 4]),
        ("(AGE_YEARS + FIQ) / 2 - 1 >= 53", [0, 3, 4]),
        ("SUB_ID % 2 == 0", [1, 3, 5]),
        ("-SUB_ID > -3", [0, 1]),
        ("1 / (SUB_ID - 1) > 0", [1, 2, 3, 4, 5]),
        ("EMPTY == 3", []),
        ("not EMPTY == 'x'", []),
        ("isna(EMPTY)", [0, 1, 2, 3, 4, 5]),
        ("True", [0, 1, 2, 3, 4, 5]),
        ("SEX == 2\n  and SITE_ID == 'NYU'", [1, 5]),
    ],
)
def test_expressions(phenotypes, text, rows):
    check_expression(text, phenotypes.columns)
    assert chosen(text, phenotypes) == rows


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("AGE_YEARS <=", "cannot be understood"),
        ("AGE_YEARS = 9", "equality is written =="),
        ("", "cannot be understood"),
        ("AGE_YEARS", "not a condition"),
        ("AGE_YEARS + 1", "not a condition"),
        ("SEX == 'M'", "cannot be compared"),
        ("SITE_ID == NYU", "the column 'NYU'"),
        ("SEX == 1 & AGE_YEARS < 9", "write `and`"),
        ("~(SEX == 1)", "write `not`"),
        ("SITE_ID in 'NYU'", "a list of values"),
        ("SEX is 1", "`is` is not allowed"),
        ("SEX == None", "`None` is not allowed"),
        ("not SEX", "is a number, not a condition"),
        ("SITE_ID + 1 > 0", "is a text, not a number"),
        ("isna(SEX, FIQ)", "not allowed"),
        ("9 ** 9 ** 9 ** 9 > 1", "not allowed"),
        ("1" + "0" * 400 + " > SEX", "too large"),
        ("(" * 300 + "SEX == 1" + ")" * 300, "cannot be understood"),
        ("not " * 400 + "SEX == 1", None),
        ("SEX == 1 or " * 500, "too long"),
        ("SEX == 1\x00", "cannot be understood"),
    ],
)
def test_expressions_that_are_refused(phenotypes, text, complaint):
    if complaint is None:  # deep but right
        assert chosen(text, phenotypes) == chosen("SEX == 1", phenotypes)
        return
    with pytest.raises(InputError, match=complaint) as caught:
        evaluate(text, phenotypes)
    assert text[:20] in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('touch {path}')",
        "open('{path}', 'w')",
        "[open('{path}', 'w') for x in (1,)]",
        "(lambda: open('{path}', 'w'))()",
        "isna(open('{path}', 'w'))",
        "SEX == open('{path}', 'w')",
        "f'{{open(\"{path}\", \"w\")}}' == 'x'",
        "SITE_ID.__class__.__mro__",
        "SITE_ID[0] == 'N'",
        "(SEX := 1)",
    ],
)
def test_expressions_run_no_code(phenotypes, tmp_path, text):
    path = tmp_path / "made"
    with pytest.raises(InputError):
        evaluate(text.format(path=path), phenotypes)
    with pytest.raises(InputError):
        check_expression(text.format(path=path))
    assert not path.exists()


def test_unknown_column_lists_the_near_ones(phenotypes):
    for check in (
        lambda: evaluate("AGE_YEAR <= 9", phenotypes),
        lambda: check_expression("AGE_YEAR <= 9", phenotypes.columns),
        lambda: evaluate("age_years <= 9", phenotypes),
    ):
        with pytest.raises(InputError, match="did you mean AGE_YEARS") as caught:
            check()
        assert "FILE_ID" not in str(caught.value)  # not all of them, where one is near
    with pytest.raises(InputError, match="EYE_STATUS_AT_SCAN, FILE_ID, FIQ"):
        evaluate("GENDER == 1", phenotypes)
    check_expression("ANYTHING > 3 and OTHER == 'x'")


numbers = st.one_of(st.none(), st.integers(-3, 3))
conditions = st.recursive(
    st.builds(
        "{} {} {}".format,
        st.sampled_from(["A", "B", "A + B", "-A", "2"]),
        st.sampled_from(["<", "<=", ">", ">=", "==", "!="]),
        st.sampled_from(["A", "B", "1", "B * 2", "-1"]),
    ),
    lambda inner: st.one_of(
        st.builds("({} and {})".format, inner, inner),
        st.builds("({} or {})".format, inner, inner),
        st.builds("(not {})".format, inner),
    ),
    max_leaves=6,
)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(conditions, st.lists(st.tuples(numbers, numbers), min_size=1, max_size=8))
def test_expressions_mean_what_python_means(text, rows):
    """Known values: Python's own meaning. Unknown: true only if true whatever they are."""
    table = pd.DataFrame(rows, columns=["A", "B"], dtype=float)
    result = evaluate(text, table).fillna(False)
    for (a, b), mine in zip(rows, result, strict=True):
        values = [
            eval(text, {}, {"A": x, "B": y})  # noqa: S307
            for x in ([a] if a is not None else [-50, -1.5, 0.5, 50])
            for y in ([b] if b is not None else [-70, -2.5, 1.5, 70])
        ]
        if a is not None and b is not None:
            assert mine == values[0]
        elif mine:
            assert all(values)


def test_same_cohort_whatever_the_order_of_the_rows(phenotypes):
    graphs = small_graphs(["UM_1_4", "NYU_6", "NYU_1", "UM_1_3", "NYU_2"])
    first = None
    for seed in range(5):
        rows = phenotypes.sample(frac=1, random_state=seed)
        cohort, members, left_out = build_cohort(
            graphs, rows, NO_EXCLUSIONS, GROUPS, "young", "AGE_YEARS < 11"
        )
        assert cohort.subject.tolist() == ["NYU_2", "NYU_1", "UM_1_3"]
        assert cohort.y.tolist() == [0, 1, 1]
        assert members["group"].tolist() == ["td", "asd", "asd"]
        assert members["age"].tolist() == [9.5, 8.5, 9.49]
        assert members["sex"].tolist() == ["female", "male", "male"]
        assert members["eyes"].tolist() == ["closed", "open", "open"]
        for name, matrix in zip(cohort.subject, cohort.adjacency, strict=True):
            assert np.array_equal(matrix, graphs.take([name]).adjacency[0])
        assert left_out.to_numpy().tolist() == [["NYU_6", "unknown whether AGE_YEARS < 11"]]
        first = first or members.to_csv()
        assert members.to_csv() == first


def test_graphs_and_phenotypes_are_of_the_same_people(phenotypes):
    names = ["NYU_1", "NYU_2", "UM_1_3", "UM_1_4", "NYU_6"]
    rows = phenotypes[phenotypes["FILE_ID"] != "NYU_1"]
    with pytest.raises(InputError, match="NYU_1 .* not in the phenotypic file"):
        build_cohort(small_graphs(names), rows, NO_EXCLUSIONS, GROUPS, "all", "True")
    table = pd.DataFrame({"subject": names, "status": "used", "reason": ""})
    with pytest.raises(InputError, match="NYU_1 .* not in the phenotypic file"):
        exclusions(rows, [table])
    everybody = phenotypes[phenotypes["FILE_ID"].isin(names)]
    assert exclusions(everybody, [table.assign(reason=np.nan)]).empty
    graphs = small_graphs(names[1:])
    excluded = pd.DataFrame({"subject": ["SUB_ID 5"], "reason": ["no file in the release"]})
    cohort, members, left_out = build_cohort(graphs, rows, excluded, GROUPS, "all", "True")
    assert dict(zip(cohort.subject.tolist(), cohort.y.tolist(), strict=True)) == {
        "NYU_2": 0,
        "NYU_6": 0,
        "UM_1_4": 0,
        "UM_1_3": 1,
    }
    assert left_out.to_numpy().tolist() == [["SUB_ID 5", "no file in the release"]]


def test_cohorts_that_cannot_be(phenotypes):
    graphs = small_graphs(["NYU_1", "NYU_2", "UM_1_3", "UM_1_4", "NYU_6"])

    def build(where, groups=GROUPS, excluded=NO_EXCLUSIONS):
        build_cohort(graphs, phenotypes, excluded, groups, "mine", where)

    with pytest.raises(InputError, match="cohort mine is empty.*`AGE_YEARS > 90`"):
        build("AGE_YEARS > 90")
    with pytest.raises(InputError, match="mine has 0 td and 2 asd subjects"):
        build("AGE_YEARS <= 9")
    with pytest.raises(InputError, match="mine has 3 td and 0 asd"):
        build("DX_GROUP == 2")
    with pytest.raises(InputError, match="NYU_1 is in both groups"):
        build("True", {"td": "SEX == 1", "asd": "DX_GROUP == 1"})
    with pytest.raises(InputError, match="SUB_ID 5 is in the phenotypic file but has neither"):
        build("True")
    # The same, told before anything is downloaded.
    for where in ("AGE_YEARS > 90", "DX_GROUP == 2", "AGE_YEARS == 30", "AGE_YEAR == 3"):
        with pytest.raises(InputError):
            check_cohorts(phenotypes, GROUPS, {"mine": {"where": where}})
    misspelt = {"td": "SITE_ID == 'NYU' and SEX == 1", "asd": "SITE_ID != 'NYU'"}
    with pytest.warns(UserWarning, match="people are in none of the groups td, asd, such as"):
        check_cohorts(phenotypes, misspelt, {"mine": {"where": "True"}})
    sizes = check_cohorts(phenotypes, GROUPS, {"mine": {"where": "True"}})
    assert sizes.to_numpy().tolist() == [["mine", 3, 2]]


def test_who_has_no_graph_and_why(phenotypes):
    tables = [
        pd.DataFrame(
            {
                "subject": ["NYU_1", "NYU_2", "NYU_6"],
                "status": ["used", "excluded", "missing"],
                "reason": ["", "constant series: X", "the server answered 404"],
            }
        ),
        pd.DataFrame({"subject": ["UM_1_3", "UM_1_4"], "status": ["used"] * 2, "reason": ""}),
    ]
    table = exclusions(phenotypes, tables)
    assert table.to_numpy().tolist() == [
        ["NYU_2", "NYU", "constant series: X"],
        ["NYU_6", "NYU", "the server answered 404"],
        ["SUB_ID 5", "UM_1", "no file in the release"],
    ]
    with pytest.raises(InputError, match="UM_1 has no series of UM_1_3"):
        exclusions(phenotypes, tables[:1])
    with pytest.raises(InputError, match="quality_checked"):
        exclusions(phenotypes, tables, quality_checked=True)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda t: t.drop(columns="FILE_ID"), "lacks the column FILE_ID"),
        (lambda t: t.assign(FILE_ID="NYU_1"), "FILE_ID NYU_1 twice"),
        (lambda t: t.assign(SUB_ID=7), "SUB_ID 7 twice"),
        (lambda t: t.assign(AGE_AT_SCAN="ten"), "AGE_AT_SCAN must hold numbers: 'ten'"),
        (lambda t: t.assign(SITE_ID=[*t["SITE_ID"][:-1], ""]), "no SITE_ID in line 7"),
    ],
)
def test_bad_phenotypes(tmp_path, change, complaint):
    path = tmp_path / "p.csv"
    change(small_phenotypes()).to_csv(path, index=False)
    with pytest.raises(InputError, match=complaint) as caught:
        read_phenotypes(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"<html>\n<p>a, b, c</p>\nx", b"\xff\xfe\x00\x01"])
def test_files_that_are_no_phenotypes(tmp_path, content):
    path = tmp_path / "p.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"p\.csv"):
        read_phenotypes(path)
    with pytest.raises(InputError, match="none.csv"):
        read_phenotypes(tmp_path / "none.csv")


def test_real_phenotypes(shared):
    phenotypes = read_phenotypes(shared / "Phenotypic_V1_0b_preprocessed1.csv")
    assert len(phenotypes) == 1112
    with_file = (phenotypes["FILE_ID"] != NO_FILE).to_numpy()
    assert with_file.sum() == 1035
    assert (with_file & quality_ok(phenotypes)).sum() == 871
    assert not (phenotypes.select_dtypes("number") == -9999).any().any()
    y = group_labels(phenotypes, GROUPS)
    assert (y == 0).sum() + (y == 1).sum() == 1112


def test_a_phenotypic_file_that_is_cut_is_named(phenotypes, tmp_path):
    path = tmp_path / "phenotypes.csv"
    phenotypes.drop(columns="AGE_YEARS").to_csv(path, index=False)
    assert len(read_phenotypes(path)) == len(phenotypes)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(InputError, match=r"phenotypes\.csv is cut.*[Dd]elete it"):
        read_phenotypes(path)


def test_who_lacks_a_covariate_is_kept_or_dropped(phenotypes):
    names = phenotypes["FILE_ID"].tolist()
    here = [name for name in names if name != "no_filename"]
    rows = phenotypes.assign(func_mean_fd=0.1)
    rows.loc[rows["FILE_ID"] == here[0], "func_mean_fd"] = np.nan
    given = small_graphs(here), rows, NO_EXCLUSIONS, GROUPS, "all", "FILE_ID != 'no_filename'"
    _, kept, _ = build_cohort(*given)
    graphs, members, left_out = build_cohort(*given, missing_covariates="drop")
    assert graphs.subject.tolist() == members["subject"].tolist()
    assert set(kept["subject"]) - set(members["subject"]) == {here[0], "NYU_6"}
    reasons = dict(zip(left_out["subject"], left_out["reason"], strict=True))
    assert reasons == {here[0]: "motion not known", "NYU_6": "age not known"}


def test_a_region_that_one_group_lacks_is_told(phenotypes):
    graphs = small_graphs(["NYU_1", "NYU_2", "UM_1_3", "UM_1_4", "NYU_6"])
    graphs.weights[:] = 1
    graphs.weights[np.ix_([0, 2], [2, 4, 5])] = 0  # the last region of the two with autism
    excluded = pd.DataFrame({"subject": ["SUB_ID 5"], "reason": ["no file in the release"]})
    with pytest.warns(UserWarning, match=r"cohort all: 1 region \(d\) .* group asd"):
        build_cohort(graphs, phenotypes, excluded, GROUPS, "all", "True")


def test_a_file_of_another_cohort_is_not_taken(phenotypes, tmp_path):
    graphs = small_graphs(["NYU_1", "NYU_2", "UM_1_3", "UM_1_4", "NYU_6"])
    volumes = pd.DataFrame({"subject": graphs.subject, "volumes": [50, 60, 70, 80, 90]})
    cohort, members, _ = build_cohort(
        graphs, phenotypes, NO_EXCLUSIONS, GROUPS, "young", "AGE_YEARS < 11", volumes
    )
    assert members["volumes"].tolist() == [60, 50, 70]
    assert members["motion"].isna().all()
    cohort.save(tmp_path / "old.npz")
    with pytest.raises(InputError, match="old.npz holds the cohort 'young'"):
        type(cohort).load(tmp_path / "old.npz")


def test_names_stay_as_they_are_written(tmp_path):
    table = pd.DataFrame({"subject": ["001", "NA"], "group": "td", "site": ["NA", "1"]})
    save_table(table, tmp_path / "t.tsv")
    assert load_table(tmp_path / "t.tsv").to_dict() == table.to_dict()
    rows = small_phenotypes().assign(SITE_ID=["NA", "NA", "null", "1", "2", "3"])
    rows.to_csv(tmp_path / "p.csv", index=False)
    read = read_phenotypes(tmp_path / "p.csv")
    assert read["SITE_ID"].tolist() == ["NA", "NA", "null", "1", "2", "3"]
    assert read["FIQ"].isna().sum() == 2


def test_a_phenotypic_file_without_rows_is_named(tmp_path):
    small_phenotypes().iloc[:0].to_csv(tmp_path / "p.csv", index=False)
    with pytest.raises(InputError, match="no rows"):
        read_phenotypes(tmp_path / "p.csv")


def test_the_documented_cohort_runs_on_the_real_phenotypes(shared, root):
    """README's own example has enough people for the folds of the default config."""
    phenotypes = read_phenotypes(shared / "Phenotypic_V1_0b_preprocessed1.csv")
    girls = yaml.safe_load((root / "examples" / "girls.yaml").read_text())["cohorts"]
    sizes = check_cohorts(phenotypes, GROUPS, girls)
    assert sizes.to_numpy().tolist() == [["girls", 25, 18]]
    check_sizes(np.repeat([0, 1], [25, 18]), "girls", 0.2, 5, ("td", "asd"))
    assert girls["girls"]["where"] in (root / "README.md").read_text()


def test_the_people_of_a_variable_are_those_of_whom_it_is_known():
    names = [f"S_{i}" for i in range(6)]
    rows = people(names, [1, 2, 1, 2, 1, 2])
    rows["score"] = [3.0, np.nan, 1.0, 2.0, 5.0, 4.0]
    asked = question_of({"variable": "score"}, "severity", {})
    given = small_graphs(names), rows, NO_EXCLUSIONS, {}, "severity", "True", None, "keep"
    with pytest.warns(UserWarning, match="1 of 6 people are left out: score not known"):
        graphs, members, left_out = build_cohort(*given, asked)
    assert graphs.y.tolist() == members["value"].tolist() == [3.0, 1.0, 2.0, 5.0, 4.0]
    assert (
        graphs.groups == () and graphs.question.kind == "variable" and members["group"].isna().all()
    )
    assert graphs.contrasts == ("more-with-severity", "less-with-severity", "symmetric")
    assert left_out.values.tolist() == [["S_1", "score not known"]]
    asked = {"severity": {"variable": "score", "where": "score > 10"}}
    with pytest.raises(InputError, match="the cohort severity is empty"):
        check_cohorts(rows, {}, asked)
    for column, words in (
        ("text", "contrasts.severity.variable: text must hold numbers"),
        ("same", "contrasts.severity: the variable is 1 in all 6 subjects"),
        ("scor", "there is no column 'scor': did you mean score"),
    ):
        rows["text"], rows["same"] = "x", 1
        with pytest.raises(InputError, match=words):
            check_cohorts(rows, {}, {"severity": {"variable": column, "where": "True"}})


def test_people_who_come_twice_have_both_graphs_or_none():
    names = [f"S_{i}" for i in range(7)]
    rows = people(names, [1, 2, 1, 2, 1, 2, 1])
    rows["who"] = ["a", "a", "b", "b", "c", "c", "d"]
    given = small_graphs(names), rows, NO_EXCLUSIONS, GROUPS, "change", "True", None, "keep"
    with pytest.warns(UserWarning, match="1 of 7 graphs are left out: one of the two groups only"):
        graphs, members, _ = build_cohort(*given, question_of({"paired": "who"}, "change", GROUPS))
    assert graphs.person.tolist() == members["person"].tolist() == [*"abc", *"abc"]
    assert graphs.y.tolist() == [0, 0, 0, 1, 1, 1]
    rows["who"] = "a"
    with pytest.raises(InputError, match=r"a \(who\) has more than one graph of one group"):
        check_cohorts(rows, GROUPS, {"change": {"paired": "who", "where": "True"}})


def test_several_groups_are_one_cohort():
    names = [f"S_{i}" for i in range(6)]
    rows, groups = (
        people(names, [3, 1, 2, 1, 2, 3]),
        {k: f"DX_GROUP == {i}" for k, i in zip("abc", (1, 2, 3), strict=True)},
    )
    given = small_graphs(names), rows, NO_EXCLUSIONS, groups, "any", "True", None, "keep"
    graphs, members, _ = build_cohort(*given, question_of({"several": True}, "any", groups))
    assert graphs.y.tolist() == [0, 0, 1, 1, 2, 2] and graphs.groups == ("a", "b", "c")
    assert members["group"].tolist() == list("aabbcc")
    assert graphs.contrasts == ("any-difference",)
    cohorts = {"any": {"several": True, "where": "True"}}
    assert check_cohorts(rows, groups, cohorts).loc[0, ["a", "b", "c"]].tolist() == [2, 2, 2]
    with pytest.raises(InputError, match="2 a, 2 b and 0 c .* all groups are needed"):
        check_cohorts(rows[rows["DX_GROUP"] < 3], groups, cohorts)


def test_expressions_over_columns_that_are_mostly_numbers_or_dates():
    """They are compared as texts; as numbers only if all of them are."""
    texts = {"age": ["7", "8", "old"], "day": ["31.1.2024", "1.2.2023", "n/a"]}
    texts["iso"] = ["2024-01-31"] * 3
    table = typed(pd.DataFrame(texts))
    assert evaluate("age == 'old'", table).tolist() == [False, False, True]
    assert evaluate("iso < '2024-02-01'", table).all()
    for text in ("age < 8", "age + 1 > 2", "-age > 1", "8 < age"):
        with pytest.raises(InputError, match="age must hold numbers: 'old' is not a number"):
            evaluate(text, table)
    with pytest.raises(InputError, match="`day` holds dates: only those like 2024-01-31"):
        evaluate("day < '2023-06-01'", table)


def test_a_user_s_column_wins_in_expressions(tmp_path):
    names = [f"sub-{k}" for k in range(4)]
    for name in names:
        (tmp_path / f"{name}.csv").write_text("1,0.5\n0.5,1\n")
    own = {
        "participant_id": names,
        "SUB_ID": ["50001", "50002", "50003", "50004"],
        "FILE_ID": ["a", "b", "b", "n/a"],
        "AGE_YEARS": ["25.4", "25.6", "26.4", "9"],
        "SEX": ["x", "y", "x", "y"],
        "gender": ["M", "F", "F", "M"],
        "site": ["NA", "A", "B", "n/a"],
    }
    pd.DataFrame(own).to_csv(tmp_path / "people.csv", index=False)
    source = {"subjects": tmp_path / "people.csv", "files": "{id}.csv", "sex": "gender"}
    people = find_subjects(source).table
    save_table(as_written(people), tmp_path / "phenotypes.csv")
    read = read_phenotypes(tmp_path / "phenotypes.csv")
    for text, chosen in {
        "SUB_ID != 50003": [0, 1, 3],
        "AGE_YEARS < 26": [0, 1, 3],
        "AGE_AT_SCAN < 26": [0, 1, 3],  # of AGE_YEARS, as none is called so
        "FILE_ID == 'b'": [1, 2],
        "isna(FILE_ID)": [3],
        "SEX == 'x'": [0, 2],
        "site != 'B'": [0, 1],
        "isna(site)": [3],
        "SITE_ID == 'unknown'": [3],
    }.items():
        assert np.flatnonzero(evaluate(text, read).fillna(False)).tolist() == chosen, text
    assert subject_names(read).tolist() == names
    assert internal(read, "SEX").tolist() == ["M", "F", "F", "M"]
