"""Every question against a model fitted plainly, and what each refuses."""

import itertools

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design import (
    design_matrix,
    interaction,
    make_design,
    of_variable,
    paired,
    several_groups,
    two_groups,
)
from contrast_subgraphs.held_out import predict_variable
from contrast_subgraphs.inference import permutation_test, region_stability
from scipy import stats

N, PAIRS = 30, np.triu_indices(8, 1)
RNG = np.random.default_rng(0)
UPPER = np.triu(RNG.normal(size=(N, 8, 8)), 1)
X = UPPER + UPPER.transpose(0, 2, 1)
EDGES = X[:, *PAIRS]
Y, AGE, MOTION = np.arange(N) % 2, RNG.normal(40, 9, size=N), RNG.normal(size=N)


def observed(design, kind="difference", graphs=X):
    return design.statistic(graphs, kind).values(design.observed())[0]


def least_squares(columns, edges=EDGES):
    """Coefficient of the last column and its t, of each edge."""
    full = np.column_stack(columns).astype(float)
    inverse = np.linalg.pinv(full.T @ full)
    coefficients = inverse @ full.T @ edges
    freedom = len(full) - np.linalg.matrix_rank(full)
    variance = ((edges - full @ coefficients) ** 2).sum(axis=0) / freedom
    return coefficients[-1], coefficients[-1] / np.sqrt(variance * inverse[-1, -1])


@pytest.mark.parametrize("covariates", [None, {"motion": MOTION}])
def test_a_variable_of_two_values_is_two_groups(covariates):
    options = {"n_permutations": 60, "covariates": covariates, "percentiles": [70, 90]}
    groups = permutation_test(X, Y, labels=[1, 0], **options)
    variable = permutation_test(X, 3.5 * Y - 1, variable="dose", **options)
    assert variable.contrasts == ("more-with-dose", "less-with-dose", "symmetric")
    for part in ("objective", "pvalue", "null_distribution", "alphas"):
        assert np.array_equal(getattr(groups, part), getattr(variable, part))
    for ours, theirs in zip(groups.nodes, variable.nodes, strict=True):
        assert all(map(np.array_equal, ours, theirs))
    assert not [column for column in variable.table() if column.startswith("density")]


def test_a_variable_is_a_slope_or_partial_t():
    design = of_variable(AGE, called="age", covariates={"motion": MOTION})
    slope, t = least_squares([np.ones(N), MOTION, AGE / AGE.std()])
    np.testing.assert_allclose(observed(design), slope, atol=1e-12)
    np.testing.assert_allclose(observed(design, "t"), t, rtol=1e-9)


def test_ranks_are_spearman_s():
    ours = observed(of_variable(AGE**3, called="age", ranks=True), "t")
    rho = np.array([stats.spearmanr(AGE, edge).statistic for edge in EDGES.T])
    np.testing.assert_allclose(ours / np.sqrt(ours**2 + N - 2), rho, rtol=1e-9)


def test_ranks_are_beside_ranks_of_covariates():
    """Whatever the scale of a covariate; the squares take out the bend of what follows it."""
    sex = np.where(np.arange(N) % 3, "f", "m")
    covariates = {"motion": np.exp(3 * MOTION), "sex": sex}
    design = of_variable(AGE**3, called="age", ranks=True, covariates=covariates)
    motion, age = stats.rankdata(MOTION), stats.rankdata(AGE)
    columns = [np.ones(N), sex == "f", motion, motion**2, age]
    t = least_squares(columns, stats.rankdata(EDGES, axis=0))[1]
    np.testing.assert_allclose(observed(design, "t"), t, rtol=1e-9)


def test_missing_values_are_left_out_and_said():
    age = AGE.copy()
    age[[3, 8]] = np.nan
    with pytest.warns(UserWarning, match="age is missing for 2 of 30"):
        design = of_variable(age, called="age", covariates={"motion": MOTION})
    rest = ~np.isnan(age)
    whole = of_variable(AGE[rest], called="age", covariates={"motion": MOTION[rest]})
    np.testing.assert_allclose(observed(design), observed(whole, graphs=X[rest]), atol=1e-12)


PERSON = np.repeat(np.arange(15), 2)
DIFFERENCES = EDGES[0::2] - EDGES[1::2]


