"""Methods beside the paper's: no leak, no confound left after adjustment, planted effects found."""

import numpy as np
import pandas as pd
import pytest
import yaml
from contrast_subgraphs.config import checked
from contrast_subgraphs.core import pairs
from contrast_subgraphs.core.atomic_files import save_npz
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design.cohort_graphs import CohortGraphs
from contrast_subgraphs.evaluation.evaluate import evaluate
from contrast_subgraphs.evaluation.learners import make_learner
from contrast_subgraphs.evaluation.protocols import Nested
from contrast_subgraphs.evaluation.references.adjustment import Adjusted, Adjustment
from contrast_subgraphs.evaluation.references.cpm import ConnectomeSums, welch_t
from contrast_subgraphs.evaluation.references.harmonised import HarmonisedEdges
from contrast_subgraphs.evaluation.references.nuisance import Nuisance, Site
from contrast_subgraphs.evaluation.references.system_means import SystemMeans
from contrast_subgraphs.evaluation.references.tangent import Tangent
from contrast_subgraphs.evaluation.references.weighted_contrasts import WeightedContrasts
from contrast_subgraphs.evaluation.splits import stratified_splits
from contrast_subgraphs.evaluation.subject_data import Subjects, load_weights
from contrast_subgraphs.evaluation.summary import accuracy_table
from contrast_subgraphs.methods import METHODS, of_kind
from nilearn.connectome import ConnectivityMeasure
from scipy.linalg import expm
from scipy.stats import ttest_ind
from sklearn.covariance import EmpiricalCovariance
from tiny_cohort import CANDIDATES, labels_of

REFERENCES = [name for name, method in METHODS.items() if method.inputs == "subjects"]
P = 20


@pytest.fixture(autouse=True)
def library_of_the_method(request):
    if "combat" in request.node.name:
        pytest.importorskip("combatlearn", reason="the extra combat is not installed")


