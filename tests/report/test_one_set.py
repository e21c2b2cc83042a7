"""Set, p, effect, share, picture and rows of tables of a card are of one contrast and penalty."""

import html
import json
import re

import numpy as np
import pytest
from contrast_subgraphs.core.atomic_files import load_table
from contrast_subgraphs.inference import chosen_penalty
from contrast_subgraphs.report.figures.answer import _sets
from contrast_subgraphs.report.figures.figure import View
from contrast_subgraphs.report.figures.set_picture import subgraph_at
from contrast_subgraphs.report.findings import answer, cards, findings
from contrast_subgraphs.report.formats import p_text, signed
from contrast_subgraphs.report.names import Names, region_label, rows_of
from contrast_subgraphs.report.page import build_report
from contrast_subgraphs.report.tables.significance import chance
from small_report import add_tests, write_run


@pytest.fixture(scope="module")
def run(tmp_path_factory, root):
    folder = tmp_path_factory.mktemp("tested")
    made = write_run(folder, root)
    report = made["config"]["report"] | {"clearest": True}
    return add_tests(made | {"config": made["config"] | {"report": report}}, folder)


@pytest.fixture(scope="module")
def tables(run):
    return {name: load_table(path) for name, path in run["tables"].items() if name != "excluded"}


@pytest.fixture(scope="module")
def found(run, tables):
    return findings(tables, Names.of(run["config"]), run["config"])


def row_of(table, **key):
    [row] = rows_of(table, **key).to_dict("records")
    return row


def test_a_card_s_numbers_are_of_one_set(run, tables, found):
    assert [len(one.found) for one in found] == [2, 2]
    for cohort in found:
        for one in cohort.found:
            key = {"cohort": cohort.cohort, "contrast": one.contrast}
            key |= {"percentile": one.percentile}
            set_, test, effect = (
                row_of(tables[name], **key) for name in ("subgraphs", "significance", "effects")
            )
            assert len(one.regions) == set_["size"] == test["size"] == effect["size"]
            assert set_["alpha"] == pytest.approx(test["alpha"])
            assert set_["objective"] == pytest.approx(test["objective"])
            assert one.p == test["p_familywise"] and one.z == test["z"]
            assert one.effect["effect"] == effect["effect"] and one.effect["d"] == effect["d"]
            regions = rows_of(tables["regions"], **key)
            assert list(regions["region"]) == one.regions
            assert one.share == pytest.approx(regions["share"].mean())
            shares = rows_of(run["tested"].shares, **key)
            chosen = shares[shares["region"].isin(one.regions)]
            assert one.share == pytest.approx(chosen["share"].mean())


def test_a_picture_is_of_the_set_of_the_card(run, found):
    results = run["tested"]
    atlas = results.atlas["name"]
    for cohort in found:
        view = View(results, cohort.cohort)
        pictured = view.sets("contrast_large")
        drawn = dict(_sets(view))
        assert list(drawn) == [one.side for one in cohort.found]
        for one in cohort.found:
            assert pictured[one.contrast] == one.percentile
            nodes = subgraph_at(view.contrasts[one.contrast], one.percentile)["nodes"]
            assert sorted(atlas.iloc[nodes]) == sorted(one.regions)
            assert sorted(drawn[one.side].nodes) == sorted(nodes)


def test_the_table_of_p_has_the_sets_of_the_cards(run, tables, found):
    names = Names.of(run["config"])
    shown = chance(tables["effects"]).shown(tables["significance"], names).texts
    for cohort in found:
        for one in cohort.found:
            row = row_of(shown, Cohort=cohort.label, Contrast=one.label)
            assert float(row["At percentile"]) == one.percentile
            assert f"p = {row['p (family-wise)']}" == p_text(one.p)


