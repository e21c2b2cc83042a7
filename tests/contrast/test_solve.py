"""The calls that users make: one penalty, many penalties, tables, records, errors."""

import json
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from contrast_subgraphs.contrast import (
    contrast_subgraph,
    instance,
    objective,
    sweep,
)
from contrast_subgraphs.contrast.difference import difference_of_summaries
from contrast_subgraphs.contrast.features import extract
from contrast_subgraphs.contrast.files import load_subgraphs
from contrast_subgraphs.contrast.instance import rounded_up
from contrast_subgraphs.contrast.near_optimal import near_optimal
from contrast_subgraphs.contrast.objective import Margins, size_bound, surplus
from contrast_subgraphs.contrast.solve import FIRST, READABLE, readable_percentile
from contrast_subgraphs.contrast.solver.limits import Budget, Limits
from contrast_subgraphs.core.atomic_files import save_json
from contrast_subgraphs.core.errors import InputError
from contrast_tools import brute_force, surplus_matrices
from hypothesis import given, settings
from hypothesis import strategies as st

PROPERTY = settings(deadline=None, derandomize=True, max_examples=150)
EXAMPLE = np.array([[0, 3, 2, -1], [3, 0, 1, -2], [2, 1, 0, 0], [-1, -2, 0, 0]], float)


def random_difference(n, seed=0):
    weights = np.triu(np.random.default_rng(seed).normal(size=(n, n)), 1)
    return weights + weights.T


@PROPERTY
@given(surplus_matrices(), st.floats(1, 99))
def test_exact_is_the_brute_force_optimum(weights, percentile):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some of these graphs leave no positive pair
        solution = contrast_subgraph(weights, percentile=percentile)
    best = brute_force(surplus(weights, solution.alpha)).max()
    unit = np.abs(surplus(weights, solution.alpha)).max()
    assert solution.optimal and solution.gap == 0
    assert solution.objective == pytest.approx(max(best, 0), rel=1e-8, abs=1e-8 * unit)
    assert solution.upper_bound == solution.objective
    assert solution.objective == objective(weights, solution.nodes, solution.alpha)


@PROPERTY
@given(surplus_matrices(), st.sampled_from(["search", "densdp"]))
def test_the_other_solvers_bound_the_optimum(weights, solver):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solution = contrast_subgraph(weights, percentile=60, solver=solver)
    best = brute_force(surplus(weights, solution.alpha)).max()
    unit = np.abs(surplus(weights, solution.alpha)).max()
    assert solution.objective - 1e-8 * unit <= max(best, 0) <= solution.upper_bound + 1e-8 * unit
    if solution.optimal:
        assert solution.objective == pytest.approx(max(best, 0), abs=1e-8 * unit)


@settings(PROPERTY, max_examples=60)
@given(surplus_matrices(smallest=3), st.randoms(use_true_random=False))
def test_relabelling_the_vertices_changes_nothing(weights, random):
    order = list(range(len(weights)))
    random.shuffle(order)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        here = contrast_subgraph(weights, percentile=70)
        there = contrast_subgraph(weights[np.ix_(order, order)], percentile=70)
    unit = np.abs(weights).max()
    assert there.objective == pytest.approx(here.objective, abs=1e-8 * unit)
    back = [order[node] for node in there.nodes]
    assert objective(weights, back, here.alpha) == pytest.approx(here.objective, abs=1e-8 * unit)


@settings(PROPERTY, max_examples=60)
@given(surplus_matrices(smallest=3), st.sampled_from([-40, -1, 3, 60]))
def test_the_unit_of_the_weights_changes_nothing(weights, exponent):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        here = contrast_subgraph(weights / np.abs(weights).max(initial=1e-300), percentile=70)
        there = contrast_subgraph(
            np.ldexp(weights / np.abs(weights).max(initial=1e-300), exponent), percentile=70
        )
    assert there.nodes.tolist() == here.nodes.tolist()
    assert there.objective == np.ldexp(here.objective, exponent)


def test_swapping_the_groups_swaps_the_contrasts():
    a, b = np.abs(random_difference(20, 1)), np.abs(random_difference(20, 2))
    for one, other in (("td-asd", "asd-td"), ("symmetric", "symmetric")):
        first = sweep(difference_of_summaries(a, b, one), percentiles=[70, 90])
        second = sweep(difference_of_summaries(b, a, other), percentiles=[70, 90])
        assert [s.nodes.tolist() for s in first] == [s.nodes.tolist() for s in second]


