"""People, or families, with several graphs: together in every split and fold, or an error."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from contrast_subgraphs import predict_variable
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design import two_groups
from contrast_subgraphs.design.cohort_graphs import CohortGraphs
from contrast_subgraphs.design.draws import Draws
from contrast_subgraphs.evaluation import protocols
from contrast_subgraphs.evaluation.evaluate import evaluate
from contrast_subgraphs.evaluation.labels import Labels
from contrast_subgraphs.evaluation.splits import make_splits, stratified_splits
from contrast_subgraphs.methods import METHODS
from tiny_cohort import CANDIDATES, labels_of, tiny_cohort


def people(kind, n=60):
    """Group and person of each graph, in no order."""
    rng = np.random.default_rng(0)
    order = rng.permutation(n)
    sizes = {"pairs": [2], "unequal": [1, 3, 2], "twins": [2, 1], "sessions": [3], "mixed": [4]}
    person = np.repeat(np.arange(n), np.resize(sizes[kind], n))[:n]
    y = person % 2
    if kind == "twins":  # some have different groups
        y = np.where(person % 3 == 0, np.arange(n) % 2, y)
    if kind in ("sessions", "mixed"):
        y = np.arange(n) % 2
    return y[order], np.array([f"p{k:02d}" for k in person])[order]


KINDS = ("pairs", "unequal", "twins", "sessions", "mixed")


def apart(part, person):
    return not set(person[part == 1]) & set(person[part == 0])


@pytest.mark.parametrize("kind", KINDS)
def test_no_split_or_fold_separates_a_person(kind):
    y, person = people(kind)
    splits = stratified_splits(y, 30, 0.2, 0, "x", person=person)
    for number, split in enumerate(splits):
        assert apart(split.astype(int), person) and 0 < split.sum() < len(y) / 2
        train = np.flatnonzero(~split)
        fold = labels_of(y, person).draws.inner_folds(y, train, 4, number)
        assert (fold[split] == -1).all() and (fold[train] >= 0).all()
        for one in range(4):
            assert apart(np.where(fold == one, 1, np.where(fold < 0, -1, 0)), person)
            assert set(y[(fold >= 0) & (fold != one)]) == {0, 1}


def test_people_of_one_group_each_are_stratified():
    y, person = people("pairs")
    splits = stratified_splits(y, 10, 0.2, 0, "x", person=person)
    assert (splits[:, y == 0].sum(axis=1) == 6).all() and (splits.sum(axis=1) == 12).all()


def evaluated(y, person, protocol, method="cs-p1", monkeypatch=None, **options):
    """Evaluate random graphs; return the scores and every split and fold that was used."""
    graphs = replace(tiny_cohort(0.0, n=len(y), p=10), y=y, person=person)
    seen = []
    run = protocols._test

    def kept(learner, fitted, repeat, which, candidate, labels, train, test):
        seen.append((train, test))
        return run(learner, fitted, repeat, which, candidate, labels, train, test)

    folds = Draws.inner_folds

    def kept_folds(draws, labels, train, number, *names):
        fold = folds(draws, labels, train, number, *names)
        for one in range(number):
            seen.append((train[fold[train] != one], train[fold[train] == one]))
        return fold

    monkeypatch.setattr(protocols, "_test", kept)
    monkeypatch.setattr(Draws, "inner_folds", kept_folds)
    options = {"splits": stratified_splits(y, 3, 0.2, 0, "x", person=person)} | options
    found = evaluate(
        graphs,
        METHODS[method],
        name=method,
        cohort="x",
        protocol=protocol,
        folds=3,
        candidates=CANDIDATES,
        percentiles=[75, 90],
        n_permutations=2,
        **options,
    )
    return found.scores, seen


@pytest.mark.parametrize("protocol", ["nested", "paper", "sites"])
@pytest.mark.parametrize("kind", KINDS)
def test_evaluate_keeps_people_together_everywhere(kind, protocol, monkeypatch):
    y, person = people(kind)
    site = np.array(["A", "B"])[(np.array([int(name[1:]) for name in person]) // 2) % 2]
    site[:2] = ["A", "B"]  # some were at both
    method = "edges" if protocol == "paper" else "cs-p1"
    scores, seen = evaluated(y, person, protocol, method, monkeypatch, site=site)
    assert len(seen) > 8
    for train, test in seen:
        assert not set(person[train]) & set(person[test])
    assert scores["accuracy"].between(0, 1).all()


def test_splits_that_separate_a_person_are_refused(monkeypatch):
    y, person = people("pairs")
    splits = stratified_splits(y, 3, 0.2, 0, "x")
    with pytest.raises(InputError, match="split 0 has graphs of p.. .* in its test and in its"):
        evaluated(y, person, "nested", monkeypatch=monkeypatch, splits=splits)


def test_people_who_only_train_are_not_those_who_are_tested(monkeypatch):
    y, person = people("sessions")
    members = np.random.default_rng(0).random(60) < 0.6
    splits = stratified_splits(y[members], 3, 0.2, 0, "x", person=person[members])
    _, seen = evaluated(y, person, "nested", "edges", monkeypatch, splits=splits, members=members)
    for train, test in seen:
        assert not set(person[train]) & set(person[test])
    assert any((~members[train]).any() for train, _ in seen)


def test_too_few_people_are_one_error():
    y, person = np.repeat([0, 1], 30), np.repeat(np.arange(6), 10).astype(str)
    graphs = replace(tiny_cohort(0.0, n=60, p=6), y=y, person=person)
    with pytest.raises(InputError, match="3 td and 3 asd subjects are too few"):
        make_splits(graphs, cohort="x", repeats=2)
    mixed = replace(graphs, y=np.arange(60) % 2)
    with pytest.raises(InputError, match="6 people .or whole blocks., each with all"):
        labels_of(mixed.y, person).check(0.2, 5)
    age = replace(graphs, y=np.arange(60.0), groups=())
    with pytest.raises(InputError, match="6 people are too few to predict"):
        labels_of(age.y, person).check(0.2, 5)


def test_a_group_in_one_fold_only_is_one_error():
    y, person = np.zeros(40, dtype=int), np.repeat(np.arange(20), 2)
    y[:1] = 1
    with pytest.raises(InputError, match="one group is in one of 4 folds only"):
        labels_of(y, person).draws.inner_folds(y, np.arange(40), 4)


@pytest.mark.parametrize("protocol", ["nested", "sites"])
def test_labels_that_vary_within_people_are_permuted_within_them(protocol, monkeypatch):
    """Of whole people with the same visits no other labelling exists: the control was the truth."""
    y, person = people("mixed")
    site = np.array(["A", "B"])[np.array([int(name[1:]) for name in person]) % 2]
    permuted = []
    original = Labels.permuted

    def kept(*given):
        permuted.append(original(*given))
        return permuted[-1]

    monkeypatch.setattr(Labels, "permuted", kept)
    evaluated(y, person, protocol, "edges", monkeypatch, site=site)
    inside = [one for one in permuted if all(one[person == p].sum() == 2 for p in set(person))]
    assert len(inside) >= 2 and all((one != y).any() for one in inside)
    permuted.clear()
    with pytest.warns(UserWarning, match="permuting changes nothing"):
        evaluated(y, person, protocol, "edges", monkeypatch, site=site, exchange="whole")
    assert not permuted
    with pytest.raises(InputError, match="leaves nothing to permute"):
        evaluated(*people("pairs"), protocol, "edges", monkeypatch, site=site, exchange="within")


def test_a_variable_within_people_is_predicted_and_permuted_within_them():
    rng = np.random.default_rng(0)
    person, time = np.repeat(np.arange(30), 3), np.tile([0.0, 1, 2], 30)
    graphs = rng.normal(size=(90, 8, 8)) + time[:, None, None]
    graphs = graphs + graphs.transpose(0, 2, 1)
    options = {"methods": ["edges"], "subjects": person, "n_splits": 3, "n_permutations": 19}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = predict_variable(graphs, time, **options)
    assert found["r_mean"][0] > 0.5 > 0.3 > found["control_r"][0] and found["p_value"][0] == 0.05


def test_a_cohort_is_as_it_was_where_each_has_one_graph():
    y = np.random.default_rng(0).permutation(np.repeat([0, 1], [23, 19]))
    names = np.array([f"s{k:02d}" for k in range(42)])
    graphs = CohortGraphs(np.zeros((42, 3, 3)), y, names, np.array(list("abc")))
    alone = replace(graphs, person=names)
    ours, theirs = (make_splits(one, cohort="x", repeats=4) for one in (alone, graphs))
    assert ours.equals(theirs)


def families(n=60):
    """Families of two, some with a diagnosis in both groups, in no order."""
    family = np.repeat([f"f{k:02d}" for k in range(n // 2)], 2)
    y = np.where(np.arange(n) // 2 % 3 == 0, np.arange(n) % 2, np.arange(n) // 2 % 2)
    order = np.random.default_rng(1).permutation(n)
    return y[order], family[order]


@pytest.mark.parametrize("protocol", ["nested", "paper", "sites"])
def test_families_are_exchanged_and_split_as_wholes(protocol, monkeypatch):
    """As in the tests: `blocks` with `exchange: whole`. Twins in both parts would be a leak."""
    y, family = families()
    graphs = replace(tiny_cohort(0.0, n=60, p=10), y=y)
    options = {"blocks": family, "exchange": "whole"}
    table = make_splits(graphs, cohort="x", repeats=3, **options)
    splits = (table["part"] == "test").to_numpy().reshape(3, 60)
    permuted = []
    original = Labels.permuted

    def kept(labels, *given):
        assert labels.within is None
        permuted.append(original(labels, *given))
        return permuted[-1]

    monkeypatch.setattr(Labels, "permuted", kept)
    site = np.random.default_rng(2).permutation(np.repeat(["A", "B"], 30))
    options |= {"splits": splits, "site": site}
    _, seen = evaluated(y, None, protocol, "edges", monkeypatch, **options)
    assert len(seen) > 8
    for train, test in seen:
        assert len(test) and not set(family[train]) & set(family[test])
    pairs = {name: sorted(y[family == name].tolist()) for name in set(family)}
    assert len(permuted) == 2
    for one in permuted:
        assert (one != y).any()
        moved = [sorted(one[family == name].tolist()) for name in pairs]
        assert sorted(moved) == sorted(pairs.values())  # whole families, and each of them once


def test_where_no_family_can_take_the_place_of_another_there_is_no_control(monkeypatch):
    """Of families of different sizes: permuted labels would be the true ones."""
    family = np.repeat(np.arange(11), np.arange(11)).astype(str)
    y = np.random.default_rng(0).permutation(np.arange(len(family)) % 2)
    splits = labels_of(y, blocks=family, exchange="whole").splits(y, 3, 0.2)
    options = {"blocks": family, "exchange": "whole", "splits": splits}
    with pytest.warns(UserWarning, match="permuting changes nothing: there is no control"):
        scores, _ = evaluated(y, None, "nested", "edges", monkeypatch, **options)
    assert set(scores["control"]) == {"none"}


def test_splits_that_separate_a_family_are_refused(monkeypatch):
    y, family = families()
    splits = stratified_splits(y, 3, 0.2, 0, "x")
    options = {"blocks": family, "exchange": "whole", "splits": splits}
    with pytest.raises(InputError, match="graphs of f"):
        evaluated(y, None, "nested", "edges", monkeypatch, **options)


def test_accuracies_and_tests_exchange_the_same_units():
    y, family = families()
    design = two_groups(y, blocks=family, exchange="whole")
    drawn = labels_of(y, blocks=family, exchange="whole").draws
    for name in ("unit", "together", "person"):
        ours, theirs = (getattr(one.exchange, name) for one in (drawn, design))
        np.testing.assert_array_equal(ours, theirs)


def test_a_variable_is_predicted_in_families_that_stay_together():
    rng = np.random.default_rng(0)
    family = np.repeat(np.arange(20), 2)
    # What a family shares, in networks and in age, tells nothing of other families.
    shared = rng.normal(size=(20, 8, 8))[family]
    age = rng.normal(size=20)[family] + rng.normal(size=40) / 10
    graphs = shared + rng.normal(size=(40, 8, 8)) / 10
    graphs = graphs + graphs.transpose(0, 2, 1)
    options = {"methods": ["edges"], "n_splits": 10, "n_permutations": 0, "blocks": family}
    apart, whole = (
        predict_variable(graphs, age, exchange=exchange, **options)["r_mean"][0]
        for exchange in ("auto", "whole")
    )
    assert apart > 0.5 > 0.25 > whole
