"""What reruns after which edit: the table of docs/running.md, a dry-run for each row."""

import os
import re

import pytest
import yaml
from workflow_runs import RESULTS, SMALL, copy_checkout, copy_run, planned_files, run

LIBRARY = "workflow/contrast_subgraphs"

#: The parts of a run, by the start of what they write below results/<source>.
PARTS = {
    "sizes": "data/cohorts.tsv",
    "data": "data/",
    "graphs": "graphs/",
    "contrast": "contrast/",
    "inference": "inference/",
    "embeddings": "embeddings/",
    "splits": "evaluation/splits/",
    "rules": "evaluation/rules/",
    "scores": "evaluation/",
    "tables": "tables/",
    "figures": "figures/",
    "page": "report.html",
    # The methods text, what it cites, and what each file is.
    "words": ("methods.", "references.bib", "README.md"),
}
REPORT = {"tables", "figures", "page", "words"}
EVALUATION = {"splits", "rules", "scores"} | REPORT
#: What a cohort has of its own.
COHORT = {"sizes", "graphs", "contrast", "inference", "embeddings"} | EVALUATION
ALL = {"data"} | COHORT
#: Each cohort's sets are measured in the people of all others, and its level depends on their p.
OTHERS = r"^inference/\w+\.(?:others|confirmed|would_find)\.csv"


def part_of(file):
    """Return the part of a run that writes a file."""
    return next(part for part, start in PARTS.items() if file.startswith(start))


def edited(*files):
    """An edit: one more line, which is a comment, at the end of files."""

    def edit(checkout, folder):
        for file in files:
            with open(checkout / file, "a", encoding="utf-8") as opened:
                opened.write("\n# One more line.\n")

    return edit


def touched_and_documented(checkout, folder):
    """An edit that changes no result: new dates, comments in the config and the profile."""
    edited("profiles/default/profile.yaml", "config.yaml")(checkout, folder)
    for base in (checkout, folder):
        for pattern in ("workflow/**/*", f"{RESULTS}/data/*.csv", f"{RESULTS}/graphs/*"):
            for path in base.glob(pattern):
                os.utime(path)


def nothing(checkout, folder):
    pass


#: Rows of the table that the edit "nothing" tries together, and one that `test_own_data` tries.
TOGETHER = (
    "results moved to another folder, or another checkout",
    "`touch`, fresh checkout: other dates, same contents",
    "a comment in the config or in a profile, docs, tests",
    "a file of your own data, whatever its date",
)

# Row of the table: the edit of the code, the overlay of the config, the parts that run, and
# what the name of every file holds that is remade, the report's apart.
ROWS = {
    "nothing": (
        touched_and_documented,
        {},
        set(),
        "",
    ),
    "a new cohort": (
        nothing,
        {"cohorts": {"older": {"where": "AGE_YEARS > 11"}}},
        COHORT,
        f"older|^data/cohorts|{OTHERS}",
    ),
    "a cohort's expression": (
        nothing,
        {"cohorts": {"male": {"where": "SEX == 1 and AGE_YEARS > 7"}}},
        COHORT,
        f"male|^data/cohorts|{OTHERS}",
    ),
    "a cohort removed": (
        nothing,
        {"cohorts": {"male": None}},
        {"sizes", "inference"} | REPORT,
        f"^data/cohorts|{OTHERS}",
    ),
    "a cohort's label": (nothing, {"cohorts": {"male": {"label": "Men and boys"}}}, REPORT, ""),
    "`graph`": (nothing, {"graph": {"percentile": 85}}, ALL - {"data", "sizes"}, ""),
    "`contrast.percentiles`": (
        nothing,
        {"contrast": {"percentiles": [80, 85, 90]}},
        {"contrast", "inference", "scores"} | REPORT,
        r"^contrast/|^inference/|/cs-p[12]\.",
    ),
    "`contrast.limits`, `solver`, `alternatives`": (
        nothing,
        {"contrast": {"limits": {"nodes": 9999}}},
        {"contrast", "inference"} | REPORT,
        "",
    ),
    "`inference`": (nothing, {"inference": {"permutations": 30}}, {"inference"} | REPORT, ""),
    "`seed`": (nothing, {"seed": 1}, ALL, ""),
    "`evaluation.svm`": (nothing, {"evaluation": {"svm": {"C": [1, 10]}}}, {"scores"} | REPORT, ""),
    "`evaluation.permutations`": (
        nothing,
        {"evaluation": {"permutations": 2}},
        {"scores", "rules"} | REPORT,
        "",
    ),
    "`evaluation.repeats`, `test_size`, `folds`": (
        nothing,
        {"evaluation": {"repeats": {"nested": 3}}},
        EVALUATION,
        "",
    ),
    "one method fewer (or more: its embeddings and evaluations)": (
        nothing,
        {"methods": ["cs-p1", "cs-p2", "edges"]},
        REPORT,
        "",
    ),
    "the percentile that a figure shows": (
        nothing,
        {"report": {"contrast_large": {"td-asd": 90}}},
        {"rules"} | REPORT,
        "",
    ),
    "a script in `workflow/scripts`": (edited("workflow/scripts/splits.py"), {}, EVALUATION, ""),
    "code, captions or style of the report": (edited(f"{LIBRARY}/report/page.py"), {}, REPORT, ""),
    "code of the evaluation": (edited(f"{LIBRARY}/evaluation/svm.py"), {}, EVALUATION, ""),
    "code of the embeddings": (
        edited(f"{LIBRARY}/embeddings/wl_kern.py"),
        {},
        {"embeddings"} | EVALUATION,
        "",
    ),
    "code of the solver": (
        edited(f"{LIBRARY}/contrast/solve.py"),
        {},
        {"contrast", "inference"} | EVALUATION,
        "",
    ),
    "code of the inference": (
        edited(f"{LIBRARY}/inference/stability.py"),
        {},
        {"inference"} | REPORT,
        "",
    ),
    "labels of methods (`methods.py`)": (edited(f"{LIBRARY}/methods.py"), {}, REPORT, ""),
    "`workflow/rules/<stage>.smk`": (
        edited("workflow/rules/embeddings.smk"),
        {},
        {"embeddings", "scores"} | REPORT,
        r"^embeddings/|/wl-kern\.",
    ),
    "code of the data or graphs": (edited(f"{LIBRARY}/data/series.py"), {}, ALL, ""),
    "code in `core` or `design`": (edited(f"{LIBRARY}/design/design.py"), {}, ALL, ""),
    "pinned versions (`envs/requirements.txt`)": (edited("envs/requirements.txt"), {}, ALL, ""),
}