def made(n=80, effect=0.0, confound=0.0, seed=0):
    """Weights of 20 regions; `effect` in a planted set; motion that follows the diagnosis."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    u, v = np.triu_indices(P, 1)
    weights = rng.normal(size=(n, len(u))) * 0.3
    weights[:, (u < 6) & (v < 6)] += effect * y[:, None]
    motion = rng.gamma(2, 0.05, size=n) + 0.15 * confound * y
    weights += 2.0 * (confound > 0) * motion[:, None]
    table = pd.DataFrame(
        {
            "site": np.where(np.arange(n) % 4 < 2, "A", "B"),
            "age": rng.uniform(8, 30, n),
            "sex": rng.choice(["male", "female"], n),
            "motion": motion,
            "volumes": rng.integers(100, 300, n),
        }
    )
    adjacency = np.zeros((n, P, P), dtype=np.uint8)
    adjacency[:, u, v] = adjacency[:, v, u] = weights > 0.3
    names = np.array([f"S{i}" for i in range(n)])
    graphs = CohortGraphs(adjacency, y, names, np.array([f"R{i}" for i in range(P)]))
    symmetric = np.zeros((n, P, P))
    symmetric[:, u, v] = symmetric[:, v, u] = 0.3 * weights
    covariances = expm(symmetric)[:, *np.triu_indices(P)]
    systems = np.repeat(["a", "b", "c", ""], 5)
    return graphs, Subjects(table, weights, systems, covariances)


def scores_of(method, graphs, subjects, splits):
    return evaluate(
        graphs,
        METHODS[method],
        name=method,
        cohort="made",
        protocol="nested",
        splits=splits,
        folds=4,
        candidates=CANDIDATES,
        percentiles=(80, 90),
        subjects=subjects,
    ).scores


def learner_of(method, graphs, subjects=None):
    options = {"name": method, "candidates": CANDIDATES, "subjects": subjects}
    return make_learner(graphs, METHODS[method], **options)


def accuracies(method, graphs, subjects, repeats=8):
    """Row of the table `accuracy`, without permutations."""
    splits = stratified_splits(graphs.y, repeats, 0.2, 0, "made")
    return accuracy_table(scores_of(method, graphs, subjects, splits)).iloc[0]


def accuracy(method, *given):
    return accuracies(method, *given)["mean"]


def changed_rows(subjects, rows, other):
    """Return the subjects with some rows taken from others."""
    table = subjects.table.copy()
    table.iloc[np.flatnonzero(rows)] = other.table.iloc[np.flatnonzero(rows)]
    weights = np.where(rows[:, None], other.weights, subjects.weights)
    covariances = np.where(rows[:, None], other.covariances, subjects.covariances)
    return Subjects(table, weights, subjects.systems, covariances)


@pytest.mark.parametrize("adjusted", [False, True])
@pytest.mark.parametrize("method", [*REFERENCES, "edges"])
def test_references_learn_nothing_from_test_subjects(method, adjusted):
    """Other test rows: the same classifier. Other test diagnoses: the same decisions too."""
    graphs, subjects = made(effect=0.3)
    split = stratified_splits(graphs.y, 1, 0.2, 0, "made")
    other = changed_rows(subjects, split[0], made(seed=9, confound=1.0)[1])
    flipped = np.where(split[0], 1 - graphs.y, graphs.y)
    rows = []
    for data, y in ((subjects, graphs.y), (other, graphs.y), (subjects, flipped)):
        learner = learner_of(method, graphs, data)
        learner = Adjusted(learner, data) if adjusted else learner
        rows.append(next(iter(Nested(labels_of(y, name="made"), 4).run(learner, y, split))))

    def fitted(row, part):
        # The features, or their inner products, and what was chosen.
        table = vars(row["fitted"][row["which"]][0])
        one = table["features"] if "features" in table else table["gram"][:, part]
        return one[part].tobytes(), row["candidate"]

    train, everybody = ~split[0], slice(None)
    assert fitted(rows[0], train) == fitted(rows[1], train)
    assert fitted(rows[0], everybody) == fitted(rows[2], everybody)
    assert rows[0]["accuracy"] == pytest.approx(1 - rows[2]["accuracy"])


def test_the_adjustment_uses_the_training_part_alone():
    graphs, subjects = made(effect=0.3, confound=1.0)
    train = np.arange(60)
    one = Adjustment().fit(subjects[train])
    shuffled = changed_rows(subjects, np.arange(80) >= 60, made(seed=5)[1])
    two = Adjustment().fit(shuffled[train])
    np.testing.assert_array_equal(one.coefficients_, two.coefficients_)


def test_adjusted_weights_hold_nothing_of_the_nuisance_variables():
    """Not even what these share with the diagnosis; without such a share the effect stays."""
    graphs, subjects = made(n=400, effect=0.5, confound=1.0)
    adjusted = Adjustment().fit(subjects).transform(subjects)
    motion = subjects.table["motion"].to_numpy()
    assert np.abs((motion - motion.mean()) @ (adjusted - adjusted.mean(axis=0))).max() < 1e-8
    graphs, subjects = made(n=400, effect=0.5)
    adjusted = Adjustment().fit(subjects).transform(subjects)
    u, v = np.triu_indices(P, 1)
    difference = adjusted[graphs.y == 1].mean(axis=0) - adjusted[graphs.y == 0].mean(axis=0)
    assert difference[(u < 6) & (v < 6)].mean() == pytest.approx(0.5, abs=0.06)


CONFOUNDED = made(n=240, confound=1.0)


@pytest.mark.parametrize("method", ["cs-p1", "edges", "edges-weighted", "tangent", "cs-weighted"])
def test_motion_is_found_as_it_is_and_not_after_adjustment(method):
    """Motion follows the diagnosis and nothing is planted."""
    row = accuracies(method, *CONFOUNDED, 20)
    assert row["mean"] > 0.6 and row["nuisance_mean"] > 0.7
    assert row["adjusted_mean"] < 0.55


def test_methods_that_adjust_themselves():
    """Motion is not found; what is planted is, with and without adjustment."""
    for method in ("cs-adjusted", "edges-adjusted"):
        assert abs(accuracy(method, *CONFOUNDED, 20) - 0.5) < 0.05
    planted = made(n=120, effect=0.4)
    row = accuracies("cs-weighted", *planted)
    assert row["mean"] > 0.9 and row["adjusted_mean"] > 0.9
    assert accuracy("cs-adjusted", *planted) > 0.9
    assert abs(row["nuisance_mean"] - 0.5) < 0.15


@pytest.mark.parametrize("method", sorted(set(METHODS) - set(of_kind("embedding"))))
def test_every_method_has_the_control_without_a_brain(method):
    row = accuracies(method, *made(n=40), 2)
    assert row["nuisance_mean"] == pytest.approx(accuracy("motion", *made(n=40), 2))
    own = method == "site" or "nuisance" in METHODS[method].needs
    assert np.isnan(row["adjusted_mean"]) == own


def test_a_method_without_its_control_is_found():
    splits = stratified_splits(made(n=40)[0].y, 2, 0.2, 0, "made")
    scores = [
        scores_of(method, made(n=40)[0], subjects, splits)
        for method, subjects in (("edges", made(n=40)[1]), ("cs-p2", None))
    ]
    with pytest.raises(InputError, match="cs-p2 has no nuisance control"):
        accuracy_table(pd.concat(scores, ignore_index=True))


@pytest.mark.parametrize(
    "method", [name for name in REFERENCES if {"weights", "covariances"} & set(METHODS[name].needs)]
)
def test_references_find_a_strong_effect(method):
    assert accuracy(method, *made(effect=1.0)) > 0.85


def test_the_site_alone():
    graphs, subjects = made()
    assert abs(accuracy("site", graphs, subjects) - 0.5) < 0.15
    subjects.table["site"] = np.where(
        np.arange(80) % 8 == 0, "C", np.where(graphs.y == 1, "A", "B")
    )
    assert accuracy("site", graphs, subjects) > 0.85
    site = Site().fit(subjects[subjects.table["site"] != "C"])
    assert site.transform(subjects)[0].tolist() == [0, 0]  # a site that was never seen


def test_the_first_weighted_contrast_is_the_planted_one():
    graphs, subjects = made(effect=1.0)
    found = WeightedContrasts(percentiles=(90,), k=2).fit(subjects, graphs.y)
    second = found.subgraphs_[2]  # the second group has more weight there
    assert set(second) >= set(range(6)) and len(found.subgraphs_) == 4
    assert set(found.subgraphs_[3]) != set(second)  # its pairs were spent


def test_welch_t_is_scipy_s():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(20, 5)), 2 * rng.normal(size=(30, 5))
    np.testing.assert_allclose(welch_t(a, b), ttest_ind(a, b, equal_var=False).statistic)
    assert welch_t(np.ones((3, 1)), np.ones((4, 1)))[0] == 0


def test_means_of_systems():
    _, subjects = made(n=10)
    features = SystemMeans().fit(subjects).transform(subjects)
    assert features.shape == (10, 6)  # three systems; regions without one take no part
    u, v = np.triu_indices(P, 1)
    first = subjects.weights[:, (u < 5) & (v < 5)].mean(axis=1)
    np.testing.assert_allclose(features[:, 0] * first.std(), first)


def test_combat_takes_the_sites_shifts_away_and_leaves_unseen_sites_as_they_are():
    subjects = made(n=200)[1]
    subjects.table["site"] = np.repeat(["A", "B", "alone", "new"], [90, 60, 1, 49])
    subjects.weights[subjects.table["site"] == "B"] *= 2
    subjects.weights[subjects.table["site"] == "B"] += 0.5
    model = HarmonisedEdges().fit(subjects[np.arange(151)])
    assert model.sites_ == ["A", "B"]
    with pytest.warns(UserWarning, match="left as they are"):
        changed = model.transform(subjects)
    a, b = changed[:90], changed[90:150]
    assert abs(a.mean() - b.mean()) < 0.02 and abs(a.std() / b.std() - 1) < 0.1
    np.testing.assert_array_equal(changed[150:], subjects.weights[150:])


def test_gaps_are_counted_and_filled_from_the_training_part():
    graphs, subjects = made()
    subjects.table.loc[[3, 4], "motion"] = np.nan
    subjects.table["volumes"] = np.nan
    with pytest.warns(UserWarning, match=r"^cohort [^,]*: motion is not known for 2 of 80.*median"):
        with pytest.warns(UserWarning, match=r"volumes is not known for 80 of 80.*left out"):
            learner_of("motion", graphs, subjects)
    train = np.arange(10, 80)
    features = Nuisance().fit(subjects[train]).transform(subjects)
    assert features.shape == (80, 5) and np.isfinite(features).all()
    filled = subjects.table["motion"].fillna(subjects.table["motion"][10:].median())
    known = (filled - filled[10:].mean()) / filled[10:].std(ddof=0)
    np.testing.assert_allclose(features[:, 3], known)


@pytest.mark.parametrize(
    "method, words",
    [
        ("site", "the site of every subject"),
        ("motion", "age, sex, motion, volumes"),
        ("cs-adjusted", "weights of all pairs"),
        ("two-scale", "weights of all pairs"),
        ("tangent", "the regions' series"),
    ],
)
def test_what_the_data_lack_is_named(method, words):
    graphs, _ = made(n=10)
    with pytest.raises(InputError, match=words):
        learner_of(method, graphs)


def test_methods_that_the_published_graphs_cannot_serve_are_named_at_once(root):
    config = yaml.safe_load((root / "config.yaml").read_text(encoding="utf-8"))
    config |= {"source": "published", "methods": ["edges", "cs-adjusted", "motion"]}
    with pytest.raises(InputError, match=r"(?s)cs-adjusted needs weights.*motion needs age"):
        checked(config)


def test_weights_of_other_subjects_are_refused(tmp_path):
    graphs, subjects = made(n=10)
    save_npz(tmp_path / "edges.npz", z=subjects.weights, subject=graphs.subject)
    np.testing.assert_array_equal(
        load_weights(tmp_path / "edges.npz", graphs.subject), subjects.weights
    )
    with pytest.raises(InputError, match="is not of the subjects"):
        load_weights(tmp_path / "edges.npz", graphs.subject[::-1])
    series = tmp_path / "of_series.npz"
    save_npz(series, z=subjects.weights, covariance=subjects.covariances, subject=graphs.subject)
    np.testing.assert_array_equal(
        load_weights(series, graphs.subject, "covariance"), subjects.covariances
    )
    with pytest.raises(InputError, match="matrices instead of series"):
        load_weights(tmp_path / "edges.npz", graphs.subject, "covariance")


def test_tangent_space_is_that_of_nilearn():
    """But for the digits of the mean, and the order of the pairs."""
    subjects = made(n=30)[1]
    u, v = np.triu_indices(P)
    matrices = np.zeros((30, P, P))
    matrices[:, u, v] = matrices[:, v, u] = subjects.covariances
    white = np.linalg.qr(np.random.default_rng(0).normal(size=(50, P)))[0] * np.sqrt(50)
    series = [white @ np.linalg.cholesky(matrix).T for matrix in matrices]
    theirs = ConnectivityMeasure(
        EmpiricalCovariance(assume_centered=True), kind="tangent", standardize=False
    ).fit_transform(series)
    theirs[:, range(P), range(P)] /= np.sqrt(2)
    ours = Tangent().fit(subjects).transform(subjects)
    np.testing.assert_allclose(ours, theirs[:, u, v], atol=1e-3)


def test_cpm_of_some_pairs_at_a_time(monkeypatch):
    """Of people's weights, and of rows of graphs in single precision."""
    graphs, subjects = made(n=40)[:2]
    whole = ConnectomeSums().fit(subjects, graphs.y).transform(subjects)
    monkeypatch.setattr(pairs, "FLOATS", 400)
    for rows in (subjects, subjects.weights.astype(np.float32)):
        parts = ConnectomeSums().fit(rows, graphs.y).transform(rows)
        np.testing.assert_allclose(parts, whole, rtol=1e-6)


@pytest.mark.parametrize("motion", [[-1.0, 0.5, 1.5, np.nan], [-0.02, 0.5, 1.5, 0.1]])
def test_what_has_no_logarithm_is_taken_as_it_is(motion):
    """Standardised motion is no displacement: nobody's logarithm is made up."""
    subjects = Subjects(pd.DataFrame({"motion": motion, "volumes": [100, 120, 90, 110]}))
    nuisance = Nuisance().fit(subjects)
    assert np.isnan(nuisance._columns(subjects)["log motion"]).all()
    found = nuisance.transform(subjects)
    assert np.isfinite(found).all() and found.shape == (4, 2)
