"""The search, both proofs and the enumeration against brute force."""

import itertools

import numpy as np
import pytest
from contrast_subgraphs.contrast import Limits, contrast_subgraph, search_quick
from contrast_subgraphs.contrast.objective import conditioned, margin_of, surplus_of
from contrast_subgraphs.contrast.proof import stars as stars_module
from contrast_subgraphs.contrast.proof import tree as exact
from contrast_subgraphs.contrast.proof.branching import UNDECIDED, Stack, Weights
from contrast_subgraphs.contrast.proof.pentagons import Pentagons, slacks
from contrast_subgraphs.contrast.proof.stars import Stars, star_bound
from contrast_subgraphs.contrast.proof.triangles import SIGNS, Subproblem, _violated
from contrast_subgraphs.contrast.solver.limits import Budget
from contrast_subgraphs.contrast.solver.search import climb, search_sweep
from contrast_subgraphs.core.errors import InputError
from contrast_tools import brute_force, locally_optimal, subsets, surplus_matrices
from hypothesis import given, settings
from hypothesis import strategies as st


def search(matrix):
    """The best set of a surplus matrix that the search finds."""
    return search_sweep(matrix, [0.0])[0]


def root_of(matrix, seed=0):
    return Subproblem.root(
        Weights.of(matrix), 0.5 * np.abs(matrix).mean() + 1e-3, Budget(PLENTY), seed
    )


PROPERTY = settings(deadline=None, derandomize=True, max_examples=300)
FEW = settings(PROPERTY, max_examples=60)
#: More than any of these small graphs needs.
PLENTY = Limits(nodes=1e9)
#: Values of sets are sums of at most 36 numbers below 1.
CLOSE = 1e-8


@PROPERTY
@given(surplus_matrices())
def test_search_finds_the_best_of_small_graphs(matrix):
    best = max(0.0, brute_force(matrix).max())
    found = surplus_of(matrix, search(matrix))
    assert found == pytest.approx(best, rel=CLOSE, abs=CLOSE * np.abs(matrix).max())


@settings(PROPERTY, max_examples=2000)
@given(surplus_matrices(), st.sampled_from([0.0, 0.5, 0.999, 1.0]))
def test_branch_and_bound_finds_and_proves_the_best(matrix, known):
    _check_proof(matrix, known)


@settings(FEW, max_examples=200)
@given(matrix=surplus_matrices(), data=st.data())
def test_stars_bound_every_set_wherever_vertices_are(matrix, data):
    scaled, _ = conditioned(matrix)
    n = len(scaled)
    state = np.array(data.draw(st.lists(st.sampled_from([0, 0, 0, 1, 2]), min_size=n, max_size=n)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stars_module, "SPARSE", np.inf)
        stars = Stars.of(scaled, state == UNDECIDED)
    sums = Stack.starting_from(Weights.of(scaled), state.astype(np.int8))
    groups, group_of = np.empty(n), np.empty((n, 2), dtype=np.int64)
    bound = np.array(
        [star_bound(scaled, stars, state, u, groups, group_of) for u in range(n)] + sums.sums[0, 0]
    )
    for inside in subsets(n).astype(bool):
        if (inside[state == 1].all()) and not inside[state == 2].any():
            free = inside & (state == UNDECIDED)
            value = surplus_of(scaled, np.flatnonzero(inside))
            assert value <= sums.inner[0] + bound[free].sum() + margin_of(scaled)


def test_stars_of_neighbours_that_exclude_each_other_count_the_best_one():
    spokes = np.full((5, 5), -1.0)
    spokes[0, 1:] = spokes[1:, 0] = [0.5, 0.4, 0.3, 0.2]
    np.fill_diagonal(spokes, 0.0)
    state = np.zeros(5, dtype=np.int8)
    stars = Stars.of(spokes, state == UNDECIDED)
    room = np.empty(4), np.empty((4, 2), dtype=np.int64)
    assert star_bound(spokes, stars, state, 0, *room) == 0.25  # half of its best pair


@FEW
@given(matrix=surplus_matrices(), known=st.sampled_from([0.0, 0.9, 1.0]))
def test_relaxation_with_triangles_finds_and_proves_the_best(matrix, known):
    with pytest.MonkeyPatch.context() as patch:
        for number in ("FIRST_NODES", "SPARSE_NODES", "SUB_NODES", "PLAIN_ROUNDS"):
            patch.setattr(exact, number, 0)
        _check_proof(matrix, known)


def _check_proof(matrix, known):
    scaled, _ = conditioned(matrix)
    best = brute_force(scaled).max()
    proof = exact.prove(scaled, known * best, Budget(PLENTY))
    assert proof.proved
    assert proof.value == pytest.approx(best, abs=CLOSE)
    assert proof.bound == proof.value
    if known < 1 and best > CLOSE:
        assert surplus_of(scaled, np.flatnonzero(proof.inside)) == pytest.approx(proof.value)


@settings(PROPERTY, max_examples=500)
@given(surplus_matrices(largest=8), st.sampled_from([0.0, 0.05, 0.5]))
def test_every_locally_optimal_set_is_listed(matrix, fraction):
    _check_list(matrix, fraction)


@FEW
@given(surplus_matrices(largest=7), st.sampled_from([0.0, 0.05, 0.5]))
def test_every_locally_optimal_set_is_listed_by_the_relaxation(matrix, fraction):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "FIRST_NODES", 0)
        patch.setattr(exact, "SUB_NODES", 0)
        _check_list(matrix, fraction)


