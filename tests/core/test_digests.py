"""Files that a later job reads: each changed byte is noticed, by one error."""

import json

import numpy as np
import pandas as pd
import pytest
from contrast_subgraphs.core import atomic_files
from contrast_subgraphs.core.errors import InputError

RECORD = {"cohort": "ä", "subgraphs": [{"alpha": 0.25, "nodes": [1, 2], "optimal": True}]}
TABLE = pd.DataFrame({"subject": ["001", "NA"], "p": [0.048, 0.9]})
ARRAYS = {"adjacency": np.eye(30, dtype=np.uint8), "y": np.arange(30) / 7}


def save_picture(path):
    with atomic_files.written_whole(path, sealed=True) as beside:
        beside.write_bytes(bytes(range(256)))


KINDS = {
    "x.json": (lambda path: atomic_files.save_json(path, RECORD), atomic_files.load_json),
    "x.csv": (lambda path: atomic_files.save_table(TABLE, path), atomic_files.load_table),
    "x.tsv": (lambda path: atomic_files.save_table(TABLE, path), atomic_files.load_table),
    "x.npz": (lambda path: atomic_files.save_npz(path, **ARRAYS), atomic_files.load_npz),
    "raw.npz": (
        lambda path: atomic_files.save_npz(path, compressed=False, **ARRAYS),
        atomic_files.load_npz,
    ),
    "x.png": (save_picture, atomic_files.check_sealed),
}


@pytest.mark.parametrize("name", KINDS)
def test_every_flip_is_noticed(tmp_path, name):
    save, load = KINDS[name]
    path = tmp_path / name
    save(path)
    load(path)
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    places = {*range(0, len(content), max(1, len(content) // 60)), len(content) - 1}
    changed = [content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
               for place in sorted(places)]  # fmt: skip
    for _ in range(80):
        place, value = rng.integers(len(content)), rng.integers(1, 256)
        other = bytes([(content[place] + value) % 256])
        changed.append(content[:place] + other + content[place + 1 :])
    changed += [b"", content[:-1], content[: len(content) // 2], content + b"\n", content * 2]
    assert len(changed) >= 80
    for bad in changed:
        path.write_bytes(bad)
        with pytest.raises(InputError, match=f"{name} is damaged or was edited.*delete it and run"):
            load(path)
    path.write_bytes(content)
    load(path)


def test_files_are_what_other_programs_read(tmp_path):
    for name, (save, _) in KINDS.items():
        save(tmp_path / name)
    assert {k: v for k, v in json.loads((tmp_path / "x.json").read_text("utf-8")).items()
            if k != "sha256"} == RECORD  # fmt: skip
    assert (tmp_path / "x.csv").read_text() == "subject,p\n001,0.048\nNA,0.9\n"
    with np.load(tmp_path / "x.npz") as arrays:
        assert arrays.files == list(ARRAYS)
    # As sha256sum writes it, so that `sha256sum -c .x.csv.sha256` checks it.
    digest, name = (tmp_path / ".x.csv.sha256").read_text().split()
    assert len(digest) == 64 and name == "x.csv"


def test_a_table_in_the_place_of_another_is_noticed(tmp_path):
    for name in ("a.csv", "b.csv"):
        atomic_files.save_table(TABLE.assign(cohort=name), tmp_path / name)
    (tmp_path / "a.csv").write_bytes((tmp_path / "b.csv").read_bytes())
    (tmp_path / ".a.csv.sha256").write_bytes((tmp_path / ".b.csv.sha256").read_bytes())
    with pytest.raises(InputError, match=r"a\.csv is damaged or was edited"):
        atomic_files.load_table(tmp_path / "a.csv")


def test_a_new_file_has_its_own_digest_and_a_table_without_one_is_read(tmp_path):
    path = tmp_path / "x.csv"
    atomic_files.save_table(TABLE, path)
    atomic_files.save_table(TABLE[:1], path)
    assert len(atomic_files.load_table(path)) == 1
    atomic_files.save_text(path, "a,b\n1,2\n")  # not of a kind that is sealed
    assert atomic_files.load_table(path, ["a"])["b"].tolist() == [2]


def test_what_is_saved_again_is_the_same_bytes(tmp_path):
    for name, (save, _) in KINDS.items():
        save(tmp_path / "one" / name)
        save(tmp_path / "two" / name)
    one, two = (sorted((tmp_path / folder).iterdir()) for folder in ("one", "two"))
    assert [path.name for path in one] == [path.name for path in two] and len(one) == 9
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]
