"""What files say that is not read: the same entries in another order are not passed over."""

import h5py
import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.data.folder import read_folder
from contrast_subgraphs.data.reading import read_files
from scipy.io import savemat

NAMES = ["A1", "M1", "Insula", "Precuneus", "Cuneus"]
TURNED = NAMES[::-1]
COMMENTS = {
    "a line each": lambda names: "".join(f"# {name}\n" for name in names),
    "a line each under a title": lambda names: "# Order\n" + "".join(f"%  {n}\n" for n in names),
    "prose": lambda names: f"# columns are {', '.join(names[:-1])} and {names[-1]}\n",
    "few words": lambda names: f"# order = {' '.join(names)}\n",
    "two lines": lambda names: f"# {', '.join(names[:2])},\n# {', '.join(names[2:])}\n",
    "numbers": lambda names: f"# order: {' '.join(str(NAMES.index(name)) for name in names)}\n",
}
ARRAYS = {
    "a table": lambda names: np.array([(str(k), name) for k, name in enumerate(names)]),
    "coordinates": lambda names: np.array([(3.5 * NAMES.index(n), 1, 2) for n in names]),
}


def matrix():
    values = np.triu(np.random.default_rng(0).normal(size=(5, 5)), 1)
    return values + values.T


def texts(folder, write, *orders):
    body = pd.DataFrame(matrix()).to_csv(header=False, index=False)
    paths = [folder / f"{k}.csv" for k in range(len(orders))]
    for path, names in zip(paths, orders, strict=True):
        path.write_text(write(names) + body)
    return paths


def archives(folder, orders, **arrays):
    paths = [folder / f"{k}.npz" for k in range(len(orders))]
    for path, names in zip(paths, orders, strict=True):
        own = {name: make(names) for name, make in arrays.items()}
        np.savez(path, matrix=matrix(), **own)
    return paths


@pytest.mark.parametrize("form", COMMENTS)
def test_comments_in_another_order_are_refused(form, tmp_path):
    paths = texts(tmp_path, COMMENTS[form], NAMES, TURNED)
    with pytest.raises(InputError, match=r"1\.csv: its comments and those of .*0\.csv hold"):
        read_files(paths, "matrix")
    # The same order in all files is that of the matrices; another one than the atlas's is not.
    paths = texts(tmp_path, COMMENTS[form], TURNED, TURNED)
    assert read_files(paths, "matrix")[0] == [None, None]
    codes = pd.DataFrame({"name": NAMES, "code": range(5)})
    with pytest.raises(InputError, match="those of the atlas"):
        read_files(paths, "matrix", atlas=codes)


def test_comments_with_other_words_are_left(tmp_path):
    said = ["# run 1 of 2 by ann, 2020-01-02 10:30\n", "# run 2 of 1 by bob, 2020-02-01 30:10\n"]
    assert read_files(texts(tmp_path, str, *said), "matrix")[0] == [None, None]


@pytest.mark.parametrize("form", ARRAYS)
def test_arrays_in_another_order_are_refused(form, tmp_path):
    paths = archives(tmp_path, [NAMES, TURNED], info=ARRAYS[form])
    with pytest.raises(InputError, match="its array 'info"):
        read_files(paths, "matrix", key="matrix")
    paths = archives(tmp_path, [TURNED, TURNED], info=ARRAYS[form])
    assert read_files(paths, "matrix", key="matrix")[0] == [None, None]


def test_whole_numbers_in_another_order_are_warned_of(tmp_path):
    paths = archives(tmp_path, [NAMES, TURNED], order=lambda n: [NAMES.index(one) for one in n])
    with pytest.warns(UserWarning, match="its array 'order'"):
        read_files(paths, "matrix")


@pytest.mark.parametrize("word", ["V", "X", "Var_", "ROI "])
def test_numbered_columns_do_not_hide_named_rows(word, tmp_path):
    path = tmp_path / "a.csv"
    # R and MATLAB write these names above a matrix that has names for its rows only.
    columns = [f"{word}{k + 1}" for k in range(5)]
    pd.DataFrame(matrix(), index=TURNED, columns=columns).to_csv(path)
    assert read_files([path], "matrix")[0] == [TURNED]
    pd.DataFrame(matrix(), columns=columns).to_csv(path, index=False)
    assert read_files([path], "matrix")[0] == [columns]


def write_npz(path, stack, entries):
    np.savez(path, matrix=stack, files=np.array(entries))


def write_h5(path, stack, entries):
    with h5py.File(path, "w") as file:
        file["matrix"] = stack
        file["matrix"].attrs["index"] = entries


def write_mat(path, stack, entries):
    savemat(path, {"matrix": stack, "order": np.array(entries, dtype=object)})


WRITERS = {"npz": write_npz, "h5": write_h5, "mat": write_mat}


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("entry", ["{}", "/data/sub-{}/conn.csv", "{}.npy"])
def test_people_of_a_stack_in_another_order(ending, entry, tmp_path):
    people = ["a1", "a2", "a10"]
    stack = np.random.default_rng(0).normal(size=(3, 5, 5))
    stack += stack.transpose(0, 2, 1)
    pd.DataFrame({"participant_id": people}).to_csv(tmp_path / "people.csv", index=False)
    file = f"all.{ending}"
    source = {"subjects": tmp_path / "people.csv", "kind": "matrix", "files": file}
    WRITERS[ending](tmp_path / file, stack, [entry.format(one) for one in people])
    assert read_folder(source)[0].subject.tolist() == people
    WRITERS[ending](tmp_path / file, stack, [entry.format(one) for one in people[::-1]])
    with pytest.raises(InputError, match="people of the table stand in another order"):
        read_folder(source)
