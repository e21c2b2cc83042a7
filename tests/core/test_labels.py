"""Labels of pandas: people and regions are put in one order, or refused."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs import (
    ContrastSubgraphFeatures,
    bipartite_contrasts,
    certify,
    check_certificate,
    confirm,
    contrast_of_map,
    contrast_subgraph,
    densest_contrast,
    maximize_quadratic,
    permutation_test,
    plot_contrast,
    predict_variable,
)
from contrast_subgraphs.contrast.difference import difference_of_summaries
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.core.labels import (
    columns_in_order,
    in_one_order,
    matrix_in_order,
    names_of_regions,
)
from contrast_subgraphs.design import (
    CohortGraphs,
    interaction,
    of_variable,
    paired,
    several_groups,
    two_groups,
)
from contrast_subgraphs.design.asked import asked_of, make_design
from contrast_subgraphs.design.matrix import design_matrix
from contrast_subgraphs.graphs.correlation import correlation_graphs
from contrast_subgraphs.inference import FixedSet
from hypothesis import given
from hypothesis import strategies as st

NAMES = list("abcdefgh")
RNG = np.random.default_rng(0)
AGE = pd.Series(RNG.normal(size=8), NAMES)
SITE = pd.Series(list("xxyyxxyy"), NAMES)
GROUP = pd.Series([0, 1] * 4, NAMES)
PERSON = pd.Series(list("pqrspqrs"), NAMES)

#: Each question of some labels, with covariates that have them too.
ASKED = {
    "two_groups": lambda y, **more: two_groups(y, **more),
    "make_design": lambda y, **more: make_design(np.zeros((8, 2, 2)), y, **more),
    "of_variable": lambda y, **more: of_variable(y + AGE[y.index] ** 2, **more),
    "several_groups": lambda y, **more: several_groups(y, **more),
    "interaction": lambda y, **more: interaction(y, AGE.iloc[::-1] ** 3, **more),
    "design_matrix": lambda y, **more: design_matrix(y.to_frame(), [1], **more),
}


@given(st.permutations(range(8)))
def test_people_are_put_in_the_order_of_y(order):
    others = {"blocks": SITE.iloc[order], "covariates": {"age": AGE.iloc[order], "n": [1] * 8}}
    y, found = in_one_order(GROUP, **others, exchange="within", subjects=None)
    assert found["blocks"].equals(SITE) and found["covariates"]["age"].equals(AGE)
    assert found["exchange"] == "within" and found["subjects"] is None
    frame = in_one_order(GROUP, covariates=AGE.to_frame("age").iloc[order])[1]["covariates"]
    assert frame["age"].equals(AGE)


def test_an_index_of_numbers_in_another_order_is_an_order():
    age = pd.Series(range(4), index=[3, 2, 1, 0])
    with pytest.raises(InputError, match="index of 0 to 3 in another order, and y has none"):
        in_one_order(["a", "b"] * 2, covariates={"age": age})
    y = pd.Series(["a", "b"] * 2)
    assert in_one_order(y, covariates={"age": age})[1]["covariates"]["age"].tolist() == [3, 2, 1, 0]


def test_an_order_that_only_other_labels_say_is_told():
    said = r"y has no labels \(index\), and blocks has: its order \(first a, last h\) was taken"
    with pytest.warns(UserWarning, match=said):
        make_design(np.zeros((8, 2, 2)), GROUP.to_numpy(), covariates={"age": AGE}, blocks=SITE)
    filtered = AGE.set_axis([0, 1, 2, 3, 5, 8, 9, 11])
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "y has no labels")
        # Labels that were put in the order of y are not told a second time.
        in_one_order(GROUP.to_numpy(), covariates={"age": filtered})
        make_design(np.zeros((8, 2, 2)), GROUP, covariates=AGE.iloc[::-1].to_frame("age"))


@pytest.mark.parametrize("asked", ASKED)
def test_every_question_has_them_in_one_order(asked):
    order = [3, 1, 7, 0, 2, 6, 5, 4]
    straight = ASKED[asked](GROUP, covariates={"age": AGE}, blocks=SITE)
    found = ASKED[asked](GROUP, covariates={"age": AGE.iloc[order]}, blocks=SITE.iloc[order])
    for one, other in zip(straight.arrays(), found.arrays(), strict=True):
        assert np.array_equal(one, other)
    stranger = AGE.set_axis([*NAMES[:7], "z"])
    for more in ({"covariates": {"age": stranger}}, {"blocks": SITE.set_axis(list("stuvwxyz"))}):
        with pytest.raises(InputError, match="have different labels"):
            ASKED[asked](GROUP, **more)


def test_pairs_are_put_in_one_order():
    y = pd.Series([0] * 4 + [1] * 4, NAMES)
    order = [3, 1, 7, 0, 2, 6, 5, 4]
    straight = paired(y, PERSON, covariates={"age": AGE})
    found = paired(y, PERSON.iloc[order], covariates=AGE.to_frame("age").iloc[order])
    for one, other in zip(straight.arrays(), found.arrays(), strict=True):
        assert np.array_equal(one, other)


def test_prediction_has_them_in_one_order():
    graphs = RNG.normal(size=(30, 1, 1)) + RNG.normal(size=(30, 5, 5))
    graphs = graphs + graphs.transpose(0, 2, 1)
    y = pd.Series(graphs.mean(axis=(1, 2)) + RNG.normal(size=30), [f"s{k}" for k in range(30)])
    sex = pd.Series(RNG.choice(["F", "M"], 30), y.index)
    options = {"methods": ["edges"], "n_splits": 2, "n_folds": 2, "n_permutations": 0}
    straight = predict_variable(graphs, y, covariates={"sex": sex}, **options)
    turned = predict_variable(graphs, y, covariates={"sex": sex.iloc[::-1]}, **options)
    pd.testing.assert_frame_equal(straight, turned)


def test_orders_that_are_not_known():
    with pytest.raises(InputError, match="blocks and age have the same labels.*different orders"):
        in_one_order(GROUP.to_numpy(), covariates={"age": AGE}, blocks=SITE.iloc[::-1])
    with pytest.raises(InputError, match="different labels"):
        in_one_order(AGE.set_axis(["a"] * 8), covariates={"age": AGE})
    filtered = AGE.set_axis([0, 1, 2, 3, 5, 8, 9, 11])
    with pytest.raises(InputError, match="different labels"):
        in_one_order(filtered, covariates={"age": AGE.reset_index(drop=True)})
    with pytest.raises(InputError, match="7 and 8 of them"):
        in_one_order(GROUP, blocks=SITE.iloc[1:])


def test_an_index_that_pandas_made_says_nothing_beside_names():
    made = AGE.reset_index(drop=True)
    assert in_one_order(GROUP, covariates={"age": made})[1]["covariates"]["age"].equals(made)
    shuffled = made.iloc[::-1]  # but a frame that was sorted has its labels still
    found = in_one_order(GROUP.reset_index(drop=True), covariates={"age": shuffled})[1]
    assert found["covariates"]["age"].equals(made)


def test_persons_called_as_row_numbers_are_not_confused_with_them():
    """Sorted as texts, "10" comes before "2": by position these would be others' ages."""
    names = sorted(map(str, range(12)))
    y = pd.Series([0, 1] * 6, names)
    age = pd.Series(np.arange(12.0))
    for labels, other in ((y, age), (age, y), (y.to_numpy(), y)):
        with pytest.raises(InputError, match="row numbers of the other|in another order"):
            in_one_order(labels, covariates={"age": other})
    straight = y.set_axis([str(k) for k in range(12)])
    assert in_one_order(straight, covariates={"age": age})[1]["covariates"]["age"].equals(age)
    people = CohortGraphs(
        np.zeros((12, 3)), y.to_numpy(), np.array(names), np.array(list("ABC")), ("a", "b")
    )
    with pytest.raises(InputError, match="row numbers of the other"):
        asked_of(people, covariates={"age": age})


