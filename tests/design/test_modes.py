"""Modes that all people share: principal components, known to no label, and what they leave."""

import numpy as np
import pytest
from click.testing import CliRunner
from contrast_subgraphs.cli import main
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design import make_design, mode_scores, two_groups
from contrast_subgraphs.design.modes import Modes
from contrast_subgraphs.inference import permutation_test

PAIRS = 190  # of 20 regions


def people(seed, n=40, modes=3, strength=1.0):
    """Weights of people who are more or less of some modes, each a pattern over all pairs."""
    rng = np.random.default_rng(seed)
    patterns = rng.normal(size=(modes, PAIRS))
    return rng.normal(size=(n, PAIRS)) + strength * rng.normal(size=(n, modes)) @ patterns


def test_scores_are_principal_components():
    weights = people(0)
    scores = np.column_stack(list(mode_scores(weights, 4).values()))
    centred = weights - weights.mean(axis=0)
    left, size, _ = np.linalg.svd(centred, full_matrices=False)
    expected = left[:, :4] * size[:4]
    np.testing.assert_allclose(np.abs(scores), np.abs(expected), atol=1e-8)
    assert list(mode_scores(weights, 2)) == ["mode 1", "mode 2"]


@pytest.mark.parametrize("modes", [0, 1, 5])
def test_as_many_as_are_more_than_chance(modes):
    counts = [len(mode_scores(people(seed, modes=modes), random_state=seed)) for seed in range(10)]
    assert counts.count(modes) >= 9


def test_binary_graphs_and_order_of_the_people():
    weights = (people(1) > 0.5).astype(np.uint8)
    scores = mode_scores(weights, 3)
    order = np.random.default_rng(0).permutation(40)
    again = mode_scores(weights[order], 3)
    for name, column in scores.items():
        np.testing.assert_allclose(again[name], column[order], atol=1e-8)


def test_what_is_learnt_is_of_the_training_part():
    weights, train = people(2), np.arange(30)
    modes = Modes(3).fit(weights, train)
    elsewhere = weights.copy()
    elsewhere[30:] *= 7
    np.testing.assert_array_equal(Modes(3).fit(elsewhere, train).loadings_, modes.loadings_)
    left = modes.adjusted(weights)
    np.testing.assert_allclose(left[train].mean(axis=0), weights[train].mean(axis=0))
    scores = modes.transform(weights)
    np.testing.assert_allclose(scores[train].T @ left[train], 0, atol=1e-8)
    np.testing.assert_allclose(modes.transform(left), 0, atol=1e-8)


def test_a_local_difference_is_seen_beside_the_modes():
    """Groups that differ in modes by chance differ everywhere; inside few regions beside them."""
    y, inside = np.arange(40) % 2, np.array(np.triu_indices(20, 1)).max(axis=0) < 5
    without, beside = [], []
    for seed in range(3):
        weights = people(seed, strength=3.0)
        weights[np.ix_(y == 0, inside)] += 1.2
        options = {"percentiles": [95], "n_permutations": 39, "solver": "search"}
        options |= {"edge_statistic": "t"}
        without.append(permutation_test(weights, y, **options).pvalue[0, 0])
        found = permutation_test(weights, y, modes=3, **options)
        beside.append(found.pvalue[0, 0])
        assert set(range(5)) <= set(found.nodes[0][0].tolist())
    assert max(beside) <= 0.05 < min(without)


def test_modes_stand_beside_other_covariates_in_any_design():
    weights, y = people(3), np.arange(40) % 2
    age = np.random.default_rng(0).normal(size=40)
    ours = make_design(weights, y, covariates={"age": age}, modes=2)
    assert ours.covariates == ("age", "mode 1", "mode 2")
    scores = mode_scores(weights, 2)
    np.testing.assert_allclose(
        ours.residual, two_groups(y, covariates={"age": age} | scores).residual, atol=1e-12
    )
    with pytest.raises(InputError, match="a design has its"):
        make_design(weights, ours, modes=2)


@pytest.mark.parametrize("count", [0, 1.5, "many", 39, 100])
def test_bad_numbers_of_modes_are_named(count):
    with pytest.raises(InputError, match="modes"):
        mode_scores(people(0), count)


def test_the_command_line_takes_modes(tmp_path):
    rng = np.random.default_rng(0)
    for group in "ab":
        (tmp_path / group).mkdir()
        for k in range(8):
            upper = np.triu(rng.normal(size=(6, 6)), 1)
            np.save(tmp_path / group / f"{k}.npy", upper + upper.T)
    groups = [str(tmp_path / group) for group in "ab"]
    for command, more in (("find", []), ("test", ["-n", "19"])):
        asked = [command, *groups, "--percentile", "80", *more]
        plain, beside = (CliRunner().invoke(main, asked + ["--modes", one]) for one in ("1", "2"))
        assert plain.exit_code == beside.exit_code == 0 and plain.stdout != beside.stdout
        assert "held constant: 2 modes" in beside.stderr
    wrong = CliRunner().invoke(main, ["test", *groups, "--modes", "some"])
    assert wrong.exit_code == 2 and "--modes" in wrong.stderr
