"""The tables: the paper's numbers beside ours, in three formats."""

import json

import pandas as pd
import pytest
from contrast_subgraphs.core.atomic_files import save_json
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.report.formats import plus_minus
from contrast_subgraphs.report.names import Names
from contrast_subgraphs.report.results import Results
from contrast_subgraphs.report.sentences import sentence, templates
from contrast_subgraphs.report.tables import TABLES
from contrast_subgraphs.report.tables.cohorts import cohorts_table
from contrast_subgraphs.report.tables.columns import described_columns, sidecar
from contrast_subgraphs.report.tables.omnibus import omnibus_table
from contrast_subgraphs.report.tables.paper import load_paper
from contrast_subgraphs.report.tables.parameters import parameters_table
from contrast_subgraphs.report.tables.runtime import runtime_table
from contrast_subgraphs.report.tables.sets import sets_table
from contrast_subgraphs.report.tables.significance import COLUMNS, chance, significance_notes
from contrast_subgraphs.report.tables.table import Shown, Table, written
from workflow_runs import RESULTS


@pytest.fixture(scope="module")
def paper():
    return load_paper()


GIVEN = {"source": "published", "groups": {"td": {}, "asd": {}}, "cohorts": {"children": None}}


def names_of(source="published", groups=("td", "asd"), **cohorts):
    return Names.of(
        {
            "source": source,
            "groups": {name: {} for name in groups},
            "cohorts": {name: {"label": label} for name, label in cohorts.items()},
        }
    )


def test_cohorts_have_the_paper_s_sizes_beside_ours(paper):
    members = {
        "children": pd.DataFrame({"group": ["td"] * 52 + ["asd"] * 49}),
        "girls": pd.DataFrame({"group": ["td"] * 3 + ["asd"] * 2}),
    }
    names = names_of(children="Children", girls="Girls")
    what = {"children": {"description": "Age ≤ 9"}, "girls": {"description": "SEX == 2"}}
    table = cohorts_table(members, names, what, paper)
    assert table.columns.tolist() == ["cohort", "description", "td", "asd", "paper_td", "paper_asd"]
    assert table.iloc[0].tolist() == ["children", "Age ≤ 9", 52, 49, 52, 49]
    assert table.iloc[1, 4:].isna().all()
    shown = TABLES["cohorts"].shown(table, names).texts
    assert shown.iloc[1].tolist() == ["Girls", "SEX == 2", "3", "2", "", ""]


def test_groups_have_their_own_names():
    names = names_of("folder", ("control", "patient"), all="All")
    members = {"all": pd.DataFrame({"group": ["control", "patient", "patient"]})}
    table = cohorts_table(members, names, {"all": {}}, load_paper(False))
    shown = TABLES["cohorts"].shown(table, names).texts
    assert shown.columns.tolist() == ["Cohort", "control", "patient"]
    assert shown.iloc[0].tolist() == ["All", "1", "2"]
    assert "paper" not in TABLES["cohorts"].shown(table, names).caption
    assert names("contrast", "patient-control") == "patient−control"
    names = names_of(children="Children")
    assert (names("cohort", "children"), names("contrast", "asd-td")) == ("Children", "ASD−TD")
    assert names("method", "cs-p1") == "CS-P1"


def test_without_the_paper_its_numbers_are_empty():
    members = {"children": pd.DataFrame({"group": ["td", "asd"]})}
    table = cohorts_table(members, names_of(children=""), {"children": None}, load_paper(False))
    assert table[["paper_td", "paper_asd"]].isna().all(axis=None)


def test_parameters_are_set_beside_the_paper_s(paper):
    accuracy = pd.DataFrame(
        {
            "cohort": ["children", "children"],
            "method": ["cs-p1", "cs-p1"],
            "protocol": ["paper", "nested"],
            "parameters": ['{"td-asd": 75, "asd-td": 80}', '{"td-asd": 90, "asd-td": 90}'],
        }
    )
    table = parameters_table(accuracy, paper)
    assert table["value"].tolist() == [75, 80] and table["paper_value"].tolist() == [70, 80]
    shown = TABLES["parameters"].shown(table, names_of(children="Children")).texts
    assert shown["Children"].tolist() == ["75 (paper 70)", "80 (paper 80)"]


def test_runtime_is_read_from_measurements(tmp_path):
    measured = tmp_path / "contrast/children-td-asd.tsv"
    measured.parent.mkdir()
    measured.write_text("s\th:m:s\tmax_rss\tcpu_time\n2.5\t0:00:02\t100.5\t3.25\n")
    table = runtime_table([measured])
    assert table.iloc[0].tolist() == ["contrast", "children-td-asd", 2.5, 3.25, 100.5]
    (tmp_path / "b.tsv").write_text("s\th:m:s\tmax_rss\tcpu_time\n")
    with pytest.raises(InputError, match=r"b\.tsv has no measurement"):
        runtime_table([tmp_path / "b.tsv"])


