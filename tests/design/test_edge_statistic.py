"""What pairs of regions weigh: against linear models fitted plainly, and Welch's t."""

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.contrast.difference import (
    difference_graph,
    difference_of_summaries,
    summary_of,
)
from contrast_subgraphs.core.check_graphs import condensed_graphs
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design import several_groups, two_groups
from contrast_subgraphs.design.covariates import adjusted_graphs, unexplained
from contrast_subgraphs.design.edge_statistic import t_statistic
from scipy import stats


def sample(seed, n=10, p=6, density=0.4, weighted=False):
    """Random graphs of two groups that do not differ."""
    rng = np.random.default_rng(seed)
    upper = rng.normal(size=(n, p, p)) if weighted else rng.random((n, p, p)) < density
    upper = np.triu(upper, 1).astype(float)
    return upper + upper.transpose(0, 2, 1), np.arange(n) % 2


def test_the_adjusted_difference_is_a_linear_model():
    """Freedman and Lane: permute the residuals of the reduced model, fit the full one again."""
    graphs, y = sample(3, n=20, weighted=True)
    rng = np.random.default_rng(0)
    age, sex = rng.normal(size=20), np.array(["m", "f", "f", "m", "f"] * 4)
    design = two_groups(y, covariates={"age": age, "sex": sex})
    statistic = design.statistic(graphs)
    reduced = np.column_stack([np.ones(20), age, sex == "m"])
    full = np.column_stack([reduced, y == 0])
    edges = graphs[:, *np.triu_indices(6, 1)]
    draw = design.draws(100)[0](0, 3)
    fitted = reduced @ np.linalg.lstsq(reduced, edges, rcond=None)[0]
    for row in draw:
        # Our draws say whose group each subject gets: the residuals go the other way.
        residuals = (edges - fitted)[np.argsort(row)]
        expected = np.linalg.lstsq(full, fitted + residuals, rcond=None)[0][-1]
        # Our weights of the people all have the length of the observed ones.
        weights = unexplained(design.residual[row], design.nuisance)
        expected *= np.sqrt((design.residual**2).sum() / (weights**2).sum())
        np.testing.assert_allclose(statistic.values(row[None])[0], expected, atol=1e-12)


def test_graphs_adjusted_before_give_the_same_test():
    """``graph.adjust``: the sets of the contrast stage, and nothing is adjusted for twice."""

    graphs, y = sample(3, n=20, weighted=True)
    age = np.random.default_rng(0).normal(size=20) + y
    adjusted = adjusted_graphs(condensed_graphs(graphs)[0], pd.DataFrame({"age": age}), ["age"])
    design = two_groups(y, covariates={"age": age})
    once, twice = (design.statistic(one) for one in (graphs, adjusted))
    draws = np.concatenate([design.observed(), design.draws(100)[0](0, 3)])
    np.testing.assert_allclose(once.values(draws), twice.values(draws), atol=1e-12)
    plain = two_groups(y).statistic(adjusted).values(draws[:1])[0]
    ratio = plain / once.values(draws[:1])[0]
    assert ratio == pytest.approx(ratio[0]) and 0 < ratio[0] < 1


def test_unadjusted_differences_are_those_of_the_contrast_stage():

    graphs, y = sample(5, n=31, p=20)
    groups = [summary_of(graphs[y == group]) for group in (0, 1)]
    design = two_groups(y)
    statistic = design.statistic(graphs.astype(np.uint8))
    difference = statistic.matrix(statistic.values(design.observed())[0])
    assert np.array_equal(difference, difference_of_summaries(*groups, "td-asd"))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("adjusted", [False, True])
def test_t_values_are_those_of_the_linear_model(weighted, adjusted):
    """Of permuted residuals too, and in half of the people."""
    graphs, y = sample(3, n=24, weighted=weighted)
    graphs = graphs if weighted else graphs.astype(np.uint8)
    graphs[:, 0, 1] = graphs[:, 1, 0] = y == 0  # at the bound
    age = np.random.default_rng(0).normal(size=24)
    design = two_groups(y, covariates={"age": age} if adjusted else None)
    statistic = design.statistic(graphs, "t")
    reduced = np.column_stack([np.ones(24), age])[:, : 1 + adjusted]
    edges = graphs[:, *np.triu_indices(6, 1)].astype(float)

    def t_values(edges, nuisance, group):
        hat = nuisance @ np.linalg.pinv(nuisance)
        left = ((group - hat @ group) ** 2).sum()
        full = np.column_stack([nuisance, group])
        coefficients, *_ = np.linalg.lstsq(full, edges, rcond=None)
        squares = ((edges - full @ coefficients) ** 2).sum(axis=0)
        return t_statistic(coefficients[-1], squares, left, len(edges) - full.shape[1])

    fitted = reduced @ np.linalg.lstsq(reduced, edges, rcond=None)[0]
    for row in (design.observed()[0], *design.draws(100)[0](0, 3)):
        residuals = (edges - fitted)[np.argsort(row)]
        expected = t_values(fitted + residuals, reduced, (y == 0).astype(float))
        np.testing.assert_allclose(statistic.values(row[None])[0], expected, atol=1e-9)
    half = np.zeros(24, dtype=bool)
    half[[*np.flatnonzero(y == 0)[:5], *np.flatnonzero(y == 1)[:6]]] = True
    expected = t_values(edges[half], reduced[half], (y[half] == 0).astype(float))
    np.testing.assert_allclose(
        statistic.of_parts(half[None], design.observed())[0], expected, atol=1e-9
    )
    if not adjusted:
        from contrast_subgraphs.design.cohort_graphs import CohortGraphs

        people = CohortGraphs(graphs, y, np.arange(24).astype(str), np.arange(6).astype(str))
        difference = statistic.matrix(statistic.values(design.observed())[0])
        ours = difference_graph(people, "td-asd", edge_statistic="t")
        np.testing.assert_allclose(difference, ours, rtol=1e-12, atol=1e-12)


