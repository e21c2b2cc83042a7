"""Is it said that motion correlates with what is asked, and only then?"""

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.report.motion import motion_of_people
from contrast_subgraphs.report.names import Names


def said_of(asked, table, covariates=(), groups=()):
    cohorts = {"all": asked | {"label": "All"}}
    config = {"source": "folder", "groups": dict.fromkeys(groups, {}), "cohorts": cohorts}
    config["inference"] = {"covariates": list(covariates)}
    return motion_of_people({"all": pd.DataFrame(table)}, Names.of(config), config)


def people(n=40, follows=1.0):
    rng = np.random.default_rng(0)
    age = rng.normal(size=n)
    return {"value": age, "motion": 0.2 - 0.02 * follows * age + 0.02 * rng.random(n)}


def test_a_variable_that_correlates_with_motion_is_said():
    [said] = said_of({"variable": "age"}, people())
    assert said.startswith("All: there is more motion with lower age (r = 0.9")
    assert said.endswith("inference.covariates: [motion] holds it constant.")
    [said] = said_of({"variable": "age"}, people(follows=-1), ["motion"])
    assert "more motion with higher age" in said
    assert said.endswith("Motion is held constant in the sets and the tests.")


@pytest.mark.parametrize("motion", [np.nan, 0.1, "n/a"])
def test_nothing_is_said_of_motion_that_is_unknown_or_the_same_in_all(motion):
    assert said_of({"variable": "age"}, people() | {"motion": motion}) == []


def test_without_a_correlation_nothing_is_said():
    assert said_of({"variable": "age"}, people(follows=0)) == []
    assert said_of({"variable": "age"}, {"value": [1.0], "motion": [0.1]}) == []


def test_the_group_that_moves_more_is_named():
    group = np.repeat(["a", "b"], 20)
    motion = np.linspace(0.1, 0.12, 40) + 0.05 * (group == "a")
    [said] = said_of({}, {"group": group, "motion": motion}, groups="ab")
    assert said.startswith("All: there is more motion in a than in b (r = 0.9")


def test_pairs_are_compared_within_persons():
    """People who move much at both times hide that all move more the second time."""
    person = np.tile(np.arange(20), 2)
    group = np.repeat(["a", "b"], 20)
    motion = 10.0 * person + (group == "b") + 0.1 * np.sin(np.arange(40))
    table = {"group": group, "motion": motion, "person": person}
    [said] = said_of({"paired": "person"}, table, groups="ab")
    assert "more motion in b than in a" in said
    # Two people twenty times are two people.
    table = {key: np.repeat(values[[0, 20]], 20) for key, values in table.items()}
    table["person"] = np.repeat(["x", "y"], 20)
    assert said_of({}, table, groups="ab") == []
