"""Filter files of BIDS Apps, and labels as people write them."""

import json

import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.data.bids_filters import (
    check_dataset,
    one_label,
    read_filters,
    without_prefix,
)


def filters(tmp_path, content):
    path = tmp_path / "filters.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return read_filters(path)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({}, {}),
        ({"bold": {"session": "1", "task": ["rest"]}}, {"ses": "1", "task": "rest"}),
        ({"bold": {"acquisition": None}}, {"acq": "none"}),
        ({"bold": {"run": 1}}, {"run": "1"}),
        ({"relmat": {"segmentation": "Gordon"}}, {"atlas": "Gordon"}),
        # What other software takes by it is nothing of ours.
        ({"T1w": {"session": "2"}, "bold": {"session": "1"}}, {"ses": "1"}),
        ({"bold": {"task": "rest"}, "timeseries": {"task": "rest"}}, {"task": "rest"}),
    ],
)
def test_entities_have_the_names_of_files(tmp_path, content, expected):
    assert filters(tmp_path, content) == expected


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "cannot be read"),
        ([1], "object of objects"),
        ({"bold": "rest"}, "object of objects"),
        ({"bold": {"session": ["1", "2"]}}, "bold.session must be one label"),
        ({"bold": {"session": "*"}}, "bold.session must be one label"),
        ({"bold": {"run": True}}, "bold.run must be one label"),
        ({"bold": {"suffix": "bold"}}, "bold.suffix cannot be chosen"),
        ({"bold": {"task": "a"}, "relmat": {"task": "b"}}, "task is a and b"),
    ],
)
def test_what_cannot_be_chosen_is_said(tmp_path, content, says):
    with pytest.raises(InputError, match=says):
        filters(tmp_path, content)


def test_a_filter_file_that_is_missing(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_filters(tmp_path / "none.json")


def test_labels_stand_with_and_without_their_entity():
    assert without_prefix("sub-01", "sub") == without_prefix("01", "sub") == "01"
    assert without_prefix("seg-Gordon", "atlas", "seg") == "Gordon"


def test_several_values_are_one_only_if_they_are_the_same():
    assert one_label("--atlas", ()) is None
    assert one_label("--atlas", ("a", "a")) == "a"
    with pytest.raises(InputError, match="--atlas: a and b"):
        one_label("--atlas", ("a", "b"))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "not a BIDS dataset"),
        ("{", "cannot be read"),
        ("[]", "must hold an object"),
        ('{"Name": "x"}', "has no BIDSVersion"),
        ('{"Name": "x", "BIDSversion": "1"}', "BIDSVersion.*did you mean BIDSversion"),
    ],
)
def test_a_dataset_describes_itself(tmp_path, content, says):
    if content is not None:
        (tmp_path / "dataset_description.json").write_text(content)
    with pytest.raises(InputError, match=says):
        check_dataset(tmp_path)
    (tmp_path / "dataset_description.json").write_text('{"Name": "x", "BIDSVersion": "1.9.0"}')
    check_dataset(tmp_path)