def test_three_formats_hold_the_same_table(tmp_path):
    made = Table(
        name="comparisons",
        columns="cohort mean",
        make=lambda given: pd.DataFrame({"cohort": ["a_b"], "mean": [0.123456789012345]}),
        show=lambda table, names: pd.DataFrame({"Cohort": ["a_b & c|d"], "Mean": ["0.12 ± 0.05"]}),
        notes=lambda table, names: ["50 % note"],
    )
    made.save(Results(GIVEN), tmp_path)
    assert made.load(tmp_path / "comparisons.csv")["mean"].tolist() == [0.123456789012345]
    markdown = (tmp_path / "comparisons.md").read_text(encoding="utf-8")
    assert "| a_b & c\\|d | 0.12 ± 0.05 |" in markdown
    assert markdown.endswith(" |\n\n50 % note\n")
    latex = (tmp_path / "comparisons.tex").read_text(encoding="utf-8")
    assert r"a\_b \& c|d & 0.12 $\pm$ 0.05 \\" in latex and r"\toprule" in latex
    assert (
        r"\caption{Differences of the mean accuracy" in latex
        and r"\footnotesize 50 \% note" in latex
    )


def test_latex_prints_every_sign_and_a_line_break_ends_no_row():
    table = pd.DataFrame({"a": ["x\\y^2 ~ <b> {c}", "one\nlabel"]})
    latex, markdown = (
        templates().get_template(f"table.{ending}").render(shown=Shown(table, "", []))
        for ending in ("tex", "md")
    )
    signs = (
        r"x\textbackslash{}y\textasciicircum{}2 \textasciitilde{} \textless{}b\textgreater{} \{c\}"
    )
    assert signs in latex and r"one label \\" in latex
    assert "| one label |" in markdown


def test_a_constant_wl_kern_has_a_note():
    table = pd.DataFrame(
        {
            "cohort": ["a", "b", "c"],
            "method": "wl-kern",
            "std": [0.0, 0.0, 0.1],
            "seeds": 1,
            "parameters": [f'{{"features": "{name}"}}' for name in ("last", "cumulative", "last")],
        }
    )
    names = names_of(a="Alpha", b="Beta", c="Gamma")
    (note,) = TABLES["accuracy"].notes(table, names)
    assert note.startswith("WL-Kern (Alpha)") and "features: cumulative" in note
    assert TABLES["accuracy"].notes(table[1:], names) == []


def test_another_cohort_s_file_in_place_of_this_one_s_is_noticed(tmp_path):
    record = {"cohort": "male", "contrast": "td-asd", "subgraphs": []}
    save_json(tmp_path / "children/td-asd.json", record)
    given = Results(GIVEN, contrasts=[tmp_path / "children/td-asd.json"])
    with pytest.raises(InputError, match=r"td-asd.json holds .* of male, not .* of children"):
        given.records()


def test_missing_parts_of_a_mean_are_left_out():
    assert plus_minus(float("nan"), 0.1) == ""
    assert plus_minus(0.5, float("nan")) == "0.50"


def test_the_sets_are_listed_with_what_each_explains():
    one = {"objective": 2.0, "upper_bound": 2.0, "optimal": True, "nodes": [0, 1]}
    first = one | {"regions": ["A_L", "B_R"], "percentile": 90, "alpha": 0.1, "explained": 0.4}
    second = one | {"regions": ["B_R", "C"], "explained": 0.25}
    record = {"cohort": "children", "contrast": "td-asd"}
    table = sets_table([record | {"subgraphs": [first | {"further": [second]}]}])
    assert table["set"].tolist() == [1, 2] and table["explained"].tolist() == [0.4, 0.25]
    shown = TABLES["sets"].shown(table, names_of(children="Children")).texts
    assert shown.iloc[1][["Explained", "Names"]].tolist() == ["25.0%", "B R; C"]


def test_people_who_come_several_times_are_people_and_graphs():
    given = {"source": "folder", "groups": {"after": {}, "before": {}}, "methods": []}
    given["cohorts"] = {"change": {"paired": "person"}, "growth": {"variable": "age"}}
    names = Names.of(given)
    members = {
        "change": pd.DataFrame({"group": ["after", "before"] * 2, "person": ["a", "a", "b", "b"]}),
        "growth": pd.DataFrame({"group": "", "value": [1, 2, 3]}),
    }
    table = cohorts_table(members, names, given["cohorts"], load_paper(False))
    assert table["people"].tolist() == [2, 3] and table["graphs"].tolist() == [4, 3]
    shown = TABLES["cohorts"].shown(table, names).texts
    assert shown[["Participants or pairs", "Graphs"]].to_numpy().tolist() == [
        ["2", "4"],
        ["3", "3"],
    ]


