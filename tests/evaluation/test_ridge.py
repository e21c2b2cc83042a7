"""Ridge regression in closed form, against scikit-learn."""

import numpy as np
import pytest
from contrast_subgraphs.evaluation.ridge import Ridge, ridge_grid
from sklearn.linear_model import Ridge as Reference
from sklearn.linear_model import RidgeCV


def made(n=40, d=12, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.normal(2, 1, (n, d))
    return features, features[:, :3].sum(axis=1) + rng.normal(size=n)


def tables(features):
    return [Ridge(features), Ridge(features @ features.T, products=True)]


@pytest.mark.parametrize("d", [3, 12, 80])
def test_predictions_are_those_of_scikit_learn(d):
    features, y = made(d=max(d, 3))
    train, test = np.arange(30), np.arange(30, 40)
    centred = features[train] - features[train].mean(axis=0)
    for candidate in ridge_grid()[::4]:
        alpha = candidate["alpha"] * (centred**2).sum() / len(train)
        expected = Reference(alpha=alpha).fit(features[train], y[train]).predict(features[test])
        for table in tables(features):
            np.testing.assert_allclose(table.decision(y, train, test, candidate), expected)
            error = ((y[test] - expected) ** 2).mean() / y[train].var()
            assert table.accuracy(y, train, test, [candidate])[0] == pytest.approx(-error)


def test_leaving_one_out_is_that_of_scikit_learn():
    features, y = made()
    train = np.arange(5, 40)
    centred = features[train] - features[train].mean(axis=0)
    scale = (centred**2).sum() / len(train)
    alphas = [one["alpha"] * scale for one in ridge_grid()]
    found = RidgeCV(alphas, store_cv_results=True).fit(features[train], y[train])
    expected = -found.cv_results_.mean(axis=0) / y[train].var()
    for table in tables(features):
        scores = table.left_out(y, train, np.arange(40), ridge_grid())
        np.testing.assert_allclose(scores, expected, rtol=1e-8)


def test_all_graphs_of_a_person_are_left_out_together():
    features, y = made(30)
    person, train = np.arange(30) // 3 % 7, np.arange(2, 30)
    candidates = ridge_grid([0.1])
    errors = []
    for one in np.unique(person[train]):
        rest, out = train[person[train] != one], train[person[train] == one]
        centred = features[train] - features[train].mean(axis=0)
        alpha = 0.1 * (centred**2).sum() / len(train)
        predicted = Reference(alpha=alpha).fit(features[rest], y[rest]).predict(features[out])
        errors += ((y[out] - predicted) ** 2).tolist()
    for table in tables(features):
        score = table.left_out(y, train, person, candidates)[0]
        assert score == pytest.approx(-np.mean(errors) / y[train].var())


def test_features_that_do_not_vary_predict_the_mean():
    _, y = made()
    train, test = np.arange(30), np.arange(30, 40)
    for table in tables(np.ones((40, 2))):
        predicted = table.decision(y, train, test, {"alpha": 1.0})
        np.testing.assert_allclose(predicted, y[train].mean())


def test_a_change_of_the_features_is_one_of_their_products():
    features, y = made()
    change = np.random.default_rng(1).normal(size=(40, 40))
    train, test = np.arange(30), np.arange(30, 40)
    one, two = (
        table.changed(lambda numbers: change @ numbers).decision(y, train, test, {"alpha": 0.1})
        for table in tables(features)
    )
    np.testing.assert_allclose(one, two)
