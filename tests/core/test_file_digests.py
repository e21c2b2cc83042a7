"""Digests of files are remembered for as long as the files stay as they are, and no longer."""

import hashlib
import json
import os
import shutil

import pytest
from contrast_subgraphs.core import file_digests as module
from contrast_subgraphs.core.errors import InputError
from contrast_subgraphs.core.file_digests import file_digests
from hypothesis import given, settings
from hypothesis import strategies as st

LONG_AGO = 1_000_000_000 * 10**9


@pytest.fixture
def memory(tmp_path, monkeypatch):
    """A memory that trusts files at once, as it does two seconds after their last change."""
    monkeypatch.setattr(module, "_TICK_NS", -(10**15))
    return tmp_path / "memory.json"


@pytest.fixture
def reads(monkeypatch):
    """The paths that are read, in order."""
    read = []
    whole = module._sha256
    monkeypatch.setattr(module, "_sha256", lambda path: read.append(path) or whole(path))
    return read


def written(path, content):
    path.write_bytes(content)
    return path


def test_what_a_file_holds(tmp_path):
    path = written(tmp_path / "a", b"1,2\n")
    assert file_digests([path]) == [(4, hashlib.sha256(b"1,2\n").hexdigest())]


def test_an_unchanged_file_is_read_once(tmp_path, memory, reads):
    path = written(tmp_path / "a", b"1")
    first = file_digests([path], memory)
    assert file_digests([path], memory) == first
    assert len(reads) == 1


def test_without_a_memory_it_is_read_each_time(tmp_path, reads):
    path = written(tmp_path / "a", b"1")
    file_digests([path])
    file_digests([path])
    assert len(reads) == 2


def test_a_file_that_was_just_written_is_not_trusted(tmp_path, reads):
    path = written(tmp_path / "a", b"1")
    file_digests([path], tmp_path / "memory")
    file_digests([path], tmp_path / "memory")
    assert len(reads) == 2


def same_date(path, content):
    """Other bytes of the same length, with the dates of the old ones."""
    state = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))


def swapped(path, content):
    """Another file moved to its place, of the same size and dates."""
    other = written(path.with_name("other"), content)
    for one in (path, other):
        os.utime(one, ns=(LONG_AGO, LONG_AGO))
    os.replace(other, path)


def copied(path, content):
    """Another file copied over it with its date, as by `cp -p`."""
    other = written(path.with_name("other"), content)
    os.utime(other, ns=(LONG_AGO, LONG_AGO))
    shutil.copy2(other, path)


def in_another_folder(path, content):
    """The folder moved away, and another one in its place."""
    path.parent.rename(path.parent.with_name("aside"))
    path.parent.mkdir()
    written(path, content)


@pytest.mark.parametrize("change", [same_date, swapped, copied, in_another_folder])
def test_a_change_is_seen_whatever_the_date(tmp_path, memory, change):
    (tmp_path / "m").mkdir()
    path = written(tmp_path / "m" / "a", b"1")
    file_digests([path], memory)
    change(path, b"2")
    assert file_digests([path], memory)[0].sha256 == hashlib.sha256(b"2").hexdigest()


@pytest.mark.parametrize("content", ["", "[1", "[]", '{"x": 1}', '{"x": [1, 2]}', "\x00"])
def test_a_damaged_memory_is_not_used(tmp_path, content):
    path, memory = written(tmp_path / "a", b"1"), tmp_path / "memory"
    memory.write_text(content, encoding="utf-8")
    assert file_digests([path], memory)[0].bytes == 1
    assert str(path) in json.loads(memory.read_text(encoding="utf-8"))


def test_a_memory_that_cannot_be_written_does_no_harm(tmp_path):
    path = written(tmp_path / "a", b"1")
    assert file_digests([path], path / "memory")[0].bytes == 1


def test_several_sources_share_a_memory(tmp_path, memory, reads):
    first, second = written(tmp_path / "a", b"1"), written(tmp_path / "b", b"2")
    for path in (first, second, first):
        file_digests([path], memory)
    assert len(reads) == 2


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="nowhere"):
        file_digests([tmp_path / "nowhere"])


@settings(max_examples=20, deadline=None)
@given(st.lists(st.binary(max_size=20), min_size=1, max_size=5))
def test_digests_come_in_the_order_of_the_paths(tmp_path_factory, contents):
    folder = tmp_path_factory.mktemp("files")
    paths = [written(folder / str(k), content) for k, content in enumerate(contents)]
    found = file_digests([*paths, paths[0]])
    expected = [hashlib.sha256(content).hexdigest() for content in [*contents, contents[0]]]
    assert [one.sha256 for one in found] == expected