def test_of_several_groups_the_mean_f_and_p_are_shown_where_the_set_stands_out_most():
    tests = {"cohort": "any", "contrast": "any-difference", "percentile": [80.0, 90.0]}
    tests |= {"alpha": [2.0, 3.0], "objective": [6.0, 1.5], "size": [4, 3], "z": [1.0, 2.5]}
    tests |= {"density_a": 0.1, "density_b": 0.2, "density_c": float("nan"), "density_d": 0.1}
    tests = pd.DataFrame(tests | {"p_familywise": [0.2, 0.01], "p": 0.1, "p_contrast": 0.01})
    names = names_of("folder", ("a", "b", "c", "d"), all="All")
    table = omnibus_table(tests, names)
    assert table[["percentile", "mean_f", "groups"]].iloc[0].tolist() == [90, 3.5, "a, b and d"]
    shown = TABLES["omnibus"].shown(table, names).texts
    assert shown.iloc[0].tolist() == ["any", "a, b and d", "90", "3", "3.50", "2.50", "0.010"]


def test_columns_without_a_heading_are_for_programs():
    table = pd.DataFrame({"alpha": [0.05], "y": 1})
    assert written(table, None, "alpha y").to_dict("list") == {"α": ["0.0500"]}


def test_many_tests_that_find_a_difference_are_counted():
    row = {"cohort": "a", "contrast": "td-asd", "test": "nbs-extent", "statistic": 5.0, "p": 0.01}
    row |= {"threshold": 3.1, "edges": 5, "regions": 4}
    for count, expected in ((2, "p ≤ 0.05: A, TD−ASD: nbs, extent; A"), (7, "7 have p ≤ 0.05.")):
        table = pd.DataFrame([row] * count)
        shown = TABLES["group_tests"].shown(table, names_of(a="A"))
        assert expected in shown.notes[0] and shown.texts["t from"].tolist() == ["3.1"] * count


def test_an_r_below_0_is_explained_where_there_is_one():
    one = {"cohort": "a", "method": "edges", "protocol": "nested", "r_mean": 0.5, "r_std": 0.1}
    one |= dict.fromkeys("mae_mean adjusted_r nuisance_r control_r control_mae".split(), 3.25)
    table = pd.DataFrame([one | {"p_value": 0.01, "p_holm": 0.02}])
    shown = TABLES["prediction"].shown(table, names_of(a="A"))
    assert shown.notes == [] and shown.texts["Error, permuted"].tolist() == ["3.25"]
    said = TABLES["prediction"].shown(table.assign(nuisance_r=-0.6), names_of(a="A")).notes
    assert len(said) == 1 and said[0].startswith("r below 0: worse than the same value for all")


def test_sides_are_shown_where_they_are_known():
    one = dict.fromkeys(TABLES["systems"].columns.split(), 1.0)
    one |= {"cohort": "a", "contrast": "td-asd", "grouping": "system", "group": "Visual"}
    known = TABLES["systems"].shown(pd.DataFrame([one | {"left": 3, "right": 0}]), names_of(a="A"))
    assert known.texts[["Left", "Right"]].iloc[0].tolist() == ["3", "0"]
    unknown = pd.DataFrame([one | {"left": 0, "right": 0, "midline": 0}])
    assert not {"Left", "Right", "Midline"} & set(
        TABLES["systems"].shown(unknown, names_of(a="A")).texts
    )


def test_the_caption_of_accuracies_explains_the_columns_that_are_there():
    def said(*columns):
        return sentence("tables.txt", "accuracy_caption", names_of(a="A"), columns)

    everything = said("Adjusted, nested", "Overlap of sets, nested", "Within sites, nested")
    for words in ("motion", "Jaccard index: 0 for none", "each site only"):
        assert words in everything and words not in said("Accuracy, nested")


def test_two_who_are_matched_are_a_pair_and_not_a_person():
    given = {"source": "folder", "groups": {"wt": {}, "ko": {}}, "methods": []}
    given["cohorts"] = {"litter": {"paired": "pair"}, "all": {}}
    names = Names.of(given)
    one = dict.fromkeys(COLUMNS.split(), 1.0) | {"contrast": "wt-ko", "exact": False}
    one |= {"adjusted": None, "blocks": "person", "permutations": 49}
    table = pd.DataFrame([one | {"cohort": name} for name in given["cohorts"]])
    assert any("within each person" in note for note in significance_notes(table, names))
    (said,) = (n for n in significance_notes(table[:1], names) if n.startswith("litter"))
    assert said == "litter: 49 random permutations within each pair."
    assert names.title("litter") == "Do the brain networks of wt and ko differ within pairs?"


