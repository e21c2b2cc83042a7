"""The permutation test against its recipe written plainly, and what must not change it."""

import itertools
import warnings

import numpy as np
import pytest
from contrast_subgraphs.core import pairs
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.inference import permutation_test
from contrast_subgraphs.inference.p_values import p_value
from contrast_tools import brute_force
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats


def sample(seed, n=10, p=6, density=0.4, weighted=False):
    """Random graphs of two groups that do not differ."""
    rng = np.random.default_rng(seed)
    upper = rng.normal(size=(n, p, p)) if weighted else rng.random((n, p, p)) < density
    upper = np.triu(upper, 1).astype(float)
    return upper + upper.transpose(0, 2, 1), np.arange(n) % 2


@pytest.mark.parametrize("statistic", ["difference", "t"])
def test_the_pairs_alone_are_enough(statistic, monkeypatch):
    """Also where the pairs are turned into floats in many blocks."""
    graphs, y = sample(0, n=20, weighted=True)
    i, j = np.triu_indices(6, 1)
    options = {"edge_statistic": statistic, "n_permutations": 60}
    whole = permutation_test(graphs, y, **options)
    monkeypatch.setattr(pairs, "FLOATS", 50)
    alone = permutation_test(graphs[:, i, j], y, **options)
    np.testing.assert_allclose(alone.null_distribution, whole.null_distribution, atol=1e-12)
    np.testing.assert_allclose(alone.density, whole.density, atol=1e-12)


def test_it_is_the_recipe_written_plainly():
    """Every relabelling within two blocks, every vertex set, by brute force."""
    graphs, y = sample(1)
    blocks = np.array(list("aaaaabbbbb"))
    test = permutation_test(graphs, y, percentiles=[60, 80], blocks=blocks, hold="observed")

    def best(labels, alphas):
        difference = graphs[labels == 0].mean(0) - graphs[labels == 1].mean(0)
        forms = (difference, -difference, np.abs(difference))
        rows = []
        for form, row in zip(forms, alphas, strict=True):
            matrices = [form - alpha for alpha in row]
            for matrix in matrices:
                np.fill_diagonal(matrix, 0)
            rows.append([brute_force(matrix).max() for matrix in matrices])
        return np.array(rows), forms

    pairs = np.triu_indices(6, 1)
    alphas = [np.percentile(form[pairs], [60, 80]) for form in best(y, [[0], [0], [0]])[1]]
    observed = best(y, alphas)[0]
    every = []
    for ones in itertools.product(
        itertools.combinations(range(5), 2), itertools.combinations(range(5, 10), 3)
    ):
        labels = np.zeros(10, dtype=int)
        labels[[*ones[0], *ones[1]]] = 1
        every.append(best(labels, alphas)[0])
    statistics = np.array(every)
    assert len(statistics) == 100 and test.exact and len(test.null_distribution) == 99
    np.testing.assert_allclose(test.alphas, alphas, atol=1e-12)
    np.testing.assert_allclose(test.statistic, observed, atol=1e-12)
    reached = (statistics >= observed - 1e-9).mean(axis=0)
    np.testing.assert_allclose(test.pvalue_uncorrected, reached)
    others = (100 * statistics.mean(0) - observed) / 99
    squares = (100 * (statistics**2).mean(0) - observed**2) / 99
    np.testing.assert_allclose(test.null_mean, others, atol=1e-9)
    sd = np.sqrt(squares - others**2)
    np.testing.assert_allclose(test.z, (observed - others) / sd, atol=1e-6)
    # min-p: in how many relabellings is the smallest p as small, equal ones ordered by z?
    z = (statistics - statistics.mean(0)) / statistics.std(0)
    of_observed = (observed - statistics.mean(0)) / statistics.std(0)

    def keys(row, scores):
        at_least = (statistics >= row - 1e-9).sum(axis=0).ravel()
        return [(n, -round(one, 6)) for n, one in zip(at_least, scores.ravel(), strict=True)]

    best = [min(keys(*both)) for both in zip(statistics, z, strict=True)]
    familywise = [np.mean([one <= key for one in best]) for key in keys(observed, of_observed)]
    np.testing.assert_allclose(test.pvalue.ravel(), familywise)
    assert np.array_equal(test.pvalue_interval[0], test.pvalue)


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), weighted=st.booleans(), adjusted=st.booleans())
def test_names_units_and_order_do_not_matter(seed, weighted, adjusted):
    graphs, y = sample(seed, n=14, weighted=weighted)
    rng = np.random.default_rng(seed + 1)
    names = np.array([f"s{i:02d}" for i in range(14)])
    blocks = np.array(["x", "y"])[rng.integers(0, 2, 14)]
    blocks[:4] = list("xxyy")
    age = rng.normal(size=14) if adjusted else None
    options = {"percentiles": [70, 85], "n_permutations": 40, "solver": "search"}

    def p_of(graphs, y, rows=slice(None), groups=(0, 1)):
        test = permutation_test(
            graphs[rows],
            y[rows],
            labels=groups,
            blocks=blocks[rows],
            subjects=names[rows],
            covariates={"age": age[rows]} if adjusted else None,
            **options,
        )
        return np.stack([test.pvalue_uncorrected, test.pvalue_contrast, test.pvalue])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = p_of(graphs, y)
        assert np.array_equal(p_of(graphs * 8, y), before)
        np.testing.assert_array_equal(p_of(graphs * 3.7, y), before)
        labels = np.array(["patient", "control"])[y]
        assert np.array_equal(p_of(graphs, labels, groups=("patient", "control")), before)
        assert np.array_equal(p_of(graphs, y, rng.permutation(14)), before)
        swapped = p_of(graphs, 1 - y)
        assert np.array_equal(swapped[:, [1, 0, 2]], before)
        vertices = rng.permutation(6)
        assert np.array_equal(p_of(graphs[:, vertices][:, :, vertices], y), before)


