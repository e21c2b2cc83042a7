"""What things are called on the page."""

import pytest
from contrast_subgraphs.report.names import Names, region_label


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


def test_warnings_speak_of_people_by_the_noun_of_the_config():
    names = Names({}, {}, {}, {}, "folder", subjects="mice")
    assert names.called("3 of 20 people, subjects of site 2:") == "3 of 20 mice, mice of site 2:"
    kept = "data/people.tsv, people.csv, `subjects`, people-who, my_people, subjects/{id}.csv"
    assert names.called(kept) == kept
