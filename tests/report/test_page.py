"""The page: its numbers come from the files, it stands alone, and lacks what a run lacks."""

import base64
import copy
import json
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.core.atomic_files import load_json, load_table, save_json, save_table
from contrast_subgraphs.core.data_warnings import PEOPLE
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design.cohort_graphs import CohortGraphs
from contrast_subgraphs.report.figures import FIGURES
from contrast_subgraphs.report.figures.figure import View
from contrast_subgraphs.report.figures.style import save
from contrast_subgraphs.report.findings import (
    CohortFindings,
    Finding,
    _finding,
    _permutations_needed,
    answer,
    cards,
    findings,
    kept_after_adjustment,
    leakage_sentences,
    motion_in_scores,
    verdict,
)
from contrast_subgraphs.report.names import Names
from contrast_subgraphs.report.page import _other_densities, build_report
from contrast_subgraphs.report.provenance import collect_provenance
from contrast_subgraphs.report.results import Results
from contrast_subgraphs.report.sentences import sentence, unbroken
from contrast_subgraphs.report.tables import TABLES
from contrast_subgraphs.report.tables.significance import COLUMNS
from small_report import small_config, small_graphs, write_run


@pytest.fixture(scope="module")
def run(tmp_path_factory, root):
    made = write_run(tmp_path_factory.mktemp("run"), root)
    folder = tmp_path_factory.mktemp("figures")
    view = View(Results(made["config"], contrasts=made["contrasts"]), "children")
    for name in ("example", "alpha_path", "alpha_path-adolescents"):
        save(FIGURES[name.partition("-")[0]].draw(view), folder / f"{name}.png")
    made["figures"] = sorted(folder.glob("*.png"))
    return made


def arguments(run, **changes):
    keys = ("config", "tables", "figures", "contrasts", "graphs", "atlas")
    return {key: run[key] for key in keys} | changes


@pytest.fixture(scope="module")
def page(run, tmp_path_factory, root):
    path = tmp_path_factory.mktemp("page") / "report.html"
    provenance = collect_provenance(run["config"], run["graphs"].values(), root)
    build_report(path, **arguments(run), provenance=provenance)
    return path.read_text(encoding="utf-8")


class Page(HTMLParser):
    """Elements of a page: tags with their attributes, and the texts of its tables."""

    VOID = {"meta", "link", "img", "input", "br", "hr"}

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.cells, self.text = [], [], {}, []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, f"</{tag}> after {self.open[-1:]}"
        self.open.pop()

    def handle_data(self, data):
        tags = [tag for tag, _ in self.open]
        if "script" in tags or "style" in tags:
            return
        self.text.append(data)
        if tags and tags[-1] == "td":
            table = next(a["id"] for t, a in reversed(self.open) if t == "table")
            self.cells.setdefault(table, []).append(data)


def words(text):
    return re.sub(r"\s+", " ", " ".join(Page(text).text))


def sections(text):
    return [a["id"] for tag, a in Page(text).tags if tag == "section"]


def test_page_is_well_formed_and_complete(page):
    parsed = Page(page)
    assert not parsed.open
    ids = [a["id"] for _, a in parsed.tags if "id" in a]
    assert len(ids) == len(set(ids))
    assert sections(page) == [
        "where", "predict", "paper", "data", "provenance", "cite", "methods",
    ]  # fmt: skip
    for _, attributes in parsed.tags:
        if attributes.get("href", "").startswith("#"):
            assert attributes["href"][1:] in ids
        for name in ("aria-labelledby", "for", "aria-controls"):
            if name in attributes and not attributes[name].startswith("viewer-tab"):
                assert attributes[name] in ids
    images = [a for tag, a in parsed.tags if tag == "img"]
    assert len(images) == 3 and all(len(a["alt"]) > 30 for a in images)
    assert len(page.encode()) < 15e6


def test_page_asks_nothing_of_the_network(page):
    for _, attributes in Page(page).tags:
        for name in ("src", "href", "data", "srcset", "action", "poster"):
            value = attributes.get(name, "#")
            assert value.startswith(("#", "data:")), value
    policy = next(a["content"] for t, a in Page(page).tags if a.get("http-equiv") and t == "meta")
    assert "default-src 'none'" in policy and "http" not in policy
    style = re.search(r"<style>(.*?)</style>", page, re.S).group(1)
    assert "url(" not in style and "@import" not in style


def test_same_bytes_each_time(run, page, tmp_path, root):
    provenance = collect_provenance(run["config"], run["graphs"].values(), root)
    build_report(tmp_path / "again.html", **arguments(run), provenance=provenance)
    assert (tmp_path / "again.html").read_text(encoding="utf-8") == page


