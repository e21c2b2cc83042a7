"""Lists of edges: their columns, their vertices, and lines that begin like a comment."""

import itertools

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.core.pairs import square_of
from contrast_subgraphs.data.reading import read_files
from contrast_subgraphs.data.reading.edge_columns import EdgeColumns, edge_columns, usual_columns

NAMES = list("ABCDEF")
P = len(NAMES)


def matrix(seed, counts=False):
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 40, (P, P)) * 1.0 if counts else rng.normal(size=(P, P))
    values = np.triu(values, 1)
    return values + values.T


def edges(values, names=NAMES, **columns):
    rows = [(names[i], names[j], values[i, j]) for i, j in itertools.combinations(range(P), 2)]
    return pd.DataFrame(rows, columns=["from", "to", "weight"])


def saved(folder, tables, **how):
    paths = []
    for k, table in enumerate(tables):
        paths.append(folder / f"{k}.csv")
        table.to_csv(paths[-1], **{"index": False} | how)
    return paths


def check(paths, expected, names=NAMES):
    found, arrays, reading = read_files(paths, "matrix")
    assert "edge lists" in reading.sentence()
    order = [found[0].index(str(name)) for name in names]
    for array, values in zip(arrays, expected, strict=True):
        assert np.allclose(square_of(array)[np.ix_(order, order)], values)


HEADERS = [
    ("from", "to", "weight"),
    ("source", "target", "value"),
    ("Source", "Target", "Weight"),
    ("i", "j", "w"),
    ("node1", "node2", "r"),
    ("node_1", "node_2", "correlation"),
    ("ROI.a", "ROI.b", "z"),
    ("region_from", "region_to", "streamlines"),
    ("seed", "target", "count"),
    ("V1", "V2", "V3"),
    ("row", "col", "something else"),
    ("one end", "other end", "weight"),
]


@pytest.mark.parametrize("header", HEADERS, ids=" ".join)
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
@pytest.mark.parametrize("names", [NAMES, list(range(1, 1 + P)), ["001", "2", "3", "4", "5", "06"]])
def test_the_header_says_which_columns_are_the_ends_and_the_weight(tmp_path, header, order, names):
    made = [matrix(k, counts=True) for k in range(2)]
    tables = [edges(one, names).set_axis(header, axis=1) for one in made]
    tables = [table.iloc[:, list(order)] for table in tables]
    check(saved(tmp_path, tables), made, names)


@pytest.mark.parametrize("index", [False, True])
def test_other_columns_beside_the_weight_are_passed_over(tmp_path, index):
    made = [matrix(k) for k in range(2)]
    tables = [edges(one).assign(p=0.5, length=12) for one in made]
    check(saved(tmp_path, tables, index=index), made)


@pytest.mark.parametrize(
    ("header", "says"),
    [
        (["from", "to", "r", "z"], "any of the columns r, z"),
        (["from", "to", "p", "length"], "any of the columns p, length"),
        (["i", "j", "node1", "node2", "w"], "i and j or node1 and node2"),
    ],
)
def test_a_header_that_leaves_it_open_is_asked_about(tmp_path, header, says):
    table = edges(matrix(0))
    columns = [table["from"], table["to"], table["from"], table["to"], table["weight"]]
    chosen = [*columns[: len(header) - 1], table["weight"]]
    if len(header) == 4:
        chosen[2] = table["weight"] / 2
    frame = pd.concat(chosen, axis=1).set_axis(header, axis=1)
    with pytest.raises(InputError, match=says):
        read_files(saved(tmp_path, [frame]), "matrix")


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_without_a_header_texts_are_the_ends(tmp_path, order):
    made = [matrix(k) for k in range(2)]
    tables = [edges(one).iloc[:, list(order)] for one in made]
    check(saved(tmp_path, tables, header=False), made)


def test_without_a_header_the_last_of_three_numbers_is_the_weight_or_it_is_asked(tmp_path):
    made = [matrix(k, counts=True) for k in range(2)]
    tables = [edges(one, range(1, 1 + P)) for one in made]
    check(saved(tmp_path, tables, header=False), made, range(1, 1 + P))
    turned = [table[["weight", "from", "to"]].astype(int) for table in tables]
    with pytest.raises(InputError, match="from,to,weight"):
        read_files(saved(tmp_path, turned, header=False), "matrix")


OTHER_VERTICES = {
    "counted from 0": (range(1, 1 + P), range(P), "counted from 0 in one"),
    "lower case": (NAMES, [name.lower() for name in NAMES], "capitals"),
    "one of another name": (NAMES, [*"ABCDE", "G"], "lacks F and also has G"),
    "texts and numbers": (NAMES, range(P), "names other regions"),
}