def test_a_sweep_gives_percentiles_then_plain_values():
    solutions = sweep(EXAMPLE, percentiles=[50, 80], alphas=[0.5, 2.5])
    assert [s.percentile for s in solutions] == [50, 80, None, None]
    assert [s.alpha for s in solutions] == [0.5, 2.0, 0.5, 2.5]
    assert solutions[0].nodes.tolist() == solutions[2].nodes.tolist() == [0, 1, 2]
    assert solutions[3].nodes.tolist() == [0, 1] and solutions[3].objective == 0.5
    alone = contrast_subgraph(EXAMPLE, alpha=0.5)
    assert alone.nodes.tolist() == [0, 1, 2] and alone.objective == 4.5


def test_the_diagonal_does_not_count():
    assert contrast_subgraph(EXAMPLE + 100 * np.eye(4), alpha=0.5).objective == 4.5


def test_answers_repeat_bit_for_bit():
    weights = random_difference(40)
    first, second = (
        [s.to_dict(range(40)) for s in sweep(weights, percentiles=[70, 90], alternatives=0.1)]
        for _ in range(2)
    )
    assert json.dumps(first) == json.dumps(second)


@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("solver", ["exact", "search", "densdp"])
def test_graphs_without_pairs_have_the_empty_subgraph(n, solver):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solutions = sweep(
            np.zeros((n, n)), percentiles=[80], alphas=[0.5], solver=solver, alternatives=0.05
        )
    assert [s.nodes.size for s in solutions] == [0, 0]
    assert all(s.optimal and s.objective == 0 for s in solutions)


@pytest.mark.parametrize("solver", ["exact", "search", "densdp"])
def test_two_vertices(solver):
    pair = np.array([[0.0, 1.0], [1.0, 0.0]])
    solution = contrast_subgraph(pair, alpha=0.25, solver=solver)
    assert solution.upper_bound == pytest.approx(0.75, rel=1e-4)
    if solver != "densdp":
        assert solution.nodes.tolist() == [0, 1] and solution.optimal


@pytest.mark.parametrize("solver", ["exact", "search", "densdp"])
def test_no_positive_pair_gives_the_empty_subgraph_and_a_warning(solver):
    with pytest.warns(UserWarning, match="no pair.*percentile 100.*empty"):
        solution = contrast_subgraph(EXAMPLE, percentile=100, solver=solver, alternatives=0.05)
    assert solution.nodes.size == 0 and solution.objective == 0 and solution.optimal
    if solver == "densdp":
        assert solution.alternatives is None
    else:
        assert solution.alternatives.complete and solution.alternatives.sets == ()


def test_everything_is_best_where_every_pair_is_positive():
    solution = contrast_subgraph(np.ones((9, 9)), alpha=0.5)
    assert solution.nodes.tolist() == list(range(9)) and solution.objective == 18


@pytest.mark.parametrize("alpha", [0, -1, 3, 4, "much", np.nan, np.inf, None])
def test_plain_alpha_out_of_range_states_the_range(alpha):
    with pytest.raises(InputError, match="alpha must be|either percentile or alpha"):
        contrast_subgraph(EXAMPLE, alpha=alpha)
    if alpha in (0, -1, 3, 4):
        with pytest.raises(InputError, match="above 0 and below 3"):
            contrast_subgraph(EXAMPLE, alpha=alpha)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"solver": "gurobi"}, "exact, search or densdp"),
        ({"sdp": {"rounding": 3}}, "did you mean roundings"),
        ({"sdp": {"roundings": -1}}, "sdp: roundings"),
        ({"sdp": {"roundings": 2.5}}, "sdp: roundings"),
        ({"densdp": {"tmax": 3}}, "did you mean t_max"),
        ({"densdp": {"start": "here"}}, "vertex or rounding"),
        ({"sdp": 5}, "sdp must be a mapping"),
        ({"limits": {"hours": 1}}, "limits.*'hours'"),
        ({"limits": 5}, "limits must be a mapping"),
        ({"random_state": 1.0}, "random_state must be a whole number"),
        ({"alphas": None}, "number or a list"),
        ({"alphas": "0.5"}, "number or a list"),
        ({"alphas": [np.nan]}, "alpha must be a number"),
        ({"alphas": [np.inf]}, "alpha must be a number"),
        ({"alternatives": 1}, "alternatives"),
        ({"alternatives": False}, "alternatives"),
        ({"alternatives": "all"}, "alternatives"),
    ],
)
def test_wrong_options_are_refused(options, complaint):
    with pytest.raises(InputError, match=complaint):
        sweep(EXAMPLE, **{"percentiles": [80], **options})


