"""Graphs with labels, or people: whichever is given, the same is asked."""

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs import (
    InputError,
    confirm,
    difference_graph,
    edge_tests,
    held_out_effect,
    mode_scores,
    permutation_test,
    region_stability,
    site_effects,
    two_groups,
)
from contrast_subgraphs.design import CohortGraphs, asked_of
from contrast_subgraphs.inference import FixedSet

NAMES = [f"data/sub-{k:02d}.csv" for k in range(24)]
GROUPS = ("patient", "control")


@pytest.fixture(scope="module")
def people():
    """Graphs in which patients, who are the first group, have more of three pairs."""
    rng = np.random.default_rng(5)
    y = np.tile([1, 0], 12)
    graphs = rng.normal(size=(24, 8, 8))
    graphs[y == 0, :3, :3] += 2
    graphs = graphs + graphs.transpose(0, 2, 1)
    for graph in graphs:
        np.fill_diagonal(graph, 0)
    roi = np.array([f"R{k}" for k in range(8)])
    return CohortGraphs(graphs, y, np.array(NAMES), roi, GROUPS)


def same(one, other):
    pd.testing.assert_frame_equal(one, other)


def test_people_ask_what_their_graphs_and_labels_do(people):
    given = {"labels": people.groups, "subjects": people.subject, "percentiles": [80]}
    options = {"n_permutations": 50, "solver": "search"}
    ours = permutation_test(people, percentiles=[80], **options)
    theirs = permutation_test(people.adjacency, people.labels, **given, **options)
    assert ours.contrasts == ("patient-control", "control-patient", "symmetric")
    assert ours.nodes[0][0].tolist() == [0, 1, 2]
    same(ours.table(), theirs.table())
    few = {"n_folds": 3, "n_repeats": 1}
    same(
        held_out_effect(people, percentiles=80, **few).table(),
        held_out_effect(people.adjacency, people.labels, **given, **few).table(),
    )
    del given["percentiles"]
    same(
        edge_tests(people, n_permutations=20).table(),
        edge_tests(people.adjacency, people.labels, n_permutations=20, **given).table(),
    )


def test_every_function_of_graphs_and_labels_takes_people(people):
    shares = region_stability(people, percentiles=80, n_halves=2)
    assert shares.share.shape == (3, 1, 8) and len(shares.table()) == 3 * 8
    sites = np.repeat(["a", "b"], 12)
    assert site_effects(people, sites=sites).contrasts[0] == "patient-control"
    claim = FixedSet("claim", ["R0", "R1", "R2"], "patient-control")
    assert confirm(people, sets=claim, n_permutations=50).effect[0] > 1
    with pytest.raises(InputError, match="by name"):
        confirm(people, [claim])
    assert mode_scores(people, 1).keys() == {"mode 1"}
    design = two_groups(people)
    assert design.contrasts[0] == "patient-control"
    assert np.array_equal(permutation_test(people, design, percentiles=[80]).nodes[0][0], [0, 1, 2])


def test_a_variable_of_people_is_y(people):
    age = np.arange(24.0)
    X, design = asked_of(people, age, variable="age")
    assert X is people.weights and design.contrasts[0] == "more-with-age"


def test_tables_of_people_are_put_in_the_order_of_the_graphs(people):
    stems = [f"sub-{k:02d}" for k in range(24)]
    age = pd.Series(np.arange(24.0) ** 2, index=stems)
    _, straight = asked_of(people, covariates={"age": age})
    _, shuffled = asked_of(people, covariates={"age": age.sample(frac=1, random_state=1)})
    assert np.allclose(straight.nuisance, shuffled.nuisance)
    by_path = age.set_axis(NAMES).sample(frac=1, random_state=2)
    assert np.allclose(straight.nuisance, asked_of(people, covariates={"age": by_path})[1].nuisance)
    numbers = asked_of(people, covariates={"age": age.to_numpy()})[1]
    assert np.allclose(straight.nuisance, numbers.nuisance)
    with pytest.raises(InputError, match="different labels"):
        asked_of(people, covariates={"age": age.rename({"sub-00": "sub-99"})})


def test_sites_too_go_by_the_names_of_people(people):
    stems = [f"sub-{k:02d}" for k in range(24)]
    sites = pd.Series(np.repeat(["a", "b"], 12), index=stems)
    straight = site_effects(people, sites=sites)
    shuffled = site_effects(people, sites=sites.sample(frac=1, random_state=1))
    same(straight.table(), shuffled.table())


def test_labels_in_another_order_turn_the_contrasts(people):
    _, design = asked_of(people, labels=["control", "patient"])
    assert design.contrasts[0] == "control-patient"


def test_without_labels_it_is_said_what_is_missing(people):
    with pytest.raises(InputError, match="as y, or what read_groups returns"):
        permutation_test(people.adjacency)


def test_edges_are_compared_by_t(people):
    with pytest.raises(InputError, match="edge_statistic='t'"):
        edge_tests(people, edge_statistic="difference")


def test_a_generator_draws_as_its_seed_does(people):
    def test_of(seed):
        options = {"n_permutations": 20, "solver": "search", "percentiles": [80]}
        return permutation_test(people, random_state=seed, **options).null_distribution

    drawn = test_of(np.random.default_rng(1))
    assert np.array_equal(drawn, test_of(np.random.default_rng(1)))
    assert not np.array_equal(drawn, test_of(0))


def test_all_cores_give_the_same(people):
    one = permutation_test(people, percentiles=[80], n_permutations=60, solver="search")
    all_cores = permutation_test(
        people, percentiles=[80], n_permutations=60, solver="search", n_jobs=-1
    )
    assert np.array_equal(one.null_distribution, all_cores.null_distribution)


def test_a_typo_is_reported_for_the_function_that_was_called(people):
    with pytest.raises(TypeError, match=r"permutation_test\(\) got an unexpected keyword"):
        permutation_test(people, percentil=[80])


def test_labels_with_the_peoples_names_go_to_their_graphs(people):
    labels = pd.Series(people.labels, index=people.subject)
    mixed = labels.iloc[::-1]
    expected = difference_graph(people, people.labels, "control-patient")
    found = difference_graph(people, mixed, "control-patient")
    np.testing.assert_array_equal(found, expected)
    _, design = asked_of(people, mixed)
    np.testing.assert_array_equal(design.strata, asked_of(people, people.labels)[1].strata)
    with pytest.raises(InputError, match="different labels"):
        asked_of(people, labels.rename(lambda name: f"x{name}"))
