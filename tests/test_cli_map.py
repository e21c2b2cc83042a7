"""The command `map`: a set and its proof from a file of statistics, p from files of null maps."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from contrast_subgraphs import contrast_of_map, map_permutation_test
from contrast_subgraphs.cli import main

PAIRS = np.triu_indices(12, 1)


@pytest.fixture(scope="module")
def maps(tmp_path_factory):
    """A map with a planted set, in several forms, null maps and a mask."""
    folder = tmp_path_factory.mktemp("maps")
    rng = np.random.default_rng(0)
    t = np.triu(rng.normal(size=(12, 12)), 1)
    t[:4, :4] += np.triu(np.full((4, 4), 4.0), 1)
    t += t.T
    null = rng.normal(size=(99, 66))
    mask = np.ones((12, 12))
    mask[0, 1] = mask[1, 0] = 0
    np.savetxt(folder / "t.csv", t, delimiter=",")
    np.savetxt(folder / "row.csv", t[PAIRS][None], delimiter=",")
    edges = [f"R{u}\tR{v}\t{t[u, v]!r}" for u, v in zip(*PAIRS, strict=True)]
    edges = [line.replace("np.float64(", "").replace(")", "") for line in edges]
    (folder / "edges.tsv").write_text("\n".join(["a\tb\tt", *edges, ""]))
    np.savetxt(folder / "mask.csv", mask, delimiter=",")
    np.savetxt(folder / "p.csv", 1 / (2 + np.abs(t)), delimiter=",")
    np.save(folder / "rows.npy", null)
    return folder, t, null, mask


def run(maps, *arguments, code=0):
    folder = maps[0]
    words = [str(folder / one) if "." in str(one) else str(one) for one in arguments]
    done = CliRunner().invoke(main, ["map", *words])
    assert done.exit_code == code, done.output + str(done.exception)
    return done.stdout if code == 0 else done.stderr


@pytest.mark.parametrize("file", ["t.csv", "edges.tsv", "row.csv"])
def test_the_set_of_a_file_is_that_of_its_map(maps, file):
    more = ["--triangle", "upper"] if file == "row.csv" else []
    found = json.loads(run(maps, file, "--percentile", 80, "--json", *more))
    expected = contrast_of_map(maps[1], percentile=80)
    assert found["nodes"] == expected.nodes.tolist() == [0, 1, 2, 3]
    assert found["objective"] == pytest.approx(expected.objective, rel=1e-12) and found["optimal"]
    names = [f"R{k}" if file == "edges.tsv" else str(k + 1) for k in range(4)]
    assert found["regions"] == names


def test_null_maps_and_a_mask_give_what_python_gives(maps):
    asked = ["t.csv", "--percentile", 80, "--null", "rows.npy", "--mask", "mask.csv"]
    found = json.loads(run(maps, *asked, "--triangle", "upper", "--json"))
    expected = map_permutation_test(maps[1], maps[2], percentile=80, mask=maps[3])
    assert found["p"] == expected.pvalue == 0.01 and found["null_maps"] == 99
    assert found["alpha"] == pytest.approx(expected.found.alpha)
    told = run(maps, *asked, "--triangle", "upper")
    assert "4 regions" in told and "proved" in told and "p = 0.01" in told


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["t.csv"], "give either percentile or alpha"),
        (["p.csv", "--alpha", 1], "seems to hold p values"),
        (["rows.npy", "--alpha", 1, "--triangle", "upper"], "holds 99 maps: one is needed"),
        (["t.csv", "--alpha", 1, "--triangle", "upper"], "--triangle upper changes nothing"),
        (["edges.tsv", "--alpha", 1, "--triangle", "upper"], "--triangle upper changes nothing"),
        (["t.csv", "--alpha", 1, "--key", "conn"], "--key conn changes nothing"),
        (["rows.npy", "--alpha", 1], "square matrix"),
        (["t.csv", "--alpha", 100], "alpha must be above 0 and below"),
    ],
)
def test_what_is_no_map_is_one_line(maps, arguments, says):
    error = run(maps, *arguments, code=1)
    assert error.startswith("error:") and says in error and error.count("\n") == 1


def test_pairs_that_a_list_does_not_name_were_not_tested(tmp_path):
    rows = [("A", "B", 4), ("B", "C", 4), ("C", "D", 4), ("D", "E", 4), ("E", "F", 0.5)]
    lines = ["from,to,t", *(f"{one},{other},{t}" for one, other, t in rows)]
    (tmp_path / "list.csv").write_text("\n".join(lines) + "\n")
    done = CliRunner().invoke(main, ["map", str(tmp_path / "list.csv"), "--alpha", "2", "--json"])
    found = json.loads(done.stdout)
    assert found["objective"] == contrast_of_map(rows, alpha=2).objective == 8
    assert found["regions"] == list("ABCDE")
    (tmp_path / "gap.csv").write_text("\n".join([*lines, "A,F,nan"]) + "\n")
    done = CliRunner().invoke(main, ["map", str(tmp_path / "gap.csv"), "--alpha", "2"])
    assert done.exit_code == 1 and "a weight is not a number" in done.stderr


def test_null_maps_in_another_order_of_regions_are_put_in_order(maps, tmp_path):
    _, t, _, mask = maps
    rng = np.random.default_rng(1)
    null = rng.normal(size=(40, 12, 12))
    null = null + null.transpose(0, 2, 1)
    names = np.array([f"R{k}" for k in range(12)])
    np.savez(tmp_path / "t.npz", t, names=names)
    np.savez(tmp_path / "null.npz", null, names=names)
    np.savez(tmp_path / "turned.npz", null[:, ::-1, ::-1], names=names[::-1])
    np.savez(tmp_path / "others.npz", null, names=[f"Q{k}" for k in range(12)])
    np.savez(tmp_path / "mask.npz", mask, names=names)
    asked = ["map", "t.npz", "--percentile", "95", "--mask", "mask.npz", "--json", "--null"]
    asked = [str(tmp_path / one) if one.endswith(".npz") else one for one in asked]
    found = []
    for file in ("null.npz", "turned.npz"):
        done = CliRunner().invoke(main, [*asked, str(tmp_path / file)])
        found.append(json.loads(done.stdout)["p_tail"])
    assert found[0] == found[1]
    done = CliRunner().invoke(main, [*asked, str(tmp_path / "others.npz")])
    assert done.exit_code == 1 and "has other regions than the map" in done.stderr