#: Half of a step of p with 39 permutations: its steps, from 1/40 on, are uniform about these.
HALF = 1 / 80


def p_without_effect(seed, mix=None, blocks=False, hold="null"):
    """p of a data set of two sites, the second with a module; `mix`: share of a group in one."""
    rng = np.random.default_rng(seed)
    n, p = 40, 12
    site = np.repeat([0, 1], n // 2)
    y = rng.permutation(n) % 2
    if mix is not None:
        shares = [np.arange(n // 2) < n // 2 * share for share in (mix, 1 - mix)]
        y = np.concatenate([rng.permutation(share) for share in shares]).astype(int)
    rate = np.full((n, p, p), 0.3)
    rate[site == 1, :6, :6] = 0.55
    upper = np.triu(rng.random((n, p, p)) < rate, 1).astype(np.uint8)
    graphs = upper + upper.transpose(0, 2, 1)
    options = {"percentiles": [75, 90], "n_permutations": 39, "solver": "search"}
    test = permutation_test(
        graphs, y, blocks=site if blocks else None, hold=hold, random_state=seed, **options
    )
    return test.pvalue.min()


def test_p_values_are_uniform_without_an_effect():
    p = np.array([p_without_effect(seed) for seed in range(60)])
    assert stats.kstest(p - HALF, "uniform").pvalue > 0.01


def test_with_sites_of_unequal_mix_they_are_uniform_only_within_sites():
    within = np.array([p_without_effect(seed, 0.2, blocks=True) for seed in range(60)])
    ignored = [p_without_effect(seed, 0.2) for seed in range(25)]
    assert stats.kstest(within - HALF, "uniform").pvalue > 0.01
    assert stats.kstest(ignored, "uniform").pvalue < 1e-3


def test_with_the_observed_alpha_they_are_not_too_small():
    p = np.array([p_without_effect(seed, hold="observed") for seed in range(60)])
    assert stats.kstest(p, "uniform", alternative="greater").pvalue > 0.05


def test_a_planted_difference_is_found_and_named():
    rng = np.random.default_rng(0)
    rate = np.full((60, 12, 12), 0.3)
    rate[:30, :4, :4] = 0.75
    upper = np.triu(rng.random((60, 12, 12)) < rate, 1).astype(np.uint8)
    y = np.repeat(["control", "patient"], 30)
    test = permutation_test(
        upper + upper.transpose(0, 2, 1), y, percentiles=[80, 90], n_permutations=199
    )
    table = test.table().set_index(["contrast", "percentile"])
    row = table.loc[("control-patient", 90)]
    assert row["p_familywise"] == 1 / 200 and row["p_familywise_high"] < 0.03
    assert row["density_control"] > 0.6 > 0.45 > row["density_patient"]
    assert table.loc[("patient-control", 90), "p_familywise"] > 0.05
    assert row["objective"] == pytest.approx(test.statistic[0, 1]) and row["optimal"]


def test_the_monte_carlo_interval_is_that_of_clopper_and_pearson():
    null = np.r_[np.ones(7), np.zeros(93)]
    value = p_value(1.0, null)
    interval = stats.binomtest(7, 100).proportion_ci(0.95, "exact")
    assert (value.p, value.low, value.high) == pytest.approx((8 / 101, interval.low, interval.high))
    assert p_value(2.0, null).low == 0 and p_value(-1.0, null).high == 1
    # Rounding errors count as reached: p is never too small for them.
    assert p_value(1.0 + 1e-12, null).p == value.p


def test_there_is_no_p_value_of_nan_and_an_infinite_statistic_is_reached_by_such():
    for observed, null in ((np.nan, [1.0, 2.0]), (1.0, [np.nan, 2.0])):
        with pytest.raises(InputError, match="NaN"):
            p_value(observed, null)
    assert p_value(np.inf, [np.inf, 1.0, 2.0]).p == 0.5
    assert p_value(1.5, [np.inf, 1.0, 2.0]).p == 0.75


def test_a_single_penalty_needs_no_list():
    graphs, y = sample(0, n=12)
    one = permutation_test(graphs, y, percentiles=80, alphas=0.1, n_permutations=9)
    many = permutation_test(graphs, y, percentiles=[80], alphas=[0.1], n_permutations=9)
    assert one.table().equals(many.table()) and one.percentiles == (80, None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": [0] * 10}, "at least two in each group|two different"),
        ({"y": [0] * 9 + [1]}, "has 1 subject"),
        ({"y": np.arange(10) % 3}, "3 different numbers"),
        ({"y": [0, 1]}, "one label for each"),
        ({"y": ["a"] * 5 + [None] * 5}, "NaN or None"),
        ({"y": ["a"] * 5 + [float("nan")] * 5}, "NaN or None"),
        ({"y": ["a", "b"] * 4 + ["b", None]}, "NaN or None"),
        ({"blocks": ["a"] * 9 + [float("nan")]}, "block of 1 of 10 subjects is missing"),
        ({"covariates": {"sex": ["f"] * 9 + [float("nan")]}}, "sex is missing for 1 of 10"),
        ({"blocks": list("aabbaabbab"), "y": [0, 0, 1, 1, 0, 0, 1, 1, 0, 1]}, "every block"),
        ({"blocks": ["a"] * 9 + [None]}, "block of 1 of 10 subjects is missing"),
        ({"covariates": {"age": [1.0] * 9 + [np.nan]}}, "age is missing for 1 of 10"),
        ({"covariates": {"group": np.arange(10) % 2}}, "leave nothing"),
        ({"subjects": ["s"] * 10}, "in both groups"),
        ({"n_permutations": 0}, "at least 1"),
        ({"percentiles": []}, "at least one penalty"),
        ({"n_permutations": None}, "n_permutations must be a whole number"),
        ({"n_permutations": float("nan")}, "n_permutations must be a whole number"),
        ({"n_permutations": 19.0}, "n_permutations must be a whole number"),
        ({"n_jobs": 0}, "n_jobs must be a whole number of at least 1"),
        ({"percentiles": None}, "penalties must be a number or a list"),
        ({"alphas": [0.2, float("nan")]}, "alpha must be a number.*not nan"),
        ({"alphas": [0.2, float("inf")]}, "alpha must be a number.*not inf"),
        ({"alphas": ["x"]}, "alpha must be a number.*not 'x'"),
        ({"alphas": 0}, "alpha must be a number.*not 0"),
        ({"covariates": [1, 2]}, "covariates must be a table, or a mapping"),
    ],
)
def test_bad_input_is_named(change, message):
    graphs, y = sample(0)
    with pytest.raises(InputError, match=message):
        permutation_test(graphs, **({"y": y, "percentiles": [80]} | change))


def test_a_block_with_one_group_is_said():
    graphs, y = sample(0, n=12)
    blocks = np.array(["a"] * 4 + ["b"] * 4 + ["c"] * 4)
    y = np.array([0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1])
    with pytest.warns(UserWarning, match=r"block a holds people of one group only.*4 of 12"):
        test = permutation_test(graphs, y, percentiles=[80], blocks=blocks)
    assert test.exact and len(test.null_distribution) == 35


def test_the_published_cohorts_give_the_known_p_values(published):
    """Within Monte-Carlo error; the site is what stands before the number in a name."""
    graphs = published("adolescents")
    site = np.array([name.rsplit("_", 1)[0] for name in graphs.subject])
    with pytest.warns(UserWarning, match="one group only"):
        test = permutation_test(
            graphs.adjacency,
            graphs.y,
            blocks=site,
            n_permutations=100,
            subjects=graphs.subject,
            solver="search",
        )
    p = test.pvalue_contrast.min(axis=1)
    assert p[0] < 0.09 and 0.5 < p[1] < 0.82 and p[2] < 0.06


def test_what_is_motion_is_found_unless_it_is_adjusted_for():
    """Motion goes together with the group and with the edges; the group has no effect."""
    as_is, adjusted = [], []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        y = np.arange(40) % 2
        motion = y + rng.normal(size=40)
        loading = np.zeros((10, 10))
        loading[:5, :5] = 0.7
        upper = np.triu(rng.normal(size=(40, 10, 10)) + loading * motion[:, None, None], 1)
        graphs = upper + upper.transpose(0, 2, 1)
        options = {
            "percentiles": [75, 90],
            "n_permutations": 39,
            "solver": "search",
            "hold": "null",
        }
        for found, covariates in ((as_is, None), (adjusted, {"motion": motion})):
            test = permutation_test(graphs, y, covariates=covariates, random_state=seed, **options)
            found.append(test.pvalue.min())
    assert (np.array(as_is) <= 0.05).mean() > 0.5
    assert stats.kstest(adjusted, "uniform").pvalue > 0.01


def test_the_null_does_not_contain_the_observed_statistic():
    """What is far beyond chance is any number of times the mean of permuted labels."""
    graphs, y = sample(3, n=24)
    graphs = graphs * 1e-6
    graphs[y == 0, :3, :3] += 1 - np.eye(3)
    test = permutation_test(graphs, y, alphas=[0.9], percentiles=[], n_permutations=19)
    null = test.null_distribution
    np.testing.assert_array_equal(test.null_mean, null.mean(axis=0))
    np.testing.assert_array_equal(test.null_sd, null.std(axis=0))
    assert np.isposinf(test.z[0, 0]) and test.z[1, 0] == 0  # by chance there is none at all
    assert (test.z[:, 0] >= test.critical()[:, 0]).tolist() == (test.pvalue[:, 0] <= 0.05).tolist()
    test = permutation_test(graphs, y, percentiles=[80], n_permutations=99)
    expected = (test.statistic - test.null_mean) / test.null_sd
    np.testing.assert_allclose(test.z, expected, rtol=1e-9)
    assert ((test.z >= test.critical()) == (test.pvalue <= 0.05)).all()
