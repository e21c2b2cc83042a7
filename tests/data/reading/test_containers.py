"""What files of arrays hold: one array, its names, or one clear error."""

import numpy as np
import pytest
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.data.reading import read_files
from contrast_subgraphs.data.reading.containers import read_contents
from scipy import io, sparse


def graph(seed=0, n=6):
    values = np.random.default_rng(seed).random((n, n)).round(3)
    values = values + values.T
    np.fill_diagonal(values, 0)
    return values


def test_sparse_matrices_are_matrices(tmp_path):
    sparse.save_npz(tmp_path / "a.npz", sparse.csr_array(graph()))
    io.savemat(tmp_path / "a.mat", {"w": sparse.csc_array(graph())})
    for name in ("a.npz", "a.mat"):
        values, names = read_contents(tmp_path / name, "series")[:2]
        assert np.array_equal(values, graph()) and names is None


def test_names_beside_an_array_that_has_not_as_many_columns(tmp_path):
    names = np.array([f"r{k}" for k in range(6)], dtype=object)
    series = np.random.default_rng(1).normal(size=(6, 40))
    io.savemat(tmp_path / "a.mat", {"data": series, "names": names})
    with pytest.raises(InputError, match="is it transposed"):
        read_contents(tmp_path / "a.mat", "series")


def test_series_whose_rows_are_the_regions_are_refused(tmp_path):
    for person in range(3):
        values = np.random.default_rng(person).normal(size=(6, 40))
        lines = [f"{'abcdef'[k]}," + ",".join(map(str, row)) for k, row in enumerate(values)]
        (tmp_path / f"{person}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="transposed"):
        read_files(sorted(tmp_path.glob("*.csv")), "series")


def test_a_column_of_whole_numbers_beside_fractions_is_no_region(tmp_path):
    for person in range(3):
        values = np.random.default_rng(person).normal(size=(40, 6))
        values[:, 5] = np.repeat([1, 2], 20)  # runs
        np.savetxt(tmp_path / f"{person}.csv", values, delimiter=",")
    with pytest.raises(InputError, match="column 6"):
        read_files(sorted(tmp_path.glob("*.csv")), "series")