def _check_list(matrix, fraction):
    scaled, _ = conditioned(matrix)
    values = brute_force(scaled)
    if values.max() <= CLOSE:
        return
    target, margin = (1 - fraction) * values.max(), margin_of(scaled)
    found, complete = exact.locally_optimal(scaled, target - 2 * margin, Budget(PLENTY), 1000)
    expected = subsets(len(matrix))[locally_optimal(scaled, margin) & (values >= target - 1e-12)]
    assert complete
    assert {tuple(row.astype(int)) for row in found} == {tuple(row) for row in expected}


@FEW
@given(surplus_matrices(largest=8), st.integers(0, 2**32 - 1))
def test_bounds_hold_wherever_the_proof_stops(matrix, seed):
    scaled, _ = conditioned(matrix)
    best = max(0.0, brute_force(scaled).max())
    node = root_of(scaled, seed % 7)
    for bound in node.tighten(-1.0, rounds=seed % 4, cap=20, fives=seed % 3 * 20):
        assert bound >= best - 1e-9
    for nodes in (0, 1, 3):
        proof = exact.prove(scaled, 0.0, Budget(Limits(nodes=nodes)))
        assert proof.bound >= best - 1e-9
        assert not proof.proved or proof.value == pytest.approx(best, abs=CLOSE)


@FEW
@given(surplus_matrices(smallest=4, largest=8), st.integers(0, 2**32 - 1))
def test_probing_rules_out_no_side_that_holds_a_better_set(matrix, seed):
    scaled, _ = conditioned(matrix)
    values, rows = brute_force(scaled), subsets(len(matrix))
    goal = float(np.quantile(values, 0.9))
    node = root_of(scaled)
    node.tighten(goal, rounds=3, cap=20, fives=20)
    for sides in (node.forced(goal), node.ruled_out(goal)):
        for v in np.flatnonzero(sides):
            other_side = rows[:, v] == (0 if sides[v] == 1 else 1)
            assert values[other_side].max() <= goal + 1e-9


@FEW
@given(surplus_matrices(smallest=4, largest=8), st.data())
def test_merging_decided_vertices_keeps_the_values_and_the_inequalities(matrix, data):
    scaled, _ = conditioned(matrix)
    n = len(scaled)
    node = root_of(scaled)
    node.tighten(-1.0, rounds=2, cap=30, fives=30)
    decisions = np.array(
        data.draw(st.lists(st.sampled_from([-1, 0, 0, 1]), min_size=n, max_size=n))
    )
    child = node.merged(decisions, node.step)
    free = np.flatnonzero(decisions == 0)
    for row in subsets(len(free))[:64]:
        x = decisions.copy()
        x[free] = 2 * row - 1
        short = np.concatenate([[1], x[free]])
        inside = np.flatnonzero(x > 0)
        value = (child.constant + short @ child.lift @ short) / 8
        assert value == pytest.approx(surplus_of(scaled, inside), abs=1e-9)
        for triple, sign in zip(child.triples, child.signs, strict=True):
            i, j, k = triple
            assert i < j < k
            assert 1 + sign @ [short[i] * short[j], short[i] * short[k], short[j] * short[k]] >= 0
        fives = child.fives
        assert (np.diff(fives.places, axis=1) > 0).all() and (fives.signs[:, :1] == 1).all()
        products = np.outer(short, short).astype(float)
        sums = (fives.signs * short[fives.places]).sum(axis=1)
        assert np.allclose(slacks(products, fives.places, fives.signs), (sums**2 - 1) / 2)