def test_names_that_are_given_must_be_those_of_the_graphs():
    graphs = frames()
    people = CohortGraphs(
        np.stack([one.to_numpy() for one in graphs]),
        np.array([0, 0, 0, 1, 1, 1]),
        np.array([f"s{k}" for k in range(6)]),
        np.array(REGIONS),
        ("a", "b"),
    )
    y = [0, 0, 0, 1, 1, 1]
    frame = graphs[0]
    claim = FixedSet("claim", ["V1", "M1"], "a-b")
    for other in (ORDER, REGIONS[:3], ["a", "b", "c", "d"]):
        for asked in (
            lambda names=other: confirm(people, sets=claim, regions=names),
            lambda names=other: permutation_test(graphs, y, regions=names),
            lambda names=other: contrast_subgraph(frame, alpha=0.5, names=names),
            lambda names=other: densest_contrast(frame, names=names),
            lambda names=other: bipartite_contrasts(frame, alpha=0.5, names=names),
            lambda names=other: maximize_quadratic(frame, names=names),
            lambda names=other: contrast_of_map(frame * 1.5, alpha=0.5, names=names),
        ):
            with pytest.raises(InputError, match="differs from the regions' names in the data"):
                asked()
    assert names_of_regions(people, REGIONS) == names_of_regions(graphs, None) == REGIONS
    numbered = replace(people, roi=np.array(list("1234")))
    assert names_of_regions(numbered, ORDER) == ORDER


