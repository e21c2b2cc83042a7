"""Names of regions and people beside an array, in whichever form its file keeps them."""

import io
import json
import re
import zipfile

import numpy as np
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.data.reading import read_files
from contrast_subgraphs.data.reading.beside import texts_of, with_names
from contrast_subgraphs.data.reading.matlab import fields
from scipy.io import savemat
from scipy.sparse import coo_array, save_npz

P = 5
NAMES = ["V1", "M1", "Insula", "Precuneus", "Région 5"]
RNG = np.random.default_rng(0)


def matrix():
    values = np.triu(RNG.normal(size=(P, P)), 1)
    return values + values.T


def cells(texts):
    found = np.empty((1, len(texts)), dtype=object)
    found[0, :] = texts
    return found


FORMS = {
    "texts": lambda names: np.array(names),
    "bytes": lambda names: np.array([name.encode("utf-8") for name in names]),
    "objects": lambda names: np.array(names, dtype=object),
    "objects of bytes": lambda names: np.array([n.encode("latin-1") for n in names], dtype=object),
    "column": lambda names: np.array(names)[:, None],
    "padded": lambda names: np.array([name.ljust(20) for name in names]),
}


def npz(path, array, name, given):
    np.savez(path, w=array, **{name: given})


def mat(path, array, name, given):
    savemat(path, {"w": array, name: given})


def new_mat(path, array, name, given):
    """A file of MATLAB's -v7.3: axes are turned, and cells are references."""
    h5py = pytest.importorskip("h5py", reason="for -v7.3")
    with h5py.File(path, "w", userblock_size=512) as file:
        file["w"] = array.T
        if given.dtype.kind == "O":
            refs = np.empty((given.size, 1), dtype=h5py.ref_dtype)
            for k, text in enumerate(given.ravel()):
                cell = file.create_dataset(f"#refs#/{k}", data=letters([text]))
                cell.attrs["MATLAB_class"] = np.bytes_("char")
                refs[k, 0] = cell.ref
            file.create_dataset(name, data=refs).attrs["MATLAB_class"] = np.bytes_("cell")
        else:
            file[name] = letters(given)
            file[name].attrs["MATLAB_class"] = np.bytes_("char")
    content = bytearray(path.read_bytes())
    content[:128] = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    path.write_bytes(content)


def letters(texts):
    width = max(map(len, texts))
    return np.array([[ord(c) for c in text.ljust(width)] for text in texts], dtype=np.uint16).T


def h5(path, array, name, given):
    h5py = pytest.importorskip("h5py", reason="for .h5")
    if given.dtype.kind == "U":
        given = given.astype(h5py.string_dtype())
    with h5py.File(path, "w") as file:
        file["group/w"] = array
        file[f"group/{name}"] = given


WRITERS = {".npz": npz, ".mat": mat, "73.mat": new_mat, ".h5": h5}
FILES = [
    *((".npz", form) for form in FORMS),
    *((".mat", form) for form in ("objects", "column", "padded")),
    *((("73.mat"), form) for form in ("objects", "padded")),
    *((".h5", form) for form in FORMS),
]
CALLED = ["names", "labels", "roi", "regions", "roi_names", "ROI_labels", "node_names", "Label"]


@pytest.mark.parametrize(("ending", "form"), FILES)
@pytest.mark.parametrize("kind", ["matrix", "series"])
def test_names_in_any_form_are_those_of_the_regions(tmp_path, ending, form, kind):
    given = cells(NAMES) if ending == ".mat" and form == "objects" else FORMS[form](NAMES)
    array = matrix() if kind == "matrix" else RNG.normal(size=(20, P))
    WRITERS[ending](tmp_path / f"a{ending}", array, "labels", given)
    names, arrays, _ = read_files([tmp_path / f"a{ending}"], kind)
    assert names == [NAMES]
    assert kind == "matrix" or np.allclose(arrays[0], array)


@pytest.mark.parametrize("called", CALLED)
@pytest.mark.parametrize("ending", [".npz", ".mat", ".h5"])
def test_a_name_twice_is_an_error_under_any_name(tmp_path, called, ending):
    twice = [*NAMES[:4], "V1"]
    given = cells(twice) if ending == ".mat" else np.array([n.encode() for n in twice])
    WRITERS[ending](tmp_path / f"a{ending}", matrix(), called, given)
    with pytest.raises(InputError, match=f"{called}.*the region V1 appears twice"):
        read_files([tmp_path / f"a{ending}"], "matrix")