def test_a_smaller_p_by_the_tail_is_shown_and_explained():
    one = dict.fromkeys(COLUMNS.split(), 1.0) | {"cohort": "a", "contrast": "td-asd"}
    one |= {"p_familywise": 0.01, "p_familywise_tail": 0.0004, "exact": False, "blocks": "none"}
    names = names_of(a="A")
    shown = TABLES["significance"].shown(pd.DataFrame([one]), names)
    assert shown.texts["by the tail"].tolist() == ["0.0004"]
    assert any(note.startswith("By the tail") for note in shown.notes)
    plain = TABLES["significance"].shown(pd.DataFrame([one | {"p_familywise_tail": 0.01}]), names)
    assert "by the tail" not in plain.texts and not any("tail" in note for note in plain.notes)
    assert chance().shown(pd.DataFrame([one]), names).texts["by the tail"].tolist() == ["0.0004"]


def test_what_no_weights_allow_is_none_in_the_table_of_what_would_have_been_found():
    row = {"cohort": "children", "regions": 5, "difference": float("nan"), "low": float("nan")}
    row |= {"high": float("inf"), "d": float("nan"), "r": float("nan")}
    known = {"regions": 10, "difference": 0.1493, "low": 0.1467, "high": 0.1514}
    table = pd.DataFrame([row, row | known | {"d": 2.756, "r": 0.809}])
    shown = TABLES["would_find"].shown(table, names_of(children="Children"))
    assert shown.texts.iloc[0].tolist() == ["Children", "5", "none", "", "", ""]
    assert shown.texts.iloc[1].tolist() == [
        "Children", "10", "+0.149", "+0.147 to +0.151", "2.76", "0.81"
    ]  # fmt: skip
    assert "80 % of cases" in shown.caption


def test_every_column_of_every_table_of_a_run_is_described(small_run):
    """And its sidecar has no other; what is measured has its unit."""
    tables = sorted((small_run / RESULTS / "tables").glob("*.csv"))
    assert len(tables) > 15
    for path in tables:
        columns = list(pd.read_csv(path, nrows=0))
        known = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        assert list(known) == columns
        for column in columns:
            assert len(known[column]["Description"]) > 5, (path.name, column)
    cohorts = json.loads((small_run / RESULTS / "tables/cohorts.json").read_text())
    assert cohorts["td"]["Units"] == "graphs" and cohorts["cohort"]["Levels"]["male"] == "Male"
    regions = json.loads((small_run / RESULTS / "tables/regions.json").read_text())
    assert regions["x"]["Units"] == "mm" and regions["hemisphere"]["Levels"]["M"] == "midline"
    assert regions["z"]["Units"] == "mm"  # of other tables z is no place
    subgraphs = json.loads((small_run / RESULTS / "tables/subgraphs.json").read_text())
    assert subgraphs["density_td"]["Description"].startswith("Mean over the people of this group")


@pytest.mark.parametrize("name", TABLES)
def test_the_columns_that_a_table_must_have_are_described(name):
    names = names_of()
    table = pd.DataFrame(columns=TABLES[name].columns.split())
    assert all("Description" in one for one in sidecar(name, table, names).values())


def test_a_group_called_like_a_column_is_that_group():
    names = names_of("folder", ("size", "mean"))
    table = pd.DataFrame(columns=["size", "density_mean", "mean_weight_mean", "paper_size"])
    of_cohorts = sidecar("cohorts", table, names)
    assert of_cohorts["size"]["Description"].startswith("Graphs of this group")
    assert of_cohorts["paper_size"]["Description"].startswith("The paper's number")
    for column in ("density_mean", "mean_weight_mean"):
        assert sidecar("subgraphs", table, names)[column]["Description"].startswith("Mean over")
    # Other tables have no column of a group alone.
    assert sidecar("subgraphs", table, names)["size"]["Description"] == "Regions in the set."


def test_nothing_is_described_that_no_table_has(small_run):
    """A description whose column was renamed would stay behind."""
    described = described_columns()
    assert described.keys() - {"shared"} == set(TABLES)
    for path in (small_run / RESULTS / "tables").glob("*.csv"):
        columns = set(pd.read_csv(path, nrows=0))
        own = {one for one in described[path.stem] or {} if "<group>" not in one}
        optional = {"people", "graphs", "values"} if path.stem == "cohorts" else set()
        assert own - columns - optional == set(), path.name
