"""The numbers of README and docs are those of the files that commands have written.

``docs/numbers.yaml`` says for each table and sentence which file, rows and columns it quotes. A
number that was typed, or a file that was written anew without its page, fails here.
"""

import re
import sys

import pandas as pd
import pytest

#: Pages on which every table of numbers has a source, or says that it has none.
PAGES = (
    "README.md",
    "docs/results.md",
    "docs/replication.md",
    "docs/significance.md",
    "docs/effect_size.md",
    "docs/motion.md",
)


@pytest.fixture
def numbers(root, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(root), *sys.path])
    from benchmarks import quoted

    return quoted


def test_every_cell_of_each_listed_table_is_that_of_its_file(numbers):
    wrong = [one for entry in numbers.read_list()["tables"] for one in numbers.wrong_cells(entry)]
    assert not wrong


def test_every_listed_sentence_is_on_its_page(numbers):
    missing = [numbers.wrong_sentence(entry) for entry in numbers.read_list()["sentences"]]
    assert not any(missing), missing


def test_every_table_has_a_source_or_says_that_it_has_none(root, numbers):
    listed = numbers.read_list()
    for name in PAGES:
        page = (root / name).read_text(encoding="utf-8")
        covered = {one["header"] for one in listed["tables"] if one["page"] == name}
        without = {one["header"] for one in listed["not_covered"] if one["page"] == name}
        assert not covered & without
        assert set(numbers.tables_of(page)) == covered | without, name


def test_commands_of_the_list_exist_and_numbers_without_a_file_have_a_day(root, numbers):
    listed = numbers.read_list()
    for entry in listed["tables"] + listed["not_covered"]:
        module = re.match(r"python -m (benchmarks\.\w+)|snakemake |none$", entry["command"])
        assert module, entry["command"]
        if module[1]:
            assert (root / module[1].replace(".", "/")).with_suffix(".py").exists()
    for entry in listed["not_covered"]:
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", str(entry["written"])), entry["header"]
        assert not numbers.without_notice(entry), entry["header"]


def test_a_wrong_number_is_seen_and_mended_in_the_style_of_the_cell(numbers):
    source = pd.DataFrame({"test": ["one", "two"], "found": [0.046, 0.5]})
    assert numbers.plain(numbers.quoted(source, {"test": "one", "text": "{found:.2f}"})) == ".05"
    assert numbers.plain("**0.05** [−0.1, 10.05]") == ".05 [-.1, 10.05]"
    assert numbers.in_style("**.1 [.0, .2]** (3)", "0.3 [0.2, 0.4] (5)") == "**.3 [.2, .4]** (5)"
    with pytest.raises(ValueError, match="0 rows"):
        numbers.quoted(source, {"test": "three", "text": "{found:.2f}"})


def test_tables_are_told_apart_by_their_header(numbers):
    page = "| | a |\n|---|---|\n| x | 1 |\n\n| | a |\n|---|---|\n| y | **2** |\n"
    page += "\n| no number | b |\n|---|---|\n| x | `1` |\n"
    assert {name: rows[0][1] for name, rows in numbers.tables_of(page).items()} == {
        "| | a |": ["x", "1"],
        "| | a | (2)": ["y", "**2**"],
    }
    rows = [(0, ["first", "low", "1"]), (1, ["", "high", "2"])]
    assert list(numbers.labelled(rows, 2)) == ["first / low", "first / high"]
