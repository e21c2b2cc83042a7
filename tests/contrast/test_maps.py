"""Contrast subgraphs of maps that people have, and their tests by null maps."""

import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from contrast_subgraphs import (
    InputError,
    contrast_of_map,
    contrast_subgraph,
    map_permutation_test,
)


def planted(seed=0, n=12, size=4):
    """A map of t with a planted set of the first regions."""
    rng = np.random.default_rng(seed)
    t = np.triu(rng.normal(size=(n, n)), 1)
    t[:size, :size] = np.triu(t[:size, :size] + 4.0, 1)
    return t + t.T


def forms(matrix):
    """One map in every form that is taken."""
    pairs = np.triu_indices(len(matrix), 1)
    numbers = matrix[pairs]
    names = [f"R{k:02}" for k in range(len(matrix))]
    named = [[names[u], names[v], x] for u, v, x in zip(*pairs, numbers, strict=True)]
    return {
        "matrix": matrix,
        "with a diagonal": matrix + 7.0 * np.eye(len(matrix)),
        "data frame": pd.DataFrame(matrix, names, names),
        "sparse": scipy.sparse.csr_array(matrix),
        "triangle": numbers,
        "list": numbers.tolist(),
        "edges": np.column_stack([*pairs, numbers]),
        "named edges": named,
        "table of edges": pd.DataFrame(named, columns=["a", "b", "t"]).iloc[::-1],
    }


@pytest.mark.parametrize("form", forms(planted()))
def test_every_form_of_a_map_gives_the_contrast_subgraph_of_its_matrix(form):
    matrix = planted()
    given = forms(matrix)[form]
    found = contrast_of_map(given, percentile=80)
    expected = contrast_subgraph(matrix, percentile=80)
    assert found.nodes.tolist() == expected.nodes.tolist() == [0, 1, 2, 3]
    assert found.alpha == expected.alpha and found.objective == expected.objective
    assert found.optimal and found.percentile == 80
    if "named" in form or "table" in form or "frame" in form:
        assert found.regions == ("R00", "R01", "R02", "R03")
    again = (
        contrast_of_map(given, alpha=1.0, direction="absolute", names=list("abcdefghijkl"))
        if not re.search("edges|frame", form)  # these have names of their own
        else contrast_of_map(given, alpha=1.0, direction="absolute")
    )
    assert again.objective == contrast_subgraph(np.abs(matrix), alpha=1.0).objective


def test_the_other_direction_is_that_of_the_negative_map():
    found = contrast_of_map(planted(), percentile=90, direction="negative")
    expected = contrast_subgraph(-planted(), percentile=90)
    assert found.nodes.tolist() == expected.nodes.tolist() and found.alpha == expected.alpha


@pytest.mark.parametrize("form", ["matrix", "triangle", "edges"])
def test_pairs_that_were_not_tested_count_neither_for_nor_against(form):
    rng = np.random.default_rng(1)
    matrix = planted()
    tested = np.triu(rng.random((12, 12)) < 0.7, 1)
    tested |= tested.T
    whatever = np.where(np.arange(12) % 2, np.nan, 1e9)
    masked = np.where(tested, matrix, np.minimum(whatever, whatever[:, None]))
    mask = forms(tested.astype(float))[form]
    found = contrast_of_map(masked, percentile=75, mask=mask)
    chosen = matrix[tested & (np.tri(12) == 0)]
    assert found.alpha == np.percentile(chosen, 75)
    best = 0.0
    surplus = np.where(tested, matrix - found.alpha, 0.0)
    for row in (np.arange(2**12)[:, None] >> np.arange(12)) & 1:
        best = max(best, row @ surplus @ row / 2)
    assert found.objective == pytest.approx(best, rel=1e-12) and found.optimal


def test_edges_that_are_not_listed_were_not_tested():
    edges = [["a", "b", 3.0], ["b", "c", 2.0], ["c", "d", -1.0], ["d", "e", 0.5]]
    found = contrast_of_map(edges, alpha=1.0)
    assert found.regions == ("a", "b", "c") and found.objective == 3.0


def test_of_p_values_the_logarithm_is_taken_if_that_is_said():
    rng = np.random.default_rng(2)
    p = rng.random(66)
    p[[0, 1, 11]] = 1e-6
    for given in (p, forms_of_p(p, 0.0), forms_of_p(p, 1.0), forms_of_p(p, np.nan)):
        with pytest.raises(InputError, match="seems to hold p values.*values='p'"):
            contrast_of_map(given, percentile=90)
        found = contrast_of_map(given, percentile=90, values="p")
        assert found.nodes.tolist() == [0, 1, 2]
        assert contrast_of_map(given, percentile=90, values="statistic").nodes.size
    with pytest.raises(InputError, match="holds 0, which is no p value"):
        contrast_of_map(np.append(p[:-1], 0.0), percentile=90, values="p")
    with pytest.raises(InputError, match="holds 2, which is no p value"):
        contrast_of_map(np.append(p[:-1], 2.0), percentile=90, values="p")
    graph = (p < 0.5).astype(float)  # zeros and ones are edges
    assert contrast_of_map(graph, alpha=0.5).optimal
    correlations = forms_of_p(p, 0.5)  # the diagonal is none of p values
    assert contrast_of_map(correlations, percentile=90).optimal


def forms_of_p(p, diagonal):
    matrix = np.zeros((12, 12))
    matrix[np.triu_indices(12, 1)] = p
    matrix += matrix.T
    np.fill_diagonal(matrix, diagonal)
    return matrix