@pytest.mark.parametrize("kind", ["difference", "t"])
def test_paired_is_the_test_of_signs(kind):
    """The statistics of every flip, by hand, for graphs in any order and one person too many."""
    rows = np.random.default_rng(1).permutation(17)  # eight persons, and half of the ninth
    with pytest.warns(UserWarning, match="1 of 9 people have a graph of one"):
        design = paired(Y[:17][rows], PERSON[:17][rows])
    statistic = design.statistic(X[:17][rows], kind)
    draws, count, exact = design.draws(1000)
    assert exact and count == 2**8 - 1 == design.possible - 1
    ours = np.concatenate([statistic.values(design.observed()), statistic.values(draws(0, count))])
    by_hand = []
    for signs in itertools.product((1, -1), repeat=8):
        flipped = DIFFERENCES[:8] * np.array(signs)[:, None]
        spread = flipped.std(axis=0, ddof=1) / np.sqrt(8)
        by_hand.append(flipped.mean(axis=0) / (1 if kind == "difference" else spread))
    np.testing.assert_allclose(ours[0], by_hand[0], rtol=1e-9)
    order, theirs = np.lexsort(ours.T[:3]), np.array(by_hand)
    np.testing.assert_allclose(ours[order], theirs[np.lexsort(theirs.T[:3])], rtol=1e-9)


def test_a_paired_test_is_exact_and_keeps_people_together():
    test = permutation_test(X[:12], Y[:12], subjects=PERSON[:12], paired=True, percentiles=[80])
    assert test.exact and len(test.null_distribution) == 63
    design = make_design(X, Y, subjects=PERSON, paired=True)
    fold = design.folds(5)
    assert (fold[::2] == fold[1::2]).all() and (np.bincount(fold) == 6).all()
    halves, _ = design.halves(0, 4)
    assert (halves[:, ::2] == halves[:, 1::2]).all()
    table = region_stability(
        X, Y, subjects=PERSON, paired=True, percentiles=[80], n_halves=4
    ).table()
    assert table["share"].between(0, 1).all()


def test_an_interaction_is_its_coefficient():
    design = interaction(Y, AGE, called="age", covariates={"motion": MOTION})
    age = (AGE - AGE.mean()) / AGE.std()
    slope, t = least_squares([np.ones(N), Y == 0, age, MOTION, (Y == 0) * age])
    np.testing.assert_allclose(observed(design), slope, atol=1e-12)
    np.testing.assert_allclose(observed(design, "t"), t, rtol=1e-9)
    assert design.contrasts == ("age-in-0", "age-in-1", "symmetric")


def test_a_change_over_time_differs_between_groups_of_people():
    """Two times of each person: the interaction is the difference of the people's changes."""
    time, group = np.tile([0, 1], 15), np.arange(15) % 2
    rows = np.random.default_rng(1).permutation(N)
    design = interaction(group[PERSON][rows], time[rows], called="time", subjects=PERSON[rows])
    change = -DIFFERENCES / 2  # a standard deviation of the time is half of it
    expected = change[group == 0].mean(axis=0) - change[group == 1].mean(axis=0)
    statistic = design.statistic(X[rows])
    np.testing.assert_allclose(statistic.values(design.observed())[0], expected, atol=1e-12)
    assert design.possible == 6435  # the group belongs to the person
    for draw in design.random(0, 3):
        labels = group[PERSON[rows][draw]]
        people = np.array([labels[PERSON[rows] == k] for k in range(15)])
        assert (people[:, 0] == people[:, 1]).all()
        expected = change[people[:, 0] == 0].mean(axis=0) - change[people[:, 0] == 1].mean(axis=0)
        np.testing.assert_allclose(statistic.values(draw[None])[0], expected, atol=1e-12)