def test_a_result_is_of_the_regions_it_names():
    frame = frames(1)[0] * 1.0
    frame.loc["V1", "A1"] = frame.loc["A1", "V1"] = 5.0
    found = contrast_subgraph(frame, alpha=2.0)
    assert found.regions == ("V1", "A1") and check_certificate(certify(frame, found)) == 3.0
    for asked in (
        lambda: found.to_dict(ORDER),
        lambda: plot_contrast(frame.loc[ORDER, ORDER], found),
        lambda: plot_contrast(frame.to_numpy(), found, regions=ORDER),
        lambda: certify(frame.loc[ORDER, ORDER], found),
    ):
        with pytest.raises(InputError, match="are not those of the result"):
            asked()


def test_what_vertices_add_goes_by_their_names():
    frame = pd.DataFrame(np.zeros((4, 4)), REGIONS, REGIONS)
    linear = pd.Series([1.0, -1, -1, -1], ORDER)
    assert maximize_quadratic(frame, linear).regions == ("S1",)
    with pytest.raises(InputError, match="other labels than the regions"):
        maximize_quadratic(frame, linear.set_axis(list("abcd")))


REGIONS = ["V1", "M1", "A1", "S1"]
ORDER = ["S1", "V1", "A1", "M1"]


def frames(n=6):
    stack = RNG.integers(0, 2, size=(n, 4, 4))
    stack = np.triu(stack, 1) + np.triu(stack, 1).transpose(0, 2, 1)
    return [pd.DataFrame(one, REGIONS, REGIONS) for one in stack]


def test_transform_takes_the_regions_of_fit():
    graphs, y = frames(), [0, 0, 0, 1, 1, 1]
    features = ContrastSubgraphFeatures(problem=2, percentile=20).fit(graphs, y)
    turned = [one.loc[ORDER, ORDER] for one in graphs]
    assert np.array_equal(features.transform(graphs), features.transform(turned))
    with pytest.raises(InputError, match="other labels"):
        features.transform([one.set_axis(list("wxyz"), axis=0).set_axis(list("wxyz"), axis=1)
                            for one in graphs])  # fmt: skip
    with pytest.raises(InputError, match="had names of their regions, and these have none"):
        features.transform(np.stack(graphs))
    plain = ContrastSubgraphFeatures(problem=2, percentile=20).fit(np.stack(graphs), y)
    with pytest.raises(InputError, match="had no names of their regions, and these have some"):
        plain.transform(graphs)
    unnamed = [pd.DataFrame(one.to_numpy()) for one in graphs]
    assert np.array_equal(plain.transform(unnamed), features.transform(graphs))


def test_difference_graphs_are_of_the_same_regions():
    first, second = (one.astype(float) for one in frames(2))
    names = ("control", "patient")
    straight = difference_of_summaries(first, second, "control-patient", names)
    turned = difference_of_summaries(first, second.loc[ORDER, ORDER], "control-patient", names)
    assert np.array_equal(straight, turned)
    assert np.array_equal(
        straight, difference_of_summaries(first.loc[ORDER], second, *_asked(names))
    )
    with pytest.raises(InputError, match="whether the regions are the same is not known"):
        difference_of_summaries(
            first, second.rename(columns={"V1": "V2"}), "control-patient", names
        )


def _asked(names):
    return "control-patient", names


def test_correlations_are_of_the_same_regions():
    series = pd.DataFrame(RNG.normal(size=(30, 4)).cumsum(axis=0), columns=REGIONS)
    one, other = correlation_graphs([series, series[ORDER]], percentile=50)
    assert np.array_equal(one, other)
    with pytest.raises(InputError, match="subject 1: .*has other columns"):
        correlation_graphs([series, series.rename(columns={"V1": "V2"})])


def test_one_matrix_has_one_order():
    matrix = pd.DataFrame(np.arange(16).reshape(4, 4), REGIONS, REGIONS)
    assert matrix_in_order(matrix, ORDER, "w").equals(matrix.loc[ORDER, ORDER])
    assert matrix_in_order(matrix.loc[ORDER], None, "w").equals(matrix)
    assert matrix_in_order(matrix.reset_index(drop=True), None, "w").equals(matrix)
    assert columns_in_order(matrix.to_numpy(), REGIONS, "x") is not None
    with pytest.raises(InputError, match="other labels"):
        matrix_in_order(matrix.set_axis(["V1"] * 4, axis=1), None, "w")
