"""What reruns after which edit: the table of docs/running.md, a dry-run for each row."""

import ast
import os
import re

import pytest
import yaml
from workflow_runs import RESULTS, SMALL, copy_checkout, copy_run, planned

LIBRARY = "workflow/contrast_subgraphs"

#: Every evaluation, and what is made of the scores.
EVALUATIONS = {"evaluate", "evaluate_with_stability"}
OF_SCORES = {"table_accuracy", "table_comparisons", "table_parameters", "figure_leakage"}
BOUNDARIES = {"figure_boundaries_p1", "figure_boundaries_p2"}
#: Time and memory of the jobs, and the page, which shows every table.
ALWAYS = {"table_runtime", "report"}
OF_RULES = {"rules_of_thumb", "table_rules"}
OF_SUBGRAPHS = {
    "table_regions",
    "table_systems",
    "table_alternatives",
    "table_recovery",
    "table_solver",
    "figure_alpha_path",
    "figure_contrast_large",
    "figure_contrast_small",
    "figure_contrast_symmetric",
    "figure_stability",
    *BOUNDARIES,
}
SUBGRAPHS = {"contrast_subgraphs", "densdp"} | OF_SUBGRAPHS | ALWAYS
GATHERED = (
    OF_SUBGRAPHS
    - {
        "figure_alpha_path",
        "figure_contrast_large",
        "figure_contrast_small",
        "figure_contrast_symmetric",
        "figure_stability",
    }
    | OF_SCORES
    | {"table_cohorts", "table_rules", *ALWAYS}
)
OF_FIGURES = {
    "figure_example",
    "figure_degrees",
    "figure_difference",
    "figure_alpha_path",
    "figure_contrast_large",
    "figure_contrast_small",
    "figure_contrast_symmetric",
    "figure_stability",
    "figure_leakage",
    *BOUNDARIES,
}
COHORT = {
    "cohort",
    "splits",
    "contrast_subgraphs",
    "densdp",
    "embedding",
    "rules_of_thumb",
    *EVALUATIONS,
}
DATA = {"simulate", "phenotypes", "check_cohorts", "series", "site_graphs", "subject_graphs"}


def replaced(file, old, new):
    """An edit: the first `old` in a file becomes `new`."""

    def edit(checkout, folder):
        path = checkout / file
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{file} has no {old!r}"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    return edit


def function_edited(file, name):
    """An edit: one more statement in a function of the library."""

    def edit(checkout, folder):
        path = checkout / LIBRARY / file
        text = path.read_text(encoding="utf-8")
        (node,) = (
            node
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.FunctionDef) and node.name == name
        )
        last, lines = node.body[-1], text.splitlines(keepends=True)
        lines.insert(last.lineno - 1, " " * last.col_offset + "edited = True\n")
        path.write_text("".join(lines), encoding="utf-8")

    return edit


def commented(*files):
    """An edit: a comment at the top of files, and another docstring."""

    def edit(checkout, folder):
        for file in files:
            path = checkout / file
            text = path.read_text(encoding="utf-8")
            path.write_text("# Another comment.\n" + text.replace('"""', '"""Oh, ', 1), "utf-8")

    return edit


def touched(*patterns):
    """An edit: new dates, nothing else."""

    def edit(checkout, folder):
        for base in (checkout, folder):
            for pattern in patterns:
                for path in base.glob(pattern):
                    os.utime(path)

    return edit


def nothing(checkout, folder):
    pass