def test_both_or_no_penalty_is_refused():
    for penalties in ({}, {"alpha": 1, "percentile": 80}):
        with pytest.raises(InputError, match="either percentile or alpha"):
            contrast_subgraph(EXAMPLE, **penalties)


def test_memory_limit_leaves_out_relaxation_and_proof():
    weights = random_difference(30)
    small = contrast_subgraph(weights, percentile=80, limits={"memory_mb": 0.01})
    full = contrast_subgraph(weights, percentile=80)
    assert not small.optimal and full.optimal
    assert small.objective == full.objective <= small.upper_bound
    assert contrast_subgraph(weights, percentile=80, limits={"memory_mb": None}).optimal
    with pytest.raises(InputError, match="memory_mb"):
        contrast_subgraph(weights, percentile=80, solver="densdp", limits={"memory_mb": 0.01})


def test_node_limit_gives_bound_and_gap():
    solution = contrast_subgraph(random_difference(90), percentile=85, limits={"nodes": 50})
    assert not solution.optimal
    assert solution.upper_bound > solution.objective > 0
    expected = (solution.upper_bound - solution.objective) / solution.upper_bound
    assert solution.gap == expected


def test_bounds_arerounded_up():
    for bound in (1.0, 1.23456789, 9.9999999, 1e-9 / 3, 7654321.5):
        rounded = rounded_up(bound)
        assert bound <= rounded <= bound * (1 + 1e-5)
        assert float(f"{rounded:.6g}") == rounded


def test_alternatives_are_near_locally_optimal_and_sorted():
    weights = random_difference(25, 3)
    solution = contrast_subgraph(weights, percentile=70, alternatives=0.5)
    near = solution.alternatives
    assert near.complete and near.fraction == 0.5 and len(near.sets) > 2
    matrix = surplus(weights, solution.alpha)
    best = set(solution.nodes.tolist())
    for alternative in near.sets:
        nodes = set(alternative.nodes.tolist())
        assert nodes != best
        assert alternative.objective >= 0.5 * solution.objective
        assert alternative.objective == objective(weights, alternative.nodes, solution.alpha)
        assert alternative.overlap == pytest.approx(len(nodes & best) / len(nodes | best))
        gains = matrix[alternative.nodes].sum(axis=0)
        inside = np.isin(np.arange(25), alternative.nodes)
        assert (gains[inside] >= -1e-9).all() and (gains[~inside] <= 1e-9).all()
    values = [alternative.objective for alternative in near.sets]
    assert values == sorted(values, reverse=True)


def test_alternatives_that_were_sampled_are_labelled_and_a_part_of_all():
    weights = random_difference(25, 3)
    solution = contrast_subgraph(weights, percentile=70)
    matrix = surplus(weights, solution.alpha)

    def near_optimal_within(**given):
        limits = Limits(**given)
        return near_optimal(matrix, solution.nodes, 0.5, limits, Budget(limits))

    complete, sampled = near_optimal_within(), near_optimal_within(nodes=1)
    assert complete.complete and not sampled.complete
    sets = {tuple(near.nodes) for near in complete.sets}
    some = {tuple(near.nodes) for near in sampled.sets}
    assert some and some <= sets
    short = near_optimal_within(alternatives=2)
    assert len(short.sets) == 2 and not short.complete


