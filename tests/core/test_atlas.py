"""The table of the regions: what may be missing, and what is refused."""

import numpy as np
import pytest
from contrast_subgraphs.core.atlas import describe_regions, load_atlas
from contrast_subgraphs.core.errors import InputError

HEAD = "name\themisphere\tsystem\tx\ty\tz\n"


def test_all_but_the_name_may_be_missing(tmp_path):
    path = tmp_path / "atlas.tsv"
    path.write_text(HEAD + "NA\tL\t\t1\t2\t3.5\n7\t\tvisual\t\t\t\n", encoding="utf-8")
    atlas = load_atlas(path)
    assert atlas["name"].tolist() == ["NA", "7"] and atlas["system"].tolist() == ["", "visual"]
    assert atlas.loc[0, ["x", "y", "z"]].tolist() == [1, 2, 3.5]
    assert np.isnan(atlas.loc[1, "x"])
    known = describe_regions(["7", "unknown"], atlas)
    assert known["system"].tolist() == ["visual", ""]


@pytest.mark.parametrize(
    "rows, message",
    [("a\t\t\t1\t2\tfar\n", "z of a is not a number"), ("a\t\t\t\t\t\n" * 2, "region a twice")],
)
def test_bad_tables_are_named(tmp_path, rows, message):
    path = tmp_path / "atlas.tsv"
    path.write_text(HEAD + rows, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load_atlas(path)