# Row of the table, edit of the code, overlay of the config, rules that run (with the
# number of jobs where it matters).
ROWS = {
    "nothing": (nothing, {}, {}),
    "another checkout": (nothing, {}, {}),
    "touch": (
        touched("workflow/**/*", "config.yaml", f"{RESULTS}/data/*.csv", f"{RESULTS}/graphs/*"),
        {},
        {},
    ),
    "comment": (
        commented("workflow/scripts/evaluate.py", f"{LIBRARY}/files.py", f"{LIBRARY}/svm.py"),
        {},
        {},
    ),
    "new cohort": (
        nothing,
        {"cohorts": {"older": {"where": "AGE_YEARS > 11"}}},
        dict.fromkeys(COHORT | GATHERED)
        | {"cohort": 1, "contrast_subgraphs": 3, "evaluate": 6, "evaluate_with_stability": 2},
    ),
    "cohort changed": (
        nothing,
        {"cohorts": {"male": {"where": "SEX == 1 and AGE_YEARS > 7"}}},
        dict.fromkeys(COHORT | GATHERED) | {"cohort": 1, "evaluate": 6},
    ),
    "cohort taken away": (nothing, {"cohorts": {"male": None}}, dict.fromkeys(GATHERED)),
    "label": (
        nothing,
        {"cohorts": {"male": {"label": "Men and boys"}}},
        {
            *OF_SCORES,
            *BOUNDARIES,
            "table_cohorts",
            "report",
        },
    ),
    "percentiles": (
        nothing,
        {"contrast": {"percentiles": [80, 85, 90]}},
        dict.fromkeys(SUBGRAPHS | OF_SCORES)
        | {"contrast_subgraphs": 6, "evaluate": 4, "evaluate_with_stability": 4},
    ),
    "limits of the solver": (nothing, {"contrast": {"limits": {"nodes": 9999}}}, SUBGRAPHS),
    "seed": (
        nothing,
        {"seed": 1},
        COHORT | GATHERED | OF_SUBGRAPHS | DATA | OF_FIGURES - {"figure_example"},
    ),
    "SVM grid": (
        nothing,
        {"evaluation": {"svm": {"C": [1, 10]}}},
        EVALUATIONS | OF_SCORES | BOUNDARIES | ALWAYS | {"figure_stability"},
    ),
    "permutations": (
        nothing,
        {"evaluation": {"permutations": 2}},
        EVALUATIONS | OF_SCORES | OF_RULES | BOUNDARIES | ALWAYS | {"figure_stability"},
    ),
    "repeats of one protocol": (
        nothing,
        {"evaluation": {"repeats": {"nested": 3}}},
        EVALUATIONS | OF_SCORES | OF_RULES | BOUNDARIES | ALWAYS | {"splits", "figure_stability"},
    ),
    "one method less": (
        nothing,
        {"methods": ["cs-p1", "cs-p2", "edges"]},
        OF_SCORES | ALWAYS,
    ),
    "percentile of one figure": (
        nothing,
        {"report": {"contrast_large": {"td-asd": 90}}},
        {"figure_contrast_large", "report", *OF_RULES},
    ),
    "one figure": (
        function_edited("figures/solutions.py", "alpha_path"),
        {},
        {"figure_alpha_path", "report"},
    ),
    "style of the figures": (
        function_edited("figures/style.py", "save"),
        {},
        OF_FIGURES | {"report"},
    ),
    "caption": (
        replaced(f"{LIBRARY}/resources/report/captions/degrees.rst", " ", "  "),
        {},
        {"report"},
    ),
    "solver": (
        function_edited("contrast/solve.py", "sweep"),
        {},
        SUBGRAPHS,
    ),
    "code that no job uses": (
        function_edited("contrast/objective.py", "objective"),
        {},
        set(),
    ),
    "one baseline": (
        function_edited("baselines/wl_kern.py", "fit"),
        {},
        dict.fromkeys(OF_SCORES | ALWAYS) | {"embedding": 2, "evaluate": 4},
    ),
    "SVM": (
        function_edited("svm.py", "train_columns"),
        {},
        EVALUATIONS | OF_SCORES | OF_RULES | BOUNDARIES | ALWAYS | {"figure_stability"},
    ),
    "one table": (
        function_edited("tables.py", "cohorts_shown"),
        {},
        {"table_cohorts", "report"},
    ),
}


@pytest.mark.parametrize("row", ROWS)
def test_an_edit_reruns_what_it_must_and_nothing_else(checkout, small_run, tmp_path, row):
    edit, overlay, expected = ROWS[row]
    copy, folder = copy_checkout(checkout, tmp_path / "copy"), copy_run(small_run, tmp_path / "run")
    edit(copy, folder)
    config = tmp_path / "overlay.yaml"
    config.write_text(yaml.safe_dump(overlay), encoding="utf-8")
    jobs, output = planned(copy, folder, configs=(SMALL, config))
    assert set(jobs) == set(expected), output
    if isinstance(expected, dict):
        for rule, number in expected.items():
            assert number is None or jobs[rule] == number, rule


def test_the_table_of_the_documentation_has_these_rows(root):
    text = (root / "docs" / "running.md").read_text(encoding="utf-8")
    table = re.search(r"<!-- reruns -->\n(.*?)\n\n", text, flags=re.S)[1]
    assert len(table.splitlines()) - 2 == len(ROWS)


def test_results_of_a_cohort_taken_away_are_named_and_kept(checkout, small_run, tmp_path):
    folder = copy_run(small_run, tmp_path / "run")
    config = tmp_path / "overlay.yaml"
    config.write_text("cohorts: {male: null}\nmethods: [cs-p1, cs-p2, edges]\n", "utf-8")
    _, output = planned(checkout, folder, configs=(SMALL, config))
    warnings = re.findall(r"^Not in the config, not used and not deleted: .*$", output, re.M)
    assert len(warnings) == 2
    for path in ("contrast/male", "embeddings/male", "graphs/male.npz", "evaluation/nested/male"):
        assert f"{RESULTS}/{path}" in warnings[0]
    assert "the method wl-kern" in warnings[1] and "/children/wl-kern.csv" in warnings[1]
    assert (folder / RESULTS / "graphs" / "male.npz").exists()
    assert "Not in the config" not in planned(checkout, folder)[1]


def test_no_record_holds_a_path_of_the_checkout(checkout, small_run):
    """Neither parameters nor inputs: results move to another checkout without a rerun."""
    records = [p for p in (small_run / ".snakemake" / "metadata").rglob("*") if p.is_file()]
    assert len(records) > 70
    for path in records:
        text = path.read_text(encoding="utf-8")
        assert str(checkout) not in text and str(small_run) not in text
