"""Files are written whole or not at all, the same bytes each time, and read with care."""

import errno
import os

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.core import atomic_files, seeds
from contrast_subgraphs.core.check_graphs import check_graphs
from contrast_subgraphs.core.errors import InputError
from hypothesis import given, settings
from hypothesis import strategies as st


def test_a_failed_write_leaves_what_was_there(tmp_path):
    path = tmp_path / "deep" / "result.txt"
    atomic_files.save_text(path, "old")
    with pytest.raises(RuntimeError), atomic_files.written_whole(path) as beside:
        beside.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert [p.name for p in path.parent.iterdir()] == ["result.txt"]


def test_contents_and_name_are_on_the_disk(tmp_path, monkeypatch):
    """Contents before the file has its name, the name before the writer goes on."""
    order = []
    fsync, replace = os.fsync, os.replace

    def noted_fsync(descriptor):
        order.append(os.path.basename(os.readlink(f"/proc/self/fd/{descriptor}")))
        fsync(descriptor)

    def noted_replace(source, target):
        order.append("renamed")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(os, "replace", noted_replace)
    atomic_files.save_text(tmp_path / "x.txt", "text")
    assert [name.startswith(".x.") for name in order[:1]] == [True]
    assert order[1:] == ["renamed", tmp_path.name]


class Windows:
    """As `os`, where no folder can be opened and only what may be written can be waited for."""

    name = "nt"

    def __getattr__(self, name):
        return getattr(os, name)

    def open(self, path, flags):
        if os.path.isdir(path):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        self.writable = flags & os.O_RDWR
        return os.open(path, flags)

    def fsync(self, descriptor):
        if not self.writable:
            raise OSError(errno.EBADF, "Bad file descriptor")
        os.fsync(descriptor)


def test_files_are_written_on_windows(tmp_path, monkeypatch):
    monkeypatch.setattr(atomic_files, "os", Windows())
    path = tmp_path / "result.txt"
    atomic_files.save_text(path, "whole", sealed=True)
    atomic_files.check_sealed(path)
    assert path.read_text() == "whole"


def test_a_full_disk_is_said_in_words(tmp_path):
    with (
        pytest.raises(InputError, match="no space left"),
        atomic_files.written_whole(tmp_path / "x"),
    ):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_folder_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    atomic_files.check_writable(tmp_path / "not" / "yet", "another")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file is a file, .*: take another"):
        atomic_files.check_writable(tmp_path / "file" / "results", "take another")
    monkeypatch.setattr(atomic_files.os, "access", lambda *_: False)  # root may write anywhere
    with pytest.raises(InputError, match="nothing can be written in the folder"):
        atomic_files.check_writable(tmp_path, "take another")


def test_arrays_come_back_and_are_the_same_bytes(tmp_path):
    arrays = {"a": np.arange(6).reshape(2, 3), "names": np.array(["x", "Ä"])}
    for name in ("one.npz", "two.npz"):
        atomic_files.save_npz(tmp_path / name, **arrays)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    loaded = atomic_files.load_npz(tmp_path / "one.npz", "a", "names")
    assert all(np.array_equal(loaded[key], arrays[key]) for key in arrays)


def test_nothing_is_pickled(tmp_path):
    with pytest.raises(ValueError, match="Object arrays"):
        atomic_files.save_npz(tmp_path / "x.npz", a=np.array([{}], dtype=object))
    np.savez(tmp_path / "evil.npz", a=np.array([{}], dtype=object))
    with pytest.raises(InputError, match=r"evil\.npz is damaged"):
        atomic_files.load_npz(tmp_path / "evil.npz", "a")


@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "no array"])
def test_a_damaged_npz_is_named_with_the_way_out(tmp_path, damage):
    path = tmp_path / "graphs.npz"
    if damage != "missing":
        atomic_files.save_npz(path, adjacency=np.zeros((4, 5, 5)), y=np.zeros(4))
    content = path.read_bytes() if path.exists() else b""
    if damage == "empty":
        path.write_bytes(b"")
    if damage == "cut":
        path.write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError) as error:
        atomic_files.load_npz(path, "adjacency", "subject")
    assert "graphs.npz" in str(error.value)
    if damage != "missing":
        assert "delete it and run the same command again" in str(error.value)


@pytest.mark.parametrize("content", ["", "{", "[1, 2"])
def test_a_damaged_json_is_named(tmp_path, content):
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(InputError, match=r"x\.json is damaged.*delete it"):
        atomic_files.load_json(tmp_path / "x.json")


def test_a_table_without_its_column_is_named(tmp_path):
    atomic_files.save_table(pd.DataFrame({"a": [1]}), tmp_path / "x.csv")
    with pytest.raises(InputError, match=r"x\.csv.*lacks the column b"):
        atomic_files.load_table(tmp_path / "x.csv", ["a", "b"])


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_floats_come_back_as_they_were(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("tables") / "x.tsv"
    atomic_files.save_table(pd.DataFrame({"value": values}), path)
    assert atomic_files.load_table(path)["value"].tolist() == values


def test_draws_depend_on_the_seed_and_the_name_alone():
    draw = seeds.generator(0, "children", "splits").random(3)
    assert np.array_equal(draw, seeds.generator(0, "children", "splits").random(3))
    others = [(1, "children", "splits"), (0, "male", "splits"), (0, "childrens", "plits")]
    assert all(not np.array_equal(draw, seeds.generator(*other).random(3)) for other in others)
    assert 0 <= seeds.integer(0, "x") < 2**32


@pytest.mark.parametrize(
    ("graphs", "words"),
    [
        (np.zeros((3, 3)), "shape"),
        (np.zeros((2, 3, 4)), "shape"),
        (np.array([[["a"]]]), "numbers"),
        (np.array([np.eye(2), [[0, np.nan], [np.nan, 0]]]), "graph 1 .*finite"),
        (np.array([np.eye(2), [[0, 1], [2, 0]]]), "graph 1 is not symmetric"),
    ],
)
def test_graphs_that_are_none_are_named(graphs, words):
    with pytest.raises(InputError, match=words):
        check_graphs(graphs)