def test_several_groups_are_compared_by_f():
    groups = np.arange(N) % 3
    design = several_groups(groups)
    ours = observed(design)
    expected = stats.f_oneway(*[EDGES[groups == k] for k in range(3)]).statistic
    np.testing.assert_allclose(ours, expected, rtol=1e-9)
    part = np.arange(N) < 24
    ours = design.statistic(X).of_parts(part[None], design.observed())[0]
    expected = stats.f_oneway(*[EDGES[part & (groups == k)] for k in range(3)]).statistic
    np.testing.assert_allclose(ours, expected, rtol=1e-9)
    two = observed(several_groups(Y, covariates={"motion": MOTION}))
    t = observed(two_groups(Y, covariates={"motion": MOTION}), "t")
    np.testing.assert_allclose(two, t**2, rtol=1e-9)
    separate = np.zeros((N, 8, 8))
    separate[:, 0, 1] = separate[:, 1, 0] = groups
    found = observed(design, graphs=separate)
    assert np.isfinite(found).all() and found.argmax() == 0 and (found > 0).sum() == 1
    test = permutation_test(X, design, n_permutations=39)
    assert test.contrasts == ("any-difference",) and test.density.shape == (1, 8, 3)


def test_permuted_statistics_with_covariates_are_those_of_permuted_residuals():
    """Freedman and Lane, for F and for t of a variable."""
    reduced = np.column_stack([np.ones(N), MOTION])
    fitted = reduced @ np.linalg.lstsq(reduced, EDGES, rcond=None)[0]
    groups = np.arange(N) % 3
    several = several_groups(groups, covariates={"motion": MOTION})
    variable = of_variable(AGE, called="age", covariates={"motion": MOTION})
    for draw in several.random(0, 3):
        edges = fitted + (EDGES - fitted)[np.argsort(draw)]
        full = np.column_stack([reduced, groups == 1, groups == 2])

        def squares(columns, edges=edges):
            left = edges - columns @ np.linalg.lstsq(columns, edges, rcond=None)[0]
            return (left**2).sum(axis=0)

        rest = squares(full)
        expected = (squares(reduced) - rest) / 2 / (rest / (N - 4))
        ours = several.statistic(X).values(draw[None])[0]
        np.testing.assert_allclose(ours, expected, rtol=1e-9)
        ours = variable.statistic(X, "t").values(draw[None])[0]
        np.testing.assert_allclose(ours, least_squares([reduced, AGE], edges)[1], rtol=1e-9)


def test_a_design_matrix_is_any_of_these():
    groups = np.column_stack([Y == 0, Y == 1, AGE])
    ours = observed(design_matrix(groups, [1, -1, 0]))
    np.testing.assert_allclose(ours, observed(two_groups(Y, covariates={"a": AGE})), atol=1e-12)
    weights = np.array([1, -1, -0.05])
    expected = weights @ np.linalg.lstsq(groups.astype(float), EDGES, rcond=None)[0]
    np.testing.assert_allclose(observed(design_matrix(groups, weights)), expected, atol=1e-12)