def test_regions_in_another_order_are_put_in_order_by_their_names(tmp_path):
    from contrast_subgraphs.data.files import read_groups

    first, order = matrix(), [3, 1, 4, 0, 2]
    names = np.array([name.encode() for name in NAMES])
    np.savez(tmp_path / "a.npz", w=first, labels=names)
    np.savez(tmp_path / "b.npz", w=first[np.ix_(order, order)], labels=names[order])
    read = read_groups({"a": tmp_path / "a.npz", "b": tmp_path / "b.npz"})
    assert read.roi.tolist() == NAMES
    assert np.allclose(read.adjacency[0], read.adjacency[1])


def test_two_arrays_of_names_that_disagree_are_an_error(tmp_path):
    other = [f"R{k}" for k in range(P)]
    np.savez(tmp_path / "a.npz", w=matrix(), names=np.array(NAMES), labels=np.array(other))
    with pytest.raises(InputError, match="'names' and 'labels'.* region 1 is 'V1' or 'R0'"):
        read_files([tmp_path / "a.npz"], "matrix")
    np.savez(tmp_path / "a.npz", w=matrix(), names=np.array(NAMES), shortnames=np.array(NAMES))
    assert read_files([tmp_path / "a.npz"], "matrix")[0] == [NAMES]


def test_an_atlas_chooses_between_names(tmp_path):
    import pandas as pd

    short = [f"R{k}" for k in range(P)]
    np.savez(tmp_path / "a.npz", w=matrix(), names=np.array(NAMES), labels=np.array(short))
    atlas = pd.DataFrame({"name": short})
    assert read_files([tmp_path / "a.npz"], "matrix", atlas=atlas)[0] == [short]


def test_what_is_said_of_regions_is_not_their_name(tmp_path):
    """Networks, sides and numbers stand beside names; numbers count where there are no names."""
    more = {
        "networks": np.array(["Vis", "Vis", "Mot", "Mot", "Def"]),
        "what": np.array(["x", "x", "x", "y", "y"]),
        "hemisphere": np.array(["L", "R", "L", "R", "L"]),
        "description": np.array(["made", "by", "hand"]),
        "codes": np.arange(2001, 2001 + P),
    }
    np.savez(tmp_path / "a.npz", w=matrix(), names=np.array(NAMES), **more)
    assert read_files([tmp_path / "a.npz"], "matrix")[0] == [NAMES]
    np.savez(tmp_path / "a.npz", w=matrix(), **more)
    assert read_files([tmp_path / "a.npz"], "matrix")[0] == [
        ["2001", "2002", "2003", "2004", "2005"]
    ]
    np.savez(tmp_path / "a.npz", w=matrix(), roi=np.arange(1, 1 + P), labels=np.zeros(P))
    assert read_files([tmp_path / "a.npz"], "matrix")[0] == [None]  # they only count


@pytest.mark.parametrize("called", ["networks", "modules", "ICA_systems", "subregion_names"])
def test_regions_may_be_networks(tmp_path, called):
    np.savez(tmp_path / "a.npz", w=matrix(), **{called: np.array(NAMES)})
    assert read_files([tmp_path / "a.npz"], "matrix")[0] == [NAMES]
    other = np.array([f"N{k}" for k in range(P)])
    np.savez(tmp_path / "a.npz", w=matrix(), networks=other, names=np.array(NAMES))
    assert read_files([tmp_path / "a.npz"], "matrix")[0] == [NAMES]


def test_names_in_a_struct_of_matlab(tmp_path):
    savemat(tmp_path / "a.mat", {"w": matrix(), "atlas": {"labels": cells(NAMES), "n": 5.0}})
    assert read_files([tmp_path / "a.mat"], "matrix")[0] == [NAMES]
    regions = np.array([(name, 1.0) for name in NAMES], dtype=[("name", object), ("size", float)])
    savemat(tmp_path / "a.mat", {"w": matrix(), "regions": regions})
    assert read_files([tmp_path / "a.mat"], "matrix")[0] == [NAMES]


def test_string_arrays_that_only_matlab_opens_are_refused():
    from scipy.io.matlab import MatlabOpaque

    kinds = [("s0", "O"), ("s1", "O"), ("s2", "O"), ("arr", "O")]
    opaque = MatlabOpaque(np.array([(b"names", b"MCOS", b"string", 1)], dtype=kinds))
    with pytest.raises(InputError, match="'names' holds something that is not text.*cellstr"):
        with_names(matrix(), fields("None", opaque), "matrix")


def test_empty_names_are_refused(tmp_path):
    np.savez(tmp_path / "a.npz", w=matrix(), names=np.array(["V1", "", "M1", "a", "b"]))
    with pytest.raises(InputError, match="'names' holds no names, or not all"):
        read_files([tmp_path / "a.npz"], "matrix")


