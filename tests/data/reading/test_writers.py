"""Writers times readers: files as programs write them, read to the same numbers and names.

Each set of files is read whole and its first file alone. What is not certain may be refused, by
one line; nothing may be read wrong.
"""

import gzip
import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.core.pairs import square_of
from contrast_subgraphs.data.reading import read_files
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.io import savemat

RNG = np.random.default_rng(0)
COUNTS = {}
BOTH = (True, False)


def labels_of(p):
    """Return what regions may be called, each with the names that a reader should find."""
    codes = [2001 + k + 90 * (k // 3) for k in range(p)]
    texts = [f"Région {k}, left" if k % 5 == 0 else f"R{k}_L" for k in range(p)]
    gaps = [k + (k > p // 2) for k in range(1, p + 1)]
    return {
        "names": (texts, texts),
        "zero": (list(range(p)), None),
        "one": (list(range(1, p + 1)), None),
        "gaps": (gaps, list(map(str, gaps))),
        "codes": (codes, list(map(str, codes))),
        "falling": (codes[::-1], list(map(str, codes[::-1]))),
        "floats": ([float(k) for k in gaps], list(map(str, gaps))),
        "digits": ([f"{k:03d}" for k in gaps], [f"{k:03d}" for k in gaps]),
    }


def matrices(what, p, n=3):
    found = []
    for _ in range(n):
        if what == "counts":
            values = RNG.poisson(5, (p, p)) * 1.0
        elif what == "sparse":
            values = (RNG.random((p, p)) < 0.3) * RNG.poisson(30, (p, p)) * 1.0
        else:
            values = RNG.normal(0.2, 0.15, (p, p)).round(12)
        values = np.triu(values, 1)
        values += values.T
        np.fill_diagonal(values, {"correlation": 1, "z": np.nan}.get(what, 0))
        found.append(values)
    return found


def series(what, p, n=3):
    scale = {"z": lambda x: x, "bold": lambda x: 1000 + 3 * x, "whole": lambda x: (100 * x).round()}
    return [scale[what](RNG.normal(size=(50 + 3 * k, p))) for k in range(n)]


class Table:
    """Writes sets of files, reads them, and keeps what came of each."""

    def __init__(self, folder):
        self.folder, self.sets, self.files = folder, 0, 0
        self.refused, self.wrong = [], []

    def check(self, case, kind, arrays, names, write, ending=".csv", tolerance=1e-9, **how):
        paths = []
        for array in arrays:
            paths.append(self.folder / f"{self.files}{ending}")
            self.files += 1
            write(array, paths[-1])
        for many in (len(paths), 1):
            self.sets += 1
            try:
                found, read, _ = read_files(paths[:many], kind, **how)
            except InputError as error:
                assert len(str(error).splitlines()) == 1 and str(paths[0].parent) in str(error)
                self.refused.append((case, many, str(error)))
                continue
            for one, array, named in zip(read, arrays[:many], found, strict=True):
                array = array.copy()
                if kind == "matrix":
                    np.fill_diagonal(array, 0)
                    one = square_of(one)
                right = one.shape == array.shape and np.allclose(
                    one, array, rtol=tolerance, atol=tolerance, equal_nan=True
                )
                if not right or named != names:
                    self.wrong.append((case, many, one.shape, named and named[:3]))

    def done(self, family, refused):
        COUNTS[family] = self.files
        assert not self.wrong, (len(self.wrong), self.wrong[:5])
        assert len(self.refused) <= refused, (len(self.refused), self.sets, self.refused[:5])


@pytest.fixture
def table(tmp_path):
    return Table(tmp_path)


def pandas_writer(labels, header, index, **options):
    def write(values, path):
        rows = labels if len(labels) == len(values) else range(len(values))
        rows = options.get("rows", lambda n: rows)(len(values))
        given = {name: value for name, value in options.items() if name != "rows"}
        pd.DataFrame(values, rows, labels).to_csv(path, header=header, index=index, **given)

    return write


@pytest.mark.parametrize("what", ["correlation", "z", "counts", "sparse"])
def test_matrices_by_pandas(table, what):
    for (called, (labels, names)), header, index in itertools.product(
        labels_of(8).items(), (True, False), (True, False)
    ):
        write = pandas_writer(labels, header, index)
        expected = names if header or index else None
        table.check((called, header, index), "matrix", matrices(what, 8), expected, write)
    table.done(f"pandas {what}", 0)


@pytest.mark.parametrize(
    "options",
    [
        {"sep": ";"},
        {"sep": "\t"},
        {"sep": " "},
        {"sep": ";", "decimal": ","},
        {"sep": "\t", "decimal": ","},
        {"quoting": 1},
        {"quoting": 2},
        {"float_format": "%.6f"},
        {"float_format": "%.8e"},
        {"encoding": "utf-8-sig"},
        {"encoding": "utf-16"},
        {"encoding": "latin-1"},
        {"compression": "gzip"},
        {"lineterminator": "\r\n"},
        {"na_rep": "n/a"},
        {"na_rep": "-nan"},
        {"na_rep": "1.#IND"},
        {"index_label": "Node"},
    ],
    ids=str,
)
def test_options_of_pandas(table, options):
    ending = ".csv.gz" if "compression" in options else ".csv"
    for called, header, index in itertools.product(
        ("names", "codes"), (True, False), (True, False)
    ):
        labels, names = labels_of(9)[called]
        write = pandas_writer(labels, header, index, **options)
        expected = names if header or index else None
        of = "z" if "na_rep" in options else "correlation"
        table.check(
            (called, header, index), "matrix", matrices(of, 9, 2), expected, write, ending, 1e-6
        )
    table.done(f"options {options}", 0)


def volumes(kind, n):
    return {"range": np.arange(n), "time": np.arange(n) * 2.5, "falling": np.arange(n)[::-1]}[kind]


@pytest.mark.parametrize("what", ["z", "bold", "whole"])
def test_series_by_pandas(table, what):
    for (called, (labels, names)), header, index in itertools.product(
        labels_of(10).items(), (True, False), (None, "range", "time", "falling")
    ):
        rows = (lambda n: range(n)) if index is None else (lambda n, k=index: volumes(k, n))
        write = pandas_writer(labels, header, index is not None, rows=rows)
        case, expected = (called, header, index), names if header else None
        table.check(case, "series", series(what, 10), expected, write)
    # One file of whole numbers below a header of whole numbers: nobody can tell.
    table.done(f"series {what}", 24 if what == "whole" else 0)


@pytest.mark.parametrize("p", [3, 20, 116, 400])
def test_sizes(table, p):
    labels, names = labels_of(p)["codes"]
    for what, header in itertools.product(("correlation", "counts"), (True, False)):
        write = pandas_writer(labels, header, header)
        made = matrices(what, p, 2)
        table.check((what, header), "matrix", made, names if header else None, write)
    for what, header in itertools.product(("z", "bold"), (True, False)):
        write = pandas_writer(labels, header, False)
        table.check((what, header), "series", series(what, p, 2), names if header else None, write)
    table.done(f"sizes {p}", 4 if p == 3 else 0)


def test_numpy(table):
    for delimiter, fmt, p in itertools.product(" ,\t;", ("%.18e", "%.6f", "%12.7f"), (4, 30)):
        for header in ("", "names"):
            names = [f"N{k}" for k in range(p)] if header else None
            head = delimiter.join(names) if header else ""

            def write(values, path, delimiter=delimiter, fmt=fmt, head=head):
                np.savetxt(path, values, fmt=fmt, delimiter=delimiter, header=head)

            case = (delimiter, fmt, header)
            table.check(case, "matrix", matrices("z", p, 2), names, write, ".txt", 1e-5)
            table.check(case, "series", series("bold", p, 2), names, write, ".txt", 1e-5)
    for ending, save in ((".npy", np.save), (".npz", np.savez)):
        for kind, made in (("matrix", matrices("z", 5)), ("series", series("z", 5))):
            for dtype in (">f8", "f4", "f2"):
                small = [one.astype(dtype) for one in made]

                def write(values, path, save=save):
                    save(path, values)

                rounded = [one.astype(float) for one in small]
                table.check((ending, dtype), kind, rounded, None, write, ending)
    table.done("numpy", 0)


def test_r(table):
    for p, (called, _) in itertools.product((6, 12), labels_of(4).items()):
        labels, names = labels_of(p)[called]
        quoted = [f'"{one}"' for one in labels]
        for sep, corner, rows in itertools.product(", \t;", (True, False), (True, False)):

            def write(values, path, quoted=quoted, sep=sep, corner=corner, rows=rows):
                head = ['""', *quoted] if corner and rows else quoted
                lines = [sep.join(head)]
                for k, row in enumerate(values):
                    row = ["NA" if np.isnan(one) else f"{one:.15g}" for one in row]
                    lines.append(sep.join([f'"{k + 1}"', *row] if rows else row))
                path.write_text("\n".join(lines) + "\n")

            case = (called, sep, corner, rows)
            table.check(case, "matrix", matrices("z", p, 2), names, write)
    table.done("R", 0)


def test_matlab(table):
    h5py = pytest.importorskip("h5py", reason="for -v7.3")
    codes, names = labels_of(9)["codes"]

    def written(values, path):  # writematrix, [0 codes; codes' w]
        both = np.block([[np.zeros((1, 1)), np.array([codes])], [np.array([codes]).T, values]])
        np.savetxt(path, both, fmt="%.15g", delimiter=",")

    table.check("codes around", "matrix", matrices("correlation", 9), names, written)

    def new(values, path):
        with h5py.File(path, "w", userblock_size=512) as file:
            file["w"] = values.T
        content = bytearray(path.read_bytes())
        content[:128] = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
        path.write_bytes(content)

    def old(values, path):
        savemat(path, {"w": values, "n": 1.0})

    def var(values, path):  # writetable
        pd.DataFrame(values).add_prefix("Var").to_csv(path, index=False)

    for made, kind in ((matrices("z", 9), "matrix"), (series("bold", 9), "series")):
        table.check("v7", kind, made, None, old, ".mat")
        table.check("v7.3", kind, made, None, new, ".mat")
        table.check("table", kind, made, [f"Var{k}" for k in range(9)], var)
        table.check("h5", kind, made, None, lambda v, p: h5py.File(p, "w").update(w=v), ".h5")
    table.done("MATLAB", 1)


def test_excel(table):
    pytest.importorskip("openpyxl", reason="for .xlsx")
    for called, header, index in itertools.product(
        ("names", "codes"), (True, False), (True, False)
    ):
        labels, names = labels_of(9)[called]

        def write(values, path, labels=labels, header=header, index=index):
            frame = pd.DataFrame(values, labels, labels)
            frame.to_excel(path, header=header, index=index)

        expected = names if header or index else None
        made = matrices("correlation", 9, 2)
        table.check((called, header, index), "matrix", made, expected, write, ".xlsx")
    table.done("Excel", 0)


def lines_writer(head="", begin="", sep="\t", end="", form="{:.6f}".format, label=None):
    def write(values, path):
        lines = [head] if head else []
        for k, row in enumerate(values):
            first = "" if label is None else label(k) + sep
            lines.append(begin + first + sep.join(map(form, row)) + end)
        path.write_text("\n".join(lines) + "\n")

    return write


def test_programs_of_neuroimaging(table):
    codes, names = labels_of(12)["codes"]
    texts = [f"LH_Vis_{k}" for k in range(12)]
    cases = {
        "ABIDE": (names, lines_writer("\t".join(f"#{code}" for code in codes))),
        "C-PAC": (names, lines_writer("# " + "\t".join(f"Mean_{code}" for code in codes))),
        "Athena": (
            names,
            lines_writer(
                "File\tSub-brick\t" + "\t".join(f"Mean_{code} " for code in codes),
                label=lambda k: f"rest.nii.gz\t{k}[?]",
            ),
        ),
        "XCP-D": (texts, lines_writer("\t".join(texts))),
        "giga_connectome": (texts, lines_writer("\t".join(texts), form=lambda x: repr(float(x)))),
        "AFNI": (None, lines_writer("# <matrix\n#  ni_type = '12*double'\n# >", " ", " ")),
        "DPABI": (None, lines_writer(begin="  ", sep="  ", form="{: .7e}".format)),
        "Schaefer": (None, lines_writer(begin="\t")),
        "ends": (None, lines_writer(sep=",", end=",")),
    }
    for name, (called, write) in cases.items():
        for what in ("z", "bold"):
            table.check(name, "series", series(what, 12, 4), called, write, ".1D", 1e-5)
    cases = {
        "MRtrix": (None, lines_writer("# command_history: tck2connectome a b c", sep=" ")),
        "MRtrix csv": (None, lines_writer("# command_history: tck2connectome", sep=",")),
        "percent": (None, lines_writer("% made by hand\n% twice", sep=" ")),
        "DSI Studio": (texts, lines_writer("\t" + "\t".join(texts), label=lambda k: texts[k])),
        "tab": (None, lines_writer(begin="\t")),
        "minus": (None, lines_writer(form=lambda x: f"{x:.6f}".replace("-", "\u2212"))),
        "nbsp": (None, lines_writer(sep="\xa0\t")),
        "thousands": (None, lines_writer(sep=";", form=lambda x: f"{1000 * x:,.3f}")),
    }
    for name, (called, write) in cases.items():
        for what in ("correlation", "z", "counts", "sparse"):
            made = matrices(what, 12, 4)
            if name == "thousands":
                made = [1000 * one for one in made]
                write = lines_writer(sep=";", form=lambda x: f"{x:,.6f}")
            table.check(name, "matrix", made, called, write, ".txt", 1e-5)
    # The empty column before series without names, in one file alone, may be a region.
    table.done("programs", 2)


def test_edges_stacks_and_triangles(tmp_path):
    made = np.stack(matrices("correlation", 6, 4))
    made[:, range(6), range(6)] = 0
    for names, ends in (("abcdef", "abcdef"), ("246789", "246789")):
        paths = []
        for k, one in enumerate(made):
            rows = [(ends[i], ends[j], one[i, j]) for i, j in itertools.combinations(range(6), 2)]
            paths.append(tmp_path / f"{k}.csv")
            pd.DataFrame(rows, columns=["from", "to", "w"]).to_csv(paths[-1], index=k < 0)
        found, read, reading = read_files(paths, "matrix")
        assert np.allclose(square_of(np.array(read)), made) and found == [list(names)] * 4
        assert "edge lists" in reading.sentence()
    for stack in (made, np.moveaxis(made, 0, 2)):
        np.save(tmp_path / "all.npy", stack)
        assert np.array_equal(square_of(read_files([tmp_path / "all.npy"], "matrix")[1][0]), made)
    upper, lower = np.triu_indices(6, 1), np.tril_indices(6, -1)
    with_diagonal = made + np.eye(6)
    for triangle, place in (("upper", upper), ("lower", lower)):
        for one, where in ((made, place), (with_diagonal, tuple(np.array(place)))):
            np.savetxt(tmp_path / "all.csv", one[:, where[0], where[1]], delimiter=",")
            with pytest.raises(InputError, match="triangle"):
                read_files([tmp_path / "all.csv"], "matrix")
            read = read_files([tmp_path / "all.csv"], "matrix", triangle=triangle)[1][0]
            assert np.allclose(square_of(read), made)
    full = np.triu_indices(6)
    np.savetxt(tmp_path / "all.csv", with_diagonal[:, full[0], full[1]], delimiter=",")
    read = read_files([tmp_path / "all.csv"], "matrix", triangle="upper")[1][0]
    assert np.allclose(square_of(read), made)
    np.savetxt(tmp_path / "all.csv", with_diagonal.reshape(4, -1), delimiter=",")
    assert np.allclose(square_of(read_files([tmp_path / "all.csv"], "matrix")[1][0]), made)


@settings(deadline=None, max_examples=150, derandomize=True)
@given(data=st.data())
def test_no_set_of_files_is_read_wrong(data, tmp_path_factory):
    draw = data.draw
    p, n = draw(st.integers(3, 9)), draw(st.integers(1, 3))
    kind = draw(st.sampled_from(["matrix", "series"]))
    made = RNG.normal(size=(n, p, p)) if kind == "matrix" else RNG.normal(size=(n, 20, p))
    scale = draw(st.sampled_from([0, 1, 3, 12]))
    made = (made * draw(st.sampled_from([1, 10, 1000]))).round(scale)
    if kind == "matrix":
        made = np.triu(made, 1) + np.triu(made, 1).transpose(0, 2, 1)
    called = draw(st.sampled_from(sorted(labels_of(p))))
    labels, names = labels_of(p)[called]
    header, index = draw(st.booleans()), draw(st.booleans())
    sep = draw(st.sampled_from(",;\t "))
    decimal = draw(st.sampled_from(".,")) if sep in ";\t" else "."
    write = pandas_writer(labels, header, index, sep=sep, decimal=decimal)
    folder = tmp_path_factory.mktemp("drawn")
    paths = [folder / f"{k}.csv" for k in range(n)]
    for path, one in zip(paths, made, strict=True):
        write(one, path)
    try:
        found, read, _ = read_files(paths, kind)
    except InputError:
        return
    named = header or (index and kind == "matrix")
    read = list(map(square_of, read)) if kind == "matrix" else read
    assert all(one == (names if named else None) for one in found)
    assert all(a.shape == b.shape and np.allclose(a, b) for a, b in zip(read, made, strict=True))


def test_the_table_is_large():
    if len(COUNTS) > 25:  # all of this module ran
        assert sum(COUNTS.values()) >= 1000


def test_a_gzipped_file_that_is_cut_is_an_error(tmp_path):
    content = gzip.compress(b"a,b\n1,2\n" * 500)
    (tmp_path / "a.csv.gz").write_bytes(content[:40])
    with warnings.catch_warnings(), pytest.raises(InputError, match="damaged"):
        read_files([tmp_path / "a.csv.gz"], "series")
