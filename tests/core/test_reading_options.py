"""Every place where people say how their files are read has the same options."""

import inspect

import pytest
import yaml
from contrast_subgraphs import InputError, read_groups, read_matrices, read_series
from contrast_subgraphs.cli.find import find
from contrast_subgraphs.config.schema import config_schema
from contrast_subgraphs.core.reading_options import HOW, READING_OPTIONS, check_reading
from contrast_subgraphs.data.reading import read_files


def test_functions_commands_and_configs_have_the_same_options(root):
    default = yaml.safe_load((root / "config.yaml").read_text("utf-8"))["sources"]["folder"]
    schema = config_schema()["properties"]["sources"]["properties"]["folder"]["properties"]
    options = {option.name: option.default for option in find.params}
    keywords = inspect.signature(read_groups).parameters
    for name, option in READING_OPTIONS.items():
        assert default[name] == options[name] == keywords[name].default == option.usual
        assert schema[name] == option.schema
    assert set(HOW) <= inspect.signature(read_files).parameters.keys()
    for function in (read_matrices, read_series):
        assert inspect.signature(function).parameters.keys() - {"paths"} <= READING_OPTIONS.keys()


@pytest.mark.parametrize(
    "wrong", [{"decimal": ";"}, {"triangle": "left"}, {"regions": None}, {"windows": "max"}]
)
def test_other_values_are_refused(wrong):
    with pytest.raises(InputError, match=f"{next(iter(wrong))} must be"):
        check_reading(**wrong)