@pytest.mark.parametrize("kind", ["difference", "t", "welch"])
@pytest.mark.parametrize("question", ["variable", "paired", "interaction", "several"])
def test_the_weights_of_a_part_do_not_depend_on_other_people(question, kind):
    if (question, kind) == ("several", "welch"):
        kind = "t"  # there is no other F
    part = np.arange(N) < 20
    other = np.where(part[:, None, None], X, 7 - 3 * X)
    design = {
        "variable": lambda: of_variable(AGE, covariates={"motion": MOTION}),
        "paired": lambda: paired(Y, PERSON),
        "interaction": lambda: interaction(Y, AGE, covariates={"motion": MOTION}),
        "several": lambda: several_groups(np.arange(N) % 3),
    }[question]()
    ours, theirs = (
        design.statistic(graphs, kind).of_parts(part[None], design.observed())
        for graphs in (X, other)
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": np.full(N, 3.5), "variable": "age"}, "age is the same in all people"),
        ({"y": ["old"] * N, "variable": "age"}, "age must hold numbers"),
        ({"y": np.r_[np.inf, AGE[1:]]}, "not finite"),
        ({"y": AGE[:9]}, "one number for each of 30"),
        ({"y": AGE, "covariates": {"years": 2 * AGE + 1}}, "years leave nothing of variable"),
        ({"y": np.arange(N) % 3}, "give a variable its name"),
        ({"y": AGE, "variable": "age", "labels": [0, 1]}, "a variable has no labels"),
        ({"y": Y, "paired": True}, "paired needs the subject"),
        ({"y": Y, "paired": True, "subjects": np.arange(N)}, "0 persons with both"),
        ({"y": Y, "paired": True, "subjects": np.repeat(range(10), 3)}, "more than one graph"),
        ({"y": Y, "paired": True, "subjects": PERSON, "blocks": PERSON}, "leave blocks"),
        ({"y": two_groups(Y), "blocks": Y}, "give them there"),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_bad_input_is_named(change, message):
    with pytest.raises(InputError, match=message):
        permutation_test(X, percentiles=[80], **change)


def test_bad_designs_are_named():
    with pytest.raises(InputError, match="one number for each column"):
        design_matrix(np.ones((4, 2)), [1])
    with pytest.raises(InputError, match="at least two graphs of each"):
        several_groups(["a", "a", "b", "b", "c"])
    with pytest.raises(InputError, match="age must hold numbers"):
        interaction(Y, ["x"] * N, called="age")


@pytest.mark.parametrize("n", [10, 80])
@pytest.mark.parametrize("what", ["covariates", "blocks", "subjects"])
def test_what_goes_with_the_graphs_is_of_as_many(what, n):
    rng = np.random.default_rng(0)
    given = {"m": rng.normal(size=n)} if what == "covariates" else [f"x{i}" for i in range(n)]
    age, graphs = np.arange(40.0), np.zeros((40, 4, 4))
    for ask in (
        lambda: of_variable(age, **{what: given}),
        lambda: interaction(["a", "b"] * 20, age, **{what: given}),
        lambda: predict_variable(graphs, age, **{what: given}),
    ):
        with pytest.raises(InputError, match="of 40 graphs"):
            ask()
    if what == "covariates":
        with pytest.raises(InputError, match="of 40 graphs"):
            paired(["a", "b"] * 20, np.repeat(range(20), 2), covariates=given)


def test_dates_complex_numbers_and_nothing_are_no_variable():
    for wrong in (pd.date_range("2020", periods=9), np.arange(9) + 1j, [None] * 9):
        with pytest.raises(InputError):
            of_variable(wrong)


GAP = np.ma.masked_equal(np.array([1.0, 2, 9, 4, 5, 7, 6, 8]), 9)
NAMED = np.ma.masked_equal(np.array(list("aabbccdd"), dtype=object), "b")


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda: two_groups(np.ma.masked_equal([1, 2] * 4, 2)), "NaN or None"),
        (lambda: two_groups([1, 2] * 4, blocks=NAMED), "block of 2 of 8"),
        (lambda: two_groups([1, 2] * 4, subjects=NAMED), "(name|subject) of 2 of 8"),
        (lambda: two_groups([1, 2] * 4, covariates={"x": GAP}), "x is missing for 1 of 8"),
        (lambda: several_groups([1, 2] * 4, covariates={"x": GAP}), "x is missing for 1 of 8"),
        (lambda: paired([1, 2] * 4, NAMED), "(name|subject) of 2 of 8"),
        (lambda: design_matrix(np.ma.stack([GAP, GAP**2], axis=1), [1, 0]), "must be finite"),
    ],
)
def test_what_is_masked_is_missing(ask, told):
    with pytest.raises(InputError, match=told):
        ask()


def test_a_masked_variable_leaves_its_graphs_out():
    rest = [0, 1, 3, 4, 5, 6, 7]
    with pytest.warns(UserWarning, match="1 of 8 graphs"):
        assert of_variable(GAP).rows.tolist() == rest
    with pytest.warns(UserWarning, match="1 of 8 graphs"):
        assert interaction([1, 2] * 4, GAP).rows.tolist() == rest


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA, pd.NaT, "", "n/a"])
def test_a_gap_of_any_kind_is_nobody_s_name(gap):
    names = ["a", "b", "c", gap, "a", "b", "c", gap]
    for ask in (
        lambda: paired([0] * 4 + [1] * 4, names),
        lambda: two_groups([0, 1] * 4, blocks=names),
        lambda: of_variable(range(8), subjects=names),
    ):
        with pytest.raises(InputError, match="2 of 8 subjects is missing"):
            ask()


def test_categories_of_numbers_are_categories():
    kinds = pd.Categorical([1, 2, 3, 1, 2, 3, 1, 2])
    as_texts = two_groups([0, 1] * 4, covariates={"kind": list("abcabcab")})
    assert np.allclose(
        two_groups([0, 1] * 4, covariates={"kind": kinds}).residuals, as_texts.residuals
    )
    with pytest.raises(InputError, match="is categories"):
        of_variable(kinds)
