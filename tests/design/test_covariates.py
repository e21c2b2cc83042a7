"""Covariates regressed out of graphs: least squares of the people they are fitted on."""

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.design.covariates import (
    Covariates,
    Regression,
    adjusted_graphs,
    without,
    without_in_rows,
)


def people(n=30):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.normal(size=n) * 9 + 1e3, "site": list("abc") * (n // 3)})
    return rng.normal(size=(n, 10)) + 0.3 * table["age"].to_numpy()[:, None], table


def test_it_is_least_squares_with_a_constant():
    graphs, table = people()
    train = np.arange(0, 30, 2)
    adjusted = adjusted_graphs(graphs, table, ["age", "site"], train)
    design = np.column_stack([table["age"], pd.get_dummies(table["site"])]).astype(float)
    fitted = design @ np.linalg.lstsq(design[train], graphs[train], rcond=None)[0]
    expected = graphs - fitted + graphs[train].mean(axis=0)
    np.testing.assert_allclose(adjusted, expected, atol=1e-8)


def test_people_outside_the_training_part_change_nothing():
    graphs, table = people()
    train = np.arange(20)
    before = adjusted_graphs(graphs, table, ["age", "site"], train)
    graphs, table = graphs.copy(), table.copy()
    graphs[20:] *= 7
    table.loc[20:, "age"] = np.nan
    table.loc[21:, "site"] = "elsewhere"
    after = adjusted_graphs(graphs, table, ["age", "site"], train)
    assert np.array_equal(before[:20], after[:20])
    # Age is the median; a site that is not known has no effect.
    known = table.assign(age=table["age"].fillna(table["age"].median()))
    only_age = adjusted_graphs(graphs, known, ["age", "site"], train)
    assert np.array_equal(after, only_age)


def test_what_leaves_nothing_is_named():
    graphs, table = people()
    with pytest.raises(InputError, match="age, site explain all of 5 people"):
        adjusted_graphs(graphs, table, ["age", "site"], np.arange(5))
    with pytest.raises(InputError, match="age is known for no one"):
        adjusted_graphs(graphs, table.assign(age=np.nan), ["age"])


def test_missing_values_are_an_error_the_median_or_left_out():
    table = {"age": [20.0, 30.0, np.nan, 40.0], "sex": ["f", "m", "m", ""]}
    with pytest.raises(InputError, match="age is missing for 1 of 4"):
        Covariates().fit(table)
    assert Covariates(missing="drop").known(table).tolist() == [True, True, False, False]
    filled = Covariates(missing="median").fit(table)
    expected = Covariates().fit({"age": [20, 30, 30, 40], "sex": ["f", "m", "m", "m"]})
    np.testing.assert_allclose(filled.columns_, expected.columns_)


def test_constant_columns_and_numbers_among_objects():
    found = Covariates().fit({"scanner": [0.1] * 5, "age": np.array([1, 2, 3, 4, 6], object)})
    assert found.columns_.shape == (5, 2) and (found.columns_[:, 0] == 0).all()
    numbers = np.arange(5.0)[:, None]
    without = Covariates().fit({"scanner": [0.1] * 5}).adjusted(numbers)
    np.testing.assert_allclose(without, numbers)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([1, 2], "covariates must be a table"),
        ({"age": [1, 2, np.inf]}, "not finite"),
        ({"age": [1, 2, 3], "sex": ["f", "m"]}, "sex must hold one entry for each of 3"),
        ({"age": [None, None]}, "known for no one"),
    ],
)
def test_bad_tables_are_named(table, message):
    with pytest.raises(InputError, match=message):
        Covariates().fit(table)


def test_a_regression_takes_out_what_columns_explain_of_others_too():
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(30, 3))
    columns[:, 2] = columns[:, 0] - 2 * columns[:, 1]
    numbers = columns @ rng.normal(size=(3, 4))
    fitted = Regression(columns[:20])
    # The third column follows from the others.
    assert fitted.freedom == 18
    left = without(numbers, columns, fitted.coefficients(numbers[:20]))
    np.testing.assert_allclose(left, 0, atol=1e-12)
    rows = without_in_rows(numbers.T, columns, fitted.coefficients_of_rows(numbers[:20].T))
    np.testing.assert_allclose(rows, left.T, atol=1e-12)
