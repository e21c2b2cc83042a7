"""What stands beside data in files, and must never be read as data."""

import re

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.core.pairs import square_of
from contrast_subgraphs.data.reading import read_files
from contrast_subgraphs.data.reading.suspects import no_region

P = 8
NAMES = [f"{word}_L" for word in "abcdefgh"]


def graphs(n=3, scale=1.0, diagonal=0.0):
    rng = np.random.default_rng(0)
    found = []
    for _ in range(n):
        one = np.triu(rng.normal(0.3, 0.2, (P, P)), 1)
        one = scale * (one + one.T)
        np.fill_diagonal(one, diagonal)
        found.append(one)
    return found


def series(n=3, level=0.0, volumes=40):
    rng = np.random.default_rng(1)
    return [level + rng.normal(size=(volumes, P)) for _ in range(n)]


def saved(folder, tables, ending=".csv", **how):
    paths = []
    for k, table in enumerate(tables):
        paths.append(folder / f"{k}{ending}")
        if ending == ".npy":
            np.save(paths[-1], table)
        else:
            pd.DataFrame(table).to_csv(paths[-1], **{"index": False} | how)
    return paths


STRANGERS = [
    *("run", "Run", "trial_type", "time", "Time (s)", "frame", "volume", "session"),
    *("framewise_displacement", "trans_x", "rot_z", "a_comp_cor_00", "cosine03", "global_signal"),
    *("Mean", "row total", "onset", "subject_id", "std_dvars"),
]


@pytest.mark.parametrize("name", STRANGERS)
@pytest.mark.parametrize("place", [0, 3, P])
def test_a_column_of_no_region_is_never_a_region(tmp_path, name, place):
    tables = []
    for k, values in enumerate(series()):
        table = pd.DataFrame(values, columns=NAMES)
        table.insert(place, name, np.random.default_rng(k).normal(size=len(values)))
        tables.append(table)
    with pytest.raises(InputError, match=f"column '{re.escape(name)}' is not a region"):
        read_files(saved(tmp_path, tables), "series")


@pytest.mark.parametrize("name", ["Mean", "total", "Average", "std"])
def test_a_row_of_no_region_is_none(tmp_path, name):
    tables = [pd.DataFrame(one, [*NAMES[:-1], name]) for one in graphs()]
    with pytest.raises(InputError, match=f"row '{name}' is neither a region"):
        read_files(saved(tmp_path, tables, index=True, header=False), "matrix")
    rows = [pd.DataFrame(np.random.default_rng(0).normal(size=(4, 28)), [*"abc", name])]
    with pytest.raises(InputError, match=f"row '{name}' is neither a region nor a person"):
        read_files(saved(tmp_path, rows, index=True), "matrix", triangle="upper")


def test_a_column_that_counts_in_front_is_an_index_under_any_name(tmp_path):
    tables = []
    for values in series():
        table = pd.DataFrame(values, columns=NAMES)
        table.insert(0, "time", 2.5 * np.arange(len(values)))
        tables.append(table)
    names, arrays, _ = read_files(saved(tmp_path, tables), "series")
    assert names[0] == NAMES and np.allclose(arrays[0], series()[0])


def test_names_of_regions_are_no_strangers():
    for name in ("V1", "SUB", "TR", "Insula", "Precentral_L", "Meanwhile", "Timecell", "2001"):
        assert no_region([name]) is None
    assert no_region(["run"], atlas=["run"]) is None


@pytest.mark.parametrize("names", [NAMES, list(range(2001, 2001 + P)), list(range(P))])
@pytest.mark.parametrize("index", [False, True])
def test_runs_that_were_glued_with_their_headers_are_refused(tmp_path, names, index):
    tables = []
    for values in series():
        text = pd.DataFrame(values, columns=names).to_csv(index=index)
        tables.append(text + text)
    paths = [tmp_path / f"{k}.csv" for k in range(3)]
    for path, text in zip(paths, tables, strict=True):
        path.write_text(text)
    with pytest.raises(InputError):
        read_files(paths, "series")


@pytest.mark.parametrize("mark", ["", "#", "# "])
@pytest.mark.parametrize("sep", [",", "\t", " "])
def test_a_header_in_the_middle_is_no_comment(tmp_path, mark, sep):
    for k, values in enumerate(series()):
        rows = [sep.join(f"{one:.6f}" for one in row) for row in values]
        header = mark + sep.join(f"{mark.strip()}{2001 + j}" for j in range(P))
        header = mark.strip() + sep.join(NAMES) if not mark else header
        lines = [header, *rows[:20], header, *rows[20:]]
        (tmp_path / f"{k}.1D").write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match="line 22 repeats the header"):
        read_files(sorted(tmp_path.glob("*.1D")), "series")


