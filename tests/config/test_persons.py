"""Whose graphs these are, in the config."""

import pytest
from contrast_subgraphs.config.sections import asked
from contrast_subgraphs.design.cohort_graphs import CohortGraphs
from contrast_subgraphs.inference.cohort import cohort_design
from tiny_cohort import tiny_cohort


@pytest.mark.parametrize(
    ("entry", "complaints"),
    [
        ({"several": True, "person": "who"}, 0),
        ({"variable": "dose", "person": "who"}, 0),
        ({"interaction": "age", "person": "who"}, 0),
        ({"paired": "who", "person": "who"}, 1),
    ],
)
def test_all_questions_but_paired_take_a_person(entry, complaints):
    assert len(list(asked({"cohorts": {}, "contrasts": {"one": entry}}))) == complaints


def test_the_person_of_two_groups_is_kept_in_the_file(tmp_path):
    graphs = tiny_cohort(0.0, n=12, p=5)
    person = [f"p{k // 2}" for k in range(12)]
    CohortGraphs(
        graphs.weights, graphs.y, graphs.subject, graphs.roi, cohort="x", person=person
    ).save(tmp_path / "x.npz")
    again = CohortGraphs.load(tmp_path / "x.npz")
    assert again.person.tolist() == person and again.question.kind == ""


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("exchange", "possible"), [("auto", 2**6), ("within", 2**6), (None, 2**6)])
def test_the_config_says_what_is_exchanged(exchange, possible):
    import numpy as np
    import pandas as pd

    graphs = tiny_cohort(0.0, n=12, p=5)
    person = np.array([f"p{k // 2}" for k in range(12)])
    graphs = CohortGraphs(graphs.weights, graphs.y, graphs.subject, graphs.roi, person=person)
    members = pd.DataFrame({"subject": graphs.subject, "person": person, "site": "A"})
    settings = {"blocks": "site", "covariates": []}
    settings |= {} if exchange is None else {"exchange": exchange}
    _, design = cohort_design(graphs, members, settings, 0, "x")
    assert design.possible == possible
