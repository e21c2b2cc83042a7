"""The tables: the paper's numbers beside ours, in three formats."""

import pandas as pd
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.core.files import load_table
from contrast_subgraphs.report.tables.accuracy import accuracy_notes
from contrast_subgraphs.report.tables.cohorts import cohorts_shown, cohorts_table
from contrast_subgraphs.report.tables.formats import plus_minus, save_formats
from contrast_subgraphs.report.tables.paper import load_paper
from contrast_subgraphs.report.tables.parameters import parameters_shown, parameters_table
from contrast_subgraphs.report.tables.runtime import runtime_table


@pytest.fixture(scope="module")
def paper(root):
    return load_paper()


def test_cohorts_have_the_paper_s_sizes_beside_ours(paper):
    members = {
        "children": pd.DataFrame({"group": ["td"] * 52 + ["asd"] * 49}),
        "girls": pd.DataFrame({"group": ["td"] * 3 + ["asd"] * 2}),
    }
    cohorts = {"children": {"description": "Age ≤ 9"}, "girls": {"description": "SEX == 2"}}
    table = cohorts_table(members, cohorts, paper)
    assert table.columns.tolist() == ["cohort", "description", "td", "asd", "paper_td", "paper_asd"]
    assert table.iloc[0].tolist() == ["children", "Age ≤ 9", 52, 49, 52, 49]
    assert table.iloc[1, 4:].isna().all()
    shown = cohorts_shown(table, {"children": "Children", "girls": "Girls"})
    assert shown.iloc[1].tolist() == ["Girls", "SEX == 2", 3, 2, "", ""]


def test_without_the_paper_its_numbers_are_empty():
    members = {"children": pd.DataFrame({"group": ["td", "asd"]})}
    cohorts = {"children": {"description": ""}}
    table = cohorts_table(members, cohorts, load_paper(False))
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
    shown = parameters_shown(table, {"children": "Children"})
    assert shown["Children"].tolist() == ["75 (paper 70)", "80 (paper 80)"]


def test_runtime_is_read_from_measurements(tmp_path):
    (tmp_path / "a.tsv").write_text("s\th:m:s\tmax_rss\tcpu_time\n2.5\t0:00:02\t100.5\t3.25\n")
    table = runtime_table([("contrast", "children-td-asd", tmp_path / "a.tsv")])
    assert table.iloc[0].tolist() == ["contrast", "children-td-asd", 2.5, 3.25, 100.5]
    (tmp_path / "b.tsv").write_text("s\th:m:s\tmax_rss\tcpu_time\n")
    with pytest.raises(InputError, match=r"b\.tsv has no measurement"):
        runtime_table([("contrast", "x", tmp_path / "b.tsv")])


def test_three_formats_hold_the_same_table(tmp_path):
    table = pd.DataFrame({"cohort": ["a_b"], "mean": [0.123456789012345]})
    shown = pd.DataFrame({"Cohort": ["a_b & c|d"], "Mean": [plus_minus(0.123456, 0.05)]})
    paths = [tmp_path / f"t.{ending}" for ending in ("csv", "md", "tex")]
    save_formats(table, shown, *paths, caption="100 % sure", notes=["50 % note"])
    assert load_table(paths[0])["mean"].tolist() == [0.123456789012345]
    assert "| a_b & c\\|d | 0.12 ± 0.05 |" in paths[1].read_text(encoding="utf-8")
    latex = paths[2].read_text(encoding="utf-8")
    assert r"a\_b \& c|d & 0.12 $\pm$ 0.05 \\" in latex and r"\toprule" in latex
    assert r"\caption{100 \% sure}" in latex and r"\footnotesize 50 \% note" in latex
    assert paths[1].read_text(encoding="utf-8").endswith(" |\n\n50 % note\n")


def test_a_constant_wl_kern_has_a_note():
    table = pd.DataFrame(
        {
            "cohort": ["a", "b", "c"],
            "method": "wl-kern",
            "std": [0.0, 0.0, 0.1],
            "parameters": [f'{{"features": "{name}"}}' for name in ("last", "cumulative", "last")],
        }
    )
    (note,) = accuracy_notes(table, {"a": "Alpha", "b": "Beta", "c": "Gamma"})
    assert note.startswith("WL-Kern (Alpha)") and "features: cumulative" in note
    assert accuracy_notes(table[1:], {"b": "Beta", "c": "Gamma"}) == []


def test_missing_parts_of_a_mean_are_left_out():
    assert plus_minus(float("nan"), 0.1) == ""
    assert plus_minus(0.5, float("nan")) == "0.50"