def test_alternatives_of_large_graphs_cost_no_more_than_the_proof(monkeypatch):
    weights = random_difference(60, 3)
    everything = {"percentile": 80, "alternatives": 0.3}
    full = contrast_subgraph(weights, **everything).alternatives
    monkeypatch.setattr(instance, "LARGE", 50)
    monkeypatch.setattr(instance, "LEAST_NODES", 1)
    short = contrast_subgraph(weights, **everything).alternatives
    asked = contrast_subgraph(weights, limits={"alternatives_nodes": 1e6}, **everything)
    assert full.complete and asked.alternatives.complete and not short.complete
    sets = [{tuple(near.nodes) for near in one.sets} for one in (full, short, asked.alternatives)]
    assert sets[1] <= sets[0] == sets[2]


def test_a_record_is_plain_json_without_times():
    (solution,) = sweep(random_difference(12), percentiles=[80], alternatives=0.2)
    names = [f"region {k}" for k in range(12)]
    record = json.loads(json.dumps(solution.to_dict(names), allow_nan=False))
    assert list(record) == [
        "percentile",
        "alpha",
        "objective",
        "upper_bound",
        "gap",
        "optimal",
        "nodes",
        "regions",
        "alternatives",
    ]
    assert record["regions"] == [names[node] for node in record["nodes"]]
    assert record["optimal"] is True and record["gap"] == 0
    assert set(record["alternatives"]) == {"fraction", "complete", "sets"}
    for near in record["alternatives"]["sets"]:
        assert set(near) == {"objective", "nodes", "overlap"}
    for fraction in (None, 0):
        (solution,) = sweep(EXAMPLE, alphas=[0.5], alternatives=fraction)
        assert solution.to_dict("abcd")["alternatives"] is None


RECORD = {
    "percentile": 80,
    "alpha": 0.1,
    "objective": 1.0,
    "upper_bound": 1.0,
    "gap": 0.0,
    "optimal": True,
    "nodes": [0, 2],
    "regions": ["a", "c"],
    "alternatives": None,
}


def test_another_cohort_s_record_in_the_place_of_this_one_is_refused(tmp_path):
    path = tmp_path / "contrast" / "children" / "td-asd.json"
    save_json(path, {"cohort": "children", "contrast": "td-asd", "subgraphs": [RECORD]})
    assert load_subgraphs(path)["subgraphs"] == [RECORD]
    for other in ("male/td-asd.json", "children/symmetric.json"):
        swapped = tmp_path / "contrast" / other
        swapped.parent.mkdir(exist_ok=True)
        swapped.write_bytes(path.read_bytes())
        with pytest.raises(InputError, match="holds td-asd of children, not"):
            load_subgraphs(swapped)


def exact_values(weights, alpha):
    """Value of every set in exact arithmetic, in the order of `subsets`."""
    n = len(weights)
    surplus = [[Fraction(w) - Fraction(alpha) for w in row] for row in weights.tolist()]
    best = [Fraction(0)]
    for v in range(n):  # the sets that hold v come after those that do not
        gains = [Fraction(0)]
        for u in range(v):
            gains += [gain + surplus[u][v] for gain in gains]
        best += [value + gain for value, gain in zip(best, gains, strict=True)]
    return best


@st.composite
def adversarial(draw):
    """Weights over 32 orders of magnitude, with ties, tiny gains and forbidden pairs."""
    n = draw(st.integers(2, 8))
    magnitude = st.sampled_from([1e-16, 1e-12, 1e-9, 1e-6, 0.1, 0.3, 1.0, 3.0, 1e6, 1e12, 1e16])
    weight = st.builds(lambda sign, m: sign * m, st.sampled_from([-1, -1, 1, 1, 0]), magnitude)
    weights = np.zeros((n, n))
    for u in range(n):
        for v in range(u):
            weights[u, v] = weights[v, u] = draw(weight)
    above = sorted({w for w in weights.ravel() if w > 0})
    if not above:
        weights[0, 1] = weights[1, 0] = 1.0
        above = [1.0]
    below = draw(st.sampled_from([0.1, 0.5, 0.999, 1 - 2**-50]))
    return weights, draw(st.sampled_from(above)) * below


