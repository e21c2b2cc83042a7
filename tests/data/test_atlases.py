"""What is known about the regions is right, or empty."""

import numpy as np
from contrast_subgraphs.core.atlas import COLUMNS
from contrast_subgraphs.data.atlases import describe_atlas, load_aal, region_names
from contrast_subgraphs.data.regions import read_atlas


def test_aal_brings_places_and_systems():
    aal = load_aal()
    names = region_names(aal["code"])
    table = describe_atlas(names)
    assert list(table) == list(COLUMNS)
    assert table["name"].tolist() == aal["name"].tolist()
    assert np.array_equal(table[["x", "y", "z"]], aal[["x", "y", "z"]])


def test_regions_of_another_atlas_have_a_name_and_no_place():
    # As many regions as AAL, or AAL's in another order, are still not AAL's table.
    for codes in (np.arange(116), load_aal()["code"][::-1], [2, 3, 5]):
        table = describe_atlas(region_names(codes))
        assert table["name"].tolist() == [str(code) for code in codes]
        assert (table[["hemisphere", "system"]] == "").all(axis=None)
        assert table[["x", "y", "z"]].isna().all(axis=None)


def test_hemispheres_of_an_atlas_are_its_own_or_follow_from_x(tmp_path):
    path = tmp_path / "atlas.csv"
    path.write_text("label,network,x,y,z\na,Visual,-3,0,0\nb,,0,0,0\nc,,4.5,0,0\n")
    table = read_atlas(path)
    assert table[["name", "system"]].values.tolist() == [["a", "Visual"], ["b", ""], ["c", ""]]
    assert table["hemisphere"].tolist() == ["L", "M", "R"]
    path.write_text("label,hemi,x,y,z\na,R,-3,0,0\nb,,-4,0,0\nc,LH,1,0,0\nd,right,1,0,0\n")
    assert read_atlas(path)["hemisphere"].tolist() == ["R", "", "L", "R"]
    path.write_text("label\na\nb\n")
    assert read_atlas(path)["hemisphere"].tolist() == ["", ""]
    path.write_text("label,x,y,z\na,3,1,1\nb,7,1,1\n")  # from a corner of the brain
    assert read_atlas(path)["hemisphere"].tolist() == ["", ""]