@pytest.mark.parametrize(
    ("statistics", "more", "why"),
    [
        (np.ones((3, 4)), {}, "the map is not square: its shape is"),
        (np.ones((2, 3, 3)), {}, "the map is not square"),
        (np.ones(7), {}, "7 numbers, which is no triangle"),
        ([[0, np.nan], [np.nan, 0]], {}, "the map holds NaN at row 0, column 1"),
        ([1.0, np.nan, 3.0], {}, "the map holds NaN at row 0, column 2"),
        ([1.0, np.inf, 3.0], {}, "the map holds an infinite number"),
        ([[0, 1], [2, 0]], {}, "symmetric"),
        ([[0, 1], [2]], {}, "must hold numbers"),
        (["a", "b", "c"], {}, "must hold numbers"),
        ([1.0, 2.0, 3.0], {"mask": np.ones((4, 4))}, "mask has 4 regions, the map has 3"),
        ([1.0, 2.0, 3.0], {"mask": [1, 0, 2]}, "mask must be symmetric and hold 1"),
        ([1.0, 2.0, 3.0], {"mask": [0, 0, 0]}, "no pair of regions that was tested"),
        ([1.0, 2.0, 3.0], {"names": ["a"]}, "1 names and 3 regions"),
        ([1.0, 2.0, 3.0], {"direction": "up"}, "direction must be positive, negative or absolute"),
        ([1.0, 2.0, 3.0], {"values": "t"}, "values must be statistic or p"),
        ([1.0, 2.0, 3.0], {"alpha": 3.0}, "below 3, the largest number of this map"),
        ([["a", "b", 1.0], ["b", "a", 1.0]], {}, "a and b twice|b and a twice"),
        ([["a", "a", 1.0], ["b", "a", 1.0]], {}, "with itself"),
        ([["a", "b", 1.0], ["b", "c", 1.0]], {"names": "ab"}, "one is not a name"),
    ],
)  # fmt: skip
def test_what_is_no_map_is_named_in_one_line(statistics, more, why):
    with pytest.raises(InputError, match=why) as error:
        contrast_of_map(statistics, **{"alpha": 0.5} | more)
    assert "\n" not in str(error.value)


# ---- The test.


def null_maps(count, n=12, seed=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, n * (n - 1) // 2))


@pytest.mark.parametrize("penalty", [{"percentile": 80}, {"alpha": 0.8}])
def test_a_planted_set_is_found_and_noise_is_not(penalty):
    test = map_permutation_test(planted(), null_maps(199), **penalty)
    assert test.found.nodes.tolist() == [0, 1, 2, 3] and test.pvalue == 1 / 200
    low, high = test.pvalue_interval
    assert low < test.pvalue < high and test.null_distribution.shape == (199,)
    noise = map_permutation_test(null_maps(1, seed=4)[0], null_maps(199), **penalty)
    assert noise.p > 0.05


def test_p_is_uniform_where_the_map_is_one_of_the_null_maps():
    maps = null_maps(40, n=8, seed=5)
    ranks = [
        map_permutation_test(maps[k], np.delete(maps, k, axis=0), percentile=75).p
        for k in range(40)
    ]
    assert sorted(ranks) == pytest.approx(np.arange(1, 41) / 40)


def test_forms_masks_and_directions_of_null_maps_are_those_of_the_map():
    maps = null_maps(30)
    squares = np.array([forms(np.zeros((12, 12)))["matrix"]] * 30)
    squares[:, *np.triu_indices(12, 1)] = maps
    squares += squares.transpose(0, 2, 1)
    mask = np.ones(66)
    mask[:5] = 0
    options = {"percentile": 80, "mask": mask, "direction": "negative"}
    one = map_permutation_test(planted(), maps, **options)
    other = map_permutation_test(planted(), list(squares), **options)
    np.testing.assert_array_equal(one.null_distribution, other.null_distribution)
    assert one.statistic == other.statistic == pytest.approx(one.found.objective)
    changed = maps.copy()
    changed[:, :5] = 1e6
    masked = map_permutation_test(planted(), changed, **options)
    np.testing.assert_array_equal(one.null_distribution, masked.null_distribution)


@pytest.mark.parametrize(
    ("null", "why"),
    [
        ([], "there is no null map"),
        (np.ones((3, 10)), "null map 0 has 5 regions, the map has 12"),
        (np.full((3, 66), np.nan), "null map 0 holds NaN"),
        (np.ones((3, 11)), "null map 0 has 11 numbers"),
    ],
)
def test_what_are_no_null_maps_is_named(null, why):
    with pytest.raises(InputError, match=why):
        map_permutation_test(planted(), null, percentile=80)


def test_a_mask_with_names_is_in_the_order_of_the_map():
    rng = np.random.default_rng(0)
    names = [f"R{k}" for k in range(6)]
    upper = np.triu(rng.normal(size=(6, 6)), 1)
    t = pd.DataFrame(upper + upper.T, index=names, columns=names)
    mask = pd.DataFrame(1 - np.eye(6), index=names, columns=names)
    mask.loc["R0", "R1"] = mask.loc["R1", "R0"] = 0
    plain = contrast_of_map(t, percentile=70, mask=mask)
    turned = contrast_of_map(t, percentile=70, mask=mask.loc[names[::-1], names[::-1]])
    assert plain.nodes.tolist() == turned.nodes.tolist()
    strange = mask.rename(index={"R5": "Z"}, columns={"R5": "Z"})
    with pytest.raises(InputError, match="other regions than the map, such as Z"):
        contrast_of_map(t, percentile=70, mask=strange)
