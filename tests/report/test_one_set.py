"""Set, p, effect, share, picture and rows of tables of a card are of one contrast and penalty."""

import numpy as np
import pytest
from contrast_subgraphs.core.atomic_files import load_table
from contrast_subgraphs.inference import chosen_penalty
from contrast_subgraphs.report.figures.answer import _sets
from contrast_subgraphs.report.figures.figure import View
from contrast_subgraphs.report.figures.set_picture import subgraph_at
from contrast_subgraphs.report.findings import answer, cards, findings
from contrast_subgraphs.report.formats import p_text, signed
from contrast_subgraphs.report.names import Names, rows_of
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