def test_comments_may_stand_several_times(tmp_path):
    for k, values in enumerate(series()):
        rows = [",".join(f"{one:.6f}" for one in row) for row in values]
        lines = ["# run", "# run", ",".join(NAMES), *rows[:20], "# run", *rows[20:]]
        (tmp_path / f"{k}.csv").write_text("\n".join(lines) + "\n")
    names, arrays, _ = read_files(sorted(tmp_path.glob("*.csv")), "series")
    assert names[0] == NAMES and arrays[0].shape == (40, P)


@pytest.mark.parametrize("header", [False, True])
def test_an_index_that_begins_again_is_no_region(tmp_path, header):
    tables = []
    for values in series(level=1000):
        table = pd.DataFrame(values.round(), columns=NAMES)
        table.insert(0, "", np.tile(np.arange(20), 2))
        tables.append(table)
    with pytest.raises(InputError):
        read_files(saved(tmp_path, tables, header=header), "series")


def hollow(graph, own=0):
    """Return a graph with another diagonal."""
    graph = graph.copy()
    np.fill_diagonal(graph, own)
    return graph


TOTALS = {
    "sum": lambda one: one.sum(axis=0),
    "mean": lambda one: one.mean(axis=0),
    "mean without the diagonal": lambda one: (one - np.diag(np.diag(one))).sum(axis=0) / (P - 1),
    "strength": lambda one: np.abs(hollow(one)).sum(axis=0),
    "positive strength": lambda one: np.maximum(hollow(one), 0).sum(axis=0),
    "median": lambda one: np.median(hollow(one), axis=0),
    "median of the others": lambda one: np.nanmedian(hollow(one, np.nan), axis=0),
    "maximum": lambda one: np.max(hollow(one), axis=0),
    "sd": lambda one: np.std(hollow(one), axis=0),
    "sd of the others": lambda one: np.nanstd(hollow(one, np.nan), axis=0, ddof=1),
    "sum of squares": lambda one: (hollow(one) ** 2).sum(axis=0),
}


@pytest.mark.parametrize("of", TOTALS)
@pytest.mark.parametrize("scale", [1, 1e-13, 1e9])
@pytest.mark.parametrize("diagonal", [0, 1])
@pytest.mark.parametrize("ending", [".csv", ".npy"])
def test_totals_of_a_matrix_are_no_region(tmp_path, of, scale, diagonal, ending):
    tables = []
    for one in graphs(scale=scale, diagonal=diagonal * scale):
        total = TOTALS[of](one)
        tables.append(
            np.block([[one, total[:, None]], [total[None], np.full((1, 1), total.sum())]])
        )
    paths = saved(tmp_path, tables, ending, header=False)
    with pytest.raises(InputError, match="of all rows above: leave out the totals"):
        read_files(paths, "matrix")


@pytest.mark.parametrize("of", TOTALS)
def test_totals_in_front_of_a_matrix_are_no_region(tmp_path, of):
    tables = []
    for one in graphs():
        total = TOTALS[of](one)
        tables.append(
            np.block([[np.full((1, 1), total.sum()), total[None]], [total[:, None], one]])
        )
    with pytest.raises(InputError, match="its first row is the .* of all rows below"):
        read_files(saved(tmp_path, tables, ".npy"), "matrix")


@pytest.mark.parametrize("of", ["mean", "sum", "std", "median", "max"])
@pytest.mark.parametrize("place", ["first", "last"])
def test_totals_of_people_are_no_person(tmp_path, of, place):
    rows = np.array([one[np.triu_indices(P, 1)] for one in graphs(5)])
    total = pd.DataFrame(rows).agg(of).to_numpy()[None]
    rows = np.vstack([total, rows] if place == "first" else [rows, total])
    for values, more in ((square_of(rows), {}), (rows, {"triangle": "upper"})):
        with pytest.raises(InputError, match=f"its {place} graph is the .* of all other graphs"):
            read_files(saved(tmp_path, [values], ".npy"), "matrix", **more)


@pytest.mark.parametrize("decimals", [3, 4])
def test_totals_that_were_rounded_are_found(tmp_path, decimals):
    tables = []
    for one in graphs():
        both = np.vstack([one, one.mean(axis=0)])
        tables.append(np.column_stack([both, np.append(one.mean(axis=0), 0)]).round(decimals))
    with pytest.raises(InputError, match="totals"):
        read_files(saved(tmp_path, tables, header=False), "matrix")