class Danger:
    def __reduce__(self):
        return (print, ("this was run",))


def test_objects_are_opened_only_if_they_are_texts(tmp_path, capsys):
    danger = np.empty(P, dtype=object)
    danger[:] = [Danger() for _ in range(P)]
    np.savez(tmp_path / "a.npz", w=matrix(), names=danger)
    with pytest.raises(InputError, match="'names' holds something that is not text"):
        read_files([tmp_path / "a.npz"], "matrix")
    np.savez(tmp_path / "a.npz", w=matrix(), more=danger)
    assert read_files([tmp_path / "a.npz"], "matrix")[0] == [None]
    assert "this was run" not in capsys.readouterr().out
    assert zipfile.is_zipfile(io.BytesIO((tmp_path / "a.npz").read_bytes()))


@pytest.mark.parametrize("ending", [".npz", ".h5"])
def test_a_stack_has_names_of_regions_and_of_people(tmp_path, ending):
    stack = np.stack([matrix() for _ in range(7)])
    people = np.array([f"sub-{k}" for k in range(7)])
    if ending == ".npz":
        np.savez(tmp_path / "a.npz", w=stack, labels=np.array(NAMES), subjects=people)
    else:
        h5py = pytest.importorskip("h5py", reason="for .h5")
        with h5py.File(tmp_path / "a.h5", "w") as file:
            file["w"], file["labels"], file["subjects"] = stack, NAMES, people.astype(bytes)
    names, _, reading = read_files([tmp_path / f"a{ending}"], "matrix")
    assert names == [NAMES] and reading.people == tuple(people)


@pytest.mark.parametrize("called", ["names", "labels", "IDs", "subject_id", "participants", "subs"])
def test_people_of_a_stack_are_known_by_their_names(tmp_path, called):
    """Else they would be taken in the order of the table, and be mixed up."""
    import pandas as pd
    from contrast_subgraphs.data.folder import read_folder

    ids = [f"sub-{k}" for k in range(7)]
    stack = np.stack([matrix() for _ in ids])
    order = [3, 1, 0, 6, 2, 5, 4]
    np.savez(tmp_path / "a.npz", w=stack[order], **{called: np.array(ids)[order]})
    pd.DataFrame({"participant_id": ids}).to_csv(tmp_path / "people.csv", index=False)
    source = {"subjects": str(tmp_path / "people.csv"), "files": "a.npz", "kind": "matrix"}
    data, *_ = read_folder(source)
    assert np.allclose(data.adjacency, [one - np.diag(np.diag(one)) for one in stack])
    pd.DataFrame({"participant_id": [*ids[:6], "x"]}).to_csv(tmp_path / "people.csv", index=False)
    with pytest.raises(InputError, match="has a row for sub-6, who is not in the table"):
        read_folder(source)


def test_as_many_people_as_regions_need_a_name_that_says_whose(tmp_path):
    stack = np.stack([matrix() for _ in range(P)])
    np.savez(tmp_path / "a.npz", w=stack, labels=np.array(NAMES))
    with pytest.raises(InputError, match="'labels' may name its 5 people or its 5 regions"):
        read_files([tmp_path / "a.npz"], "matrix")
    np.savez(tmp_path / "a.npz", w=stack, roi_labels=np.array(NAMES), subjects=np.arange(P))
    names, _, reading = read_files([tmp_path / "a.npz"], "matrix")
    assert names == [NAMES] and reading.people == ("0", "1", "2", "3", "4")


def test_names_beside_rows_of_weights(tmp_path):
    rows = np.array([matrix()[np.triu_indices(P, 1)] for _ in range(3)])
    np.savez(tmp_path / "a.npz", w=rows, names=np.array(NAMES))
    names, _, _ = read_files([tmp_path / "a.npz"], "matrix", triangle="upper")
    assert names == [NAMES]


@pytest.mark.parametrize("ending", [".npz", ".mat", ".h5"])
@pytest.mark.parametrize("called", ["names", "labels", "roi"])
def test_names_that_fit_the_rows_of_series(tmp_path, ending, called):
    given = cells(NAMES) if ending == ".mat" else np.array(NAMES)
    WRITERS[ending](tmp_path / f"a{ending}", RNG.normal(size=(P, 40)), called, given)
    with pytest.raises(InputError, match="is it transposed"):
        read_files([tmp_path / f"a{ending}"], "series")


