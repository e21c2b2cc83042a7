"""Baselines: parameter sets, names, costs, the registry and what `embed` returns."""

import hashlib
import json
import os
import subprocess
import sys

import numpy as np
import pytest
import yaml
from contrast_subgraphs import embeddings as baselines
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design.cohort_graphs import CohortGraphs
from contrast_subgraphs.methods import METHODS
from sklearn.base import clone

SMALL = {
    "graph2vec": {"embedding_size": 6, "negatives": 4, "height": 2, "epochs": 3},
    "sub2vec": {
        "property": "S",
        "walk_length": 500,
        "embedding_size": 6,
        "model": "DBON",
        "epochs": 2,
    },
    "wl-kern": {"height": 2, "features": "cumulative"},
    "embs": {"epochs": 4, "batch_size": 3, "embedding_size": 6, "noise": 0.3},
}


@pytest.fixture(scope="module")
def config(root):
    return yaml.safe_load((root / "config.yaml").read_text(encoding="utf-8"))["baselines"]


@pytest.fixture
def graphs():
    """Seven random graphs on ten vertices."""
    upper = np.triu(np.random.default_rng(0).random((7, 10, 10)) < 0.4, 1)
    return (upper | upper.transpose(0, 2, 1)).astype(np.uint8)


def run_python(code, **environment):
    """Return what `code` prints in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.mark.parametrize("method", baselines.PARAMETERS)
def test_best_grid_is_one_set_a_cohort_with_every_parameter(config, method):
    for cohort in ("children", "adolescents", "eyesclosed", "male", "mine"):
        (parameters,) = baselines.parameter_sets(method, config[method], cohort)
        assert list(parameters) == list(baselines.PARAMETERS[method])
        expected = config[method]["best"].get(cohort, config[method]["best"]["default"])
        assert expected.items() <= parameters.items()


@pytest.mark.parametrize(
    ("method", "number"), [("graph2vec", 48), ("sub2vec", 72), ("wl-kern", 5), ("embs", 72)]
)
def test_full_grid_is_the_papers_with_a_file_name_for_each(config, method, number):
    sets = baselines.parameter_sets(method, {**config[method], "grid": "full"}, "children")
    names = [baselines.slug(parameters) for parameters in sets]
    assert len(sets) == number
    assert len(set(names)) == number
    for name in names:
        assert set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")


def test_only_the_best_set_is_drawn_from_several_seeds(config):
    section = config["embs"]
    names = baselines.reseeded_names(section, baselines.parameter_sets("embs", section, "male"))
    assert section["seeds"] == 2 and list(names.values()) == [1]
    full = section | {"grid": "full"}
    assert baselines.reseeded_names(full, baselines.parameter_sets("embs", full, "male")) == {}


def test_every_parameter_changes_the_file_name():
    for method, parameters in SMALL.items():
        for name, value in parameters.items():
            choices = baselines.PARAMETERS[method][name].choices
            other = next(c for c in choices if c != value) if choices else value / 2
            changed = baselines.slug({**parameters, name: other})
            assert changed != baselines.slug(parameters)


def test_a_number_has_one_file_name_however_it_is_written():
    whole, real = (
        baselines.check_parameters("embs", {"noise": noise, "epochs": epochs})
        for noise, epochs in ((np.float32(1), np.int64(5)), (1.0, 5.0))
    )
    assert baselines.slug(whole) == baselines.slug(real)
    assert "epochs-5_" in baselines.slug(real)


def test_full_grid_accepts_single_values_and_drops_repetitions():
    config = {"grid": "full", "full": {"height": [1, 2, 1], "features": "last"}}
    sets = baselines.parameter_sets("wl-kern", config, "any")
    assert [parameters["height"] for parameters in sets] == [1, 2]


@pytest.mark.parametrize(
    ("method", "config", "message"),
    [
        ("graph2vek", {}, "did you mean graph2vec"),
        ("embs", {"grid": "bets"}, "did you mean best"),
        ("embs", {"gird": "best"}, "did you mean grid"),
        ("embs", {"best": {"children": {}}}, "no entry for the cohort 'male'"),
        ("embs", {"best": {"male": {"epoch": 5}}}, "did you mean epochs"),
        ("embs", {"best": {"male": {"noise": 1.5}}}, "from 0 to 1"),
        ("embs", {"best": {"male": {"noise": float("nan")}}}, "must be a number"),
        ("embs", {"best": {"male": {"epochs": float("inf")}}}, "must be a number"),
        ("embs", {"best": {"male": {"epochs": "many"}}}, "must be a number"),
        ("embs", {"best": {"male": {"epochs": True}}}, "must be a number"),
        ("embs", {"best": {"male": {"epochs": 2.5}}}, "whole number"),
        ("embs", {"best": {"male": {"epochs": 0}}}, "of at least 1"),
        ("embs", {"grid": "full", "full": {"epochs": []}}, "empty list"),
        ("wl-kern", {"best": {"male": {"features": "first"}}}, "last or cumulative"),
        ("wl-kern", {"best": {"male": {"height": -1}}}, "of at least 0"),
    ],
)
def test_bad_config_is_named_with_the_way_out(method, config, message):
    with pytest.raises(InputError, match=message):
        baselines.parameter_sets(method, config, "male")


def test_unknown_names_list_the_known_ones(graphs):
    with pytest.raises(InputError, match="graph2vec, sub2vec, wl-kern or embs"):
        baselines.embed("pca", {}, graphs)
    with pytest.raises(InputError, match="height or features"):
        baselines.embed("wl-kern", {"depth": 3}, graphs)
    assert "pca" not in baselines.PARAMETERS


def test_registry_imports_nothing_heavy():
    code = """
