"""Numbers from files as people have them; what is not certain is an error."""

import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.core.pairs import square_of
from contrast_subgraphs.data.reading import read_files
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.io import savemat

NAMES = ["Amygdala_L", "Gyrus frontalis médius", "V1"]
SERIES = np.round(np.random.default_rng(3).normal(size=(30, 3)), 3)
MATRIX = np.array([[0.0, 0.25, -0.5], [0.25, 0.0, 0.125], [-0.5, 0.125, 0.0]])


def read_numbers(path, kind, key=None, **how):
    names, arrays, reading = read_files([path], kind, key=key, **how)
    values = square_of(arrays[0]) if kind == "matrix" else arrays[0]
    return SimpleNamespace(names=names[0], values=values, reading=reading)


def parse_text(content, kind, **how):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        path.write_bytes(content)
        return read_numbers(path, kind, **how)


def text(frame, **options):
    return frame.to_csv(**options).encode()


def check(found, values, names=None):
    assert np.allclose(found.values, values, rtol=1e-15, atol=0, equal_nan=True)
    assert found.names == names


@pytest.mark.parametrize(
    "options",
    [
        {"sep": ","},
        {"sep": "\t"},
        {"sep": ";"},
        {"sep": ";", "decimal": ","},
        {"sep": "\t", "decimal": ","},
        {"sep": " "},
        {"sep": ",", "lineterminator": "\r\n"},
    ],
)
@pytest.mark.parametrize(("kind", "values"), [("series", SERIES), ("matrix", MATRIX)])
def test_separators_headers_and_row_names(kind, values, options):
    plain = pd.DataFrame(values)
    named = pd.DataFrame(values, columns=["a", "b", "c"])
    check(parse_text(text(plain, header=False, index=False, **options), kind), values)
    check(parse_text(text(plain, index=False, **options), kind), values)  # header 0, 1, 2
    check(parse_text(text(named, index=False, **options), kind), values, ["a", "b", "c"])
    rows = [f"row{i}" for i in range(len(values))]
    for index in (rows, named.index, named.index + 1) if options["sep"] != " " else ():
        frame = named.set_axis(index, axis=0)
        check(parse_text(text(frame, **options), kind), values, ["a", "b", "c"])
    if kind == "matrix" and options["sep"] != " ":
        check(parse_text(text(plain, **options), kind), values)  # pandas' own habit
        check(parse_text(text(plain, header=False, **options), kind), values)


def test_a_first_row_that_counts_is_data_in_a_square_matrix():
    square = [[0, 1, 2], [1, 0, 5], [2, 5, 0]]
    check(parse_text(b"0,1,2\n1,0,5\n2,5,0\n", "matrix"), square)
    check(parse_text(b",0,1,2\n0,0,1,2\n1,1,0,5\n2,2,5,0\n", "matrix"), square)


def test_habits_of_programs():
    aal = b"#2001\t#2002\r\n1.5\t2.5\r\n3.5\t4.5\r\n5.5\t6.5\r\n"  # ABIDE
    check(parse_text(aal, "series"), [[1.5, 2.5], [3.5, 4.5], [5.5, 6.5]], ["2001", "2002"])
    afni = (  # ADHD-200's Athena files, by 3dROIstats
        b"File\tSub-brick\tMean_2001 \tMean_2002 \n"
        b"sfnwmrda1.nii.gz\t0[?]\t1.5\t2.5\nsfnwmrda1.nii.gz\t1[?]\t3.5\t4.5\n"
        b"sfnwmrda1.nii.gz\t2[?]\t5.5\t6.5\n"
    )
    check(parse_text(afni, "series"), [[1.5, 2.5], [3.5, 4.5], [5.5, 6.5]], ["2001", "2002"])
    r = b'"a" "b"\n"r1" 0.5 1\n"r2" 1 2\n"r3" 4 2\n'  # write.table
    check(parse_text(r, "series"), [[0.5, 1], [1, 2], [4, 2]], ["a", "b"])
    bids = b"A\tB\nn/a\t1\nn/a\t2\nn/a\t3.5\n"
    check(parse_text(bids, "series"), [[np.nan, 1], [np.nan, 2], [np.nan, 3.5]], ["A", "B"])
    ends = b"1,2,\n3,4,\n5,6,\n"
    check(parse_text(ends, "series"), [[1, 2], [3, 4], [5, 6]])
    quoted = '"Thalamus, left",V1\n1,2\n3,4\n5,6\n'.encode("utf-8-sig")
    check(parse_text(quoted, "series"), [[1, 2], [3, 4], [5, 6]], ["Thalamus, left", "V1"])
    for coding in ("utf-8", "latin-1", "utf-16"):
        content = ("é,b\n1,2\n3,4\n5,6\n").encode(coding)
        assert parse_text(content, "series").names == ["é", "b"]
    # Not separators of thousands: other numbers of decimals, or no whole numbers but 0 and 1.
    check(parse_text(b"5.007 205\n2.5 20\n1 3\n", "series"), [[5.007, 205], [2.5, 20], [1, 3]])
    check(parse_text(b"1,000;1,234\n0;2,090\n1;0\n", "series"), [[1, 1.234], [0, 2.09], [1, 0]])
    first_column_is_data = b"1,5\n2,6\n3,9\n"
    assert parse_text(first_column_is_data, "series").values.shape == (3, 2)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (b"<!DOCTYPE html><html>", "web page"),
        (b"a,b\n", "no numbers"),
        (b"1,2\n3\n5,6\n", "line 2 has fewer fields"),
        (b"a,b\n1,2\n3,4,5\n6,7\n", "line 3 has more fields"),
        (b"1,2\n3,x\n5,6\n", "row 2, column 2 holds 'x'"),
        (b"1,x,3\n3,4,5\n5,6,7\n", "row 1, column 2 holds 'x'"),
        (b"0,5;1.5\n0,25;2\n1;1\n", "holds '0,25', which is not a number"),
        (
            b"5,007;205\n205;2,090\n1;3\n",
            "such as 5007 .*grouped by three.* or .* such as 5.007 .*`decimal`",
        ),
        (b"5.007;205\n205;2.090\n1;3\n", "such as 5.007 .* or .* such as 5007 .*`decimal`"),
        (b"\0\0\xff\xfe\x01\x02\x03\n\x04\x05\n", "not a text"),
    ],
)
def test_what_is_no_table_of_numbers(content, words):
    with pytest.raises(InputError, match=words):
        parse_text(content, "series")


