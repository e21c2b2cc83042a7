"""NBS, max-T and FDR against scipy and bctpy, and what must not change them."""

import numpy as np
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design import two_groups
from contrast_subgraphs.inference.edge_tests import edge_tests
from contrast_subgraphs.inference.nbs import component_edges, largest_components
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
    statistic = two_groups(y).statistic(graphs, "t")
    t = statistic.matrix(statistic.values(np.arange(30)[None])[0])
    with np.errstate(invalid="ignore"):
        expected = stats.ttest_ind(graphs[y == 0], graphs[y == 1]).statistic
    assert t[0, 1] == 0 and np.isfinite(t[2, 3]) and t[2, 3] == t.max()
    rest = ~np.isin(np.arange(100).reshape(10, 10), [1, 10, 23, 32]) & ~np.eye(10, dtype=bool)
    np.testing.assert_allclose(t[rest], expected[rest], atol=1e-9)


def test_adjusted_t_values_are_those_of_the_linear_model():
    graphs, y = sample(1)
    rng = np.random.default_rng(0)
    age = rng.normal(size=30)
    design = two_groups(y, covariates={"age": age})
    statistic = design.statistic(graphs, "t")
    draw = design.random(0, 1)
    reduced = np.column_stack([np.ones(30), age])
    full = np.column_stack([reduced, y == 0])
    edges = graphs[:, statistic.pairs[:, 0], statistic.pairs[:, 1]]
    fitted = reduced @ np.linalg.lstsq(reduced, edges, rcond=None)[0]
    permuted = fitted + (edges - fitted)[np.argsort(draw[0])]
    coefficients, squares, *_ = np.linalg.lstsq(full, permuted, rcond=None)
    variance = squares / 27 * np.linalg.inv(full.T @ full)[-1, -1]
    expected = coefficients[-1] / np.sqrt(variance)
    np.testing.assert_allclose(statistic.values(draw)[0], expected, atol=1e-9)


TESTS = ["nbs-extent", "nbs-intensity", "max-t", "fdr"]


def test_a_planted_module_is_found_by_each():
    graphs, y = sample(2, effect=1.5)
    found = edge_tests(graphs, y, n_permutations=199, thresholds=THRESHOLD)
    for test in TESTS:
        inside = found.of("0-1", test).pairs
        assert found.of("0-1", test).pvalue <= 0.05 and len(inside)
        assert np.isin(inside, range(4)).all(axis=1).mean() > 0.7
    other = found.of("1-0", "max-t")
    assert other.pvalue > 0.05 and not len(other.pairs)
    table = found.table()
    assert table["test"].tolist() == TESTS * 3
    assert table["threshold"].notna().tolist() == [True, True, False, False] * 3


def test_each_threshold_is_a_row_of_its_own():
    graphs, y = sample(2, effect=1.5)
    both = edge_tests(graphs, y, n_permutations=50, thresholds=[1.5, THRESHOLD]).table()
    one = edge_tests(graphs, y, n_permutations=50, thresholds=THRESHOLD, n_jobs=2).table()
    assert both[both["threshold"] != 1.5].reset_index(drop=True).equals(one)


def test_swapped_labels_swap_the_contrasts():
    graphs, y = sample(3, effect=0.5)
    before = edge_tests(graphs, y, n_permutations=60, thresholds=THRESHOLD)
    after = edge_tests(graphs, 1 - y, n_permutations=60, thresholds=THRESHOLD)
    for mine, theirs in (("0-1", "1-0"), ("1-0", "0-1"), ("symmetric", "symmetric")):
        for test in TESTS:
            assert before.of(mine, test).pvalue == pytest.approx(after.of(theirs, test).pvalue)


@pytest.mark.parametrize(("sizes", "density"), [((8, 60), 0.05), ((10, 40), 0.2), ((12, 12), None)])
def test_without_an_effect_errors_are_rare(sizes, density):
    """Sparse graphs and groups of unequal size: the null is far from Student's t."""
    y, p = np.repeat([0, 1], sizes), []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        upper = rng.normal(size=(sum(sizes), 12, 12)) ** 3
        if density is not None:
            upper = rng.random(upper.shape) < 2 * density * rng.random((12, 12))
        graphs = np.triu(upper, 1).astype(float)
        graphs += graphs.transpose(0, 2, 1)
        found = edge_tests(graphs, y, n_permutations=99, random_state=seed, thresholds=THRESHOLD)
        p.append([found.of("symmetric", test).pvalue for test in TESTS])
    assert ((np.array(p) <= 0.05).sum(axis=0) <= 8).all()