def in_attribute(place):
    """Return how to write an .h5 file with an attribute of an array, a group or the file."""

    def write(path, array, name, given):
        h5py = pytest.importorskip("h5py", reason="for .h5")
        with h5py.File(path, "w") as file:
            file["group/w"] = array
            file["group/w"].make_scale("regions")  # HDF5 has attributes of its own
            if given.dtype.kind == "U":
                given = given.astype("S")
            file[place].attrs[name] = given

    return write


PLACES = {
    "npz": (npz, ".npz"),
    "sparse npz": (lambda *asked: sparse(*asked), ".npz"),
    "mat": (mat, ".mat"),
    "h5": (h5, ".h5"),
    "attribute of the array": (in_attribute("group/w"), ".h5"),
    "attribute of the group": (in_attribute("group"), ".h5"),
    "attribute of the file": (in_attribute("/"), ".h5"),
}
ASCII = ["V1", "M1", "Insula", "Precuneus", "S1"]
LISTS = {
    "JSON": json.dumps(ASCII),
    "Python": str(ASCII),
    "commas": ",".join(ASCII),
    "quotes": ", ".join(f'"{name}"' for name in ASCII),
    "lines": "\n".join(ASCII) + "\n",
    "spaces": " ".join(ASCII),
    "semicolons": " ; ".join(ASCII),
}


def sparse(path, array, name, given):
    """A sparse matrix of SciPy with one more array in its file."""
    save_npz(path, coo_array(array))
    with np.load(path) as archive:
        arrays = dict(archive)
    np.savez(path, **arrays, **{name: given})


def refused_or_named(path, kind="matrix"):
    """Return the names of a file, or the error."""
    try:
        return read_files([path], kind)[0][0]
    except InputError as error:
        return str(error)


@pytest.mark.parametrize("place", PLACES)
def test_names_are_those_of_the_regions_or_refused_wherever_they_are(tmp_path, place):
    write, ending = PLACES[place]
    path = tmp_path / f"a{ending}"
    for text in LISTS.values():
        write(path, matrix(), "region_names", np.array(text))
        assert refused_or_named(path) == ASCII
    for given in ("V1,M1,Insula", '["V1"]', ["V1", "M1", "Insula", "Precuneus"], [ASCII, ASCII]):
        texts = np.array(given)
        write(path, matrix(), "regions", texts)
        assert "regions' holds" in refused_or_named(path)
        assert "call the array something else" in refused_or_named(path)
        # Under any other name they say something else, as a title does.
        write(path, matrix(), "studies", texts)
        assert refused_or_named(path) is None
    for title in ("AAL", "Schaefer, 7 networks", "a study of the brain"):
        write(path, matrix(), "label", np.array(title))
        assert refused_or_named(path) is None


def test_names_of_another_table_are_left_to_it(tmp_path):
    other = np.array(["a", "b", "c"])
    np.savez(tmp_path / "a.npz", z=matrix(), w=RNG.normal(size=(4, 3)), column_names=other)
    assert refused_or_named(tmp_path / "a.npz") is None
    table = np.array([(n, 1.0) for n in NAMES], dtype=[("name", "U20"), ("size", float)])
    np.savez(tmp_path / "a.npz", z=matrix(), info=table)
    assert refused_or_named(tmp_path / "a.npz") == NAMES


@pytest.mark.parametrize("given", [["a"] * 7, [*"abcdef"], np.arange(6.0), np.zeros(7)])
def test_names_of_people_that_do_not_fit_are_refused(tmp_path, given):
    stack = np.stack([matrix() for _ in range(7)])
    np.savez(tmp_path / "a.npz", w=stack, subjects=np.array(given))
    assert re.search("'subjects' (holds 6 names|names the person (a|0) twice)",
                     refused_or_named(tmp_path / "a.npz"))  # fmt: skip
    backward = [f"s{k}" for k in range(7)][::-1]
    for text in (json.dumps(backward), ", ".join(backward)):
        np.savez(tmp_path / "a.npz", w=stack, subjects=text)
        assert read_files([tmp_path / "a.npz"], "matrix")[2].people == tuple(backward)
    in_attribute("group")(tmp_path / "a.h5", stack, "subjects", np.arange(7)[::-1])
    assert read_files([tmp_path / "a.h5"], "matrix")[2].people == tuple("6543210")
    savemat(tmp_path / "a.mat", {"w": stack, "subjID": np.arange(7.0)[::-1, None]})
    assert read_files([tmp_path / "a.mat"], "matrix")[2].people == tuple("6543210")


