"""Files that fit many patterns at once are those that `glob` finds for each."""

import glob
import os
import random

import pytest
from contrast_subgraphs.data import matching
from contrast_subgraphs.data.matching import NO_DIGIT_AFTER, NO_LETTER_BEFORE, that_fit

#: Signs of patterns are letters of names, too.
LETTERS = "ab12_.-[]*?!"


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Forty files with odd names in three folders and above them."""
    rng = random.Random(0)
    monkeypatch.chdir(tmp_path)
    for folder in ("", "a1", "a[1]", ".b"):
        os.makedirs(folder or ".", exist_ok=True)
        for _ in range(10):
            name = "".join(rng.choices(LETTERS, k=rng.randint(1, 5)))
            if name not in (".", ".."):
                open(os.path.join(folder, f"{name}.c"), "w").close()
    return tmp_path


def parts(rng):
    """Yield parts of patterns: signs of `glob`, escaped or not, and letters."""
    while True:
        yield rng.choice([*"ab12_.-", "*", "*", "?", "[ab]", "[!1]", "[[]", "[*]", "[?]", "[", "]"])


def test_they_are_those_of_glob(tree):
    rng = random.Random(1)
    signs = parts(rng)
    patterns = ["*", "*/*", "a1/*.c", "a[1]/*", "a[[]1]/*", ".*", ".b/*", "*/", "*/../a1/*", "a1/"]
    patterns += [str(tree / "*" / "*.c"), "nowhere/*", "*.c/*", "a1/./*.c"]
    for _ in range(400):
        folder = rng.choice(["", "", "*/", "a?/", "a1/", "a[[]1]/"])
        patterns.append(folder + "".join(next(signs) for _ in range(rng.randint(1, 5))) + "*")
    found = that_fit(patterns)
    assert sum(map(len, found)) > 300
    for pattern, own in zip(patterns, found, strict=True):
        assert sorted(own) == sorted(glob.glob(pattern)), pattern


def test_marks_end_a_name(tmp_path):
    for name in ("s1.c", "s10.c", "s1a.c", "xs1.c", "_s1.c"):
        (tmp_path / name).touch()
    asked = [f"s1{NO_DIGIT_AFTER}*", f"*{NO_LETTER_BEFORE}s1*", f"{NO_LETTER_BEFORE}s1a*"]
    found = that_fit([f"{tmp_path}/{name}" for name in asked])
    names = [sorted(os.path.basename(path) for path in own) for own in found]
    assert names == [["s1.c", "s1a.c"], ["_s1.c", "s1.c", "s10.c", "s1a.c"], ["s1a.c"]]


def test_a_folder_is_listed_once_for_all(tmp_path, monkeypatch):
    for k in range(100):
        (tmp_path / f"sub-{k:03d}_bold.csv").touch()
    listed = []
    whole = os.listdir
    monkeypatch.setattr(matching.os, "listdir", lambda path: listed.append(path) or whole(path))
    compared = []
    regex = matching._regex
    monkeypatch.setattr(matching, "_regex", lambda one: compared.append(one) or regex(one))
    found = that_fit([f"{tmp_path}/*sub-{k:03d}*_bold.csv" for k in range(100)])
    assert [len(own) for own in found] == [1] * 100
    assert listed == [str(tmp_path)]
    assert len(compared) == 100  # each person's pattern with that person's file alone