def test_the_set_is_the_one_that_measures_best_and_not_the_smallest_p(run, tables, found):
    """Both happen to be the same set often: in this run they are not."""
    by_p = chosen_penalty(tables["significance"]).set_index(["cohort", "contrast"])["percentile"]
    differ = 0
    for cohort in found:
        for one in cohort.found:
            key = {"cohort": cohort.cohort, "contrast": one.contrast}
            passing = rows_of(tables["significance"], **key)
            passing = passing[(passing["p_familywise"] <= 0.05) & (passing["size"] > 1)]
            effects = rows_of(tables["effects"], **key)
            effects = effects[effects["percentile"].isin(passing["percentile"])]
            assert len(passing) > 1
            assert effects["d"].max() == one.effect["d"]
            differ += by_p[cohort.cohort, one.contrast] != one.percentile
    assert differ


def test_the_first_sentence_prints_the_effect_that_was_not_selected(run, tables, found):
    names = Names.of(run["config"])
    first = found[0]
    chosen = row_of(tables["effects"], cohort=first.cohort, contrast="chosen")
    said = answer(found, names)
    printed = f"differs by {signed(chosen['effect'])} ({signed(chosen['low'])}"
    assert printed in said and "no part in the choice of direction, penalty and regions" in said
    size = cards(found, tables, names, 4)[0]
    assert size["answer"] == signed(chosen["effect"])
    alike = rows_of(tables["effects"], cohort=first.cohort)
    assert alike["share_chosen"].sum() == pytest.approx(1)
    assert first.chosen["alike"] == pytest.approx(
        rows_of(alike, contrast=first.found[0].contrast)["share_chosen"].sum()
    )
    # What was chosen for its effect is still there, with words that say so.
    one = first.found[0].effect
    assert f"{signed(one['effect'])} ({signed(one['low'])}" in size["note"]
    assert "whose penalty was chosen for what follows" in size["note"]
    assert np.isfinite([chosen["low"], chosen["high"], chosen["d"]]).all()


def test_the_page_tells_of_the_same_sets_everywhere(run, tables, found, tmp_path):
    """Cards, the table of cohorts and the view of single sets, read from the page itself."""
    keys = ("config", "tables", "contrasts", "graphs", "atlas")
    build_report(tmp_path / "report.html", **{key: run[key] for key in keys})
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    said = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page)))
    view = re.search(r'id="viewer-data">(.*?)</script>', page, re.DOTALL).group(1)
    shown = {one["name"]: one for one in json.loads(view)["cohorts"]}
    regions = json.loads(view)["regions"]["name"]
    cells = re.search(r'id="table-found".*?</table>', page, re.DOTALL).group()
    rows = [re.sub(r"<[^>]+>", " ", row) for row in cells.split("<tr>")[2:]]
    for cohort, row in zip(found, rows, strict=True):
        # 1. The row of the cohort: the first set, and the effect that was not selected.
        first = cohort.found[0]
        row = re.sub(r"\s+", " ", html.unescape(row))
        assert cohort.label in row and f" {first.side} " in row
        assert f" {len(first.regions)}: " in row and signed(cohort.measured["effect"]) in row
        contrasts = {one["name"]: one for one in shown[cohort.cohort]["contrasts"]}
        for one in cohort.found:
            # 2. The view opens with the set of the card: its penalty, regions and effect.
            key = {"cohort": cohort.cohort, "contrast": one.contrast}
            set_ = row_of(tables["subgraphs"], **key, percentile=one.percentile)
            contrast = contrasts[one.contrast]
            assert contrast["first"] == one.percentile
            [opened] = [s for s in contrast["subgraphs"] if s["percentile"] == one.percentile]
            assert opened["alpha"] == pytest.approx(set_["alpha"], rel=1e-5)
            named = {region_label(name) for name in one.regions}
            assert {regions[node] for node in opened["nodes"]} == named
            assert opened["new"] == signed(one.effect["effect"])
            assert bool(opened["perhaps"]) == (one.p > 0.05)
    # 3. The cards are of the first cohort.
    for one in found[0].found:
        assert f"{one.label} {p_text(one.p)}" in said
        assert f"{len(one.regions)} regions: density {signed(one.effect['effect'])}" in said
        assert f"{100 * one.share:.0f} %; with permuted labels" in said
