"""A variable is predicted in held-out people, beside permuted values and the confounds."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs import predict_variable
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design.cohort_graphs import CohortGraphs
from contrast_subgraphs.design.variable import Variable
from contrast_subgraphs.evaluation.evaluate import evaluate
from contrast_subgraphs.evaluation.learners import make_learner
from contrast_subgraphs.evaluation.protocols import Nested
from contrast_subgraphs.evaluation.references.cpm import correlation_t
from contrast_subgraphs.evaluation.scores import PREDICTION_COLUMNS, load_scores
from contrast_subgraphs.evaluation.splits import make_splits, stratified_splits
from contrast_subgraphs.evaluation.subject_data import Subjects
from contrast_subgraphs.evaluation.summary import prediction_table
from contrast_subgraphs.methods import METHODS
from scipy import stats
from tiny_cohort import labels_of

PREDICTING = ("cpm", "edges-weighted", "edges", "cs-p1", "motion", "site")


def made(n=80, effect=0.6, seed=0, p=16):
    """Weighted graphs whose first five regions follow an age; motion and sites that do too."""
    rng = np.random.default_rng(seed)
    age = rng.uniform(8, 40, n)
    upper = np.triu_indices(p, 1)
    weights = rng.normal(size=(n, len(upper[0])))
    weights[:, upper[1] < 5] += effect * ((age - 24) / 9)[:, None]
    graphs = np.zeros((n, p, p))
    graphs[:, *upper] = weights
    graphs += graphs.transpose(0, 2, 1)
    table = pd.DataFrame(
        {
            "site": np.array(["A", "B", "C"])[np.arange(n) % 3],
            "motion": 0.1 + 0.004 * age + rng.gamma(2, 0.02, n),
            "sex": rng.choice(["f", "m"], n),
        }
    )
    names = np.array([f"S{k:03d}" for k in range(n)])
    cohort = CohortGraphs(
        graphs, age, names, np.array([f"R{k}" for k in range(p)]), (), "age", Variable("age")
    )
    return cohort, Subjects(table, weights)


def scored(method, cohort, subjects, protocol="nested", **changes):
    options = {"splits": stratified_splits(cohort.y, 4, 0.2, 0, "age"), "folds": 4}
    options |= {"percentiles": (70, 90), "site": subjects.table["site"].to_numpy(str)}
    options |= {"name": method, "cohort": "age", "protocol": protocol, "subjects": subjects}
    return evaluate(cohort, METHODS[method], **options | changes)


@pytest.mark.parametrize("protocol", ["nested", "sites"])
@pytest.mark.parametrize("method", PREDICTING)
def test_a_planted_variable_is_predicted(method, protocol):
    cohort, subjects = made()
    found = scored(method, cohort, subjects, protocol, n_permutations=9, n_controls=2)
    assert tuple(found.scores.columns) == PREDICTION_COLUMNS and found.confounds.empty
    row = prediction_table(found.scores).iloc[0]
    if method == "site":
        assert abs(row["r_mean"]) < 0.4
        return
    assert row["r_mean"] > (0.3 if method == "motion" else 0.7)
    assert row["p_value"] == 0.1 and row["within_sites"] and row["permutations"] == 9
    assert row["mae_mean"] < np.abs(cohort.y - cohort.y.mean()).mean()
    assert row["mae_mean"] < row["control_mae"] < 2 * np.ptp(cohort.y)
    assert row["nuisance_r"] > 0.3 and abs(row["control_r"]) < 0.3
    assert (found.stability is not None) == (method == "cs-p1")


@pytest.mark.parametrize("method", PREDICTING)
@pytest.mark.parametrize("what", ["values", "graphs"])
def test_nothing_is_learnt_from_the_test_part(method, what):
    cohort, subjects = made(effect=0.3)
    split = stratified_splits(cohort.y, 1, 0.2, 0, "age")
    test, (other, others) = split[0], made(seed=5)
    if what == "values":
        changed = replace(cohort, y=np.where(test, other.y, cohort.y))
        data = subjects
    else:
        swap = np.where(test[:, None], other.weights, cohort.weights)
        changed = replace(cohort, weights=swap)
        weights = np.where(test[:, None], others.weights, subjects.weights)
        data = replace(subjects, weights=weights)
    fitted = []
    for graphs, known in ((cohort, subjects), (changed, data)):
        learner = make_learner(
            graphs, METHODS[method], name=method, percentiles=[70, 90], subjects=known
        )
        row = next(iter(Nested(labels_of(graphs.y, name="age"), 4).run(learner, graphs.y, split)))
        train = np.flatnonzero(~test)
        inside = learner.decision(
            row["fitted"], row["which"], row["candidate"], graphs.y, train, train
        )
        sets = [nodes.tolist() for nodes in learner.node_sets(row["fitted"], row["which"])]
        fitted.append((row["which"], row["candidate"], sets, inside.tobytes()))
        if what == "values":
            fitted[-1] += (row["decision"].tobytes(),)
    assert fitted[0] == fitted[1]


def test_where_there_is_nothing_nothing_is_found():
    p = []
    for seed in range(12):
        cohort, subjects = made(n=60, effect=0.0, seed=seed)
        found = scored("edges", cohort, subjects, n_permutations=19, stop_after=None)
        p.append(prediction_table(found.scores)["p_value"].item())
    assert np.mean(p) == pytest.approx(0.5, abs=0.25) and min(p) >= 0.05


def test_folds_and_splits_keep_a_person_together():
    cohort, subjects = made(60)
    cohort = replace(cohort, person=np.array([f"p{k // 2}" for k in range(60)]))
    splits = make_splits(cohort, cohort="age", repeats=3)
    parts = splits.assign(person=np.tile(cohort.person, 3)).groupby(["repeat", "person"])["part"]
    assert (parts.nunique() == 1).all() and (splits["part"] == "test").sum() == 3 * 12
    train = np.flatnonzero((splits["part"] == "train").to_numpy()[:60])
    fold = labels_of(cohort.y, cohort.person, name="age").draws.inner_folds(cohort.y, train, 4)
    assert (pd.Series(fold[train]).groupby(cohort.person[train]).nunique() == 1).all()
    site = np.where(np.arange(60) < 30, "A", "B")
    site[1] = "B"  # the first person was at both
    rows = scored("edges", cohort, subjects, "sites", site=site).scores
    assert rows[rows["control"] == "none"]["train"].tolist() == [30, 28]


def test_what_is_predicted_is_no_confound_of_itself():
    cohort, subjects = made()
    subjects.table["age"], sex = cohort.y, (subjects.table["sex"] == "m").to_numpy(float)
    assert subjects.without(cohort.y).nuisance() == ["sex", "motion"]
    assert subjects.without(sex).nuisance() == ["age", "motion"]
    rows = scored("motion", cohort, subjects).scores
    assert prediction_table(rows)["r_mean"].item() < 0.95


def test_correlation_t_is_that_of_scipy():
    cohort, subjects = made(30)
    found = correlation_t(subjects.weights[:, :4], cohort.y)
    r = [stats.pearsonr(one, cohort.y) for one in subjects.weights[:, :4].T]
    np.testing.assert_allclose(2 * stats.t.sf(np.abs(found), 28), [one.pvalue for one in r])
    assert correlation_t(np.ones((30, 1)), cohort.y) == 0


def test_scores_can_be_read_again(tmp_path):
    cohort, subjects = made()
    scores = scored("edges", cohort, subjects, n_permutations=2).scores
    scores.to_csv(tmp_path / "edges.csv", index=False)
    again = load_scores([tmp_path / "edges.csv"], PREDICTION_COLUMNS)
    pd.testing.assert_frame_equal(prediction_table(again), prediction_table(scores))


def test_matrices_are_enough():
    cohort, subjects = made()
    age = cohort.y.copy()
    options = {"n_splits": 4, "n_permutations": 9, "percentiles": [80], "n_folds": 3}
    table = predict_variable(cohort.adjacency, age, **options)
    assert table["method"].tolist() == ["cs-p1", "edges", "cpm"]
    assert (table["r_mean"] > 0.7).all() and (table["p_value"] == 0.1).all()
    held = {"motion": subjects.table["motion"], "nearly": age + np.arange(80) % 2}
    options |= {"methods": ["edges"], "blocks": subjects.table["site"]}
    without = predict_variable(cohort.adjacency, age, covariates=held, **options)
    assert without["r_mean"].item() < 0.3 and without["within_sites"].item()
    age[:5] = np.nan
    with pytest.warns(UserWarning, match="missing for 5 of 80"):
        fewer = predict_variable(cohort.adjacency, age, **options | {"protocol": "sites"})
    assert fewer["r_mean"].item() > 0.7 and fewer["repeats"].item() == 3


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"y": np.ones(80)}, "the same in all people"),
        ({"y": np.array(["a"] * 80)}, "must hold numbers"),
        ({"methods": ["sub2vec"]}, "cs-p1, edges or cpm"),
        ({"protocol": "paper"}, "nested and sites"),
        ({"protocol": "sites"}, "needs the site"),
        ({"n_folds": 40}, "too few"),
        ({"n_splits": 0}, "n_splits must be"),
    ],
)
def test_what_cannot_be_predicted_is_one_error(change, says):
    cohort, _ = made()
    with pytest.raises(InputError, match=says):
        predict_variable(cohort.adjacency, change.pop("y", cohort.y), **change)
