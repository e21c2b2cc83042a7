"""The workflow from end to end: what a small run leaves, and the errors for bad input."""

import json
import os
import re
import shutil

import numpy as np
import pandas as pd
import pytest
import yaml
from contrast_subgraphs.core.atomic_files import load_npz, save_npz
from workflow_runs import (
    FINISHED,
    RESULTS,
    copy_checkout,
    copy_run,
    digests,
    environment,
    listing,
    planned,
    planned_files,
    remains,
    run,
    small_archive,
)

TABLES = ("cohorts", "accuracy", "comparisons", "parameters", "runtime", "regions", "systems")
FIGURES = (
    "example",
    "contrast_large",
    "contrast_small",
    "contrast_symmetric",
    "degrees",
    "difference",
    "alpha_path",
    "stability",
    "boundaries_p1",
    "boundaries_p2",
    "leakage",
    "other_cohorts",
)


def overlay(folder, **config):
    path = folder / "overlay.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return ("tests/config/small.yaml", path)


# --- what the small run leaves --------------------------------------------------------


def test_every_table_and_figure_is_there(small_run):
    results = small_run / RESULTS
    for name in (*TABLES, "others"):
        for suffix in ("csv", "md", "tex"):
            assert (results / "tables" / f"{name}.{suffix}").stat().st_size > 50
    for name in FIGURES:
        assert (results / "figures" / f"{name}.pdf").read_bytes().startswith(b"%PDF")
        assert (results / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert "<title>Do the brain networks of TD and ASD differ?" in (
        results / "report.html"
    ).read_text(encoding="utf-8")
    assert not remains(small_run)


def test_every_job_has_its_log_and_its_measurements(small_run):
    done = (small_run / "run.txt").read_text(encoding="utf-8")
    jobs = len(FINISHED.findall(done))
    logs = list((small_run / RESULTS / "logs").rglob("*.log"))
    measured = list((small_run / RESULTS / "benchmarks").rglob("*.tsv"))
    assert len(logs) == len(measured) == jobs


def test_the_terminal_has_one_line_a_job_and_the_log_the_rest(small_run):
    said = (small_run / "run.txt").read_text(encoding="utf-8")
    lines = said.splitlines()
    assert len(lines) < 90 and max(map(len, lines)) < 1000, said
    assert not re.search("Finished jobid|Reason: |resources: |Job stats|Select jobs", said)
    assert sum("found in " in line for line in lines) == 2  # a cohort each
    assert lines[-2].startswith("The page with everything: ")
    (log,) = (small_run / ".snakemake" / "log").iterdir()
    assert "Finished jobid" in log.read_text(encoding="utf-8")


def test_the_default_profile_is_found_by_itself(small_run):
    assert "profiles/default" in (small_run / "run.txt").read_text(encoding="utf-8")


def test_a_second_run_does_nothing(checkout, small_run):
    assert planned(checkout, small_run)[0] == {}


@pytest.mark.parametrize(("source", "sites"), [("abide", 20), ("published", 0), ("simulated", 8)])
def test_every_source_has_its_jobs(checkout, tmp_path, source, sites):
    files = planned_files(checkout, tmp_path, "--config", f"source={source}", configs=())

    def number(pattern):
        return sum(re.fullmatch(pattern, file) is not None for file in files)

    # 4 cohorts, 3 contrasts, 8 methods, 2 protocols.
    assert number(r"graphs/(children|adolescents|eyesclosed|male)\.npz") == 4
    assert number(r"contrast/\w+/(td-asd|asd-td|symmetric)\.json") == 12
    assert number(r"evaluation/(paper|nested)/\w+/[\w-]+\.csv") == 64
    assert number(r"data/series/\w+\.npz") == sites
    assert "report.html" in files


def test_a_variable_is_predicted_by_the_methods_that_can(checkout, tmp_path):
    asked = overlay(tmp_path, contrasts={"ageing": {"variable": "AGE_AT_SCAN"}})
    files = planned_files(checkout, tmp_path / "run", configs=asked)
    found = {file for file in files if re.fullmatch(r"evaluation/\w+/ageing/[\w-]+\.csv", file)}
    assert found == {f"evaluation/nested/ageing/{method}.csv" for method in ("cs-p1", "edges")}
    assert "tables/prediction.csv" in files


def of_all_cohorts(name):
    """Tell whether a file of the results depends on which cohorts there are."""
    summary = name.startswith(("tables/", "figures/", "report.html"))
    # The level at which one of several cohorts is told, and the sets of the others.
    return summary or ".would_find." in name or ".others." in name


def test_a_new_cohort_runs_its_own_chain_and_is_in_every_table(checkout, small_run, tmp_path):
    """Slow: a cohort's graphs, sets and evaluations."""
    folder = copy_run(small_run, tmp_path / "run")
    before = digests(folder / RESULTS)
    configs = overlay(tmp_path, cohorts={"older": {"label": "Older", "where": "AGE_YEARS > 11"}})
    names = ("cohorts", "accuracy", "comparisons", "parameters", "regions", "systems", "rules")
    tables = [RESULTS / "tables" / f"{name}.csv" for name in names]
    done = run(checkout, folder, "--", *tables, configs=configs)
    assert done.returncode == 0, done.stdout
    for table in tables:
        cohorts = set(pd.read_csv(folder / table)["cohort"])
        assert cohorts == {"children", "male", "older"}, table
    assert "report.html" in planned_files(checkout, folder, configs=configs)
    kept = {
        name: digest
        for name, digest in digests(folder / RESULTS).items()
        if not of_all_cohorts(name) and "older" not in name
    }
    assert kept == {name: digest for name, digest in before.items() if not of_all_cohorts(name)}


def test_more_permutations_continue_those_of_the_last_run(checkout, small_run, tmp_path):
    """They are read, not computed again: one that is changed here stays as it is."""
    folder = copy_run(small_run, tmp_path / "run")
    path = RESULTS / "inference" / "children.npz"
    arrays = load_npz(folder / path)
    before = arrays["null"].copy()
    arrays["null"][0] += 1
    save_npz(folder / path, **arrays)
    configs = overlay(tmp_path, inference={"permutations": 30})
    done = run(checkout, folder, path.with_suffix(".csv"), configs=configs)
    assert done.returncode == 0, done.stdout
    after = load_npz(folder / path)["null"]
    assert len(before) == 20 and len(after) == 30
    np.testing.assert_array_equal(after[0], before[0] + 1)
    np.testing.assert_array_equal(after[1:20], before[1:])


# --- where it writes ------------------------------------------------------------------


def test_the_checkout_is_left_as_it_was(checkout, small_run, tmp_path):
    assert {path.name for path in small_run.iterdir()} == {"results", ".snakemake", "run.txt"}
    home, folder = tmp_path / "home", copy_run(small_run, tmp_path / "run")
    (home / ".config").mkdir(parents=True)
    target = RESULTS / "figures" / "answer.png"
    (folder / target).unlink()
    env = environment(HOME=str(home), XDG_CACHE_HOME=None, MPLCONFIGDIR=None)
    done = run(checkout, folder, "--", target, env=env)
    assert done.returncode == 0, done.stdout
    before = json.loads(checkout.with_suffix(".json").read_text(encoding="utf-8"))
    assert listing(checkout) == before
    written = {path.relative_to(home).parts[:2] for path in home.rglob("*") if path.is_file()}
    assert written <= {(".cache", "snakemake"), (".cache", "matplotlib")}
    # Another home, another folder: the same picture.
    assert (folder / target).read_bytes() == (small_run / target).read_bytes()


def test_outputs_name_no_person_and_no_folder_of_the_machine(checkout, small_run):
    secrets = {str(small_run), str(checkout), os.path.expanduser("~") + "/"}
    secrets |= {os.environ[name] for name in ("LOGNAME", "HOSTNAME") if os.environ.get(name)}
    secrets = {text.encode() for text in secrets if len(text) > 5}
    for path in (small_run / RESULTS).rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            found = [text for text in secrets if text in content]
            assert not found, f"{path}: {found}"


def test_nothing_is_pickled(root, small_run):
    for path in (root / "workflow").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.name == "beside.py":
            # Names of regions in files of others, opened as texts and as nothing else.
            assert "def find_class(" in text and not re.search(r"pickle\.loads?\(", text)
            text = text.replace("import pickle", "")
        assert not re.search(r"import (pickle|joblib|dill|shelve|marshal)|allow_pickle=True", text)
        assert not re.search(r"\byaml\.(load|unsafe_load|full_load)\(|read_pickle", text), path
    assert not [p for p in (small_run / RESULTS).rglob("*") if p.suffix in (".pkl", ".joblib")]


def test_expressions_of_the_config_run_no_code(checkout, tmp_path):
    trap = tmp_path / "trap"
    where = f"__import__('os').system('touch {trap}') == 0"
    configs = overlay(tmp_path, cohorts={"odd": {"where": where}})
    assert "odd" in failure(run(checkout, tmp_path / "run", configs=configs))
    assert not trap.exists()


# --- bad input ------------------------------------------------------------------------


def failure(done):
    """Return the one message of a failed run: Snakemake's own, or of the job's log."""
    assert done.returncode != 0, done.stdout
    assert "Traceback" not in done.stdout, done.stdout
    said = re.findall(r"^error: .*(?:\n  .*)*", done.stdout, flags=re.M)
    if not said:
        said = re.findall(r"^(?:WorkflowError|MissingInputException)\b.*", done.stdout, re.M | re.S)
        said = [text for text in said if "At least one job" not in text]
    # Jobs side by side may meet the same fault.
    assert len(set(said)) == 1, done.stdout
    return said[0]


@pytest.mark.parametrize(
    "change, says",
    [
        (
            {
                "sauce": "abide",
                "cohorts": {"../evil": {"where": "SEX == 1"}, "a/b": {"where": "SEX == 1"}},
                "evaluation": {"folds": 1},
                "contrast": {"percentiles": [101]},
            },
            ["'sauce'", "../evil", "a/b", "folder", "evaluation.folds", "minimum of 2", "101"],
        ),
        ({"methods": ["svm"]}, ["methods", "'svm'", "edges"]),
    ],
)
def test_a_wrong_config_is_explained_before_anything_starts(checkout, tmp_path, change, says):
    done = run(checkout, tmp_path / "run", "--dry-run", configs=overlay(tmp_path, **change))
    message = failure(done)
    assert all(text in message for text in says), message
    assert not (tmp_path / "run" / "results").exists()


def test_an_unknown_column_is_named_with_its_neighbours(checkout, small_run, tmp_path):
    folder = copy_run(small_run, tmp_path / "run")
    before = digests(folder / RESULTS)
    configs = overlay(tmp_path, cohorts={"typo": {"where": "AGE_YEAR > 9"}})
    message = failure(run(checkout, folder, configs=configs))
    assert "AGE_YEAR" in message and "AGE_YEARS" in message
    assert digests(folder / RESULTS).items() >= before.items()
    assert not remains(folder) and not (folder / RESULTS / "graphs" / "typo.npz").exists()


ARCHIVES = {
    "missing": "does not exist|Missing input files",
    "cut": "not a whole zip file|damaged",
    "without the cohort": "no cohort 'adolescents'.*children and male",
}


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return small_archive(tmp_path_factory.mktemp("archive") / "graphs.zip")


@pytest.mark.parametrize("kind", ARCHIVES)
def test_a_bad_archive_is_named(checkout, archive, tmp_path, kind):
    path = tmp_path / "given.zip"
    settings = {"archive": str(path)}
    if kind == "cut":
        path.write_bytes(archive.read_bytes()[:100_000])
    elif kind == "without the cohort":
        shutil.copy(archive, path)
    config = tmp_path / "published.yaml"
    text = yaml.safe_dump({"source": "published", "sources": {"published": settings}})
    config.write_text(text, encoding="utf-8")
    folder = tmp_path / "run"
    done = run(
        checkout, folder, "--", "results/published/graphs/adolescents.npz", configs=(config,)
    )
    message = failure(done)
    assert re.search(ARCHIVES[kind], message, flags=re.S), message
    assert kind == "without the cohort" or "given.zip" in message or "archive.zip" in message
    assert not list(folder.rglob("*.npz")) or kind == "without the cohort"
    assert not remains(folder)


def damage(path):
    """Edit a digit of a table or record, flip a bit of other files."""
    content = path.read_bytes()
    digit = re.search(rb"\d(?=\D*$)", content[: 2 * len(content) // 3])
    place = digit.start() if path.suffix in (".csv", ".tsv", ".json") else len(content) // 2
    path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])


@pytest.mark.parametrize(
    "file, target",
    [
        ("data/series/ALDER.npz", "graphs/subjects.npz"),
        ("contrast/children/td-asd.json", "tables/regions.csv"),
        ("evaluation/paper/male/edges.csv", "tables/comparisons.csv"),
        ("inference/male.csv", "tables/significance.csv"),
        ("figures/answer.png", "report.html"),
    ],
)
def test_a_damaged_file_is_named_with_the_way_out(checkout, small_run, tmp_path, file, target):
    """Slow: two runs each, to the page with the figure."""
    folder = copy_run(small_run, tmp_path / "run")
    results = folder / RESULTS
    damage(results / file)
    done = run(checkout, folder, "--", RESULTS / target)
    message = failure(done)
    assert file in message and "delete it and run the same command again" in message
    # What was there before is there still, and nothing new was half made.
    assert not remains(results)
    (results / file).unlink()
    done = run(checkout, folder, "--", RESULTS / target)
    assert done.returncode == 0, done.stdout
    # Files that a finished target no longer needs may be missing.
    there = digests(results)
    assert target in there and there.items() <= digests(small_run / RESULTS).items()


def test_threads_of_numerical_libraries_are_bound(checkout, tmp_path):
    """Each job sees in its environment the threads that its rule has."""
    copy = copy_checkout(checkout, tmp_path / "copy")
    probe = copy / "workflow" / "scripts" / "probe.py"
    probe.write_text(
        "from job import job\n\nwith job(snakemake):\n"
        "    import json\n    from pathlib import Path\n\n    from threadpoolctl import "
        "threadpool_info\n    import numba\n    import numpy as np\n    import scipy.linalg\n\n"
        "    found = [pool['num_threads'] for pool in threadpool_info()]\n"
        "    Path(snakemake.output[0]).write_text("
        "json.dumps([found, numba.config.NUMBA_NUM_THREADS]))\n",
        encoding="utf-8",
    )
    with open(copy / "Snakefile", "a", encoding="utf-8") as file:
        file.write(
            "\nrule probe:\n    output:\n        'probe.json'\n    log:\n        'probe.log'\n"
            "    script:\n        'workflow/scripts/probe.py'\n"
        )
    env = environment(OMP_NUM_THREADS="7", OPENBLAS_NUM_THREADS="7")
    done = run(copy, tmp_path / "run", "--", "probe.json", env=env)
    assert done.returncode == 0, done.stdout
    pools, numba_threads = json.loads((tmp_path / "run" / "probe.json").read_text())
    assert pools and set(pools) == {1} and numba_threads == 1