@settings(PROPERTY, max_examples=400)
@given(adversarial(), st.sampled_from(["exact", "search"]))
def test_what_is_called_optimal_is_optimal_in_exact_arithmetic(case, solver):
    weights, alpha = case
    solution = contrast_subgraph(weights, alpha=alpha, solver=solver, alternatives=0.1)
    values = exact_values(weights, alpha)
    mine = values[sum(1 << int(v) for v in solution.nodes)]
    assert solution.objective == pytest.approx(float(mine), rel=1e-12)
    assert max(values) <= Fraction(solution.upper_bound) * Fraction(1 + 1e-8)
    if solution.optimal:
        assert max(values) <= mine * Fraction(1 + 1e-8)
    if solver == "exact":
        assert solution.optimal
    floor = Fraction(0.9) * mine
    for near in solution.alternatives.sets:
        assert values[sum(1 << int(v) for v in near.nodes)] >= floor * Fraction(1 - 1e-8)


def test_a_forbidden_pair_does_not_swallow_the_other_weights():
    rng = np.random.default_rng(5)
    weights = np.triu(rng.normal(size=(12, 12)) * 0.1, 1)
    weights += weights.T
    for forbidden in (-1e6, -1e16, -1e300):
        weights[0, 1] = weights[1, 0] = forbidden
        solution = contrast_subgraph(weights, alpha=0.01)
        assert solution.nodes.tolist() == [0, 3, 4, 8, 9, 10] and solution.optimal
        assert solution.objective == pytest.approx(0.936, abs=5e-4)
        assert (
            extract(weights, [60])[1][0].size
            == contrast_subgraph(weights, percentile=60).nodes.size
        )


def test_weights_beyond_the_range_of_sums_are_refused():
    with pytest.raises(InputError, match="too large.*divide all weights"):
        contrast_subgraph(np.array([[0, 1e308], [1e308, 0]]), alpha=1.0)


def test_nothing_is_called_optimal_where_rounding_errors_could_decide():
    weights = random_difference(8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(instance.Margins, "of", lambda *given, **more: Margins(1e-3, 1e-3, 0.0))
        solution = contrast_subgraph(weights, percentile=60)
    assert not solution.optimal
    assert solution.objective < solution.upper_bound < 1.02 * solution.objective


@pytest.mark.parametrize("nodes", [0, 1, 100, 1000, 9000])
def test_explored_nodes_stay_within_the_limit(nodes):
    solution = contrast_subgraph(
        random_difference(90), percentile=80, limits={"nodes": nodes}, alternatives=0.02
    )
    assert solution.explored <= nodes


def test_a_matrix_that_is_symmetric_up_to_rounding_is_symmetric():
    rng = np.random.default_rng(0)
    weights = np.corrcoef(rng.normal(size=(30, 50)))
    weights[3, 4] += 1e-12
    np.fill_diagonal(weights, np.inf)  # Fisher z of 1
    solution = contrast_subgraph(weights, percentile=90)
    assert solution.optimal
    exact = (weights + weights.T) / 2
    assert contrast_subgraph(exact, percentile=90).nodes.tolist() == solution.nodes.tolist()
    weights[3, 4] += 0.1
    with pytest.raises(
        InputError, match=r"not symmetric: row 3, column 4.*differences up to.*w\.T"
    ):
        contrast_subgraph(weights, percentile=90)


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: contrast_subgraph(EXAMPLE, percentile=0.8), "did you mean 80"),
        (lambda: contrast_subgraph(EXAMPLE, percentile=True), "percentile must be"),
        (lambda: contrast_subgraph(EXAMPLE, percentile="80"), "percentile must be"),
        (lambda: contrast_subgraph([[0, 1], [1]], percentile=80), "matrix of numbers"),
        (lambda: contrast_subgraph([["0", "1"], ["1", "0"]], percentile=80), "matrix of numbers"),
        (lambda: contrast_subgraph(EXAMPLE * 1j, percentile=80), "matrix of numbers"),
        (lambda: contrast_subgraph(None, percentile=80), "difference graph"),
        (
            lambda: contrast_subgraph(np.ma.masked_greater(EXAMPLE, 2), percentile=80),
            "masked",
        ),
        (lambda: objective(EXAMPLE, [0, 1], np.nan), "alpha must be a number"),
        (lambda: objective(EXAMPLE, [True, False], 0.5), "mask of length 4"),
        (lambda: objective(EXAMPLE, [0.5], 0.5), "nodes must be different indices"),
        (lambda: objective(EXAMPLE, 3, 0.5), "nodes must be different indices"),
        (lambda: objective(EXAMPLE, [[0], [1, 2]], 0.5), "nodes must be different indices"),
    ],
)
def test_inputs_as_people_have_them_get_one_clear_error(call, complaint):
    with pytest.raises(InputError, match=complaint):
        call()


