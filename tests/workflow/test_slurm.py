"""A small run on a real Slurm on this machine: the same bytes, failures shown, gone on with."""

import contextlib
import os
import re
import signal
import subprocess
import time

import pytest
import yaml
from workflow_runs import (
    RESULTS,
    Running,
    copy_checkout,
    copy_run,
    digests,
    environment,
    planned,
    run,
)

PROFILE = ("--workflow-profile", "profiles/slurm")
#: What the tests change of the profile: they cannot wait as long as a cluster lets one.
IMPATIENT = (
    *("--slurm-init-seconds-before-status-checks", 1, "--seconds-between-status-checks", 1),
    *("--latency-wait", 5),
)
#: The rules whose jobs are worth a place in the queue. All others are short.
SUBMITTED = {
    "simulate",
    "contrast_subgraphs",
    "permutation_test",
    "embedding",
    "evaluate",
    "evaluate_with_stability",
    "paper_rules",
}


@pytest.fixture(scope="module")
def slurm(root, tmp_path_factory):
    """The environment in which Slurm's commands talk to a Slurm of this test."""
    if os.geteuid() != 0:
        pytest.skip("Slurm's daemons must be started by root")
    folder = tmp_path_factory.mktemp("slurm")
    start = [str(root / "tests" / "slurm" / "start.sh"), str(folder)]
    done = subprocess.run(start, capture_output=True, text=True, timeout=60)
    try:
        if done.returncode:
            pytest.skip(f"no Slurm here: {done.stderr.strip()} (see .ci/run)")
        impatient = str(root / "tests" / "slurm" / "impatient")
        yield environment(SLURM_CONF=str(folder / "slurm.conf"), PYTHONPATH=impatient)
    finally:
        subprocess.run([*start, "stop"], check=True)


def queue(env):
    """Return the ids of the jobs that wait or run."""
    done = subprocess.run(
        ["squeue", "--noheader", "--format=%i"], env=env, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.mark.slow
def test_one_cohort_gives_the_same_bytes_as_locally(checkout, small_run, slurm, tmp_path):
    """Its head process is interrupted on the way: its jobs are cancelled and it goes on.

    Slow: each job starts a Snakemake of its own, and waits for its place in the queue.
    """
    folder = tmp_path / "run"
    tables = [RESULTS / "tables" / f"{name}.csv" for name in ("accuracy", "rules", "significance")]
    what = ("--config", "cohorts={male: null}", "methods=[cs-p1, cs-p2, wl-kern]", "--", *tables)
    first = Running(checkout, folder, *PROFILE, *IMPATIENT, *what, env=slurm)
    assert first.wait_for(lambda: queue(slurm) and first.finished > 12)
    for _ in range(6):  # one that comes at a bad moment is lost in Python
        first.process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            first.process.wait(timeout=10)
            break
    output = first.output()
    assert first.process.returncode != 0, output
    end = time.monotonic() + 120
    while queue(slurm):
        assert time.monotonic() < end, "its jobs were not cancelled"
        time.sleep(1)

    second = run(checkout, folder, *PROFILE, *IMPATIENT, *what, env=slurm)
    assert second.returncode == 0, second.stdout
    # What depends on which cohorts there are is not that of the run with two.
    of_all = (".would_find.csv", ".others.csv")
    ours = digests(folder / RESULTS, lambda name: "/children" in name and not name.endswith(of_all))
    assert len(ours) > 20 and ours.items() <= digests(small_run / RESULTS).items()
    assert planned(checkout, folder, *what)[0] == {}

    both = "".join(first.lines) + second.stdout
    submitted = set(
        re.findall(
            r"Job \d+ has been submitted with SLURM jobid \d+ \(log: .*/slurm_logs/rule_(\w+)/",
            both,
        )
    )
    assert submitted == SUBMITTED


def test_a_failed_job_shows_its_log(checkout, small_run, slurm, tmp_path):
    folder = copy_run(small_run, tmp_path / "run")
    damaged = RESULTS / "graphs" / "male.npz"
    (folder / damaged).write_bytes(b"PK")
    target = RESULTS / "contrast" / "male" / "td-asd.json"
    done = run(checkout, folder, *PROFILE, *IMPATIENT, "--", target, env=slurm)
    assert done.returncode != 0
    said = re.findall(r"^error: .*$", done.stdout, flags=re.M)
    assert len(said) == 1 and f"{damaged} is damaged" in said[0], done.stdout
    (folder / damaged).unlink()
    done = run(checkout, folder, *PROFILE, *IMPATIENT, "--", target, env=slurm)
    assert done.returncode == 0, done.stdout
    assert digests(folder / RESULTS) == digests(small_run / RESULTS)


def test_a_cancelled_job_fails_and_the_run_can_go_on(checkout, small_run, slurm, tmp_path):
    folder = copy_run(small_run, tmp_path / "run")
    copy = copy_checkout(checkout, tmp_path / "copy")
    script = copy / "workflow" / "scripts" / "evaluate.py"
    text = script.read_text(encoding="utf-8")
    script.write_text(text.replace("with job", "import time\n\ntime.sleep(600)\nwith job"), "utf-8")
    target = RESULTS / "evaluation" / "nested" / "male" / "edges.csv"
    (folder / target).unlink()
    running = Running(copy, folder, *PROFILE, *IMPATIENT, "--", target, env=slurm)
    assert running.wait_for(lambda: queue(slurm))
    subprocess.run(["scancel", *queue(slurm)], env=slurm, check=True)
    output = running.output()
    assert running.process.returncode != 0 and "CANCELLED" in output, output
    done = run(checkout, folder, *PROFILE, *IMPATIENT, "--", target, env=slurm)
    assert done.returncode == 0, done.stdout
    assert digests(folder / RESULTS) == digests(small_run / RESULTS)


def test_the_profile_is_the_default_one_and_more(root):
    profiles = {
        name: yaml.safe_load((root / "profiles" / name / "profile.yaml").read_text("utf-8"))
        for name in ("default", "slurm")
    }
    assert profiles["slurm"].items() >= profiles["default"].items()
    assert profiles["slurm"]["slurm-status-command"] == "squeue"


def test_the_jobs_that_are_submitted_say_what_they_need(checkout):
    """Memory, time and threads of every submitted rule are its own, not the defaults."""
    for file in ("data", "contrast", "inference", "embeddings", "evaluation"):
        text = (checkout / "workflow" / "rules" / f"{file}.smk").read_text(encoding="utf-8")
        for rule in re.findall(
            r"^ *rule (\w+):\n(.*?)(?=^ *(?:rule|use|ruleorder)\b|\Z)", text, re.M | re.S
        ):
            if rule[0] in SUBMITTED:
                assert "mem_mb=" in rule[1] and "runtime=" in rule[1], rule[0]
