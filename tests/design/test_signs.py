"""Sign flips of residuals against a linear model fitted plainly; people who spread unequally."""

import warnings

import numpy as np
import pytest
from contrast_subgraphs import cli
from contrast_subgraphs.config.schema import complaints
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design import of_variable, paired, several_groups, two_groups
from contrast_subgraphs.design.exchange import EXCHANGES
from contrast_subgraphs.held_out import predict_variable
from contrast_subgraphs.inference import held_out_effect, permutation_test, region_stability
from scipy import stats

N = 24
RNG = np.random.default_rng(0)
EDGES = RNG.normal(size=(N, 28))
MOTION, AGE = RNG.lognormal(size=N), RNG.normal(size=N)


def without(columns, numbers):
    """Numbers without what some columns and a constant explain, by least squares."""
    full = np.column_stack([np.ones(len(numbers)), columns])
    return numbers - full @ np.linalg.lstsq(full, numbers, rcond=None)[0]


def test_welch_is_hc3_of_the_linear_model():
    design = of_variable(AGE, covariates={"motion": MOTION}, exchange="signs")
    ours = design.statistic(EDGES, "welch").values(design.observed())[0]
    full = np.column_stack([np.ones(N), MOTION, AGE / AGE.std()])
    inverse = np.linalg.inv(full.T @ full)
    coefficients = inverse @ full.T @ EDGES
    leverage = ((full @ inverse) * full).sum(axis=1)
    squares = ((EDGES - full @ coefficients) / (1 - leverage)[:, None]) ** 2
    variance = (inverse @ full.T)[2] ** 2 @ squares
    np.testing.assert_allclose(ours, coefficients[2] / np.sqrt(variance), rtol=1e-9)


def test_a_flip_is_the_model_of_flipped_residuals():
    design = of_variable(AGE, covariates={"motion": MOTION}, exchange="signs")
    statistic = design.statistic(EDGES, "t")
    signs = design.random(0, 4)
    assert set(np.unique(signs)) == {-1, 1} and design.possible == 2**N
    for row, ours in zip(signs, statistic.values(signs), strict=True):
        flipped = without(MOTION, EDGES) * row[:, None]
        same = of_variable(AGE, covariates={"motion": MOTION}).statistic(flipped, "t")
        np.testing.assert_allclose(ours, same.values(same.design.observed())[0], rtol=1e-9)


def test_f_of_a_flip_is_that_of_flipped_residuals():
    design = several_groups(np.arange(N) % 3, exchange="signs")
    signs = design.random(0, 3)
    for row, ours in zip(signs, design.statistic(EDGES).values(signs), strict=True):
        flipped = (EDGES - EDGES.mean(axis=0)) * row[:, None]
        expected = stats.f_oneway(*[flipped[k::3] for k in range(3)]).statistic
        np.testing.assert_allclose(ours, expected, rtol=1e-9)


def test_observed_statistics_are_those_of_permuted_designs():
    for kind in ("difference", "t"):
        values = [
            design.statistic(EDGES, kind).values(design.observed())[0]
            for design in (two_groups(AGE > 0), two_groups(AGE > 0, exchange="signs"))
        ]
        np.testing.assert_allclose(*values, rtol=1e-9, atol=1e-12)


def test_graphs_of_one_person_are_flipped_together_whatever_their_order():
    person = np.repeat(list("abcdefgh"), 3)
    design = of_variable(AGE, subjects=person, exchange="signs")
    signs = design.random(0, 20)
    assert (signs.reshape(20, 8, 3) == signs[:, ::3, None]).all()
    assert design.possible == 2**8 and len(np.unique(signs, axis=0)) > 10
    draws, count, exact = design.draws(1000)
    assert exact and count == 255
    every = np.concatenate([design.observed(), draws(0, count)])
    assert len(np.unique(every, axis=0)) == 256
    order = RNG.permutation(N)
    moved = of_variable(AGE[order], subjects=person[order], exchange="signs")
    np.testing.assert_array_equal(moved.random(0, 20), signs[:, order])