def test_welch_is_scipy_s_and_that_of_the_contrast_stage():
    from contrast_subgraphs.contrast.difference import mean_graph, signed_difference

    graphs, y = sample(4, n=20, weighted=True)
    y = (np.arange(20) < 6).astype(int)
    graphs[y == 1] *= 3
    design = two_groups(y)
    statistic = design.statistic(graphs, "welch")
    for draw in (design.observed()[0], *design.random(0, 3)):
        labels = y[draw]
        with np.errstate(invalid="ignore"):
            expected = stats.ttest_ind(graphs[labels == 0], graphs[labels == 1], equal_var=False)
        ours = statistic.values(draw[None])[0]
        np.testing.assert_allclose(ours, expected.statistic[*np.triu_indices(6, 1)], rtol=1e-9)
    part = np.arange(20) % 3 > 0
    with np.errstate(invalid="ignore"):
        rows = graphs[part & (y == 0)], graphs[part & (y == 1)]
        expected = stats.ttest_ind(*rows, equal_var=False).statistic[*np.triu_indices(6, 1)]
    ours = statistic.of_parts(part[None], design.observed())[0]
    np.testing.assert_allclose(ours, expected, rtol=1e-9)
    members = [np.flatnonzero(y == group) for group in (0, 1)]
    weights = condensed_graphs(graphs)[0]
    means = [mean_graph(weights, rows) for rows in members]
    signed = signed_difference(weights, members, means, "welch")
    observed = statistic.matrix(statistic.values(design.observed())[0])
    np.testing.assert_allclose(signed, observed, rtol=1e-9, atol=1e-12)


def test_welch_with_covariates_is_the_robust_t_of_the_linear_model():
    """HC2 by its definition, of the observed labels."""
    graphs, y = sample(5, n=20, weighted=True)
    age = np.random.default_rng(0).normal(size=20)
    design = two_groups(y, covariates={"age": age})
    ours = design.statistic(graphs, "welch").values(design.observed())[0]
    full = np.column_stack([np.ones(20), age, y == 0])
    inverse = np.linalg.inv(full.T @ full)
    hat = np.diag(full @ inverse @ full.T)
    edges = graphs[:, *np.triu_indices(6, 1)]
    for t, edge in zip(ours, edges.T, strict=True):
        coefficients = inverse @ full.T @ edge
        squares = (edge - full @ coefficients) ** 2 / (1 - hat)
        variance = (inverse @ (full.T * squares) @ full @ inverse)[-1, -1]
        assert t == pytest.approx(coefficients[-1] / np.sqrt(variance), rel=1e-9)


def test_a_design_is_of_as_many_graphs():
    graphs, y = sample(0)
    with pytest.raises(InputError, match="for 10 graphs, not for 9"):
        two_groups(y).statistic(graphs[:9])


@pytest.mark.parametrize("groups", [2, 3, 4])
@pytest.mark.parametrize("each", [2, 3, 4, 8])
def test_bounds_are_beyond_what_chance_reaches(groups, each):
    """Weights that tell small groups apart are not cut to what chance alone gives."""
    y = np.repeat(np.arange(groups), each)
    rng = np.random.default_rng(0)
    rows = 0.2 * rng.normal(size=(len(y), 300)) + rng.choice([0.0, 1, 2], 300) * (y == 0)[:, None]
    several = several_groups(y)
    found = several.statistic(rows).values(several.observed())[0]
    exact = stats.f_oneway(*[rows[y == k] for k in range(groups)]).statistic
    point = stats.f.ppf(0.95, groups - 1, len(y) - groups)
    assert (found >= np.minimum(exact, point) * (1 - 1e-9)).all()
    assert (found <= exact * (1 + 1e-9)).all() and found.max() >= point * (1 - 1e-9)
    if groups == 2:
        two = two_groups(y)
        t = two.statistic(rows, "t").values(two.observed())[0]
        np.testing.assert_allclose(t**2, found, rtol=1e-9)
