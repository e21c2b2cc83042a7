"""Set, p, effect, share, picture and rows of tables of a card are of one contrast and penalty."""

import numpy as np
import pytest
from contrast_subgraphs.core.atomic_files import load_table
from contrast_subgraphs.inference import chosen_penalty
from contrast_subgraphs.report.findings import answer, cards, findings
from contrast_subgraphs.report.formats import signed
from contrast_subgraphs.report.names import Names, rows_of
from contrast_subgraphs.report.page import build_report
from one_set import check_numbers, check_page, check_pictures, check_table_of_p, row_of
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


def test_a_card_s_numbers_are_of_one_set(run, tables, found):
    assert [len(one.found) for one in found] == [2, 2]
    check_numbers(run["tested"], tables, found)


def test_a_picture_is_of_the_set_of_the_card(run, found):
    check_pictures(run["tested"], found)


def test_the_table_of_p_has_the_sets_of_the_cards(run, tables, found):
    check_table_of_p(tables, Names.of(run["config"]), found)


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
    keys = ("config", "tables", "contrasts", "graphs", "atlas")
    build_report(tmp_path / "report.html", **{key: run[key] for key in keys})
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    check_page(page, tables, Names.of(run["config"]), found)
