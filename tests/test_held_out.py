"""Accuracies and predictions of one's own matrices, from Python."""

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs import InputError, evaluate, predict_variable, two_groups
from contrast_subgraphs.design import CohortGraphs

FEW = {"n_splits": 3, "n_permutations": 4, "percentiles": [80]}


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(1)
    y = np.tile([0, 1], 15)
    graphs = rng.normal(size=(30, 6, 6))
    graphs[y == 0, :3, :3] += 2
    graphs = graphs + graphs.transpose(0, 2, 1)
    for graph in graphs:
        np.fill_diagonal(graph, 0)
    subject = np.array([f"s{k}" for k in range(30)])
    return CohortGraphs(graphs, y, subject, np.array(list("ABCDEF")), ("ill", "well"))


def test_groups_that_differ_are_told_apart(people):
    found = evaluate(people, methods=["cs-p1", "edges"], **FEW)
    assert found.methods == ("cs-p1", "edges") and found.measure == "accuracy"
    assert found.score[0] > 0.85 and found.score[1] > 0.65 and (found.control < 0.75).all()
    assert found.table().columns.tolist() == ["method", "accuracy", "control", "p"]
    given = evaluate(people.adjacency, people.labels, methods="cs-p1", **FEW)
    assert given.score[0] > 0.85


def test_a_variable_is_predicted_as_by_its_own_function(people):
    age = people.adjacency[:, 0, 1] + np.linspace(0, 1, 30)
    found = evaluate(people, age, methods="edges", variable="age", **FEW)
    table = predict_variable(people.adjacency, age, methods=["edges"], **FEW)
    same = predict_variable(people, age, methods=["edges"], **FEW)
    assert found.measure == "r" and found.score[0] == table["r_mean"][0] == same["r_mean"][0]
    assert found.pvalue[0] == table["p_value"][0]


def test_what_does_not_suit_is_refused(people):
    with pytest.raises(InputError, match="method must be cs-p1, cs-p2 or edges"):
        evaluate(people, methods="cpm")
    with pytest.raises(InputError, match="not a design"):
        evaluate(people, two_groups(people))
    with pytest.raises(InputError, match="n_folds must be"):
        evaluate(people, n_folds=1)


def test_a_persons_graphs_are_never_separated_whatever_is_asked():
    """Noise, three nearly equal graphs a person: whoever sees one of them knows the others."""
    rng = np.random.default_rng(3)
    base = rng.normal(size=(12, 10, 10))
    person = np.repeat([f"p{k}" for k in range(12)], 3)
    y = np.repeat(np.arange(12) % 2, 3)
    graphs = np.repeat(base, 3, axis=0) + 0.05 * rng.normal(size=(36, 10, 10))
    graphs = graphs + graphs.transpose(0, 2, 1)
    names = np.array([f"g{k}" for k in range(36)])
    people = CohortGraphs(graphs, y, names, np.array(list("ABCDEFGHIJ")), ("a", "b"), person=person)
    few = {"methods": "edges", "n_splits": 5, "n_folds": 2, "n_permutations": 0}
    by_name = pd.Series(people.labels, index=names).sample(frac=1, random_state=0)
    for asked in ({}, {"labels": ["b", "a"]}, {"y": people.labels}, {"y": by_name}):
        assert evaluate(people, **asked, **few).score[0] < 0.8, asked
    ages = np.repeat(rng.normal(size=12), 3)
    with pytest.raises(InputError, match="12 people are too few"):
        evaluate(people, ages, variable="age", **few | {"n_folds": 3})
