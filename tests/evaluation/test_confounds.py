"""How much of a classifier is confound."""

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.evaluation.confounds import (
    COLUMNS,
    added_value,
    confound_test,
    held_out_scores,
    p_added,
)
from contrast_subgraphs.evaluation.evaluate import evaluate
from contrast_subgraphs.evaluation.splits import stratified_splits
from contrast_subgraphs.evaluation.subject_data import Subjects
from contrast_subgraphs.methods import METHODS
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from tiny_cohort import tiny_cohort


def people(n=120, seed=0):
    """Diagnosis, motion that follows it, and a site."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng, y, rng.gamma(2, 0.05, n) + 0.1 * y, rng.choice(["A", "B", "C"], n)


def test_a_score_of_the_diagnosis_alone_holds_no_motion():
    """Motion and score are correlated through the diagnosis; not given it."""
    ps = []
    for seed in range(60):
        rng, y, motion, site = people(seed=seed)
        score = y + rng.normal(size=len(y))
        test = confound_test(score, y, motion, site=site, n_permutations=99)
        ps.append(test.pvalue)
    assert np.mean(np.array(ps) <= 0.2) == pytest.approx(0.2, abs=0.13)
    assert abs(test.null_distribution.mean()) < 0.1


def test_motion_in_a_score_is_found():
    rng, y, motion, site = people()
    score = y + 10 * motion + 0.5 * rng.normal(size=len(y))
    test = confound_test(score, y, motion, site=site, n_permutations=499)
    assert test.statistic > 0.5 and test.pvalue == 1 / 500
    again = confound_test(score, y, motion, site=site, n_permutations=499)
    assert again.pvalue == test.pvalue
    alone = confound_test(score, y, np.ones(len(y)))
    assert np.isnan(alone.statistic) and np.isnan(alone.pvalue)


def test_the_likelihood_ratio_is_that_of_a_logistic_regression():
    rng, y, motion, site = people()
    score = y + rng.normal(size=len(y))
    X = np.column_stack([motion, site == "B", site == "C"])
    added = added_value(score, y, X)

    def likelihood(X):
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        model = LogisticRegression(C=1e6, tol=1e-10, max_iter=10_000).fit(X, y)
        return -log_loss(y, model.predict_proba(X), normalize=False)

    expected = 2 * (likelihood(np.column_stack([X, score])) - likelihood(X))
    assert added.ratio == pytest.approx(expected, rel=1e-3)
    assert added.root == pytest.approx(np.sqrt(added.ratio))
    assert added_value(-score, y, X).root == pytest.approx(-added.root)


def test_sites_of_one_group_and_a_perfect_score_do_no_harm():
    _, y, motion, _ = people()
    added = added_value(y - 0.5, y, np.column_stack([motion, y == 1]))
    assert np.isfinite(added.ratio) and np.isfinite(added.root)


def test_scores_are_means_over_the_splits_that_tested_somebody():
    results = [
        {"people": np.array([0, 1]), "decision": np.array([1.0, -1.0])},
        {"people": np.array([0, 2]), "decision": np.array([300.0, -300.0])},
    ]
    scores = held_out_scores(results, 4)
    np.testing.assert_allclose(scores[:3], [1, -1, -1])
    assert np.isnan(scores[3])


def test_rounding_errors_of_a_constant_are_no_score():
    noise = 1e-17 * np.random.default_rng(0).normal(size=4)
    results = [{"people": np.arange(4), "decision": noise}]
    np.testing.assert_allclose(held_out_scores(results, 4), 0, atol=1e-12)


def test_what_a_score_adds_is_compared_with_classifiers_of_permuted_labels():
    """One-sided: a score that is worse than none adds nothing, however large its ratio."""
    graphs = tiny_cohort(0.3)
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"motion": rng.gamma(2, 0.05, 60), "age": rng.uniform(8, 30, 60)})
    splits = stratified_splits(graphs.y, 6, 0.2, 0, "tiny")
    options = {"name": "edges", "cohort": "tiny", "splits": splits, "folds": 2}
    options |= {"protocol": "nested", "subjects": Subjects(table), "n_permutations": 19}
    found = evaluate(graphs, METHODS["edges"], **options).confounds
    p = found["p_added"].to_numpy() * 20
    np.testing.assert_allclose(p, p.round())  # counted among 19
    assert p[0] == 1
    assert p_added(1.0, []) is np.nan
    assert p_added(-5.0, [0.1, -1.0, 0.3]) == 1.0 and p_added(2.0, [0.1, -1.0, 0.3]) == 0.25


def test_every_row_of_nested_and_sites_has_its_confounds():
    graphs, (rng, _, motion, site) = tiny_cohort(0.3), people(60)
    table = pd.DataFrame({"site": site, "motion": motion, "age": rng.uniform(8, 30, 60)})
    splits = stratified_splits(graphs.y, 8, 0.2, 0, "tiny")
    options = {"name": "edges", "cohort": "tiny", "splits": splits, "site": site, "folds": 4}
    for protocol, variants in (("nested", ["none", "adjusted"]), ("paper", [])):
        found = evaluate(
            graphs, METHODS["edges"], protocol=protocol, subjects=Subjects(table), **options
        ).confounds
        assert list(found.columns) == COLUMNS and found["variant"].tolist() == variants
        assert found["p_confound"].between(0, 1).all() and (found["people"] > 45).all()
    without = evaluate(graphs, METHODS["edges"], protocol="nested", **options).confounds
    assert without.empty