@settings(deadline=None, max_examples=40, derandomize=True)
@given(
    st.integers(0, 10**6),
    st.sampled_from([",", "\t", ";", " "]),
    st.booleans(),
    st.sampled_from(["\n", "\r\n"]),
)
def test_numbers_come_back_to_the_last_digit(seed, separator, header, end):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(rng.integers(12, 18), rng.integers(2, 7))) * 10.0 ** rng.integers(
        -8, 8
    )
    lines = [separator.join(map(repr, row)) for row in values.tolist()]
    names = [f"r{i}" for i in range(values.shape[1])]
    lines = [separator.join(names), *lines] if header else lines
    check(parse_text(end.join(lines).encode(), "series"), values, names if header else None)


def test_arrays_of_numpy_and_matlab(tmp_path):
    np.save(tmp_path / "a.npy", MATRIX)
    np.savez(tmp_path / "one.npz", whatever=MATRIX, subject=np.array(["x"]))
    np.savez(tmp_path / "two.npz", a=MATRIX, b=MATRIX)
    savemat(tmp_path / "a.mat", {"W": MATRIX, "n": 3.0})
    for name, key in (("a.npy", None), ("one.npz", None), ("two.npz", "b"), ("a.mat", "W")):
        check(read_numbers(tmp_path / name, "matrix", key), MATRIX)
    with pytest.raises(InputError, match="a, b: say which by `key`"):
        read_numbers(tmp_path / "two.npz", "matrix")
    with pytest.raises(InputError, match="no array 'c'"):
        read_numbers(tmp_path / "two.npz", "matrix", "c")
    (tmp_path / "cut.mat").write_bytes((tmp_path / "a.mat").read_bytes()[:200])
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY\x01\x00")
    np.save(tmp_path / "objects.npy", np.array([{}, None], dtype=object))
    np.save(tmp_path / "complex.npy", MATRIX * 1j)
    for name in ("cut.mat", "bad.npy", "objects.npy", "complex.npy", "none.csv", "x.xlsx"):
        with pytest.raises(InputError):
            read_numbers(tmp_path / name, "matrix")
    # Two with usual names: neither is taken in silence.
    np.savez(tmp_path / "both.npz", Z=np.eye(3), timeseries=np.ones((9, 3)))
    with pytest.raises(InputError, match="Z, timeseries: say which by `key`"):
        read_numbers(tmp_path / "both.npz", "series")


def test_conn_s_files(tmp_path):
    names = np.array(["V1", "Amygdala", "Insula"], dtype=object)
    z = np.hstack([np.where(np.eye(3) == 1, np.nan, MATRIX), np.ones((3, 2))])
    savemat(tmp_path / "resultsROI_Subject001.mat", {"Z": z, "names": names, "SE": np.ones((1, 3))})
    found = read_numbers(tmp_path / "resultsROI_Subject001.mat", "matrix")
    check(found, MATRIX, ["V1", "Amygdala", "Insula"])
    cells = np.empty((1, 4), dtype=object)
    for i in range(3):
        cells[0, i] = SERIES[:, [i]]
    cells[0, 3] = np.ones((4, 6))  # realignment
    every = np.array([*names, "motion"], dtype=object)
    savemat(tmp_path / "ROI_Subject001.mat", {"data": cells, "names": every})
    found = read_numbers(tmp_path / "ROI_Subject001.mat", "series")
    check(found, SERIES, ["V1", "Amygdala", "Insula"])
