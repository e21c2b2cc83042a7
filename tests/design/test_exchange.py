"""Exchangeability blocks: what is exchanged with what, against an enumeration of one's own."""

import itertools
import warnings

import numpy as np
import pytest
from contrast_subgraphs.contrast.difference import difference_graph
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design import (
    NoTest,
    interaction,
    make_design,
    of_variable,
    several_groups,
    two_groups,
)
from contrast_subgraphs.design.cohort_graphs import CohortGraphs
from contrast_subgraphs.design.question import KINDS
from contrast_subgraphs.inference import held_out_effect, permutation_test, region_stability


def quietly(ask, *given, **more):
    """Return a design, and what was said."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        design = ask(*given, **more)
    return design, " | ".join(str(one.message) for one in told)


def labellings(design, y):
    """Every labelling that the draws give, the observed one too."""
    y = np.asarray(y)
    draws, count, exact = design.draws(10_000)
    assert exact and count == design.possible - 1
    found = {tuple(y.tolist())} | {tuple(y[row].tolist()) for row in draws(0, count)}
    assert len(found) == design.possible
    for row in design.random(0, 50):
        assert tuple(y[row].tolist()) in found
    return found


def enumerated(y, allowed):
    """All orders of labels that a rule allows, of all there are."""
    orders = itertools.permutations(range(len(y)))
    return {tuple(y[i] for i in order) for order in orders if allowed(order)}


def within(cell):
    return lambda order: all(cell[i] == cell[k] for k, i in enumerate(order))


def wholes(unit):
    """Units of one size change places, and keep the order of what is inside."""
    members = {name: [k for k, one in enumerate(unit) if one == name] for name in unit}

    def allowed(order):
        for rows in members.values():
            given = [order[k] for k in rows]
            if given not in members.values():
                return False
        return True

    return allowed


# Three sessions of three people, of whom one missed one, in any order.
SESSION = np.array(["b", "a", "c", "a", "b", "c", "c", "a"])
PERSON = np.array(["p", "p", "p", "q", "q", "q", "r", "r"])


@pytest.mark.parametrize("exchange", ["auto", "within"])
@pytest.mark.parametrize("kind", ["factor", "variable", "two groups", "matrix"])
def test_what_varies_within_people_is_permuted_within_them(kind, exchange):
    time = np.array([{"a": 0, "b": 1, "c": 2.5}[one] for one in SESSION])
    options = {"subjects": PERSON, "exchange": exchange}
    y, ask = {
        "factor": (SESSION, lambda: several_groups(SESSION, **options)),
        "variable": (time, lambda: of_variable(time, called="time", **options)),
        "two groups": (SESSION == "a", lambda: two_groups(SESSION == "a", **options)),
        "matrix": (time, lambda: make_design(np.zeros((8, 3, 3)), time, variable="t", **options)),
    }[kind]
    design, told = quietly(ask)
    expected = enumerated(np.asarray(y).tolist(), within(PERSON))
    assert labellings(design, y) == expected
    assert f"only {len(expected)} relabellings are possible" in told
    # A person's mean is in the model: all of it is within people.
    for residual in design.residuals.T:
        assert max(abs(residual[PERSON == one].sum()) for one in "pqr") < 1e-12


def test_halves_and_folds_keep_people_together():
    person, session = np.repeat(np.arange(12), 3)[:-2], np.tile(list("abc"), 12)[:-2]
    design = several_groups(session, subjects=person)
    fold, (halves, _) = design.folds(3), design.halves(0, 6)
    for one in range(12):
        assert len(set(fold[person == one])) == 1
        assert all(len(set(half[person == one])) == 1 for half in halves)


@pytest.mark.parametrize("exchange", ["auto", "whole"])
def test_what_does_not_vary_is_exchanged_between_people_of_as_many_graphs(exchange):
    person = np.array(list("ppqqrrst"))
    age = np.array([30, 30, 41, 41, 52, 52, 63, 74])
    design, told = quietly(of_variable, age, called="age", subjects=person, exchange=exchange)
    assert labellings(design, age) == enumerated(age.tolist(), wholes(person)) != set()
    assert design.possible == 12
    assert "3 people of 2 graphs and 2 people of 1 graph" in told
    assert "stay" not in told


def test_who_is_alone_in_size_stays_and_is_named():
    person = np.array(list("pppqqrr"))
    y = np.array([0, 0, 0, 1, 1, 0, 0])
    design, told = quietly(two_groups, y, subjects=person)
    assert labellings(design, y) == enumerated(y.tolist(), wholes(person))
    assert "1 person of 3 graphs and 2 people of 2 graphs" in told
    assert "1 person without such another stays where it is" in told
    assert "only 2 relabellings are possible" in told
    # Within sites, too.
    site = np.array(list("aaabbbb"))
    design, told = quietly(two_groups, y, subjects=person, blocks=site)
    assert design.possible == 2 and design.idle == ["a"]


def test_blocks_of_twins_and_singles():
    family = np.array(list("aabbccdef"))
    y = np.array([0, 1, 0, 0, 1, 1, 0, 1, 1])
    design, told = quietly(two_groups, y, blocks=family, exchange="whole")
    assert labellings(design, y) == enumerated(y.tolist(), wholes(family))
    assert "3 blocks of 2 graphs and 3 blocks of 1 graph" in told
    family = np.array(list("aabbccddd"))
    _, told = quietly(two_groups, y, blocks=family, exchange="whole")
    assert "1 block of 3 graphs and 3 blocks of 2 graphs" in told
    assert "1 block without such another stays" in told
    _, told = quietly(two_groups, y[:6], blocks=family[:6], exchange="whole")
    assert "graphs:" not in told  # all are of one size


def test_blocks_that_people_were_scanned_in_are_kept():
    person = np.array(list("ppppqqqq"))
    scanner = np.array(list("xxyyxxyy"))
    dose = np.array([0, 1, 2, 3, 1, 2, 0, 5])
    design, _ = quietly(of_variable, dose, subjects=person, blocks=scanner)
    cell = [a + b for a, b in zip(person, scanner, strict=True)]
    assert labellings(design, dose) == enumerated(dose.tolist(), within(cell))


def test_those_in_whom_nothing_varies_contribute_nothing_and_are_counted():
    person = np.array(list("ppqqrrs"))
    dose = np.array([0, 1, 0, 2, 1, 1, 3])
    design, told = quietly(of_variable, dose, called="dose", subjects=person)
    assert "dose is the same in all graphs of 2 of 4 people" in told
    assert labellings(design, dose) == enumerated(dose.tolist(), within(person))
    assert np.abs(design.residual[4:]).max() < 1e-12


def test_whole_people_keep_the_order_of_their_visits():
    """Asked for, also of what varies; values of one person come in the order of their size."""
    time = np.array([0, 1, 2, 0, 1.5, 3, 2.2, 1.1, 0])
    person = np.repeat(list("pqr"), 3)
    design, _ = quietly(of_variable, time, subjects=person, exchange="whole")
    assert design.possible == 6
    draws, count, _ = design.draws(100)
    patterns = {tuple(sorted(time[person == one])) for one in "pqr"}
    for row in draws(0, count):
        for one in "pqr":
            assert tuple(sorted(time[row][person == one])) in patterns
            order = np.argsort(time[person == one])
            assert (np.argsort(time[row][person == one]) == order).all()


def test_draws_belong_to_people_in_any_order():
    rng = np.random.default_rng(0)
    person = np.repeat([f"p{k:02d}" for k in range(12)], 3)
    session = np.tile(list("abc"), 12)
    order = rng.permutation(36)
    ours = several_groups(session, subjects=person).random(0, 9)
    theirs = several_groups(session[order], subjects=person[order]).random(0, 9)
    assert np.array_equal(session[ours][:, order], session[order][theirs])


def test_within_people_two_conditions_are_as_paired():
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(8), 2)
    y = np.tile(["a", "b"], 8)
    graphs = rng.normal(size=(16, 28)) + np.repeat(rng.normal(size=(8, 28)), 2, axis=0)
    signs, told = quietly(make_design, graphs, y, subjects=person, paired=True)
    ours, _ = quietly(make_design, graphs, y, subjects=person)
    assert ours.possible == signs.possible == 256 and "only 256" in told
    values = []
    for design in (signs, ours):
        draws, count, _ = design.draws(300)
        statistic = design.statistic(graphs)
        found = [statistic.values(draws(k, k + 50)) for k in range(0, count, 50)]
        found = np.concatenate([statistic.values(design.observed()), *found])
        values.append(found[np.lexsort(found.T[:3])])
    np.testing.assert_allclose(*values, atol=1e-9)


def test_f_within_people_is_that_of_repeated_measures():
    rng = np.random.default_rng(0)
    n, k = 9, 3
    weights = rng.normal(size=(n, k, 10)) + 3 * rng.normal(size=(n, 1, 10))
    design = several_groups(np.tile(list("abc"), n), subjects=np.repeat(np.arange(n), k))
    ours = design.statistic(weights.reshape(n * k, 10)).values(design.observed())[0]
    between = n * ((weights.mean(axis=0) - weights.mean(axis=(0, 1))) ** 2).sum(axis=0)
    own = weights - weights.mean(axis=1, keepdims=True)
    total = (own**2).sum(axis=(0, 1))
    expected = between / (k - 1) / ((total - between) / ((n - 1) * (k - 1)))
    np.testing.assert_allclose(ours, expected, rtol=1e-9)


def test_an_interaction_exchanges_people_by_their_group():
    person = np.repeat(np.arange(8), 2)
    group, time = np.where(person < 4, "a", "b"), np.tile([0, 1], 8)
    design, told = quietly(interaction, group, time, subjects=person)
    assert design.possible == 70 and "only 70 relabellings" in told
    design, told = quietly(interaction, group[:-1], time[:-1], subjects=person[:-1])
    assert "7 people of 2 graphs and 1 person of 1 graph" in told and design.possible == 35
    crossed = np.where((person + np.arange(16) // 4) % 2, "a", "b")
    crossed[::2] = np.where(crossed[1::2] == "a", "b", "a")
    values = np.random.default_rng(0).normal(size=16)
    design, _ = quietly(interaction, crossed, values, subjects=person)
    assert design.exchange.within


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda: of_variable([1, 1, 2, 2, 3, 3], subjects=list("ppqqrr"), exchange="within"),
            "is the same in all graphs of each person.*exchange: whole",
        ),
        (
            lambda: several_groups(list("aabbaabb"), subjects=list("ppqqrrss"), exchange="within"),
            "the group is the same in all graphs of each person",
        ),
        (
            lambda: several_groups(
                np.tile(list("abc"), 4), subjects=np.repeat(list("pqrs"), 3), exchange="whole"
            ),
            "no two whole people .* differ in the group.*exchange: within",
        ),
        (
            lambda: two_groups(list("aabb"), blocks=list("ppqq")),
            "exchange=.whole.",
        ),
        (
            lambda: two_groups(list("aabbb"), blocks=list("ppqqq"), exchange="whole"),
            "no two whole blocks",
        ),
        (
            lambda: of_variable([1, 2, 5, 5, 6, 6], subjects=list("ppqqrr")),
            "1 subject .p. with several values",
        ),
        (
            lambda: of_variable([1, 1, 2, 2, 3, 3], subjects=list("ppqqrr"), blocks=list("xyxyxy")),
            "more than one block",
        ),
        (
            lambda: of_variable([1, 2, 3, 4], subjects=list("ppqq"), blocks=list("xyxy")),
            "within people and blocks variable does not vary",
        ),
        (lambda: two_groups([0, 0, 1, 1], subjects=list("pqrs"), exchange="whole"), "needs blocks"),
        (
            # The third condition was never seen beside another.
            lambda: several_groups(list("ababcccc"), subjects=list("ppqqrrss")),
            "leave nothing of the difference",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_allows_no_test_is_named(ask, message):
    with pytest.raises(InputError, match=message):
        ask()


@pytest.mark.parametrize("groups", [12, 14])
def test_few_relabellings_are_counted(groups):
    y = np.arange(groups) % 2
    design, told = quietly(two_groups, y)
    assert ("relabellings are possible" in told) == (design.possible < 1000) == (groups == 12)


def test_no_test_is_still_a_bad_input():
    assert issubclass(NoTest, InputError)


# --- type I error -------------------------------------------------------------------------


def sessions(rng, missing):
    """Whose graphs, and of which of three sessions; of some people one or two are missing."""
    person, session = np.repeat(np.arange(12), 3), np.tile(np.arange(3), 12)
    kept = np.ones(36, dtype=bool)
    if missing:
        kept[rng.choice(36, 8, replace=False)] = False
    return person[kept], session[kept]


def null_design(kind, rng, missing):
    person, session = sessions(rng, missing)
    if kind == "factor":
        return person, several_groups(np.array(list("abc"))[session], subjects=person)
    if kind == "within":
        time = session + 0.3 * rng.random(len(person)) + rng.random(12)[person]
        return person, of_variable(time, called="time", subjects=person)
    if kind == "two conditions":
        return person, two_groups(session == 1, subjects=person)
    trait = rng.normal(size=12)[person]
    return person, of_variable(trait, called="trait", subjects=person)


def rejected(kind, missing, seeds):
    """Share of data sets of strong person effects and no other in which p is at most .05."""
    smallest = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            person, design = null_design(kind, rng, missing)
            graphs = 2 * rng.normal(size=(12, 28))[person] + rng.normal(size=(len(person), 28))
            test = permutation_test(
                graphs, design, percentiles=[80], n_permutations=59, solver="search"
            )
        smallest.append(test.table()["p_familywise"].min())
    return np.mean(np.array(smallest) <= 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("kind", ["factor", "within", "two conditions", "between"])
def test_person_effects_alone_are_found_as_often_as_p_says(kind, missing):
    assert rejected(kind, missing, range(80)) <= 0.125  # .042 to .062 of 500


# --- all that takes a design --------------------------------------------------------------


def test_effects_and_half_samples_take_sessions():
    """What is planted from session to session is found and measured, whatever people differ by."""
    rng = np.random.default_rng(0)
    person, session = sessions(rng, missing=True)
    graphs = rng.normal(size=(len(person), 12, 12)) + 3 * rng.normal(size=(12, 12, 12))[person]
    graphs[:, :4, :4] += 2.0 * session[:, None, None]
    graphs = (graphs + graphs.transpose(0, 2, 1)) / 2
    design = of_variable(session, called="session", subjects=person)
    test = permutation_test(graphs, design, percentiles=[90], n_permutations=99)
    assert test.nodes[0][0].tolist() == [0, 1, 2, 3] and test.pvalue[0, 0] == 0.01
    effect = held_out_effect(graphs, design, percentiles=[90], n_folds=3, n_repeats=2).table()
    slope = 2.0 * session.std()
    assert effect["effect"].iloc[0] == pytest.approx(slope, rel=0.2)
    assert effect["low"].iloc[0] > 0
    table = region_stability(graphs, design, percentiles=[90], n_halves=10).table()
    first = table[table["contrast"] == "more-with-session"].set_index("index")["share"]
    assert first[:4].min() > 0.8


@pytest.mark.parametrize("kind", ["variable", "several", ""])
def test_the_sets_do_not_depend_on_what_is_exchanged(kind):
    """Known sets of a cohort, and those of its test, are of one difference: within people."""
    rng = np.random.default_rng(0)
    person, session = sessions(rng, missing=True)
    weights = rng.normal(size=(len(person), 28)) + 3 * rng.normal(size=(12, 28))[person]
    weights += 2 * (person * session)[:, None] / 12
    groups = {"variable": (), "several": ("a", "b", "c"), "": ("a", "b")}[kind]
    y = {"variable": session.astype(float), "several": session, "": (session > 0).astype(int)}[kind]
    graphs = CohortGraphs(
        weights,
        y,
        np.arange(len(y)).astype(str),
        np.arange(8).astype(str),
        groups,
        question=KINDS[kind](),
        person=person.astype(str),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of permutations nothing is said where there are none
        known = difference_graph(graphs, graphs.contrasts[0])
    for exchange in ("auto", "within", "whole"):
        design, _ = quietly(graphs.question.design, graphs, exchange=exchange)
        observed = design.forms(design.statistic(weights).observed())[0]
        np.testing.assert_allclose(observed, known, atol=1e-12)
    if kind != "several":
        centred = weights - np.array([weights[person == p].mean(axis=0) for p in range(12)])[person]
        x = y / y.std() if kind == "variable" else 1.0 - y
        x = x - np.array([x[person == p].mean() for p in range(12)])[person]
        np.testing.assert_allclose(known[0, 1:], (x @ centred / (x @ x))[:7], atol=1e-9)