import sys
from contrast_subgraphs import embeddings as baselines
baselines.parameter_sets("embs", {"best": {"default": {}}}, "children")
print([name for name in ("numba", "sklearn", "scipy", "pandas") if name in sys.modules])
"""
    assert run_python(code) == "[]"


def test_to_embed_needs_no_scikit_learn():
    code = f"""
import sys, numpy as np
from contrast_subgraphs import embeddings as baselines
for method, parameters in {SMALL!r}.items():
    baselines.embed(method, parameters, 1 - np.eye(10, dtype=int)[None].repeat(3, axis=0))
print("sklearn" in sys.modules)
"""
    assert run_python(code) == "False"


@pytest.mark.parametrize("method", baselines.PARAMETERS)
def test_embed_gives_what_is_saved(graphs, method):
    arrays = baselines.embed(method, SMALL[method], graphs, random_state=3)
    assert list(arrays["subject"]) == list("0123456")
    assert json.loads(str(arrays["parameters"])) == SMALL[method]
    kind = "gram" if method == "wl-kern" else "features"
    assert set(arrays) == {"subject", "parameters", kind}
    assert arrays[kind].shape == ((7, 7) if kind == "gram" else (7, 6))
    assert arrays[kind].dtype == float
    assert np.isfinite(arrays[kind]).all()


@pytest.mark.parametrize("method", baselines.PARAMETERS)
def test_labels_and_self_loops_are_not_looked_at(graphs, method):
    looped = graphs.copy()
    looped[:, np.arange(10), np.arange(10)] = 1
    cohorts = [
        CohortGraphs(adjacency, y, np.array(list("abcdefg")), np.arange(10).astype(str))
        for adjacency, y in ((graphs, np.array([0, 0, 0, 0, 1, 1, 1])), (looped, np.zeros(7, int)))
    ]
    first, second = (baselines.embed(method, SMALL[method], cohort) for cohort in cohorts)
    for name in first:
        np.testing.assert_array_equal(first[name], second[name])


def test_fresh_processes_give_the_same_bytes(graphs):
    """With other hash seeds and numbers of threads."""
    code = f"""
import hashlib, numpy as np
from contrast_subgraphs import embeddings as baselines
upper = np.triu(np.random.default_rng(0).random((7, 10, 10)) < 0.4, 1)
graphs = (upper | upper.transpose(0, 2, 1)).astype(np.uint8)
for method, parameters in {SMALL!r}.items():
    arrays = baselines.embed(method, parameters, graphs, random_state=3)
    print(hashlib.sha256(arrays[list(arrays)[-1]].tobytes()).hexdigest())