@pytest.mark.parametrize("scale", [1, 1e-13, 1e9])
def test_tiny_weights_are_no_totals_and_not_symmetric_by_themselves(tmp_path, scale):
    paths = saved(tmp_path, graphs(scale=scale), header=False)
    _, arrays, _ = read_files(paths, "matrix")
    assert np.allclose(square_of(arrays[0]), graphs(scale=scale)[0], rtol=1e-6, atol=0)
    square = [scale * values[:P] for values in series()]
    _, arrays, _ = read_files(saved(tmp_path, square, ".npy"), "series")
    assert arrays[0].shape == (P, P)
    _, arrays, _ = read_files(saved(tmp_path, square, header=False), "series")
    assert arrays[0].shape == (P, P)
    lopsided = graphs(scale=scale)
    lopsided[1][0, 3] *= 2
    with pytest.raises(InputError, match="not symmetric"):
        read_files(saved(tmp_path, lopsided, ".npy"), "matrix")


def test_series_on_a_small_scale_do_not_number_the_volumes(tmp_path):
    rising = []
    for values in series(volumes=6):
        values[:, 2] = np.sort(values[:, 2])  # rises in few volumes, by uneven steps
        rising.append(1e-10 * values)
    _, arrays, _ = read_files(saved(tmp_path, rising, header=False), "series")
    assert arrays[0].shape == (6, P)


STATISTICS = {of: of for of in ("mean", "sum", "std", "var", "median", "max")}
STATISTICS["sum of squares"] = lambda column: (column**2).sum()


@pytest.mark.parametrize("of", STATISTICS)
@pytest.mark.parametrize("level", [0.0, 1000.0])
@pytest.mark.parametrize("place", ["first", "last"])
def test_a_row_of_totals_is_no_volume(tmp_path, of, level, place):
    tables = []
    for one in series(level=level):
        total = pd.DataFrame(one).agg(STATISTICS[of])
        tables.append(np.vstack([total, one] if place == "first" else [one, total]))
    for ending in (".csv", ".npy"):
        paths = saved(tmp_path, tables, ending, header=NAMES)
        for atlas in (None, pd.DataFrame({"name": NAMES})):
            with pytest.raises(InputError, match=f"its {place} row is the"):
                read_files(paths, "series", atlas=atlas)


@pytest.mark.parametrize("of", STATISTICS)
@pytest.mark.parametrize("place", ["first", "last"])
def test_a_column_of_totals_is_no_region(tmp_path, of, place):
    tables = []
    for one in series():
        total = pd.DataFrame(one).agg(STATISTICS[of], axis=1)
        tables.append(np.column_stack([total, one] if place == "first" else [one, total]))
    for ending in (".csv", ".npy"):
        with pytest.raises(InputError, match=f"its {place} column is the"):
            read_files(saved(tmp_path, tables, ending, header=[*NAMES, "x_L"]), "series")


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        (NAMES, None),
        (NAMES, [f"t{k}" for k in range(40)]),
        (NAMES, list(range(40))),
        ([f"roi_{k}" for k in range(P)], None),
        ([f"roi_{k}" for k in range(P)], list(range(1, 41))),
    ],
)
def test_regions_down_the_rows_are_refused(tmp_path, rows, columns):
    tables = [pd.DataFrame(one.T, rows, columns) for one in series()]
    paths = saved(tmp_path, tables, index=True, header=columns is not None)
    with pytest.raises(InputError, match="transposed"):
        read_files(paths, "series")


def test_volumes_with_names_are_no_regions(tmp_path):
    for rows in ([f"vol_{k}" for k in range(40)], [f"sub-1_run-1_{k}" for k in range(40)]):
        paths = saved(tmp_path, [pd.DataFrame(one, rows, NAMES) for one in series()], index=True)
        names, arrays, _ = read_files(paths, "series")
        assert names[0] == NAMES and arrays[0].shape == (40, P)


@pytest.mark.parametrize("ending", [".csv", ".npy"])
def test_one_file_in_the_other_orientation_is_refused(tmp_path, ending):
    tables = series()
    tables[1] = tables[1].T
    with pytest.raises(InputError, match="1.* 8 rows and 40 columns.*transposed"):
        read_files(saved(tmp_path, tables, ending, header=False), "series")
    turned = [one[: 30 + k].T for k, one in enumerate(series())]
    with pytest.raises(InputError, match="same number of rows.*transposed"):
        read_files(saved(tmp_path, turned, ending, header=False), "series")


def test_more_columns_than_rows_are_said(tmp_path):
    paths = saved(tmp_path, [one[:5] for one in series()], ".npy")
    with pytest.warns(UserWarning, match="taken for 5 volumes of 8 regions"):
        read_files(paths, "series")