def test_complete_separation_is_a_large_finding():
    """Fisher's exact test with the same correction finds the separated edges too."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 8)
    graphs = np.triu(rng.random((16, 40, 40)) < 0.3, 1).astype(float)
    apart = np.triu(rng.random((40, 40)) < 0.3, 1)
    graphs[:, apart] = (y == 0)[:, None]
    graphs += graphs.transpose(0, 2, 1)
    with np.errstate(all="raise", under="ignore"):
        found = edge_tests(graphs, y)
    table = found.table()
    assert np.isfinite(table[["statistic", "p"]]).all().all()
    exact = [
        stats.fisher_exact([[a, 8 - a], [b, 8 - b]], alternative="greater").pvalue
        for a, b in zip(
            *[graphs[y == g][:, *np.triu_indices(40, 1)].sum(axis=0) for g in (0, 1)], strict=True
        )
    ]
    count = int((stats.false_discovery_control(exact) <= 0.05).sum())
    assert count >= apart.sum()
    assert abs(len(found.of("0-1", "fdr").pairs) - count) <= 0.05 * count
    assert found.of("0-1", "max-t").pvalue <= 0.05
    assert len(found.of("0-1", "max-t").pairs) >= apart.sum()


def test_p_of_an_edge_is_fisher_s():
    """Free permutations of graphs without weights: counts over edges of one prevalence."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], [10, 30])
    graphs = np.zeros((40, 30, 30))
    upper = np.triu_indices(30, 1)
    values = np.argsort(rng.random((40, 435)), axis=0) < 6  # six people have each edge
    graphs[:, upper[0], upper[1]] = values
    graphs += graphs.transpose(0, 2, 1)
    found = edge_tests(graphs, y, n_permutations=500).of("0-1", "fdr")
    most = int(values[y == 0].sum(axis=0).max())
    assert found.statistic == pytest.approx(stats.hypergeom(40, 6, 10).sf(most - 1), rel=0.2)


def test_components_are_those_of_a_plain_search():
    rng = np.random.default_rng(0)
    pairs = np.transpose(np.triu_indices(12, 1))
    values = rng.normal(size=(20, len(pairs)))
    largest = largest_components(values, pairs, 12, 1.2)
    for k, row in enumerate(values):
        groups = [{v} for v in range(12)]
        for u, v in pairs[row >= 1.2]:
            joined = [g for g in groups if u in g or v in g]
            groups = [g for g in groups if g not in joined] + [set().union(*joined)]
        inside = [(row >= 1.2) & np.isin(pairs[:, 0], list(group)) for group in groups]
        assert largest[0, k] == max(one.sum() for one in inside)
        assert largest[1, k] == pytest.approx(max((row[one] - 1.2).sum() for one in inside))
        extent, intensity = component_edges(row, pairs, 12, 1.2)
        assert len(extent) == largest[0, k]
        assert (row[intensity] - 1.2).sum() == pytest.approx(largest[1, k])


def test_the_network_based_statistic_is_bctpy_s():
    """Components and p-values; bctpy draws its own permutations."""
    bct = pytest.importorskip("bct")
    graphs, y = sample(4, effect=0.9)
    stack = graphs.transpose(1, 2, 0)
    p, adjacency, _ = bct.nbs_bct(
        stack[:, :, y == 0], stack[:, :, y == 1], THRESHOLD, k=500, tail="right", seed=0
    )
    ours = edge_tests(graphs, y, n_permutations=500, thresholds=THRESHOLD).of("0-1", "nbs-extent")
    sizes = [int((adjacency == k + 1).sum() / 2) for k in range(len(p))]
    assert ours.statistic == max(sizes)
    largest = np.argwhere(np.triu(adjacency == np.argmax(sizes) + 1, 1))
    assert np.array_equal(ours.pairs, largest)
    assert ours.pvalue == pytest.approx(p[np.argmax(sizes)], abs=0.05)


def test_bad_input_is_named():
    graphs, y = sample(0)
    with pytest.raises(InputError, match="threshold"):
        edge_tests(graphs, y, thresholds=[2.0, 0])
    with pytest.raises(InputError, match="permutations must be a whole number"):
        edge_tests(graphs, y, n_permutations=0)