@pytest.fixture(scope="module")
def finished(small_run, tmp_path_factory):
    """A copy of the small run in which nothing is run, only asked what would be."""
    return copy_run(small_run, tmp_path_factory.mktemp("finished") / "run")


@pytest.mark.parametrize("row", ROWS)
def test_an_edit_reruns_what_it_must_and_nothing_else(checkout, finished, tmp_path, row):
    edit, overlay, expected, names = ROWS[row]
    copy, folder = checkout, finished
    if edit is not nothing:
        copy = copy_checkout(checkout, tmp_path / "copy")
        folder = copy_run(finished, tmp_path / "run")
        edit(copy, folder)
    config = tmp_path / "overlay.yaml"
    config.write_text(yaml.safe_dump(overlay), encoding="utf-8")
    files = planned_files(copy, folder, configs=(SMALL, config))
    assert {part_of(file) for file in files} == expected
    own = [file for file in files if part_of(file) not in REPORT]
    assert all(re.search(names, file) for file in own), own


def test_the_table_of_the_documentation_has_these_rows(root):
    text = (root / "docs" / "running.md").read_text(encoding="utf-8")
    table = re.search(r"<!-- reruns -->\n(.*?)\n\n", text, flags=re.S)[1]
    cells = [line.split(" | ")[0].removeprefix("| ") for line in table.splitlines()[2:]]
    assert sorted(cells) == sorted([*ROWS, *TOGETHER])


def test_results_of_a_cohort_taken_away_are_kept_and_can_be_listed(checkout, small_run, tmp_path):
    folder = copy_run(small_run, tmp_path / "run")
    config = tmp_path / "overlay.yaml"
    config.write_text("cohorts: {male: null}\nmethods: [cs-p1, cs-p2, edges]\n", "utf-8")
    listed = run(checkout, folder, "--list-untracked", configs=(SMALL, config)).stdout
    for path in ("contrast/male/", "embeddings/male/", "graphs/male.npz", "/children/wl-kern"):
        assert path in listed
    assert (folder / RESULTS / "graphs" / "male.npz").exists()


def test_no_record_holds_a_path_of_the_checkout(checkout, small_run):
    """Neither parameters nor inputs: results move to another checkout without a rerun."""
    records = [p for p in (small_run / ".snakemake" / "metadata").rglob("*") if p.is_file()]
    assert len(records) > 70
    for path in records:
        text = path.read_text(encoding="utf-8")
        assert str(checkout) not in text and str(small_run) not in text