def test_of_pairs_it_is_the_paired_test():
    """Two conditions of the same people: flips of their differences, as `paired` has them."""
    person, second = np.repeat(np.arange(5), 2), np.tile([0, 1], 5)
    edges = EDGES[:10] + 3 * RNG.normal(size=(5, 28))[person]
    values = []
    for design in (
        paired(second, person),
        two_groups(second, subjects=person, exchange="signs"),
    ):
        draws, count, _ = design.draws(100)
        found = design.statistic(edges).values(draws(0, count))
        values.append(np.sort(found, axis=0))
    np.testing.assert_allclose(*values, rtol=1e-6)


def spread_along(seed, n=40):
    """Graphs that spread the more the larger a variable is, and do not go with it."""
    rng = np.random.default_rng(seed)
    variable = rng.lognormal(size=n)
    upper = np.triu(rng.normal(size=(n, 7, 7)) * (0.5 + 0.5 * variable)[:, None, None], 1)
    return upper + upper.transpose(0, 2, 1), variable


def test_unequal_spread_is_found_by_permuted_labels_and_not_by_signs():
    """By the largest t of all pairs, over data sets without any effect."""
    shares = {}
    for exchange in ("auto", "signs"):
        reached = []
        for seed in range(150):
            graphs, variable = spread_along(seed)
            design = of_variable(variable, exchange=exchange, random_state=seed)
            draws = np.concatenate([design.observed(), design.random(0, 39)])
            largest = np.abs(design.statistic(graphs, "t").values(draws)).max(axis=1)
            reached.append((largest >= largest[0]).mean() <= 0.05)
        shares[exchange] = np.mean(reached)
    assert shares["auto"] > 0.4
    assert shares["signs"] <= 0.1


def test_unequal_spread_is_said_of_every_design_and_not_without():
    graphs, variable = spread_along(1)
    options = {"percentiles": [80], "n_permutations": 19, "solver": "search"}
    with pytest.warns(UserWarning, match="decide most about v: p may be too small; take exchange"):
        permutation_test(graphs, variable, variable="v", **options)
    several = np.repeat([0, 0, 1, 2], 10)
    wide = graphs / graphs.std(axis=(1, 2))[:, None, None] * (1 + 2 * (several > 0))[:, None, None]
    with pytest.warns(UserWarning, match="spread more in the people who decide"):
        permutation_test(wide, several_groups(several), **options)
    for quiet in (
        of_variable(variable, called="v", exchange="signs"),
        of_variable(RNG.normal(size=40), called="v"),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            permutation_test(graphs / graphs.std(axis=(1, 2))[:, None, None], quiet, **options)


def test_effects_and_half_samples_take_signs():
    graphs, variable = spread_along(2)
    graphs[:, :3, :3] += 2 * np.log(variable)[:, None, None] * (1 - np.eye(3))
    graphs = np.clip(graphs, -5, 5)
    designs = [of_variable(np.log(variable), exchange=how) for how in ("auto", "signs")]
    effects = [held_out_effect(graphs, one, percentiles=80, n_repeats=2) for one in designs]
    np.testing.assert_allclose(effects[0].effect, effects[1].effect, rtol=1e-9)
    assert (effects[1].high > effects[1].low).all()
    shares = region_stability(graphs, designs[1], percentiles=[80], n_halves=10).table()
    assert shares[shares["contrast"] == shares["contrast"][0]]["share"][:3].min() > 0.5


def test_what_is_exchanged_has_one_list_of_names():
    [option] = [one for one in cli.test.params if one.name == "exchange"]
    assert tuple(option.type.choices) == EXCHANGES
    for name in (*EXCHANGES, "sign"):
        told = [one for one in complaints({"inference": {"exchange": name}}) if "exchange" in one]
        assert bool(told) == (name not in EXCHANGES)
    with pytest.raises(InputError, match="exchange"):
        predict_variable(EDGES, AGE, methods=["edges"], exchange="signs")
