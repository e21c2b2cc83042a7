"""NBS, max-T and FDR against scipy and bctpy, and what must not change them."""

import numpy as np
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design import two_groups
from contrast_subgraphs.inference.group_tests import (
    benjamini_hochberg,
    group_tests,
    group_tests_table,
)
from scipy import stats

THRESHOLD = 2.0


def sample(seed, n=30, p=10, weighted=True, effect=0.0):
    rng = np.random.default_rng(seed)
    upper = rng.normal(size=(n, p, p)) if weighted else rng.random((n, p, p)) < 0.4
    y = np.arange(n) % 2
    upper = np.triu(upper.astype(float), 1)
    upper[:, :4, :4] += np.triu(np.ones((4, 4)), 1) * effect * (y == 0)[:, None, None]
    return upper + upper.transpose(0, 2, 1), y


def test_t_values_are_scipy_s():
    graphs, y = sample(0, weighted=False)
    graphs[:, 0, 1] = graphs[:, 1, 0] = 1  # everybody has it
    graphs[:, 2, 3] = graphs[:, 3, 2] = y == 0  # it tells the groups apart
    design = two_groups(y)
    statistic = design.statistic(graphs)
    t = statistic.matrix(statistic.t_values(design.observed())[0])
    with np.errstate(invalid="ignore"):
        expected = stats.ttest_ind(graphs[y == 0], graphs[y == 1]).statistic
    assert t[0, 1] == 0 and t[2, 3] == np.inf
    rest = ~np.isin(np.arange(100).reshape(10, 10), [1, 10, 23, 32]) & ~np.eye(10, dtype=bool)
    np.testing.assert_allclose(t[rest], expected[rest], atol=1e-9)


def test_adjusted_t_values_are_those_of_the_linear_model():
    graphs, y = sample(1)
    rng = np.random.default_rng(0)
    age = rng.normal(size=30)
    design = two_groups(y, covariates={"age": age})
    statistic = design.statistic(graphs)
    draw = design.random(0, 1)
    reduced = np.column_stack([np.ones(30), age])
    full = np.column_stack([reduced, y == 0])
    edges = graphs[:, statistic.pairs[:, 0], statistic.pairs[:, 1]]
    fitted = reduced @ np.linalg.lstsq(reduced, edges, rcond=None)[0]
    permuted = fitted + (edges - fitted)[np.argsort(draw[0])]
    coefficients, squares, *_ = np.linalg.lstsq(full, permuted, rcond=None)
    variance = squares / 27 * np.linalg.inv(full.T @ full)[-1, -1]
    expected = coefficients[-1] / np.sqrt(variance)
    np.testing.assert_allclose(statistic.t_values(draw)[0], expected, atol=1e-9)


def test_a_planted_module_is_found_by_each():
    graphs, y = sample(2, effect=1.5)
    found = group_tests(graphs, y, n_permutations=199, threshold=THRESHOLD)
    for test in ("nbs", "max-t", "fdr"):
        inside = found["0-1"][test].pairs
        assert found["0-1"][test].p <= 0.05 and len(inside)
        assert np.isin(inside, range(4)).all(axis=1).mean() > 0.7
    assert found["1-0"]["max-t"].p > 0.05 and not len(found["1-0"]["max-t"].pairs)
    table = group_tests_table(found, THRESHOLD)
    assert table["test"].tolist() == ["nbs", "max-t", "fdr"] * 3
    assert table["threshold"].notna().tolist() == [True, False, False] * 3


def test_swapped_labels_swap_the_contrasts():
    graphs, y = sample(3, effect=0.5)
    before = group_tests(graphs, y, n_permutations=60, threshold=THRESHOLD)
    after = group_tests(graphs, 1 - y, n_permutations=60, threshold=THRESHOLD)
    for mine, theirs in (("0-1", "1-0"), ("1-0", "0-1"), ("symmetric", "symmetric")):
        for test in ("nbs", "max-t", "fdr"):
            assert before[mine][test].p == pytest.approx(after[theirs][test].p)


def test_benjamini_hochberg_is_scipy_s():
    p = np.random.default_rng(0).random(200) ** 2
    np.testing.assert_allclose(benjamini_hochberg(p), stats.false_discovery_control(p))


def test_without_an_effect_errors_are_rare():
    p = []
    for seed in range(60):
        graphs, y = sample(seed + 100, n=24, p=8, weighted=False)
        found = group_tests(graphs, y, n_permutations=99, random_state=seed, threshold=THRESHOLD)
        p.append([found["symmetric"][test].p for test in ("nbs", "max-t", "fdr")])
    assert ((np.array(p) <= 0.05).sum(axis=0) <= 8).all()


def test_the_network_based_statistic_is_bctpy_s():
    """Components and p-values; bctpy draws its own permutations."""
    bct = pytest.importorskip("bct")
    graphs, y = sample(4, effect=0.9)
    stack = graphs.transpose(1, 2, 0)
    p, adjacency, _ = bct.nbs_bct(
        stack[:, :, y == 0], stack[:, :, y == 1], THRESHOLD, k=500, tail="right", seed=0
    )
    ours = group_tests(graphs, y, n_permutations=500, threshold=THRESHOLD)["0-1"]["nbs"]
    sizes = [int((adjacency == k + 1).sum() / 2) for k in range(len(p))]
    assert ours.statistic == max(sizes)
    largest = np.argwhere(np.triu(adjacency == np.argmax(sizes) + 1, 1))
    assert np.array_equal(ours.pairs, largest)
    assert ours.p == pytest.approx(p[np.argmax(sizes)], abs=0.05)


def test_bad_input_is_named():
    graphs, y = sample(0)
    with pytest.raises(InputError, match="threshold"):
        group_tests(graphs, y, threshold=0)
    with pytest.raises(InputError, match="permutations must be a whole number"):
        group_tests(graphs, y, n_permutations=0)
