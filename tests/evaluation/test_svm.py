"""The exact SVM against scikit-learn's LinearSVC."""

import contextlib

import numpy as np
import pytest
from contrast_subgraphs.core import pairs
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design.cohort_graphs import CohortGraphs
from contrast_subgraphs.evaluation import svm as svm_module
from contrast_subgraphs.evaluation import svm_gram
from contrast_subgraphs.evaluation.learners import make_learner
from contrast_subgraphs.evaluation.svm import (
    Products,
    accuracy_of_columns,
    products_of,
    svm_grid,
    table_of,
    train_columns,
)
from contrast_subgraphs.evaluation.svm_columns import fit_columns
from contrast_subgraphs.evaluation.svm_gram import fit_gram
from contrast_subgraphs.methods import METHODS
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import PredefinedSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

PENALTIES = [0.01, 0.1, 1, 10, 100, 1000]


def two_groups(n, d, seed=0, apart=0.5):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, d)) + apart * y[:, None], y


def over_folds(accuracy, fold):
    """Mean of ``accuracy(train, test)`` over the folds."""
    numbers = range(fold.max() + 1)
    return np.mean(
        [accuracy(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in numbers], axis=0
    )


def sklearn_svm(X, y, C):
    model = LinearSVC(C=C, tol=1e-10, max_iter=1_000_000).fit(X, y)
    return np.append(model.coef_[0], model.intercept_[0])


@pytest.mark.parametrize("C", [0.01, 1, 1000])
@pytest.mark.parametrize("d", [1, 2, 5])
def test_few_features_equal_linear_svc(C, d):
    X, y = two_groups(60, d)
    coef, intercept = fit_columns(X, y, C)
    np.testing.assert_allclose(np.append(coef, intercept), sklearn_svm(X, y, C), atol=1e-6)


def test_inner_products_of_some_pairs_at_a_time(monkeypatch):
    rows = np.random.default_rng(0).normal(size=(7, 10)).astype(np.float32)
    expected = rows.astype(float) @ rows.astype(float).T
    np.testing.assert_array_equal(products_of(rows), expected)
    monkeypatch.setattr(pairs, "FLOATS", 20)
    monkeypatch.setattr(svm_module, "MANY_PEOPLE", 7)
    np.testing.assert_allclose(products_of(rows), expected, atol=1e-12)
    np.testing.assert_array_equal(products_of(np.uint8(rows > 0)), 1.0 * (rows > 0) @ (rows.T > 0))
    with pytest.warns(UserWarning, match="all edges of 8 people"):
        products_of(np.ones((8, 3)))


@pytest.fixture(params=[0, svm_gram.FEW_SUBJECTS], ids=["single first", "double"])
def precision(request, monkeypatch):
    monkeypatch.setattr(svm_gram, "FEW_SUBJECTS", request.param)


@pytest.mark.parametrize("n, d", [(60, 8), (40, 100)])
def test_inner_products_equal_linear_svc(n, d, precision):
    X, y = two_groups(n, d, apart=0.2)
    for C, beta in zip(PENALTIES[:3], fit_gram(X @ X.T, y, PENALTIES[:3])[0], strict=True):
        ours = np.append(beta @ X, beta.sum())
        np.testing.assert_allclose(ours, sklearn_svm(X, y, C), atol=1e-6)


@settings(deadline=None, max_examples=40, derandomize=True)
@given(st.integers(0, 10**6), st.integers(4, 40), st.integers(1, 6), st.sampled_from(PENALTIES))
def test_both_ways_to_fit_agree_and_are_stationary(seed, n, d, C):
    """On integer counts with ties and doubles, where liblinear has trouble."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 5, size=(n, d)).astype(float), np.arange(n) % 2
    coef, intercept = fit_columns(X, y, C)
    w, rows, s = np.append(coef, intercept), np.hstack([X, np.ones((n, 1))]), 2 * y - 1
    slack = np.maximum(0, 1 - s * (rows @ w))
    gradient = w - 2 * C * rows.T @ (s * slack)
    assert np.abs(gradient).max() <= 1e-6 * max(1, C * n)
    for few in (0, n):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(svm_gram, "FEW_SUBJECTS", few)
            np.testing.assert_allclose(fit_gram(X @ X.T, y, [C])[1][0], rows @ w, atol=1e-5)


@pytest.mark.parametrize("d", [20, 200])
def test_each_fit_of_a_path_is_the_fit_by_itself(d, precision):
    X, y = two_groups(50, d)
    gram, train = X @ X.T, np.arange(50) % 5 > 0
    fits = zip(*fit_gram(gram, y, PENALTIES, train), strict=True)
    for C, (beta, decision) in zip(PENALTIES, fits, strict=True):
        assert not beta[~train].any()
        np.testing.assert_allclose(decision, (gram + 1) @ beta, atol=1e-9)
        alone = fit_gram(gram[np.ix_(train, train)], y[train], [C])[1][0]
        np.testing.assert_allclose(decision[train], alone, atol=1e-7)


def test_cross_validation_equals_scikit_learn():
    X, y = two_groups(50, 3, apart=0.7)
    fold = np.random.default_rng(1).permutation(np.arange(50) % 5)
    penalties = [0.01, 1, 10]
    candidates = svm_grid(C=penalties)
    columns = np.array([(0, 1), (2, 1)])
    ours = over_folds(
        lambda train, test: accuracy_of_columns(X, columns, y, train, test, candidates), fold
    )
    for row, chosen in enumerate(columns):
        for column, C in enumerate(penalties):
            model = LinearSVC(C=C, tol=1e-10, max_iter=100_000)
            scores = cross_val_score(
                make_pipeline(StandardScaler(), model), X[:, chosen], y, cv=PredefinedSplit(fold)
            )
            assert ours[row, column] == pytest.approx(scores.mean())


def test_cross_validation_from_inner_products_equals_scikit_learn():
    X, y = two_groups(50, 80, apart=0.3)
    fold = np.random.default_rng(1).permutation(np.arange(50) % 5)
    candidates = svm_grid(C=[0.01, 1])
    ours = over_folds(
        lambda train, test: table_of(X, candidates).accuracy(y, train, test, candidates), fold
    )
    for score, candidate in zip(ours, candidates, strict=True):
        model = LinearSVC(tol=1e-10, max_iter=100_000, **candidate)
        scores = cross_val_score(model, X, y, cv=PredefinedSplit(fold))
        assert score == pytest.approx(scores.mean())


def test_columns_are_standardised_by_the_training_part_of_each_fold():
    """A left-out subject that is far away must not change how the others are scaled."""
    X, y = two_groups(40, 2, apart=1.0)
    fold = np.arange(40) // 2 % 4
    far = X.copy()
    far[fold == 0] *= 1e6
    candidates = svm_grid(C=[1])
    columns = np.array([(0, 1)])
    train, test = np.flatnonzero(fold != 0), np.flatnonzero(fold == 0)
    accuracy = accuracy_of_columns(far, columns, y, train, test, candidates)[0, 0]
    decide = train_columns(X[train], y[train], candidates[0])
    assert accuracy == ((decide(far[test]) > 0) == y[test]).mean()


def test_few_and_many_features_are_fitted_alike(monkeypatch):
    """The way through the weights and the one through inner products, either side of 64."""
    X, y = two_groups(60, 5, apart=0.6)
    train, test = np.arange(40), np.arange(40, 60)
    Z = (X - X[train].mean(axis=0)) / X[train].std(axis=0)
    candidates = svm_grid(C=[0.1, 10])
    results = []
    for few in (64, 0):
        monkeypatch.setattr("contrast_subgraphs.evaluation.svm.FEW_FEATURES", few)
        table = table_of(Z, candidates)
        decision = table.decision(y, train, test, candidates[0])
        results.append(np.append(table.accuracy(y, train, test, candidates), decision))
    np.testing.assert_allclose(*results, atol=1e-6)


def test_an_identity_kernel_gives_the_larger_group():
    """WL-Kern of the paper: no two graphs have a label in common."""
    y = np.array([0] * 13 + [1] * 11)
    gram = 116.0 * np.eye(30)
    table, train = Products(gram), np.arange(24)
    assert (table.decision(y, train, np.arange(24, 30), {"C": 0.01}) < 0).all()


def test_a_constant_feature_changes_nothing():
    X, y = two_groups(30, 1, apart=2.0)
    alone = train_columns(X, y, {"C": 1})(X)
    with_constant = train_columns(np.hstack([X, np.full((30, 1), 7.0)]), y, {"C": 1})
    np.testing.assert_allclose(
        with_constant(np.hstack([X, np.full((30, 1), 7.0)])), alone, atol=1e-9
    )


@pytest.mark.parametrize("scale", [1e-6, 1e3, 1e9])
def test_features_of_any_scale_can_be_fitted(scale, precision):
    """At 1e9 rounding hides 1 / 2C and the bias: then a fit is rough, but no error."""
    X, y = two_groups(60, 3, apart=2.0)
    gram = (scale * X) @ (scale * X).T
    for C, decision in zip(PENALTIES, fit_gram(gram, y, PENALTIES)[1], strict=True):
        if scale < 1e6:
            coef, intercept = fit_columns(scale * X, y, C)
            np.testing.assert_allclose(decision, scale * X @ coef + intercept, atol=1e-3)
        else:
            assert ((decision > 0) == y).mean() > 0.6


def test_a_matrix_that_is_no_kernel_is_refused():
    with pytest.raises(InputError, match="positive semidefinite"):
        fit_gram(np.array([[-5.0, 0.0], [0.0, -5.0]]), [0, 1], [1])


def test_people_whom_rounding_puts_on_the_margin(precision):
    """Nobody is inside it then, and nothing is left to solve."""
    decision = fit_gram(1e17 * np.eye(20), np.arange(20) % 2, [1.0, 1000.0])[1]
    np.testing.assert_allclose(decision, np.tile(2.0 * (np.arange(20) % 2) - 1, (2, 1)))


def test_a_number_that_is_not_finite_ends_a_fit(precision):
    gram = np.eye(20)
    gram[3, 3] = np.nan
    with np.errstate(all="ignore"), contextlib.suppress(InputError):
        fit_gram(gram, np.arange(20) % 2, [1.0])


@pytest.mark.parametrize("pairs", [3, 10, 20])
def test_large_counts_of_few_regions_are_fitted_exactly(pairs):
    """Inner products of fewer pairs than people would lose the digits that a large C needs."""
    rng = np.random.default_rng(0)
    weights = np.exp(2 * rng.normal(size=(120, pairs)) + 10).round()
    y = np.arange(120) % 2
    weights[y == 1, :5] *= 1.5
    names = np.arange(120).astype(str)
    graphs = CohortGraphs(weights, y, names, np.arange(40).astype(str))
    learner = make_learner(graphs, METHODS["edges"], name="edges")
    train, test, s = np.arange(100), np.arange(100, 120), 2.0 * y[:100] - 1
    rows = np.hstack([weights, np.ones((120, 1))])
    for C in (0.01, 1, 1000):
        w = np.zeros(pairs + 1)
        for _ in range(100):  # Newton's method by least squares, whose condition is a root's
            near = rows[:100][s * (rows[:100] @ w) < 1]
            inside = s[s * (rows[:100] @ w) < 1]
            system = np.vstack([np.sqrt(2 * C) * near, np.eye(pairs + 1)])
            right = np.append(np.sqrt(2 * C) * inside, np.zeros(pairs + 1))
            w = np.linalg.lstsq(system, right, rcond=None)[0]
        ours = learner.fit(train, y)[0][0].decision(y, train, test, {"C": C})
        np.testing.assert_allclose(ours, rows[test] @ w, rtol=1e-6, atol=1e-8)


def test_a_large_penalty_by_itself_ends_where_the_path_does():
    """Large counts of groups that can be told apart: the margin is what is left to find."""
    rng = np.random.default_rng(0)
    X, y = np.exp(2 * rng.normal(size=(100, 60)) + 10).round(), np.arange(100) % 2
    w = np.append(*fit_columns(X, y, 0.01))
    objective = [w @ w / 2]
    w = np.append(*fit_columns(X, y, 1000.0))
    decision = X @ w[:-1] + w[-1]
    slack = np.maximum(0, 1 - (2 * y - 1) * decision)
    objective.append(w @ w / 2 + 1000 * slack @ slack)
    assert objective[1] <= 1.1 * objective[0]


def test_weights_beyond_all_numbers_are_an_error():
    graphs = CohortGraphs(np.full((8, 3), 1e160), np.arange(8) % 2, *[np.arange(8).astype(str)] * 2)
    with pytest.raises(InputError, match="divide all"):
        make_learner(graphs, METHODS["edges"], name="edges")


def test_candidates_start_with_the_smallest_penalty():
    assert svm_grid(C=[10, 0.1]) == [{"C": 0.1}, {"C": 10}]


@pytest.mark.parametrize(
    "svm, words",
    [
        ({"C": []}, "numbers above 0"),
        ({"C": [0]}, "numbers above 0"),
    ],
)
def test_wrong_settings_are_named(svm, words):
    with pytest.raises(InputError, match=words):
        svm_grid(**svm)