COMMENTS = {
    "commas": "# regions: V1,M1,Insula,Precuneus,S1",
    "spaces": "% ROI names = V1 M1 Insula Precuneus S1",
    "JSON": f"# labels: {json.dumps(ASCII)}",
    "AFNI": '#  ColumnLabels = "V1 ; M1 ; Insula ; Precuneus ; S1"\n# >',
    "lines": "# regions:\n# " + "\n# ".join(ASCII),
    "a spreadsheet": '"# regions: V1,M1,Insula,Precuneus,S1",,,,',
    "first": "# regions: V1,M1,Insula,Precuneus,S1\n# made by hand, in 2020",
    "order": "# order of the regions: V1,M1,Insula,Precuneus,S1",
    "numbers": "\n".join(f"# Column {k + 1}: {name}" for k, name in enumerate(ASCII)),
    "no name": "# V1,M1,Insula,Precuneus,S1\n#\n# made by hand, in 2020",
    "no sign": "# regions,V1,M1,Insula,Precuneus,S1",
    "another mark": "// regions: V1,M1,Insula,Precuneus,S1",
}


@pytest.mark.parametrize("form", COMMENTS)
@pytest.mark.parametrize("kind", ["matrix", "series"])
def test_comments_may_list_the_regions(tmp_path, form, kind):
    array = matrix() if kind == "matrix" else RNG.normal(size=(20, P))
    rows = "\n".join(",".join(map(str, row)) for row in array)
    path = tmp_path / "a.csv"
    made = "# made in 2020\n" * (form != "another mark")
    path.write_text(f"{made}{COMMENTS[form]}\n{rows}\n")
    assert refused_or_named(path, kind) == ASCII
    assert "named by a comment" in read_files([path], kind)[2].sentence()
    path.write_text(f"{COMMENTS[form].replace('Insula', 'V1')}\n{rows}\n")
    assert "V1 appears twice" in refused_or_named(path, kind)
    path.write_text(f"# regions: V1,M1,S1\n{rows}\n")
    assert "lists 3 names, and there are 5 regions" in refused_or_named(path, kind)
    path.write_text(f"# regions: 5\n# region: cortex, left\n{rows}\n")
    assert refused_or_named(path, kind) is None
    path.write_text(f"{COMMENTS[form]}\n{','.join([*ASCII[::-1]])}\n{rows}\n")
    assert "names other regions than the rest" in refused_or_named(path, kind)


def test_names_in_mappings_and_sheets(tmp_path):
    about = {"atlas": "mine", "regions": ASCII, "sizes": [1, 2]}
    for given in (json.dumps(about), np.array(about, dtype=object)):
        np.savez(tmp_path / "a.npz", w=matrix(), about=given)
        assert refused_or_named(tmp_path / "a.npz") == ASCII
    np.savez(tmp_path / "a.npz", w=matrix(), regions=json.dumps(dict(enumerate(ASCII))))
    assert "'regions' holds 1 texts" in refused_or_named(tmp_path / "a.npz")
    openpyxl = pytest.importorskip("openpyxl", reason="for .xlsx")
    book = openpyxl.Workbook()
    for row in matrix().tolist():
        book.active.append(row)
    names = book.create_sheet("regions")
    for name in ASCII:
        names.append([name])
    book.save(tmp_path / "a.xlsx")
    found, *_ = read_files([tmp_path / "a.xlsx"], "matrix", key="Sheet")
    assert found == [ASCII]


def test_comments_name_what_edges_and_rows_number(tmp_path):
    path = tmp_path / "a.csv"
    edges = "1,2,.5\n2,3,.4\n3,4,.1\n4,5,.3\n1,5,.2\n"
    path.write_text(f"{COMMENTS['commas']}\n{edges}")
    assert "its edges have numbers: give an atlas" in refused_or_named(path)
    row = ",".join(map(str, matrix()[np.triu_indices(P, 1)]))
    path.write_text(f"{COMMENTS['commas']}\n{row}\n{row}\n")
    assert read_files([path], "matrix", triangle="upper")[0] == [ASCII]


def test_names_twice_in_a_matrix_of_afni(tmp_path):
    lines = ["# 3  # Number of network ROIs", "# 1  # Number of netcc matrices"]
    lines += ["# WITH_ROI_LABELS", "  A  B  A", "  1  2  3", "# CC"]
    lines += ["1 .2 .3", ".2 1 .4", ".3 .4 1"]
    (tmp_path / "a.netcc").write_text("\n".join(lines))
    with pytest.raises(InputError, match="the region A appears twice"):
        read_files([tmp_path / "a.netcc"], "matrix")


def test_texts_of_anything_else_are_none():
    assert texts_of(np.arange(3)) is None and texts_of(None) is None
    assert texts_of(np.array([["a"], 1], dtype=object)) is None
