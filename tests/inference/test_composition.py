"""Graphs of one density: a direction that is only the other side of the opposite one."""

import numpy as np
import pytest
from contrast_subgraphs.core.pairs import square_of
from contrast_subgraphs.design import of_variable, several_groups, two_groups
from contrast_subgraphs.inference import permutation_test
from contrast_subgraphs.inference.composition import of_one_density, other_side

REGIONS = 20
PERCENTILES = [75, 90]


def strongest(weights, share=0.2):
    """Pairs of graphs that keep each person's strongest ones."""
    count = round(share * weights.shape[1])
    graphs = np.zeros(weights.shape, np.uint8)
    np.put_along_axis(graphs, np.argsort(-weights, axis=1)[:, :count], 1, axis=1)
    return graphs


@pytest.fixture(scope="module")
def people():
    """Weights of 40 + 40 people; the first have larger ones inside 10 of 20 regions."""
    rng = np.random.default_rng(1)
    y = np.repeat(["a", "b"], 40)
    own = rng.normal(0, 0.5, (80, REGIONS))
    weights = own[:, :, None] + own[:, None, :] + rng.normal(size=(80, REGIONS, REGIONS))
    weights[:40, :10, :10] += 1.0
    return weights[:, *np.triu_indices(REGIONS, 1)], y


def test_a_direction_that_is_the_other_side_is_found_as_it_is_and_not_with_the_control(people):
    weights, y = people
    graphs = strongest(weights)
    options = {"percentiles": PERCENTILES, "n_permutations": 99, "solver": "search"}
    first, second, _ = permutation_test(graphs, y, **options).pvalue_contrast.min(axis=1)
    assert first <= 0.05 and second <= 0.05
    controlled = other_side(two_groups(y), graphs, PERCENTILES)
    assert controlled["a-b"] <= 0.05
    assert controlled["b-a"] > 0.2


def test_a_true_difference_in_both_directions_stays(people):
    weights, y = people
    both = weights.copy()
    first, second = np.triu_indices(REGIONS, 1)
    planted = (first >= 10) & (second >= 10)
    both[np.ix_(y == "b", planted)] += 1.0
    found = other_side(two_groups(y), strongest(both), PERCENTILES)
    assert max(found.values()) <= 0.05


def test_directions_change_places_with_the_labels(people):
    weights, y = people
    graphs = strongest(weights)
    one = other_side(two_groups(y, labels=["a", "b"]), graphs, PERCENTILES)
    turned = other_side(two_groups(y, labels=["b", "a"]), graphs, PERCENTILES)
    # The relabellings are the same, the penalties means of the same ones.
    assert one["a-b"] == pytest.approx(turned["a-b"], abs=0.02)
    assert one["b-a"] == pytest.approx(turned["b-a"], abs=0.15)


def test_of_a_variable_both_directions_are_tested_too(people):
    weights, y = people
    values = (y == "a") + np.random.default_rng(0).normal(size=80)
    found = other_side(of_variable(values, called="v"), strongest(weights), PERCENTILES)
    assert len(found) == 2 and all(0 < p <= 1 for p in found.values())


def test_without_two_directions_there_is_nothing(people):
    weights, _ = people
    design = several_groups(np.arange(80) % 3)
    assert other_side(design, strongest(weights), PERCENTILES) == {}


def test_which_graphs_are_of_one_density(people):
    weights, _ = people
    graphs = strongest(weights)
    assert of_one_density(graphs)
    # Whole matrices as well as pairs, and kept weights as well as ones.
    assert of_one_density(square_of(graphs))
    assert of_one_density(graphs * weights)
    assert not of_one_density(weights)
    assert not of_one_density((weights > 1).astype(np.uint8))
    assert not of_one_density(np.ones_like(graphs))
    assert not of_one_density(square_of(np.ones_like(graphs)))
    assert not of_one_density(np.zeros_like(graphs))