NUMBERS = {
    "accuracy": ("mean", 0.4321, ["0.43"]),
    "cohorts": ("td", 77_077_077, ["77077077"]),
    "comparisons": ("difference", 0.3456, ["0.35"]),
    "parameters": ("value", "66.77", ["66.77"]),
    "regions": ("degree", 7.6543, ["7.654"]),
    "systems": ("count", 83_083_083, ["83083083 ("]),
    "subgraphs": ("density_td", 0.9876, ["0.99"]),
    "alternatives": ("nearest", 0.12345, ["0.123"]),
    "excluded": ("reason", "fell asleep", ["fell asleep"]),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_come_from_the_tables(name, run, page, tmp_path):
    column, value, shown = NUMBERS[name]
    table = load_table(run["tables"][name])
    table[column] = table[column].astype(object)
    table.loc[:, column] = value
    changed = tmp_path / run["tables"][name].name
    save_table(table, changed)
    build_report(tmp_path / "report.html", **arguments(run, tables=run["tables"] | {name: changed}))
    before, after = words(page), words((tmp_path / "report.html").read_text(encoding="utf-8"))
    for text in shown:
        assert text not in before and text in after


def test_headline_and_sentences_come_from_the_accuracy_table(run, tmp_path):
    table = load_table(run["tables"]["accuracy"])
    here = (table["cohort"] == "children") & (table["method"] == "cs-p2")
    table.loc[here & (table["protocol"] == "paper"), ["mean", "control_mean"]] = 0.871, 0.862
    table.loc[here & (table["protocol"] == "nested"), ["mean", "control_mean"]] = 0.513, 0.494
    save_table(table, tmp_path / "accuracy.csv")
    build_report(
        tmp_path / "report.html",
        **arguments(run, tables={"accuracy": tmp_path / "accuracy.csv"}),
    )
    text = words((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "0.87 (CS-P2)" in text and "0.86 ± 0.04" in text and "0.51 ±" in text


def test_the_first_screen_answers_from_the_tables(run, page):
    subgraphs, regions = (load_table(run["tables"][name]) for name in ("subgraphs", "regions"))
    here = (subgraphs["cohort"] == "children") & (subgraphs["contrast"] == "td-asd")
    row = subgraphs[here & (subgraphs["percentile"] == 80)].iloc[0]
    top = words(page).split("Where the groups differ Is it")[0]
    assert f"{row['size']} regions" in top and f"the density is {row['density_td']:.2f}" in top
    here = (regions["cohort"] == "children") & (regions["contrast"] == "td-asd")
    assert (regions[here & (regions["percentile"] == 80)]["system"].iloc[0]) in top
    assert "(20 TD, 20 ASD)" in top and "Not tested" in words(page)
    cells = Page(page).cells["table-found"]
    assert {"in TD"} <= set(cells) and any(cell.startswith("Adolescents") for cell in cells)


def found_in(run, effects=None, **p):
    """Findings of the small run, with these family-wise p-values for each set."""
    tables = {name: load_table(path) for name, path in run["tables"].items() if name != "excluded"}
    rows = [
        {
            "cohort": cohort, "contrast": contrast, "percentile": at, "p_familywise": value,
            "p": value, "p_contrast": value, "z": 3 - value, "size": 8, "permutations": 1000,
        }
        for cohort, values in p.items() for contrast, at, value in values
    ]  # fmt: skip
    names = Names.of(run["config"])
    tables |= {"significance": pd.DataFrame(rows)}
    if effects is not None:
        tables["effects"] = pd.DataFrame(effects)
    return findings(tables, names, run["config"]), names, tables


def test_the_answer_begins_with_no_where_nothing_is_more_than_chance(run):
    found, names, tables = found_in(run, children=[("td-asd", 80, 0.3), ("asd-td", 80, 0.41)])
    assert verdict(found, names)["word"] == "No"
    text = answer(found, names)
    assert text.startswith(
        "No: it is not shown that TD and ASD differ by more than chance (p = 0.30)"
    )
    size, chance = cards(found, tables, names, 20)[:2]
    assert chance["answer"] == "May be chance" and "ASD−TD p = 0.41" in chance["note"]
    assert "It may be chance." in size["note"]


@pytest.mark.parametrize(
    ("difference", "says"),
    [
        (0.1493, "+0.149 or more inside 10 regions (d = 2.76) would have been found in 80"),
        (np.nan, "No difference inside 10 regions would have been found in 80"),
    ],
)
def test_where_nothing_is_found_a_card_says_what_would_have_been(run, difference, says):
    row = {"cohort": "children", "difference": difference, "d": 2.756, "share": 0.8, "level": 0.05}
    rows = pd.DataFrame([row | {"regions": count} for count in (5, 10, 20)])
    for p, there in ((0.3, True), (0.03, False)):
        found, names, tables = found_in(run, children=[("td-asd", 80, p)])
        chance = cards(found, tables | {"would_find": rows}, names, 20)[1]
        assert (says in chance["note"]) == there
        assert "would have been" not in cards(found, tables, names, 20)[1]["note"]


def test_what_is_said_of_a_set_has_the_level_of_the_answer(run):
    """p = .03 of one of two cohorts: with a correction for both the answer is no Yes."""
    row = {"cohort": "children", "difference": 0.1493, "d": 2.756, "share": 0.8, "regions": 10}
    rows = pd.DataFrame([row | {"level": 0.025}])
    tests = {"children": [("td-asd", 80, 0.03), ("asd-td", 80, 0.6)]}
    found, names, tables = found_in(run, **tests, adolescents=[("td-asd", 80, 0.5)])
    assert [one.level for one in found] == [0.025, 0.025]
    assert verdict(found, names)["word"] == "Perhaps"
    size, chance = cards(found, tables | {"would_find": rows}, names, 20)[:2]
    assert chance["answer"] == "Perhaps more than chance"
    assert "% of cases, corrected for the 2 cohorts." in chance["note"]
    assert "It may be chance once corrected for the 2 cohorts." in size["note"]
    assert "It may be chance." in size["note"]  # the other direction
    # The answer is Yes once the other cohort is named first.
    found, names, tables = found_in(run, **tests, adolescents=[("td-asd", 80, 0.001)])
    assert {one.cohort: one.level for one in found} == {"adolescents": 0.025, "children": 0.05}
    assert len(verdict(found, names)["beyond"]) == 2


@pytest.mark.parametrize(
    ("p", "given", "answers", "says"),
    [
        (0.01, 0.02, "Yes", "TD−ASD p = 0.020, without them p = 0.010"),
        (0.01, 0.3, "Not shown", "What “TD−ASD” shows may be such a pattern"),
        (0.3, 0.01, "Perhaps", "In “TD−ASD” they may hide a local difference"),
        (0.3, 0.2, None, ""),
        (0.01, np.nan, None, ""),
    ],
)
def test_a_card_says_whether_a_difference_is_local(run, p, given, answers, says):
    found, names, tables = found_in(run, children=[("td-asd", 80, p)])
    table = tables["significance"].assign(p_given_modes=given, modes=5)
    found = findings(tables | {"significance": table}, names, run["config"])
    said = [one for one in cards(found, tables, names, 20) if one["question"] == "Is it local?"]
    assert [one["answer"] for one in said] == ([answers] if answers else [])
    assert all(says in one["note"] for one in said)


def test_modes_hide_nothing_that_is_seen_without_them(run):
    """By itself a direction can be more than chance where its cohort is not."""
    found, names, tables = found_in(run, children=[("td-asd", 80, 0.3)])
    table = tables["significance"].assign(p_given_modes=0.04, modes=5, p_contrast=0.04)
    found = findings(tables | {"significance": table}, names, run["config"])
    said = [one for one in cards(found, tables, names, 20) if one["question"] == "Is it local?"]
    assert "p = 0.040, without them p = 0.040" in said[0]["note"]
    assert "hide" not in said[0]["note"]


def test_few_permutations_are_named_where_p_cannot_be_smaller(run):
    found, names, _ = found_in(run, children=[("td-asd", 80, 0.05)])
    few = [replace(one, found=[replace(one.found[0], permutations=19)]) for one in found]
    assert "(p = 0.050, the smallest that 19 permutations can give)" in answer(few, names)
    assert "smallest" not in answer(found, names)


def test_few_words_say_where_the_regions_are():
    systems = {"cerebellum": 6, "frontal": 4, "visual": 1, "limbic": 1}
    one = Finding("TD−ASD", "TD", "ASD", "in TD", "", 80, ["a"] * 12, systems, 0.5, 0.3)
    assert one.where() == "6 cerebellum, 4 frontal, 2 elsewhere"
    assert replace(one, systems={}, regions=["1", "a_b"]).where() == "region 1 and a b"


def test_of_each_direction_the_set_that_stands_out_most_is_named(run):
    sets = [("td-asd", 80, 0.2), ("td-asd", 90, 0.02), ("asd-td", 80, 0.6)]
    effect = {"cohort": "children", "contrast": "td-asd", "percentile": 90}
    effect |= {"effect": -0.014, "low": -0.05, "high": 0.02, "d": -0.1, "in_sample": 0.1}
    found, names, tables = found_in(run, effects=[effect], children=sets)
    assert [one.percentile for one in found[0].found] == [90, 80]
    text = answer(found, names)
    assert text.startswith("Yes: TD and ASD differ by more than chance (p = 0.020)")
    assert "the density differs by −0.014 (−0.050 to +0.020)" in text
    size = cards(found, tables, names, 20)[0]
    assert size["answer"] == "−0.014" and "in these participants +0." in size["note"]


def test_of_graphs_of_one_density_a_direction_may_be_the_other_side(run):
    sets = [("td-asd", 80, 0.001), ("asd-td", 80, 0.02)]
    found, names, tables = found_in(run, children=sets)
    assert "the other side" not in cards(found, tables, names, 20)[1]["note"]
    for p, said in (
        (0.4, "ASD−TD may be the other side of TD−ASD"),
        (0.01, "is not only the other"),
    ):
        first = found[0]
        two = [replace(first.found[0], other_side=0.005), replace(first.found[1], other_side=p)]
        note = cards([replace(first, found=two)], tables, names, 20)[1]["note"]
        assert said in note and "TD−ASD is not only the other side of ASD−TD (p = 0.005" in note
        # Where a direction is not shown, there is nothing to explain.
        chance = [replace(one, p=0.3) for one in two]
        note = cards([replace(first, found=chance)], tables, names, 20)[1]["note"]
        assert "the other side" not in note


def test_how_well_a_variable_is_predicted_is_a_card():
    asked = {"older": {"variable": "age", "label": "Age"}}
    names = Names.of({"source": "folder", "groups": {}, "cohorts": asked, "methods": []})
    ends = ("higher age", "lower age", "with higher age", "standard deviation of age")
    one = Finding("More with age", *ends, 90, ["1", "2"], {}, None, None)
    first = CohortFindings("older", "Age", "31 participants", [one], None, "", None)
    row = {"cohort": "older", "method": "cs-p1", "protocol": "nested", "r_mean": 0.45}
    row |= {"mae_mean": 5.21, "control_r": np.nan, "p_value": 0.03}
    card = cards([first], {"prediction": pd.DataFrame([row])}, names, 20)[-1]
    assert card["question"] == "Does it tell age in new participants?"
    assert card["answer"] == "r = +0.450" and card["note"].endswith("error 5.21, p = 0.030.")
    row |= {"r_mean": -0.2, "control_r": -0.1, "control_mae": 5.5}
    card = cards([first], {"prediction": pd.DataFrame([row])}, names, 20)[-1]
    assert "with permuted values r = −0.100, error 5.5, p" in card["note"]
    assert card["note"].endswith("Below 0 is worse than the same value for all.")
    assert len(cards([first], {}, names, 20)) == 2


def test_an_interaction_is_called_by_its_variable():
    asked = {"inter": {"interaction": "age", "groups": ["con", "pat"], "label": "inter"}}
    names = Names.of({"source": "folder", "groups": {"con": {}, "pat": {}}, "cohorts": asked})
    assert names.sides("inter")[1] == "with higher age in pat than in con"
    assert list(names.contrasts("inter").values())[0] == "More with age in con"


def test_an_effect_says_of_what_it_is_a_slope():
    """Of a variable of two values it is a difference; of an interaction never."""
    asked = {"inter": {"interaction": "age"}, "old": {"variable": "age"}}
    asked |= {"rank": {"variable": "age", "ranks": True}, "two": {}}
    names = Names.of({"source": "folder", "groups": {"a": {}, "b": {}}, "cohorts": asked})
    found = {
        name: [question.unit(values) for values in (None, 2, 30)]
        for name, question in names.questions.items()
    }
    slope = "standard deviation of age"
    assert found["inter"] == [slope, slope, slope]
    assert found["old"] == [slope, "", slope]
    assert found["rank"][2] == "standard deviation of the ranks of age"
    assert set(found["two"]) == {""}
    # A slope that differs between groups is one of more of the variable in both directions.
    assert names.question("inter").units(30) == (slope, slope)
    assert names.question("old").units(30) == (slope, f"{slope} less")
    assert names.question("old").units(2) == names.question("two").units() == ("", "")


def test_the_sizes_of_each_question_are_those_of_the_table():
    groups = {"wt": {"label": "Wild type"}, "ko": {"label": "Knock-out"}}
    asked = {"ageing": {"variable": "age"}, "growth": {"variable": "age"}}
    asked |= {"litter": {"paired": "pair"}, "slope": {"interaction": "age"}, "both": None}
    config = {"source": "folder", "groups": groups, "cohorts": asked, "methods": []}
    config |= {"report": {"cohorts": list(asked)}}
    nothing = [np.nan, np.nan]
    table = pd.DataFrame(
        [["ageing", *nothing, 36, 36], ["growth", *nothing, 12, 24], ["litter", 12, 12, 12, 24]]
        + [["slope", 12, 12, 12, 24], ["both", 12, 11, 23, 23]],
        columns=["cohort", "wt", "ko", "people", "graphs"],
    )
    found = findings({"cohorts": table}, Names.of(config), config)
    assert [one.sizes for one in found] == [
        "36 participants",
        "12 participants with 24 graphs",
        "12 pairs of Wild type and Knock-out",
        "12 participants with 24 graphs: 12 Wild type, 12 Knock-out",
        "12 Wild type, 11 Knock-out",
    ]


def test_a_slope_of_the_second_direction_is_for_less_of_the_variable():
    """Else a positive number beside "more with lower age" reads as more weight for more age."""
    asked = {"older": {"variable": "age"}}
    config = {"source": "folder", "groups": {}, "cohorts": asked}
    names = Names.of(config)
    key = {"cohort": "older", "percentile": 90}
    sets = [key | {"contrast": name, "size": 2} for name in names.contrasts("older")]
    regions = pd.DataFrame(sets * 2).assign(region="x", system="", share=np.nan)
    tables = {"subgraphs": pd.DataFrame(sets), "regions": regions}
    more, less = (
        _finding(tables, names, "older", f"{name}-with-older", 90, place)
        for place, name in enumerate(("more", "less"))
    )
    assert (more.side, more.per) == ("with higher age", "standard deviation of age")
    assert (less.side, less.per) == ("with lower age", "standard deviation of age less")


def test_it_is_said_how_many_permutations_would_do():
    """Of an accuracy, corrected for all tests; of r; and of the first sentence."""
    assert [_permutations_needed(tests) for tests in (1, 2, 7)] == [19, 39, 139]
    for tests in (1, 2, 7):
        assert tests / (1 + _permutations_needed(tests)) <= 0.05 + 1e-12
        assert tests / _permutations_needed(tests) > 0.05


def test_no_line_ends_inside_a_p_value_or_a_percentage():
    said = unbroken("p = 0.02, 20 % of sets, p < 0.001 (d = −0.4): a < b, 3 regions")
    assert said == "p = 0.02, 20 % of sets, p < 0.001 (d = −0.4): a < b, 3 regions".replace(
        "p = 0", "p\xa0=\xa00"
    ).replace("20 %", "20\xa0%").replace("p < 0", "p\xa0<\xa00").replace("d = −", "d\xa0=\xa0−")


def test_graphs_of_another_density_than_asked_are_not_called_the_highest(run):
    """Of zeros and ones the highest fifth is whatever the ones are."""
    some = Results(run["config"], graphs=list(run["graphs"].values())).graphs.values()
    dense = np.concatenate([(one.weights != 0).mean(axis=1) for one in some])
    low, high = (f"{100 * value:.0f}" for value in (dense.min(), dense.max()))
    assert _other_densities(some, 0.2) == ""
    assert _other_densities(some, 0.4) == f"{low} to {high}"
    said = sentence("findings.txt", "network", 116, run["config"], False, "8 to 31")
    assert said.startswith("116 regions of the brain, 8 to 31 % of whose pairs are connected")
    assert "highest 20 %" not in said


def test_several_groups_at_once_are_one_of_the_questions(run):
    sets = {"children": [("td-asd", 80, 0.2)], "adolescents": [("td-asd", 80, 0.3)]}
    _, names, tables = found_in(run, **sets)
    config = run["config"]
    cohorts = config["cohorts"] | {"any": {"several": True, "label": "Any group"}}
    names = Names.of(config | {"cohorts": cohorts})
    assert names("cohort", "any") == "Any group" and "any" not in names.cohorts
    several = pd.DataFrame({"cohort": ["any"], "groups": "a, b and c", "p_familywise": 0.002})
    found = findings(tables | {"omnibus": several}, names, config)
    said = answer(found, names)
    assert said.endswith("Tested at once, TD and ASD differ by more than chance (p = 0.002).")
    assert said.startswith(
        "Yes: there is a difference beyond chance in all groups at once (1 of 3 questions, "
        "corrected for their number: p = 0.006). The set "
        "that stands out most, in Children (20 TD, 20 ASD), has"  # which may be chance
    )
    assert verdict(found, names)["corrected"] == pytest.approx(0.006)


def test_the_large_picture_and_the_view_are_of_the_clearest_cohort(run, tmp_path):
    rows = [
        {"cohort": cohort, "contrast": contrast, "percentile": 80, "z": z, "size": 8}
        | dict.fromkeys(("p", "p_contrast", "p_familywise"), p)
        for cohort, z, p in (("children", 0.5, 0.5), ("adolescents", 4.0, 0.01))
        for contrast in ("td-asd", "asd-td", "symmetric")
    ]
    known = {name: 1.0 for name in COLUMNS.split() if name not in rows[0]}
    known |= {"exact": False, "blocks": "none", "adjusted": ""}
    table = pd.DataFrame(rows).assign(**known)
    table.loc[table["contrast"] == "td-asd", "p_familywise"] = 0.6
    save_table(table, tmp_path / "significance.csv")
    files = {"graphs": list(run["graphs"].values()), "contrasts": run["contrasts"]}
    config = run["config"] | {"report": run["config"]["report"] | {"cohorts": ["children"]}}
    given = Results(config, **files, atlas=[run["atlas"]])
    given.significance = table
    given.effects = given.shares = given.held_out = None
    figure = FIGURES["contrast_clearest"].draw(View(given))
    above = figure.subfigs[0].subfigs
    # The set that is more than chance is above the one that may be chance.
    assert [("ASD−TD" in one.get_suptitle(), "chance" in one.get_suptitle()) for one in above] == [
        (True, False),
        (False, True),
    ]
    drawn = [tmp_path / f"{name}.png" for name in ("contrast_clearest", "contrast_large")]
    for path in drawn:
        save(figure, path)
    tables = run["tables"] | {"significance": tmp_path / "significance.csv"}
    changed = arguments(run, figures=drawn, tables=tables) | {"config": config}
    build_report(tmp_path / "report.html", **changed)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    text = words(page)
    assert "Adolescents (20 TD, 20 ASD), the cohort with the clearest difference" in text
    assert "Adolescents is the cohort with the smallest p of all" in text
    # The pictures of the cohort that the config names are folded below.
    order = ["Contrast subgraphs of Adolescents, where", "Pictures of Children"]
    assert text.index(order[0]) < text.index(order[1])
    # The view has a menu of both, and opens with the clearest cohort and its real set.
    view = json.loads(re.search(r'id="viewer-data">(.*?)</script>', page).group(1))
    assert [one["name"] for one in view["cohorts"]] == ["adolescents", "children"]
    assert view["cohorts"][0]["contrasts"][0]["name"] == "asd-td"
    # Where the pictured cohort is the clearest, and its sets are these, nothing is drawn twice.
    config["report"]["cohorts"] = ["adolescents"]
    config["report"]["clearest"] = True
    assert not FIGURES["contrast_clearest"].there(View(given))


def test_several_cohorts_are_all_said_and_the_clearest_is_first(run):
    sets = {"children": [("td-asd", 80, 0.3)]}
    sets["adolescents"] = [("td-asd", 80, 0.04), ("asd-td", 80, 0.5)]
    found, names, tables = found_in(run, **sets)
    assert [one.cohort for one in found] == ["adolescents", "children"]
    text = answer(found, names)
    assert text.startswith("Perhaps: in Adolescents") and "(p = 0.080)" in text
    chance = cards(found, tables, names, 20)[1]
    assert chance["answer"] == "Perhaps more than chance"
    assert chance["note"].endswith("Corrected for all that was asked: p = 0.080.")
    found, names, _ = found_in(run, **sets | {"adolescents": [("td-asd", 80, 0.004)]})
    said = answer(found, names)
    assert said.startswith(
        "Yes: there is a difference beyond chance in Adolescents (1 of 2 cohorts"
    )
    both = {"adolescents": [("td-asd", 80, 0.004)], "children": [("td-asd", 80, 0.049)]}
    found, names, _ = found_in(run, **both)
    assert "(2 of 2 cohorts" in answer(found, names)
    found, names, _ = found_in(run, **sets | {"adolescents": [("td-asd", 80, 0.2)]})
    assert answer(found, names).startswith("No: in none of 2 cohorts")


@pytest.mark.parametrize("count", [4, 7])
def test_from_five_sites_on_a_card_says_at_how_many_it_holds(run, count):
    found, names, tables = found_in(run, children=[("td-asd", 80, 0.3)])
    row = {"cohort": "children", "contrast": "td-asd", "percentile": 80, "holds": 3}
    row |= {"count": count, "mean": 0.02, "low": -0.01, "high": 0.05, "i2": 0.1}
    row |= {"predicted_low": -0.04, "predicted_high": 0.08}
    shown = cards(found, tables | {"over_sites": pd.DataFrame([row])}, names, 20)
    said = [card for card in shown if card["question"] == "Does it hold elsewhere?"]
    if count < 5:
        assert said == []
        return
    assert said[0]["answer"] == "At 3 of 7 sites"
    assert "mean over sites +0.020 (−0.010 to +0.050)" in said[0]["note"]
    assert "expected at a further site −0.040 to +0.080" in said[0]["note"]


def test_the_card_says_where_else_it_holds_and_what_is_confirmed(run):
    found, names, tables = found_in(run, children=[("td-asd", 80, 0.3)])
    pairs = [("children", "male", 0.02), ("children", "old", np.nan), ("male", "children", 0.1)]
    others = [
        {"cohort": one, "elsewhere": two, "contrast": "td-asd", "effect": effect}
        for one, two, effect in pairs
    ]
    claims = [
        {"cohort": "children", "set": name, "p_holm": p, "effect": 0.1, "low": 0.05, "high": 0.15}
        for name, p in (("temporal", 0.01), ("frontal", 0.3), ("left out", np.nan))
    ]
    more = {"others": pd.DataFrame(others), "confirmed": pd.DataFrame(claims)}
    [card] = [
        one
        for one in cards(found, tables | more, names, 20)
        if one["question"] == "Does it hold elsewhere?"
    ]
    assert card["answer"] == "1 of 2 claims confirmed"
    assert "of 1 of 1 other cohorts who are not in this one" in card["note"]
    assert "temporal: confirmed, +0.100 (+0.050 to +0.150), corrected p = 0.01" in card["note"]
    assert "frontal: not confirmed" in card["note"] and "left out" not in card["note"]


def test_each_cohort_that_is_named_holds_after_correction(run):
    """p = .001, .04, .03: one is named, the others are not, whatever their own p."""
    names = Names.of(run["config"])
    found, _, _ = found_in(run, children=[("td-asd", 80, 0.001)])
    [one, *_] = found
    several = [
        replace(one, cohort=name, label=name, p=p)
        for name, p in (("a", 0.001), ("b", 0.04), ("c", 0.03), ("d", 0.045))
    ]
    said = verdict(several, names)
    assert [one.label for one in said["beyond"]] == ["a"]
    assert [one.label for one in said["perhaps"]] == ["b", "c", "d"]
    text = answer(several, names)
    assert text.startswith("Yes: there is a difference beyond chance in a (1 of 4 cohorts")
    assert "Perhaps in b, c and d, which are beyond chance before that correction alone" in text


@pytest.mark.parametrize(
    ("p", "low", "words"),
    [
        (0.2, 0.01, "not clearly more than what a search over all sets finds by chance"),
        (0.02, -0.01, "how large it is in new participants is not, since the interval holds 0"),
        (0.2, -0.01, ""),
        (0.02, 0.01, ""),
    ],
)
def test_what_seems_to_contradict_itself_is_explained(run, p, low, words):
    effect = {"cohort": "children", "contrast": "td-asd", "percentile": 80}
    effect |= {"effect": 0.05, "low": low, "high": 0.2, "d": 0.5, "in_sample": 0.1}
    found, names, _ = found_in(run, effects=[effect], children=[("td-asd", 80, p)])
    text = answer(found, names)
    explained = ("not clearly more than", "is not, since the interval holds 0")
    if words:
        assert words in text
    else:
        assert not any(one in text for one in explained)


def test_the_subjects_are_called_as_the_config_says(run, tmp_path):
    config = json.loads(json.dumps(run["config"]))
    config["source"], config["report"]["subjects"] = "folder", "mice"
    build_report(tmp_path / "report.html", **arguments(run, config=config))
    text = words((tmp_path / "report.html").read_text(encoding="utf-8"))
    text = text.split("The whole configuration")[0]
    assert "new mice" in text
    assert not re.search(r"\b(people|persons?|participants?|diagnos\w+)\b", text)


def test_a_second_picture_of_the_same_sets_is_left_out(run, tmp_path):
    view = View(Results(run["config"], contrasts=run["contrasts"]), "children")
    assert view.nodes("contrast_small") != view.nodes("contrast_large")
    shutil.copy(run["figures"][0], tmp_path / "contrast_small.png")
    for same in (False, True):
        config = json.loads(json.dumps(run["config"]))
        config["report"]["contrast_small"] |= config["report"]["contrast_large"] if same else {}
        given = arguments(run, config=config, figures=[tmp_path / "contrast_small.png"])
        build_report(tmp_path / "report.html", **given)
        text = (tmp_path / "report.html").read_text(encoding="utf-8")
        assert ("figure-contrast_small" in text) is not same


def test_how_files_were_read_is_said(run, tmp_path):
    said = "60 files: 116 regions, named by a header; decimal points"
    build_report(tmp_path / "report.html", config=run["config"], tables={}, reading=said)
    assert f"Read: {said}." in words((tmp_path / "report.html").read_text(encoding="utf-8"))


def test_warnings_are_listed_once(run, tmp_path):
    # The noun of the config stands where a warning leaves room for it, and nowhere else.
    of_people = f"3 {PEOPLE}, data/people.tsv"
    for job, text in (("cohort-a", "one\ntwo\n"), ("cohort-b", f"two\nthree <b>\n{of_people}\n")):
        (tmp_path / "graphs").mkdir(exist_ok=True)
        (tmp_path / f"graphs/{job}.warnings").write_text(text, encoding="utf-8")
    paths = [tmp_path / f"graphs/cohort-{name}.warnings" for name in "abc"]
    config = copy.deepcopy(run["config"])
    config["report"]["subjects"] = "mice"
    build_report(tmp_path / "report.html", config=config, tables={}, warned=paths)
    text = words((tmp_path / "report.html").read_text(encoding="utf-8"))
    told = "cohort-a one two graphs: cohort-b three <b> 3 mice, data/people.tsv"
    assert f"What to know about these data graphs: {told}" in text


def test_regions_of_which_only_the_names_are_known(run, tmp_path):
    atlas = load_table(run["atlas"])
    atlas[["hemisphere", "system", "x", "y", "z"]] = ""
    save_table(atlas, tmp_path / "data/atlas.tsv")
    given = Results(
        run["config"],
        graphs=list(run["graphs"].values()),
        contrasts=run["contrasts"],
        atlas=[tmp_path / "data/atlas.tsv"],
    )
    tables = dict(run["tables"])
    for name in ("regions", "systems"):
        TABLES[name].save(given, tmp_path)
        tables[name] = tmp_path / f"{name}.csv"
    drawn = []
    for name in ("answer", "contrast_large", "contrast_symmetric", "difference", "degrees"):
        drawn.append(tmp_path / f"{name}.png")
        save(FIGURES[name].draw(View(given, "children")), drawn[-1])
    changed = arguments(run, tables=tables, figures=drawn, atlas=tmp_path / "data/atlas.tsv")
    build_report(tmp_path / "report.html", **changed)
    parsed = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    hidden = [a["id"] for _, a in parsed.tags if "hidden" in a and "id" in a]
    assert hidden == ["viewer-plot", "viewer-node", "viewer-edge"]  # which need coordinates
    assert "plotly.js" not in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not {"table-systems", "table-claims"} & set(parsed.cells)
    assert any("bare" in a.get("class", "") for _, a in parsed.tags)  # no column of systems
    headings = " ".join(parsed.text)
    assert "Set by set" in headings and "BrainNet Viewer need coordinates" in headings
    assert "among them" in headings


def test_groups_of_the_user_are_called_so_everywhere(run, tmp_path):
    config = json.loads(json.dumps(run["config"]))
    config["source"] = "folder"
    config["groups"] = {
        "control": {"label": "Controls", "where": ""},
        "patient": {"label": "Patients", "where": ""},
    }
    names = Names.of(config)
    kinds = dict(zip(("td-asd", "asd-td", "symmetric"), names.contrasts("children"), strict=True))
    for figure in ("contrast_large", "contrast_small"):
        drawn = config["report"][figure]
        config["report"][figure] = {kinds[name]: value for name, value in drawn.items()}
    graphs, contrasts = {}, []
    for cohort, path in run["graphs"].items():
        graphs[cohort] = tmp_path / f"graphs/{cohort}.npz"
        replace(CohortGraphs.load(path), groups=("control", "patient")).save(graphs[cohort])
    for path in run["contrasts"]:
        record = load_json(path)
        record["contrast"] = kinds[record["contrast"]]
        contrasts.append(tmp_path / f"{record['cohort']}/{record['contrast']}.json")
        save_json(contrasts[-1], record)
    given = Results(config, graphs=list(graphs.values()), contrasts=contrasts, atlas=[run["atlas"]])
    tables, drawn = {}, []
    for name in ("subgraphs", "regions", "systems", "alternatives"):
        TABLES[name].save(given, tmp_path)
        tables[name] = tmp_path / f"{name}.csv"
    for name in ("contrast_large", "contrast_small", "alpha_path"):
        drawn.append(tmp_path / f"{name}.png")
        save(FIGURES[name].draw(View(given, "children")), drawn[-1])
    build_report(
        tmp_path / "report.html",
        config=config,
        tables=tables,
        figures=drawn,
        contrasts=contrasts,
        graphs=graphs,
        atlas=run["atlas"],
    )
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    shown = words(text).split("The whole configuration")[0]
    assert "Do the brain networks of Controls and Patients differ?" in shown
    assert "Patients−Controls" in shown and "denser" not in shown
    assert not re.search(r"\b(TD|ASD|td|asd)\b", shown)
    assert "Beside the paper" not in shown and "table-claims" not in text


def test_tables_can_be_taken_from_the_page(run, page):
    links = {a["download"]: a["href"] for tag, a in Page(page).tags if "download" in a}
    data = base64.b64decode(links["regions.csv"].split(",")[1])
    assert data == run["tables"]["regions"].read_bytes() and "accuracy.csv" in links


def test_the_3d_view_holds_the_contrasts_and_their_edges(run, page):
    data = json.loads(
        re.search(r'<script type="application/json" id="viewer-data">(.*?)</script>', page).group(1)
    )
    assert [cohort["name"] for cohort in data["cohorts"]] == ["children", "adolescents"]
    record = load_json(run["contrasts"][0])
    assert record["contrast"] == "td-asd"
    shown = data["cohorts"][0]["contrasts"][0]["subgraphs"]
    assert [s["nodes"] for s in shown] == [s["nodes"] for s in record["subgraphs"]]
    graphs = small_graphs()
    a = graphs.adjacency[graphs.y == 0].mean(axis=0) - graphs.adjacency[graphs.y == 1].mean(axis=0)
    nodes = shown[0]["nodes"]
    heavy = {(i, j) for i in nodes for j in nodes if i < j and a[i, j] >= 0.1}
    assert {(i, j) for i, j, _ in shown[0]["edges"]} == heavy
    assert all(w == pytest.approx(a[i, j], abs=1e-4) for i, j, w in shown[0]["edges"])
    half = data["surface"][0]
    places = np.frombuffer(base64.b64decode(half["places"]), "<i2").reshape(-1, 3) / 100
    faces = np.frombuffer(base64.b64decode(half["faces"]), "<u2").reshape(-1, 3)
    assert places.shape == (10242, 3) and faces.max() == 10241
    assert places[:, 0].max() < 10 and places[:, 0].min() < -50  # the left half
    assert page.count("plotly.js (gl3d - minified)") == 1


def test_what_a_run_lacks_the_page_lacks(run, tmp_path):
    path = tmp_path / "report.html"
    build_report(path, config=run["config"], tables={})
    text = path.read_text(encoding="utf-8")
    assert sections(text) == ["provenance", "cite", "methods"]
    assert not any(tag == "img" for tag, _ in Page(text).tags) and len(text) < 60e3

    cohorts = {"cohorts": run["tables"]["cohorts"]}
    build_report(path, config=run["config"], tables=cohorts)
    assert sections(path.read_text(encoding="utf-8")) == ["data", "provenance", "cite", "methods"]


@pytest.mark.parametrize("protocol", ["paper", "nested"])
def test_one_protocol_and_one_method(protocol, run, tmp_path):
    table = load_table(run["tables"]["accuracy"])
    table = table[(table["protocol"] == protocol) & (table["method"] == "cs-p1")]
    save_table(table, tmp_path / "accuracy.csv")
    build_report(
        tmp_path / "report.html",
        config=run["config"],
        tables={"accuracy": tmp_path / "accuracy.csv"},
    )
    text = words((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert ("Ours, nested" in text) == (protocol == "nested")
    assert ("test part has already helped" in text) == (protocol == "paper")
    assert "(CS-P2)" not in text and "CS-P2 measures" in text  # which the config names
    assert not re.search(r"\bnan\b", text)


def test_methods_without_contrast_subgraphs(run, tmp_path):
    table = load_table(run["tables"]["accuracy"])
    save_table(table[table["method"] == "edges"], tmp_path / "accuracy.csv")
    build_report(
        tmp_path / "report.html",
        config=run["config"],
        tables={"accuracy": tmp_path / "accuracy.csv"},
    )
    assert "all edges" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_rules_solver_and_runtime_are_shown(run, tmp_path):
    rules = pd.DataFrame(
        {
            "cohort": ["children"], "rule": ["half"], "text": ["fewer than half: TD"],
            "section": ["1.2"], "part": ["held out"], "selected": [12], "correct": [7],
            "precision": [0.583], "recall": [0.31], "share": [0.51], "control_precision": [0.5],
        }
    )  # fmt: skip
    solver = pd.DataFrame(
        {
            "cohort": ["children"], "contrast": ["asd-td"], "percentile": [85], "alpha": [0.0659],
            "solver": ["densdp"], "objective": [2.7], "upper_bound": [3.1], "gap": [0.129],
            "optimal": [False], "seconds": [0.4],
        }
    )  # fmt: skip
    runtime = pd.DataFrame(
        {
            "stage": ["graphs"], "job": ["NYU"], "seconds": [12.34], "cpu_seconds": [11.0],
            "memory_mb": [321],
        }
    )  # fmt: skip
    recovery = pd.DataFrame(
        {
            "cohort": ["children"], "contrast": ["td-asd"], "effect": [0.6], "percentile": [90],
            "planted": [12], "found": [14], "common": [11], "precision": [0.7857],
            "recall": [0.9167],
        }
    )  # fmt: skip
    tables = {}
    made = {"rules": rules, "solver": solver, "runtime": runtime, "recovery": recovery}
    for name, table in made.items():
        tables[name] = tmp_path / f"{name}.csv"
        save_table(table, tables[name])
    build_report(tmp_path / "report.html", config=run["config"], tables=tables)
    cells = Page((tmp_path / "report.html").read_text(encoding="utf-8")).cells
    assert cells["table-rules"][:3] == ["Children", "fewer than half: TD (Section 1.2)", "held out"]
    assert {"0.58", "0.31", "12"} <= set(cells["table-rules"])
    assert cells["table-solver"][-3:] == ["0.1290", "0.40", "no"]
    assert cells["table-recovery"][-2:] == ["0.79", "0.92"]
    assert cells["table-runtime"] == ["graphs", "NYU", "12.3", "11.0", "321"]


def test_texts_cannot_break_out_of_the_page(run, tmp_path):
    config = json.loads(json.dumps(run["config"]))
    config["cohorts"]["children"]["label"] = "</script><b>Kids</b>"
    contrasts = [p for p in run["contrasts"] if p.parent.name == "children"]
    build_report(
        tmp_path / "report.html",
        **arguments(run, config=config, contrasts=contrasts, figures=[]),
    )
    parsed = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert not any(tag == "b" for tag, _ in parsed.tags) and not parsed.open


def test_provenance_has_hashes_versions_and_commit(run, page, root):
    provenance = collect_provenance(run["config"], run["graphs"].values(), root)
    first = provenance["files"][0]
    assert first["sha256"] in words(page) and len(first["sha256"]) == 64
    assert provenance["versions"]["numpy"] == np.__version__
    assert "percentiles:" in page  # the whole config
    assert collect_provenance(run["config"])["run"]["seed"] == 0


# --- what cannot be shown -----------------------------------------------------------


def test_bad_input_is_named(run, tmp_path):
    path = tmp_path / "report.html"
    with pytest.raises(InputError, match="no table 'acuracy'"):
        build_report(path, config=run["config"], tables={"acuracy": path})
    with pytest.raises(InputError, match="accuracy.csv does not exist"):
        build_report(path, config=run["config"], tables={"accuracy": tmp_path / "accuracy.csv"})
    with pytest.raises(InputError, match="no figure 'portrait'"):
        build_report(path, config=run["config"], tables={}, figures=["portrait.png"])
    (tmp_path / "example.png").write_bytes(b"\x89PNG cut")
    with pytest.raises(InputError, match="example.png"):
        build_report(path, config=run["config"], tables={}, figures=[tmp_path / "example.png"])
    with pytest.raises(InputError, match="its graphs are not"):
        build_report(path, config=run["config"], tables={}, contrasts=run["contrasts"])
    broken = tmp_path / "td-asd.json"
    broken.write_text('{"subgraphs": 3}', encoding="utf-8")
    with pytest.raises(InputError, match="td-asd.json"):
        build_report(path, config=run["config"], tables={}, contrasts=[broken])
    save_table(pd.DataFrame({"cohort": ["children"]}), tmp_path / "cohorts.csv")
    with pytest.raises(InputError, match="lacks the column"):
        build_report(path, config=run["config"], tables={"cohorts": tmp_path / "cohorts.csv"})
    assert not path.exists()


def test_a_page_too_large_for_a_mail_is_refused(run, tmp_path, monkeypatch):
    monkeypatch.setattr("contrast_subgraphs.report.page.LARGEST", 1e5)
    with pytest.raises(InputError, match="fewer cohorts"):
        build_report(tmp_path / "report.html", **arguments(run))


# --- the sentences ------------------------------------------------------------------


@pytest.fixture(scope="module")
def names(root):
    return Names.of(small_config(root))


def accuracy_rows(**changes):
    row = {
        "cohort": "children", "method": "cs-p2", "protocol": "paper", "mean": 0.85, "std": 0.06,
        "control_mean": 0.86, "control_std": 0.05, "permutations": 20, "p_value": 0.6,
        "p_holm": 0.6, "site_permutations": 0, "site_p_value": np.nan, "site_control_mean": np.nan,
        "paper_mean": 0.86, "paper_std": 0.04,
    } | changes  # fmt: skip
    return pd.DataFrame([row, row | {"protocol": "nested", "mean": 0.5, "control_mean": 0.49}])


def test_sentences_say_what_the_table_says(names):
    text = " ".join(leakage_sentences(accuracy_rows(), names, (23, 24)))
    assert "0.85 (CS-P2), where the paper prints 0.86" in text and "can be reproduced" in text
    assert "scores 0.86 (CS-P2) on Children; in 1 of 1" in text
    assert "the accuracy is 0.50 (permuted labels: 0.49), in 0 of 1" in text
    assert "23 of 24 here are proven optimal" in text
    # The control is the one that p is from.
    within = accuracy_rows(site_permutations=20, site_p_value=0.6, site_control_mean=0.47)
    assert "(permuted labels: 0.47)" in " ".join(leakage_sentences(within, names))


def test_sentences_follow_a_run_in_which_the_paper_is_not_reproduced(names):
    text = " ".join(leakage_sentences(accuracy_rows(mean=0.6), names))
    assert "cannot be reproduced" in text and "in 0 of 1 pair" in text


def test_sentences_claim_no_significance_that_few_permutations_cannot_give(names):
    text = " ".join(leakage_sentences(accuracy_rows(permutations=5), names))
    assert "by chance" not in text and "permuted at random" in text


def test_sentences_without_controls_and_without_the_paper(names):
    nothing = {"control_mean": np.nan, "p_value": np.nan, "paper_mean": np.nan}
    table = accuracy_rows(**nothing)
    table["control_mean"] = np.nan
    text = " ".join(leakage_sentences(table, names))
    assert "permuted" not in text and "prints" not in text and "nan" not in text
    assert len(leakage_sentences(accuracy_rows(), names)) == 5


def test_what_accuracies_keep_after_adjustment_is_said(names):
    row = dict(cohort="children", method="cs-p1", mean=0.63, control_mean=0.4)
    row |= dict(site_control_mean=0.5, site_permutations=20)
    rows = pd.DataFrame([row | {"adjusted_mean": 0.53, "nuisance_mean": 0.57}])
    assert kept_after_adjustment(rows, names) == (
        "On Children, CS-P1 keeps 3 of 13 points above permuted labels once what is known of age, "
        "sex, motion and scan length is regressed out of the features; these alone score 0.57."
    )
    assert kept_after_adjustment(rows.assign(adjusted_mean=np.nan), names) == ""


def test_motion_in_the_scores_is_said(names):
    row = dict(cohort="children", protocol="nested", variant="none", method="edges")
    row |= dict(partial_r=0.22, p_confound=0.0005, likelihood_ratio=35.0, p_added=1e-6)
    silent = row | dict(method="cs-p1", p_confound=0.5, p_added=0.4)
    text = motion_in_scores(pd.DataFrame([row, silent]), "children", names)
    assert "edges (partial r 0.22, p < 0.001) follows motion" in text
    assert "edges (likelihood ratio 35.0, p < 0.001) says more" in text
    alone = motion_in_scores(pd.DataFrame([row | {"method": "site"}]), "children", names)
    assert alone == ""  # the site says nothing beside the site
    text = motion_in_scores(pd.DataFrame([silent]), "children", names)
    assert "no method's scores follow motion by more than chance" in text
    assert motion_in_scores(pd.DataFrame([silent]), "male", names) == ""