@pytest.mark.parametrize("case", OTHER_VERTICES)
def test_all_files_must_name_the_same_vertices(tmp_path, case):
    first, second, says = OTHER_VERTICES[case]
    tables = [edges(matrix(0), list(first)), edges(matrix(1), list(second))]
    paths = saved(tmp_path, [tables[0], tables[0], tables[1]])
    with pytest.raises(InputError, match=says) as caught:
        read_files(paths, "matrix")
    assert "0.csv" in str(caught.value) and "2.csv" in str(caught.value)


def test_a_vertex_without_edges_needs_an_atlas(tmp_path):
    made = [matrix(0), matrix(1)]
    made[1][2] = made[1][:, 2] = 0
    tables = [edges(one).query("weight != 0") for one in made]
    paths = saved(tmp_path, tables)
    with pytest.raises(InputError, match="1.csv names other regions than .*lacks C.*atlas"):
        read_files(paths, "matrix")
    _, arrays, _ = read_files(paths, "matrix", atlas=pd.DataFrame({"name": NAMES}))
    assert np.allclose([square_of(one) for one in arrays], made)


def test_an_atlas_does_not_mix_what_is_counted_from_0_and_from_1(tmp_path):
    atlas = pd.DataFrame({"name": NAMES})
    tables = [edges(matrix(k), list(range(k, k + P))) for k in range(2)]
    with pytest.raises(InputError, match="places from 0.*places from 1|from 1 of.*from 0"):
        read_files(saved(tmp_path, tables), "matrix", atlas=atlas)
    tables = [edges(matrix(k), [*range(1, P), "x"]).query("to != 'x'") for k in range(2)]
    with pytest.raises(InputError, match="count from 0 or from 1 is not known"):
        read_files(saved(tmp_path, tables), "matrix", atlas=atlas)


@pytest.mark.parametrize("place", [0, 1, P])
@pytest.mark.parametrize("mark", "#%")
def test_a_region_whose_name_begins_like_a_comment_is_kept(tmp_path, place, mark):
    names = [f"{mark}B" if name == "B" else name for name in NAMES]
    made = [matrix(k) for k in range(2)]
    rows = [edges(one, names) for one in made]
    rolled = [table.iloc[np.roll(np.arange(len(table)), place)] for table in rows]
    for header in (True, False):
        check(saved(tmp_path, rolled, header=header), made, names)
    frames = [pd.DataFrame(one, names, names) for one in made]
    found, arrays, _ = read_files(saved(tmp_path, frames, index=True), "matrix")
    assert found[0] == names and np.allclose(square_of(arrays[0]), made[0])


def test_lines_that_cannot_be_data_are_comments(tmp_path):
    text = edges(matrix(0)).to_csv(index=False)
    lines = text.splitlines()
    lines[3:3] = ["# made by hand", "#, three, fields", "# 1,2,3,4"]
    (tmp_path / "0.csv").write_text("# program: x, y, z\n" + "\n".join(lines) + "\n")
    check([tmp_path / "0.csv"], [matrix(0)])
    values = matrix(0)
    rows = [",".join(map(repr, row)) for row in values.tolist()]
    rows.insert(2, "#" + rows[0])
    (tmp_path / "0.csv").write_text("\n".join(rows) + "\n")
    _, arrays, _ = read_files([tmp_path / "0.csv"], "matrix")
    assert np.allclose(square_of(arrays[0]), values)


def test_codes_that_begin_with_zeros_are_the_same_at_both_ends(tmp_path):
    names = [f"00{k}" for k in range(P)]
    made = [matrix(k) for k in range(2)]
    check(saved(tmp_path, [edges(one, names) for one in made]), made, names)


def test_a_pair_twice_with_two_weights_names_the_file(tmp_path):
    tables = [edges(matrix(k)) for k in range(2)]
    tables[1] = pd.concat([tables[1], pd.DataFrame([("B", "A", 9.0)], columns=tables[1].columns)])
    with pytest.raises(InputError, match="1.csv: it has the pair of B and A twice"):
        read_files(saved(tmp_path, tables), "matrix")


def test_columns_of_a_header():
    assert edge_columns(["weight", "to", "from"]) == EdgeColumns((2, 1), 0)
    assert edge_columns(["", "from", "to", "x"]) == EdgeColumns((1, 2), 3)
    assert edge_columns(["a1", "c", "d"]) is None
    assert usual_columns([["1", "2"], ["2", "3"], [".5", ".6"]]) == EdgeColumns((0, 1), 2)
