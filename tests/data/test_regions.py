"""Tables of regions: names that several regions have, numbers, lists of names."""

import warnings

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.core.pairs import square_of
from contrast_subgraphs.data.files import read_groups
from contrast_subgraphs.data.reading import read_files
from contrast_subgraphs.data.regions import read_atlas

#: As in the example of NBS's manual: a name for what has none of its own.
GIVEN = ["Precuneus", "Subcortical", "Insula", "Subcortical", "Subcortical", "V1"]
NUMBERED = ["Precuneus", "Subcortical 1", "Insula", "Subcortical 2", "Subcortical 3", "V1"]


def written(path, names=GIVEN, **columns):
    pd.DataFrame({"name": names, **columns}).to_csv(path, index=False)
    return path


def matrix(seed):
    values = np.triu(np.random.default_rng(seed).normal(size=(6, 6)), 1)
    return values + values.T


@pytest.fixture
def atlas(tmp_path):
    return written(tmp_path / "atlas.csv")


def test_a_name_of_several_regions_is_numbered_with_a_warning(atlas):
    with pytest.warns(UserWarning, match=r"Subcortical \(Subcortical 1 to Subcortical 3\)"):
        table = read_atlas(atlas)
    assert table["name"].tolist() == NUMBERED and table["given"].tolist() == GIVEN


def test_numbers_that_other_regions_have_are_passed_over(tmp_path):
    names = ["A", "A 1", "A", "B", "B", "A"]
    with pytest.warns(UserWarning, match="several regions of one name"):
        table = read_atlas(written(tmp_path / "atlas.csv", names))
    assert table["name"].tolist() == ["A 2", "A 1", "A 3", "B 1", "B 2", "A 4"]


def test_different_names_are_left_as_they_are(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = read_atlas(written(tmp_path / "atlas.csv", list("abcdef")))
    assert "given" not in table


def test_a_number_twice_is_an_error(tmp_path):
    path = written(tmp_path / "atlas.csv", list("abcdef"), code=[1, 2, 3, 3, 5, 6])
    with pytest.raises(InputError, match="the number 3 twice"):
        read_atlas(path)
    pd.DataFrame({"code": [1, 2, 2]}).to_csv(path, index=False)
    with pytest.raises(InputError, match="2 twice"):
        read_atlas(path)


def test_a_list_of_names_is_an_atlas(tmp_path):
    (tmp_path / "labels.txt").write_text("V1\nM1\nInsula, left\n".replace(",", ""))
    assert read_atlas(tmp_path / "labels.txt")["name"].tolist() == ["V1", "M1", "Insula left"]
    (tmp_path / "labels.txt").write_text("\n".join(GIVEN) + "\n")
    with pytest.warns(UserWarning, match="several regions of one name"):
        assert read_atlas(tmp_path / "labels.txt")["name"].tolist() == NUMBERED


@pytest.mark.filterwarnings("ignore:.*several regions of one name")
@pytest.mark.parametrize("ending", [".csv", ".npz", "plain"])
def test_an_atlas_says_which_region_is_which_where_files_repeat_names(tmp_path, atlas, ending):
    for group, seed in (("a", 0), ("b", 1)):
        if ending == ".csv":
            pd.DataFrame(matrix(seed), GIVEN, GIVEN).to_csv(tmp_path / f"{group}.csv")
        elif ending == ".npz":
            np.savez(tmp_path / f"{group}.npz", w=matrix(seed), names=np.array(GIVEN))
        else:
            np.save(tmp_path / f"{group}.npy", matrix(seed))
    places = {group: tmp_path / f"{group}.[cn]*" for group in "ab"}
    found = read_groups(places, atlas=atlas)
    assert found.roi.tolist() == NUMBERED
    assert np.allclose(found.adjacency, [matrix(0), matrix(1)], atol=1e-6)
    if ending != "plain":
        with pytest.raises(InputError, match="the region Subcortical appears twice"):
            read_groups(places)


@pytest.mark.filterwarnings("ignore:.*several regions of one name")
def test_names_repeated_in_another_order_than_the_atlas_s_stay_an_error(tmp_path, atlas):
    other = [GIVEN[k] for k in (1, 0, 2, 3, 4, 5)]
    pd.DataFrame(matrix(0), other, other).to_csv(tmp_path / "a.csv")
    with pytest.raises(InputError, match="the region Subcortical appears twice"):
        read_files([tmp_path / "a.csv"], "matrix", atlas=read_atlas(atlas))


@pytest.mark.filterwarnings("ignore:.*several regions of one name")
def test_names_as_they_are_numbered_may_stand_in_any_order(tmp_path, atlas):
    order = [5, 3, 1, 0, 2, 4]
    own = [NUMBERED[k] for k in order]
    values = matrix(0)[np.ix_(order, order)]
    pd.DataFrame(values, own, own).to_csv(tmp_path / "a.csv")
    pd.DataFrame(matrix(1), NUMBERED, NUMBERED).to_csv(tmp_path / "b.csv")
    found = read_groups({g: tmp_path / f"{g}.csv" for g in "ab"}, atlas=atlas)
    assert np.allclose(square_of(found.weights)[0], matrix(0), atol=1e-6)


def test_the_example_of_nbs_s_manual_is_read(shared):
    folder = shared / "field" / "nbs"
    if not folder.is_dir():
        pytest.skip("the example of NBS is not beside this checkout")
    with pytest.warns(UserWarning, match=r"Subcortical \(Subcortical 1 to Subcortical 8\)"):
        atlas = read_atlas(folder / "nodeLabels.txt")
    assert len(atlas) == 74 and not atlas["name"].duplicated().any()
    _, arrays, reading = read_files([folder / "matrices.mat"], "matrix", atlas=atlas)
    assert square_of(arrays[0]).shape == (27, 74, 74) and reading.regions == 74


@pytest.mark.parametrize("name", ["label", "index"])
def test_names_of_regions_stay_as_they_are_written(tmp_path, name):
    codes = ["001", "002", "010", "1.10"]
    pd.DataFrame({name: codes}).to_csv(tmp_path / "atlas.csv", index=False)
    assert read_atlas(tmp_path / "atlas.csv")["name"].tolist() == codes
    (tmp_path / "atlas.csv").write_text("001\n002\n010\n")  # no header
    assert read_atlas(tmp_path / "atlas.csv")["name"].tolist() == codes[:3]


def test_a_region_without_a_name_is_an_error(tmp_path):
    for text in ("label,network\nA,x\n,y\nC,x\n", "label,network\nA,x\nn/a,y\nC,x\n"):
        (tmp_path / "atlas.csv").write_text(text)
        with pytest.raises(InputError, match="atlas.csv has no label in line 3"):
            read_atlas(tmp_path / "atlas.csv")