"""
    here = [
        hashlib.sha256(
            list(baselines.embed(*setting, graphs, random_state=3).values())[-1].tobytes()
        )
        for setting in SMALL.items()
    ]
    for seed, threads in (("1", "1"), ("2", "2")):
        there = run_python(code, PYTHONHASHSEED=seed, OPENBLAS_NUM_THREADS=threads)
        assert there.split() == [digest.hexdigest() for digest in here]


@pytest.mark.parametrize("method", baselines.PARAMETERS)
def test_the_seed_decides(graphs, method):
    first, again, other = (
        list(baselines.embed(method, SMALL[method], graphs, random_state=seed).values())[-1]
        for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(first, again)
    assert np.array_equal(first, other) == (method == "wl-kern")


@pytest.mark.parametrize("method", baselines.PARAMETERS)
def test_estimators_clone_and_name_their_features(graphs, method):
    estimator = METHODS[method].load()(**SMALL[method])
    copy = clone(estimator).set_params(**SMALL[method])
    assert copy.get_params() == estimator.get_params()
    features = copy.fit_transform(graphs)
    names = copy.get_feature_names_out()
    assert len(names) == features.shape[1]
    assert names[0] == f"{type(copy).__name__.lower()}0"


@pytest.mark.parametrize("method", baselines.PARAMETERS)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda graphs: graphs[0], "must have the shape"),
        (lambda graphs: graphs[:0], "nothing to embed"),
        (lambda graphs: graphs[:, :0, :0], "nothing to embed"),
        (lambda graphs: graphs * 0.5, "graph 0 is weighted"),
        (lambda graphs: graphs * np.uint8(2), "graph 0 is weighted"),
        (lambda graphs: graphs ^ (np.arange(10) == 1) * np.uint8(1), "graph 0 is not symmetric"),
        (lambda graphs: np.where(graphs > 0, np.nan, 0), "not finite"),
    ],
)
def test_graphs_that_cannot_be_used(graphs, method, change, message):
    with pytest.raises(InputError, match=message):
        baselines.embed(method, SMALL[method], change(graphs))


@pytest.mark.parametrize("method", ["graph2vec", "wl-kern", "embs"])
def test_single_vertex_and_no_edges(graphs, method):
    parameters = {**SMALL[method], **({"negatives": 1} if method == "graph2vec" else {})}
    graphs[2] = 0
    assert np.isfinite(list(baselines.embed(method, parameters, graphs).values())[-1]).all()
    lone = np.zeros((8, 1, 1), np.uint8)
    assert np.isfinite(list(baselines.embed(method, parameters, lone).values())[-1]).all()


def test_snapshots_of_one_training_are_the_shorter_trainings(graphs):
    config = {"grid": "full", "full": {"epochs": [2, 4, 3], "batch_size": [3, 7]}}
    sets = baselines.parameter_sets("embs", config, "any")
    trained = {}
    for parameters in sets:
        source, snapshots = baselines.snapshot_source("embs", parameters, sets)
        if parameters["epochs"] == 4:
            assert source is None
            assert snapshots == [2, 3]
            trained[parameters["batch_size"]] = baselines.embed(
                "embs", parameters, graphs, snapshots=snapshots
            )
    for parameters in sets:
        source, snapshots = baselines.snapshot_source("embs", parameters, sets)
        if source is not None:
            assert source == {**parameters, "epochs": 4}
            assert snapshots == []
            read = baselines.from_snapshot(parameters, trained[parameters["batch_size"]])
            alone = baselines.embed("embs", parameters, graphs)
            assert set(read) == set(alone)
            for name in alone:
                np.testing.assert_array_equal(read[name], alone[name])


def test_snapshots_of_another_training_are_refused(graphs):
    arrays = baselines.embed("embs", SMALL["embs"], graphs, snapshots=[2])
    for wrong in ({"epochs": 3}, {"epochs": 2, "noise": 0.5}):
        with pytest.raises(InputError, match="holds no snapshot"):
            baselines.from_snapshot({**SMALL["embs"], **wrong}, arrays)
    with pytest.raises(InputError, match="no snapshot after epoch 5"):
        baselines.embed("embs", SMALL["embs"], graphs, snapshots=[5])


@pytest.mark.parametrize("method", ["graph2vec", "sub2vec", "wl-kern"])
def test_methods_without_snapshots_train_each_set(method):
    assert baselines.snapshot_source(method, SMALL[method], [SMALL[method]]) == (None, [])
