"""Sets of other cohorts, and of the section `confirm`, in the people who had no part in them."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design import CohortGraphs
from contrast_subgraphs.inference import FixedSet, confirm, load_sets
from contrast_subgraphs.inference.elsewhere import (
    CONFIRMED,
    OTHERS,
    confirmed_sets,
    corrected,
    in_other_people,
    save_shown,
)

ROI = [f"R{k}" for k in range(6)]
SETTINGS = {"blocks": None, "covariates": [], "exchange": "auto", "permutations": 60}


def cohort(name, people, seed=0, groups=("a", "b")):
    """Graphs of some people, more in `a` between the first three regions, and their table."""
    rng = np.random.default_rng(seed)
    everybody = rng.normal(size=(60, 6, 6))
    everybody[::2, :3, :3] += 2
    weights = (everybody + everybody.transpose(0, 2, 1))[people]
    names = np.array([f"1.{k}0" for k in people])
    graphs = CohortGraphs(weights, np.asarray(people) % 2, names, np.array(ROI), groups, name)
    return graphs, pd.DataFrame({"subject": names})


def shown(path, graphs, regions=("R0", "R1", "R2")):
    """Write what a run writes of a cohort with one set, at percentile 80."""
    entries = [
        {"percentile": at, "alpha": 0.1, "regions": list(regions)[:size]}
        for at, size in ((80.0, 3), (90.0, 2))
    ]
    records = [{"contrast": name, "subgraphs": entries} for name in graphs.contrasts]
    tests = [
        {"contrast": name, "percentile": at, "z": z, "p": p, "p_contrast": p, "size": 3}
        for name in graphs.contrasts[:1]
        for at, z, p in ((80.0, 3.0, 0.01), (90.0, 1.0, 0.4))
    ]
    effects = pd.DataFrame(columns=["contrast", "percentile", "d"])
    save_shown(path, graphs, records, pd.DataFrame(tests), effects, SETTINGS)
    return path


@pytest.fixture
def run(tmp_path):
    """Two cohorts that share ten people, with their files."""
    one = cohort("one", list(range(30)))
    two = cohort("two", list(range(20, 60)))
    found = {
        name: shown(tmp_path / f"{name}.found.json", graphs)
        for name, (graphs, _) in (("one", one), ("two", two))
    }
    return one, two, found


def test_who_is_in_both_cohorts_is_left_out_and_counted(run):
    _, (graphs, members), found = run
    table = in_other_people(found, graphs, members, SETTINGS, 0, "two")
    assert list(table) == OTHERS and len(table) == 1
    row = table.iloc[0]
    assert (row["cohort"], row["elsewhere"], row["percentile"]) == ("one", "two", 80)
    assert (row["shared"], row["n_first"], row["n_second"]) == (10, 15, 15)
    rest = np.arange(10, 40)
    claim = FixedSet("claim", ROI[:3], "a-b")
    plain = confirm(
        graphs.weights[rest], graphs.labels[rest], claim, regions=ROI, n_permutations=60
    )
    assert row["effect"] == pytest.approx(plain.effect[0])
    assert (row["low"], row["high"]) == pytest.approx((plain.low[0], plain.high[0]))
    assert row["p"] == pytest.approx(1 / 61)


def test_where_nobody_else_is_left_nothing_is_said_of_the_effect(run):
    (graphs, members), _, found = run
    few = np.arange(16, 26)  # four others, two of each group
    table = in_other_people(
        {"one": found["one"], "few": found["two"]},
        graphs.of(few),
        members.iloc[few].reset_index(drop=True),
        SETTINGS,
        0,
        "few",
    )
    assert table["effect"].isna().all() and table["shared"].tolist() == [10]
    table = in_other_people(
        {"two": found["two"], "few": found["two"]},
        graphs.of(few),
        members.iloc[few].reset_index(drop=True),
        SETTINGS,
        0,
        "few",
    )
    assert table["effect"].isna().all()
    assert table[["shared", "n_first", "n_second"]].to_numpy().tolist() == [[6, 2, 2]]


def test_a_cohort_that_asks_something_else_has_no_rows(run):
    _, _, found = run
    graphs, members = cohort("other", list(range(30, 60)), groups=("a", "c"))
    assert in_other_people(found, graphs, members, SETTINGS, 0, "other").empty


def test_a_cohort_without_a_set_says_nothing(run, tmp_path):
    (graphs, members), _, _ = run
    empty = shown(tmp_path / "empty.json", graphs, regions=("R0",))
    assert load_sets(empty, empty=True) == []
    with pytest.raises(InputError, match="no set there has a direction"):
        load_sets(empty)
    table = in_other_people({"none": empty}, graphs, members, SETTINGS, 0, "one")
    assert list(table) == OTHERS and table.empty


def test_what_a_run_writes_is_what_confirm_needs(run):
    (graphs, _), _, found = run
    value = json.loads(found["one"].read_text())
    assert value["regions"] == ROI and len(value["graphs"]) == 30
    assert value["subjects"] == sorted(graphs.subject)  # 1.10 is not 1.1, nor 1
    assert value["how"] == {"weights": "any number", "covariates": ""}
    [one] = value["sets"]
    assert one == {"contrast": "a-b", "percentile": 80, "alpha": 0.1, "regions": ROI[:3]}


def test_sets_of_the_config_are_tested_in_those_who_did_not_choose(run):
    _, (graphs, members), found = run
    claims = [
        {"file": str(found["one"]), "name": "study"},
        {"name": "first", "contrast": "b-a", "regions": ["R[01]"], "between": ["R5"]},
        {"contrast": "x-y", "regions": ["R*"]},  # of another cohort
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # who is left out by the graph is not warned of by the name
        table = confirmed_sets(claims, graphs, members, SETTINGS, 0, "two")
    assert list(table) == CONFIRMED
    assert table["set"].tolist() == ["study: a-b at percentile 80", "first"]
    assert table["pairs"].tolist() == [3, 2] and table["shared"].tolist() == [10, 0]
    assert table["p"].iloc[0] == pytest.approx(1 / 61) and table["p"].iloc[1] > 0.05
    both = corrected(table)["p_holm"]
    assert both.iloc[0] == pytest.approx(2 / 61)
    for chose, why in (
        (np.arange(15), "10 of 15 .* too few people of each group are left .3 and 2"),
        (np.arange(11), "10 of 11 people chose it: "),
        (np.arange(10), "10 of 10 people chose it: "),
        (np.r_[:10, 10:20:2], "10 of 15 people chose it: "),  # of the others one group alone
    ):
        with pytest.warns(UserWarning, match=why):
            few = confirmed_sets(
                claims[:1], graphs.of(chose), members.iloc[chose], SETTINGS, 0, "two"
            )
        assert few["p"].isna().all() and few["shared"].tolist() == [10]
    changed = CohortGraphs(
        graphs.weights + 0.001, graphs.y, graphs.subject, graphs.roi, graphs.groups
    )
    with pytest.warns(UserWarning, match="two: 10 of these people have the name of one who chose"):
        confirmed_sets(claims[:1], changed, members, SETTINGS, 0, "two")
