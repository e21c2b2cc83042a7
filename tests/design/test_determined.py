"""A covariate that determines the group is no nuisance: which do, and who refuses them."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs import predict_variable
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design import make_design, paired, several_groups, two_groups
from contrast_subgraphs.design.cohort_graphs import CohortGraphs
from contrast_subgraphs.design.determined import determining
from contrast_subgraphs.design.interaction import Interaction
from contrast_subgraphs.design.variable import Variable
from contrast_subgraphs.evaluation.evaluate import evaluate
from contrast_subgraphs.evaluation.splits import stratified_splits
from contrast_subgraphs.evaluation.subject_data import Subjects
from contrast_subgraphs.graphs.cohorts import adjust_cohort
from contrast_subgraphs.inference.cohort import cohort_design
from contrast_subgraphs.methods import METHODS

N = 60
RNG = np.random.default_rng(0)
Y = np.arange(N) % 2
THREE = np.arange(N) % 3
AGE = RNG.normal(30, 5, N)
SEX = np.where(Y == 1, "m", "f")


def with_gaps(values, share=0.2):
    return pd.Series(values, dtype=object).mask(RNG.random(N) < share)


DETERMINE = {
    "a recoding": (SEX, Y),
    "numbers": (Y * 3 - 1, Y),
    "truth values": (Y == 1, Y),
    "a category": (pd.Categorical(SEX), Y),
    "with gaps": (with_gaps(SEX), Y),
    "several levels in each group": (np.array(list("abcd"))[2 * Y + RNG.integers(0, 2, N)], Y),
    "a name": ([f"s{k}" for k in range(N)], Y),
    "a threshold": (AGE + 100 * Y, Y),
    "one of three groups": (np.where(THREE == 1, "m", "f"), THREE),
    "a threshold between two of three": (AGE + 100 * (THREE == 2), THREE),
    "names of groups": (SEX, np.where(Y, "men", "women")),
}
DO_NOT = {
    "unrelated": (AGE, Y),
    "one site with one group only": (np.where(np.arange(N) < 9, SEX, "c"), Y),
    "nearly all of a sex": (np.where(np.arange(N) < 6, "m", SEX), Y),
    "numbers in order": (np.arange(N), Y),
    "constant": (np.ones(N), Y),
    "of nobody": (np.full(N, np.nan), Y),
    "of one group only": (np.where(Y, AGE, np.nan), Y),
    "apart by chance": (np.r_[np.full(N - 6, np.nan), 1.0, 7.1, 1.1, 7.2, 1.2, 7.3], Y),
}


@pytest.mark.parametrize("what", DETERMINE)
def test_what_determines_the_groups(what):
    values, y = DETERMINE[what]
    assert determining({"age": AGE, "x": values}, y) == [("x",)]


@pytest.mark.parametrize("what", DO_NOT)
def test_what_does_not(what):
    values, y = DO_NOT[what]
    assert determining({"sex": RNG.choice(["m", "f"], N), "x": values}, y) == []


def test_several_together_are_named_without_those_that_add_nothing():
    rng = np.random.default_rng(1)
    half = rng.normal(size=N)
    table = {"age": AGE, "volume": half, "difference": half + Y, "site": rng.choice(list("abc"), N)}
    assert determining(table, Y) == [("volume", "difference")]
    table["volume"] = half + 0.01 * rng.normal(size=N)  # nearly
    assert determining(table, Y) == [("volume", "difference")]
    table["sex"] = SEX
    assert determining(table, Y) == [("sex",), ("volume", "difference")]
    # Two sites of one group each, and one that only men were sent to after a date.
    site = np.array(list("abcc"))[np.arange(N) % 4]
    y = np.array([0, 1, 0, 1])[np.arange(N) % 4]
    assert determining({"site": site, "late": y * (site == "c"), "age": AGE}, y) == [
        ("site", "late")
    ]


def test_chance_seldom_determines_small_groups():
    found = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(8, 40))
        table = {"age": rng.normal(size=n), "motion": rng.normal(size=n)}
        table |= {"sex": rng.choice(["m", "f"], n), "site": rng.choice(list("abcde"), n)}
        found += bool(determining(table, rng.permutation(np.arange(n) % 2)))
    assert found <= 4


def test_a_variable_is_determined_by_itself_alone():
    table = {"months": 12 * AGE + 3, "related": AGE + RNG.normal(size=N), "sex": SEX}
    assert determining(table, AGE, variable=True) == [("months",)]


# --- who refuses --------------------------------------------------------------------------

GRAPHS = RNG.normal(size=(N, 28))
NAMES = np.array([f"s{k:02d}" for k in range(N)])
ROI = np.arange(8).astype(str)
COHORT = CohortGraphs(GRAPHS, Y, NAMES, ROI, ("women", "men"), cohort="all")
MEMBERS = pd.DataFrame(
    {"subject": NAMES, "sex": SEX, "age": AGE, "site": np.repeat(["A", "B"], 30)}
)
SETTINGS = {"blocks": "none", "covariates": ["age", "sex"], "exchange": "within"}


@pytest.mark.parametrize(
    ("ask", "where"),
    [
        (lambda: two_groups(Y, covariates={"sex": SEX}), "the covariates"),
        (lambda: make_design(GRAPHS, Y, covariates=MEMBERS[["age", "sex"]]), "the covariates"),
        (lambda: several_groups(THREE, covariates={"sex": THREE == 2}), "the covariates"),
        (
            lambda: paired(Y, np.arange(N) // 2, covariates={"sex": Y + 0.1 * (AGE > 30)}),
            "the covariates",
        ),
        (lambda: cohort_design(COHORT, MEMBERS, SETTINGS, 0, "all"), "inference.covariates"),
        (lambda: adjust_cohort(COHORT, MEMBERS, ["age", "sex"]), "graph.adjust"),
        (
            lambda: evaluate(
                COHORT,
                METHODS["edges"],
                name="edges",
                cohort="all",
                protocol="nested",
                splits=stratified_splits(Y, 2, 0.2, 0),
                adjust=["sex"],
                subjects=Subjects(MEMBERS),
            ),
            "adjust",
        ),
    ],
)
def test_what_was_asked_for_is_refused(ask, where):
    with pytest.raises(InputError, match=f"{where}.*sex determines the group.*Leave sex out"):
        ask()


def test_a_variable_is_not_adjusted_for_itself():
    asked = CohortGraphs(GRAPHS, AGE, NAMES, ROI, (), "age", Variable("age"))
    with pytest.raises(InputError, match="age determines the variable"):
        adjust_cohort(asked, MEMBERS, ["age"])
    with pytest.raises(InputError, match="years leave nothing"):
        predict_variable(GRAPHS, AGE, covariates={"years": 2 * AGE})


def test_an_interaction_keeps_its_groups_as_a_covariate():
    asked = CohortGraphs(GRAPHS, Y, NAMES, ROI, ("a", "b"), "all", Interaction("all"), value=AGE)
    _, design = cohort_design(asked, MEMBERS, SETTINGS, 0, "all")
    assert design.covariates == ("age", "sex")


def scored(method, table, y=Y, **options):
    graphs = CohortGraphs(GRAPHS, y, NAMES, ROI, ("women", "men"), cohort="all")
    subjects = Subjects(table, GRAPHS)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = evaluate(
            graphs,
            METHODS[method],
            name=method,
            cohort="all",
            protocol="nested",
            splits=stratified_splits(y, 6, 0.2, 0),
            subjects=subjects,
            site=table["site"].to_numpy(str),
            **options,
        )
    return found, "\n".join(str(one.message) for one in told)


def test_what_was_taken_by_itself_is_left_out_and_named():
    """Of noise alone, nothing is found: neither without the brain nor after the adjustment."""
    found, told = scored("edges", MEMBERS)
    assert "sex determines the group" in told and "age" not in told.replace("sex determines", "")
    accuracy = found.scores.groupby("control")["accuracy"].mean()
    without, _ = scored("edges", MEMBERS.drop(columns="sex"))
    assert accuracy.equals(without.scores.groupby("control")["accuracy"].mean())
    assert {"none", "nuisance", "adjusted"} <= set(accuracy.index) and accuracy.max() < 0.7
    pd.testing.assert_frame_equal(found.confounds, without.confounds)


def test_without_any_other_there_is_no_such_control():
    found, told = scored("edges", MEMBERS.drop(columns="age"))
    assert set(found.scores["control"]) == {"none"} and found.confounds.empty
    with pytest.raises(InputError, match="except for sex, which say the group"):
        scored("motion", MEMBERS.drop(columns="age"))


@pytest.mark.parametrize("determined", [True, False])
def test_sites_that_are_the_groups_are_told(determined):
    table = MEMBERS.assign(site=np.where((Y == 1) | (not determined), "A", "B"))
    if not determined:
        table.loc[:2, "site"] = "C"  # with people of both groups
    found, told = scored("edges", table)
    assert ("site determines the group" in told) == determined
    if determined:
        with pytest.raises(InputError, match="edges-combat takes the sites out"):
            scored("edges-combat", table)


def test_the_order_of_covariates_does_not_matter():
    half = RNG.normal(size=N)
    table = {"a": half, "b": half + Y, "sex": SEX, "age": AGE}
    found = set()
    for names in itertools.permutations(table):
        one = determining({name: table[name] for name in names}, Y)
        found.add(frozenset(map(frozenset, one)))
    assert found == {frozenset([frozenset(["sex"]), frozenset("ab")])}
