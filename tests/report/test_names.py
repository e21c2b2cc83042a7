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


def test_warnings_speak_of_people_by_the_noun_of_the_config():
    names = Names({}, {}, {}, {}, "folder", subjects="mice")
    assert names.called("3 of 20 people, subjects of site 2:") == "3 of 20 mice, mice of site 2:"
    kept = "data/people.tsv, people.csv, `subjects`, people-who, my_people, subjects/{id}.csv"
    assert names.called(kept) == kept