def test_violated_inequalities_are_all_found_and_the_worst_first():
    vectors = np.random.default_rng(0).normal(size=(4, 14))
    vectors /= np.linalg.norm(vectors, axis=0)
    gram = vectors.T @ vectors
    expected = {}
    for i in range(14):
        for j in range(i + 1, 14):
            for k in range(j + 1, 14):
                for signs in SIGNS:
                    slack = 1 + signs @ [gram[i, j], gram[i, k], gram[j, k]]
                    if slack < -0.01:
                        expected[i, j, k, *signs] = slack
    triples, signs = _violated(gram, 0.01, 10_000)
    assert {(*t, *s) for t, s in zip(triples, signs, strict=True)} == set(expected)
    triples, signs = _violated(gram, 0.01, 20)
    worst = [expected[(*t, *s)] for t, s in zip(triples, signs, strict=True)]
    assert len(worst) == 20
    assert max(worst) <= sorted(expected.values())[19] + 0.005  # the width of a bin


def test_a_triangle_is_extended_by_the_pair_that_violates_most():
    vectors = np.random.default_rng(1).normal(size=(3, 9))
    vectors /= np.linalg.norm(vectors, axis=0)
    gram = vectors.T @ vectors
    triples, signs = _violated(gram, 0.01, 1)
    asked = gram, (triples, signs), np.zeros(1), 1, np.random.default_rng(0)
    found = Pentagons.none().refreshed(*asked)
    slack = slacks(gram, found.places, found.signs)
    inner = [1, signs[0, 0], signs[0, 1]]
    best = np.inf
    others = [v for v in range(9) if v not in triples[0]]
    for u, v in itertools.combinations(others, 2):
        for outer in itertools.product((1, -1), repeat=2):
            b = np.array([*inner, *outer])
            places = [*triples[0], u, v]
            best = min(best, (b @ gram[np.ix_(places, places)] @ b - 1) / 2)
    assert slack == pytest.approx([best]) and best < 0
    again = found.refreshed(*asked)  # what is there already is not added twice
    assert np.array_equal(again.places, found.places)


def test_a_proof_that_is_cut_short_says_so():
    rng = np.random.default_rng(1)
    matrix = np.triu(rng.normal(size=(60, 60)), 1)
    matrix, _ = conditioned(matrix + matrix.T)
    best = surplus_of(matrix, search(matrix))
    proof = exact.prove(matrix, best, Budget(Limits(nodes=50)))
    assert not proof.proved
    assert proof.bound > best
    in_no_time = exact.prove(matrix, best, Budget(Limits(seconds=0)))
    assert not in_no_time.proved and in_no_time.bound >= best


@FEW
@given(surplus_matrices(), st.sampled_from([1e3, 1e16, 1e200]), st.data())
def test_forbidden_pairs_change_no_best_set_and_no_locally_optimal_one(matrix, huge, data):
    """Why `conditioned` may raise the lowest weights."""
    matrix = matrix / np.abs(matrix).max(initial=1e-300)
    n = len(matrix)
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    for u, v in data.draw(st.lists(pairs, max_size=6)):
        if u != v:
            matrix[u, v] = matrix[v, u] = -huge
    scaled, exponent = conditioned(matrix)
    assert scaled.min() >= -2 * np.maximum(scaled, 0).sum(axis=0).max()
    rows = subsets(n)
    before = np.array([surplus_of(matrix, np.flatnonzero(row)) for row in rows])
    after = np.array([surplus_of(scaled, np.flatnonzero(row)) for row in rows])
    assert np.ldexp(after.max(), exponent) == pytest.approx(before.max(), rel=1e-12)
    best = before > before.max() * (1 - 1e-12)
    assert (np.ldexp(after[best], exponent) == before[best]).all()
    if before.max() > 0:
        margin = 1e-12 * matrix.max()
        assert np.array_equal(
            locally_optimal(matrix, margin),
            locally_optimal(scaled, np.ldexp(margin, -exponent)),
        )


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("n", [50, 130])
def test_a_smaller_limit_never_visits_or_costs_more(n, every):
    rng = np.random.default_rng(4)
    matrix = np.triu(rng.normal(size=(n, n)) - 0.5, 1)
    matrix, _ = conditioned(matrix + matrix.T)
    best = surplus_of(matrix, search(matrix))
    spent, bounds = [], []
    for nodes in (0, 1, 10, 1000, 8500, 10000):
        budget = Budget(Limits(nodes=nodes))
        if every:
            exact.locally_optimal(matrix, 0.7 * best, budget, 10)
        else:
            bounds.append(exact.prove(matrix, best, budget).bound)
        assert budget.explored <= nodes
        spent.append(nodes - budget.left)
        assert 0 <= spent[-1] <= nodes
    assert spent == sorted(spent)
    assert bounds == sorted(bounds, reverse=True)


