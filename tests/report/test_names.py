"""What things are called on the page."""

import pandas as pd
import pytest
from contrast_subgraphs.report.names import Names, by_clarity, clearest, region_label


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("Frontal_Sup_Orb_L", "Frontal Sup Orb L"),
        ("7Networks_LH_Vis_17", "LH Vis 17"),
        ("12", "region 12"),
    ],
)
def test_regions_are_called_as_one_writes_them(name, label):
    assert region_label(name) == label


def test_a_question_has_its_label_and_its_variable_the_name_of_its_column():
    asked = {"ageing": {"variable": "age", "label": "Age of all"}}
    asked |= {"litter": {"paired": "pair", "label": "Litter mates"}, "plain": None}
    groups = {"wt": {"label": "Wild type"}, "ko": {"label": "Knock-out"}}
    names = Names.of({"source": "folder", "groups": groups, "cohorts": asked, "methods": []})
    assert names("cohort", "ageing") == "Age of all"
    assert names.sides("ageing") == ("with higher age", "with lower age")
    assert [one.kind for one in names.questions.values()] == ["variable", "paired", ""]
    # Two matched animals are no person.
    assert names.sizes("litter", [12, 12]) == "12 pairs of Wild type and Knock-out"
    assert names.sizes("plain", [12, 11]) == "12 Wild type, 11 Knock-out"


def both_directions(**columns):
    """Tests of two directions at one penalty each, all of which pass."""
    known = {"cohort": "one", "contrast": ["a-b", "b-a"], "percentile": 80.0, "size": 5}
    known |= {"z": [9.0, 3.0], "p": 0.01, "p_contrast": 0.01, "p_familywise": 0.01}
    return pd.DataFrame(known | columns)


def test_the_direction_that_measures_better_comes_first():
    effects = both_directions()[["cohort", "contrast", "percentile"]].assign(d=[0.2, 0.6])
    assert list(clearest(both_directions(), "one", ["a-b", "b-a"])) == ["a-b", "b-a"]
    assert list(clearest(both_directions(), "one", ["a-b", "b-a"], effects)) == ["b-a", "a-b"]
    # Not where it does not pass.
    tests = both_directions(p_familywise=[0.01, 0.3], p_contrast=[0.01, 0.2])
    assert list(clearest(tests, "one", ["a-b", "b-a"], effects)) == ["a-b", "b-a"]
    assert clearest(both_directions(size=[5, 1]), "one", ["a-b", "b-a"], effects) == {"a-b": 80}


def test_cohorts_are_in_the_order_of_p_and_of_nothing_else():
    """Of the same p that of the config: the largest z is that of the smallest sets."""
    tests = pd.concat(
        both_directions(cohort=name, z=z, p_familywise_tail=tail)
        for name, z, tail in (("one", 3.0, 0.01), ("two", 9.0, 0.01), ("three", 1.0, 0.002))
    )
    assert by_clarity(tests, ["one", "two", "three", "none"]) == ["three", "one", "two", "none"]
    assert by_clarity(tests.drop(columns="p_familywise_tail"), ["one", "two"]) == ["one", "two"]
