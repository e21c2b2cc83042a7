"""``README.md`` of a run's results names every file, and no other."""

import re

from workflow_runs import RESULTS

#: What a name in angle brackets stands for, and a star.
ANY = re.compile(r"<\w+>|\*")


def listed(results):
    """Return the patterns of files that the list has, as regular expressions."""
    text = (results / "README.md").read_text(encoding="utf-8")
    cells = [line.split(" | ")[0] for line in text.splitlines() if line.startswith("| `")]
    patterns = [one for cell in cells for one in re.findall(r"`([^`]+)`", cell)]
    assert len(patterns) == len(set(patterns))
    return {one: re.compile("[^/.]+".join(map(re.escape, ANY.split(one)))) for one in patterns}


def test_every_file_of_a_run_is_listed_and_every_entry_has_files(small_run):
    results = small_run / RESULTS
    found = [
        path.relative_to(results).as_posix()
        for path in results.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    ]
    patterns = listed(results)
    used = set()
    for name in found:
        if name.startswith(("data/release/", "logs/", "benchmarks/")):
            continue
        fitting = [one for one, pattern in patterns.items() if pattern.fullmatch(name)]
        assert fitting, name
        used |= set(fitting)
    folders = {"data/release/", "logs/<stage>/*.log", "benchmarks/<stage>/*.tsv"}
    assert patterns.keys() - used == folders | {".*.sha256"}


def test_captions_and_titles_are_those_of_the_page(small_run):
    text = (small_run / RESULTS / "README.md").read_text(encoding="utf-8")
    assert "| `tables/runtime.*` | Time and memory of each job" in text
    assert re.search(r"\| `figures/contrast_large\.\*` \| \w", text)
    assert "\n\n\n" not in text and "{" not in text