def test_a_nearly_tight_relaxation_proves_without_any_node():
    rng = np.random.default_rng(0)
    weights = np.triu(rng.normal(size=(150, 150)), 1)
    weights[:20, :20] += 4.0 * np.triu(np.ones((20, 20)), 1)
    found = contrast_subgraph(weights + weights.T, percentile=90, limits={"nodes": 0})
    assert found.optimal and found.nodes.tolist() == list(range(20))


def test_limits_are_checked():
    with pytest.raises(InputError, match="limits.*'node'"):
        Limits.of({"node": 3})
    for value in (-1, None, "many", True, float("nan")):
        with pytest.raises(InputError, match="limit nodes"):
            Limits.of({"nodes": value})
    assert Limits.of({"seconds": None}) == Limits.of(None) == Limits()
    assert Limits.of({"nodes": np.int64(5), "seconds": np.float32(0.5)}) == Limits(5, seconds=0.5)
    for limits in (5, [3], "nodes"):
        with pytest.raises(InputError, match="limits must be a mapping with nodes"):
            Limits.of(limits)


def test_climbing_ends_where_no_move_gains():
    rng = np.random.default_rng(2)
    matrix = np.triu(rng.normal(size=(30, 30)), 1)
    matrix = matrix + matrix.T
    nodes = climb(matrix, np.arange(0, 30, 3))
    inside = np.isin(np.arange(30), nodes)
    gains = matrix[nodes].sum(axis=0)
    assert (gains[inside] >= 0).all() and (gains[~inside] <= 0).all()


def test_quick_search_of_a_few_vertices():
    members, values = search_quick([np.array([[0, 3.0, 2], [3, 0, 1], [2, 1, 0]])], [0.5, 2.5])
    assert values.tolist() == [[4.5, 0.5]] and members[0, 1].tolist() == [True, True, False]
    assert search_sweep(np.zeros((1, 1)), [1.0])[0].size == 0


@FEW
@given(surplus_matrices(), st.lists(st.floats(0.05, 0.95), min_size=1, max_size=4))
def test_quick_search_finds_the_best_of_small_graphs(weights, shares):
    weights = weights / np.abs(weights).max(initial=1e-300)
    alphas = np.array(shares) * weights.max()
    members, values = search_quick([weights, -weights], alphas)
    assert members.shape == (2, len(alphas), len(weights)) and values.shape == members.shape[:2]
    for graph, sets, row in zip([weights, -weights], members, values, strict=True):
        for alpha, mask, value in zip(alphas, sets, row, strict=True):
            matrix = graph - alpha
            np.fill_diagonal(matrix, 0.0)
            assert value == pytest.approx(max(0.0, brute_force(matrix).max()), abs=1e-9)
            assert value == pytest.approx(surplus_of(matrix, np.flatnonzero(mask)), abs=1e-12)


def test_quick_search_of_nothing_and_from_candidates():
    members, values = search_quick([], [0.5])
    assert members.shape[:2] == values.shape == (0, 1)
    rng = np.random.default_rng(0)
    weights = np.triu(rng.normal(size=(40, 40)), 1)
    weights += weights.T
    alpha = np.percentile(weights[np.triu_indices(40, 1)], 70)
    best = search_sweep(weights, [alpha])[0]
    candidates = np.isin(np.arange(40), best)[None]
    members, values = search_quick(np.stack([weights] * 2), [alpha], candidates=candidates)
    assert np.flatnonzero(members[0, 0]).tolist() == np.flatnonzero(members[1, 0]).tolist()
    assert values[0, 0] >= surplus_of(weights - alpha, best) - 1e-12