def test_inputs_as_people_have_them_that_have_a_sensible_meaning():
    plain = contrast_subgraph(EXAMPLE, alpha=0.5, alternatives=0.05)
    for same in (
        sweep(EXAMPLE, alphas=0.5)[0],
        contrast_subgraph(EXAMPLE.astype(np.float32), alpha=np.float32(0.5)),
        contrast_subgraph(EXAMPLE.tolist(), alpha=0.5, alternatives=np.float32(0.05)),
        contrast_subgraph(pd.DataFrame(EXAMPLE), alpha=0.5, random_state=np.int64(0)),
        contrast_subgraph(scipy.sparse.csr_array(EXAMPLE), alpha=0.5),
    ):
        assert same.nodes.tolist() == plain.nodes.tolist() and same.optimal
    mask = np.isin(np.arange(4), plain.nodes)
    assert objective(EXAMPLE, mask, 0.5) == plain.objective
    assert contrast_subgraph([], percentile=80).nodes.size == 0


def test_a_penalty_that_penalises_nothing_is_warned_of():
    with pytest.warns(UserWarning, match=r"percentile 10 .*alpha = 0, which penalises no pair"):
        contrast_subgraph(EXAMPLE, percentile=10)


def test_a_graph_that_is_weaker_throughout_has_no_set():
    """A percentile below 0 would pay for pairs that are weaker in the group of the contrast."""
    random = np.random.default_rng(0)
    weaker = -np.triu(random.uniform(0.1, 1, (10, 10)), 1)
    with pytest.warns(UserWarning, match="no pair of vertices has a weight above alpha = 0"):
        found = contrast_subgraph(weaker + weaker.T, percentile=80)
    assert len(found.nodes) == 0 and found.objective == 0 and found.alpha == 0


@pytest.mark.parametrize("n", [10, 50, 116, 332])
@pytest.mark.parametrize("kind", ["binary", "z", "counts"])
def test_a_first_answer_can_be_read(n, kind):
    """Whatever the size and the weights; the lowest such percentile, and 80 for small atlases."""
    random = np.random.default_rng(n)
    factors = random.normal(size=(n, 6)) / np.sqrt(6)
    people = []
    for _ in range(20):
        scaled = factors * random.lognormal(0, 0.3, 6)
        weights = scaled @ scaled.T + 0.35 * random.normal(size=(n, n))
        weights = np.triu(weights, 1) + np.triu(weights, 1).T
        if kind == "binary":
            weights = (weights >= np.quantile(weights, 0.8)).astype(float)
        elif kind == "counts":
            weights = np.maximum(np.round(3 * np.exp(2.5 * weights - 2) - 1), 0)
        people.append(weights - np.diag(np.diag(weights)))
    difference = np.mean(people[:10], axis=0) - np.mean(people[10:], axis=0)
    both = [difference, -difference]
    percentile = readable_percentile(both)
    largest = {}
    for one in FIRST:
        found = [contrast_subgraph(w, percentile=one, solver="search") for w in both]
        largest[one] = max(len(result.nodes) for result in found)
    assert 2 <= largest[percentile] <= READABLE
    assert all(largest[lower] > READABLE for lower in FIRST[: FIRST.index(percentile)])


def test_a_first_answer_without_a_difference():
    assert readable_percentile([np.zeros((5, 5))] * 2) == 80


@settings(deadline=None, max_examples=40, derandomize=True)
@given(st.integers(0, 7), st.integers(0, 999), st.sampled_from([0.0, 0.5, 2.0]))
def test_the_bound_by_sizes_is_above_every_set(n, seed, penalty):
    matrix = np.random.default_rng(seed).normal(size=(n, n)) - penalty
    matrix = np.triu(matrix, 1) + np.triu(matrix, 1).T
    every = (np.flatnonzero([k >> v & 1 for v in range(n)]) for k in range(2**n))
    best = max(matrix[np.ix_(nodes, nodes)].sum() / 2 for nodes in every)
    bound = size_bound(matrix)
    assert best - 1e-12 <= bound <= np.maximum(matrix, 0).sum() / 2 + 1e-12
