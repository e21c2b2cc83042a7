"""Runs of the workflow for the tests: a copy of the checkout, the small run, comparisons.

The copy makes the tests blind to edits meanwhile and lets them edit code. Compiled
functions are copied too, so that nothing is compiled twice. Most runs are forks of a process
that has imported Snakemake, which takes longer than to plan a run; the small run is not.
"""

import hashlib
import json
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock

ROOT = Path(__file__).resolve().parents[2]
SMALL = "tests/config/small.yaml"
RESULTS = Path("results/simulated")
#: The line of a finished job on the terminal.
FINISHED = re.compile(r"^ *\d+ of \d+  ", re.M)
#: Results that hold times, which no two runs share (docs/running.md lists them).
TIMES = re.compile(r"^(logs|benchmarks)/|\.seconds\.csv(\.sha256)?$|^tables/\.?(runtime|solver)\.")
#: The parts of the page that show those tables.
TIMED_PARTS = re.compile(
    r'<p class="caption" id="table-(?:runtime|solver)-caption">.*?</table>', re.S
)


@pytest.fixture(scope="session")
def checkout(tmp_path_factory):
    """A copy of what the workflow needs of the checkout; not to be edited."""
    folder = shared_folder(tmp_path_factory)
    with FileLock(folder / "checkout.lock"):
        copy = folder / "contrast-subgraphs"
        if not copy.exists():
            copy_checkout(ROOT, copy)
            copy.with_suffix(".json").write_text(json.dumps(listing(copy)), encoding="utf-8")
        return copy


@pytest.fixture(scope="session")
def small_run(checkout, tmp_path_factory):
    """Folder of a finished run of the small config; not to be changed."""
    folder = shared_folder(tmp_path_factory) / "small"
    with FileLock(f"{folder}.lock"):
        if not (folder / "run.txt").exists():
            done = run(checkout, folder, env=environment())
            assert done.returncode == 0, done.stdout
            (folder / "run.txt").write_text(done.stdout, encoding="utf-8")
    return folder


def shared_folder(tmp_path_factory):
    """Return a folder that all processes of a test session (pytest-xdist) share."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


def copy_checkout(source, target):
    """Copy the workflow with its compiled functions; return the copy's folder."""
    target.mkdir(parents=True)
    for name in ("Snakefile", "config.yaml"):
        shutil.copy2(source / name, target)
    for name in ("workflow", "profiles", "envs", "examples", "tests/config"):
        shutil.copytree(source / name, target / name)
    # numba calls the folders of its machine code after those of the sources.
    package = Path("workflow", "contrast_subgraphs")
    calls = {_numba_name(p): p.relative_to(source) for p in (source / package).rglob("*/")}
    for made in (target / package / "__pycache__").glob("*-kernels-*/*"):
        if made.name in calls:
            made.rename(made.with_name(_numba_name(target / calls[made.name])))
    return target


def _numba_name(folder):
    return f"{folder.name}_{hashlib.sha1(str(folder).encode()).hexdigest()}"


def listing(folder):
    """Return ``{file: date}`` of all that lies in a checkout, but for what Python caches there."""
    return {
        path.relative_to(folder).as_posix(): path.stat().st_mtime_ns
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def command(folder, *arguments, configs=(SMALL,), cores=2):
    """Return the command line of a run in `folder`."""
    overlays = ["--configfile", *map(str, configs)] if configs else []
    base = [sys.executable, "-m", "snakemake", "--directory", str(folder)]
    return [*base, *overlays, "--cores", str(cores), *map(str, arguments)]


def environment(**changes):
    """Return the environment of a run; a change to None takes a variable away."""
    values = os.environ | {"PYTHONUNBUFFERED": "1"} | changes
    return {name: value for name, value in values.items() if value is not None}


def run(checkout, folder, *arguments, configs=(SMALL,), cores=2, env=None):
    """Run Snakemake and wait; its output and errors together are ``stdout``.

    Without an `env` of its own, in a fork of a process that has imported it.
    """
    asked = command(folder, *arguments, configs=configs, cores=cores)
    with tempfile.TemporaryDirectory() as place, open(Path(place, "said.txt"), "w+b") as said:
        if env is None:
            given = asked[3:], checkout, environment(), said.name
            process = FORKS.Process(target=_snakemake, args=given)
            process.start()
            process.join(1800)
            code = process.exitcode
        else:
            options = {"cwd": checkout, "env": env, "stderr": subprocess.STDOUT, "timeout": 1800}
            code = subprocess.run(asked, stdout=said, **options).returncode
        output = Path(said.name).read_text(encoding="utf-8", errors="replace")
    assert code is not None, output
    return subprocess.CompletedProcess(asked, code, output)


FORKS = multiprocessing.get_context("forkserver")
# What every run imports, but for the library: that of the copy may be edited.
FORKS.set_forkserver_preload(
    [
        *("snakemake.cli", "snakemake.profiles", "snakemake.report.html_reporter"),
        *("snakemake.storage", "smart_open", "tqdm", "multiprocessing.synchronize"),
        *("pandas", "yaml", "jsonschema"),
    ]
)


def _snakemake(arguments, checkout, env, said):
    """Do what ``python -m snakemake`` does, in this process."""
    with open(said, "ab") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.chdir(checkout)
    os.environ.clear()
    os.environ.update(env)
    from snakemake.cli import main

    try:
        main(arguments)
    finally:
        # Snakemake would look for jobs once more, a second after the last one has ended.
        for thread in threading.enumerate():
            if isinstance(thread, threading.Timer):
                thread.cancel()


def _interruptible():
    """Take interrupts also where the tests themselves run in the background of a shell."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Running:
    """A run in the background, whose output is read as it comes."""

    def __init__(self, checkout, folder, *arguments, cores=2, env=None):
        self.folder = folder
        self.process = subprocess.Popen(
            command(folder, *arguments, cores=cores),
            cwd=checkout,
            env=env or environment(),
            preexec_fn=_interruptible,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        self.lines = []
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line)

    @property
    def finished(self):
        """Number of jobs that have finished."""
        return sum(FINISHED.match(line) is not None for line in self.lines)

    def jobs(self):
        """Process ids of the jobs that run."""
        scripts = str(self.folder / ".snakemake" / "scripts")
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and scripts in (entry / "cmdline").read_text():
                    found.append(int(entry.name))
            except OSError:  # it has just ended
                continue
        return found

    def wait_for(self, condition, seconds=600):
        """Wait until the condition holds or the run ends; tell whether it holds."""
        end = time.monotonic() + seconds
        while not (held := condition()) and self.process.poll() is None:
            assert time.monotonic() < end, "".join(self.lines[-50:])
            time.sleep(0.02)
        return held

    def output(self):
        """Wait for the end and return all that was said."""
        try:
            self.process.wait(timeout=1800)
        finally:
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
        self.reader.join(timeout=60)
        return "".join(self.lines)


def planned(checkout, folder, *arguments, configs=(SMALL,)):
    """Return ``{rule: number of jobs}`` of what would run, and the output of the dry-run."""
    done = run(checkout, folder, "--dry-run", *arguments, configs=configs)
    assert done.returncode == 0, done.stdout
    jobs = re.search(r"Job stats:\njob +count\n[- ]+\n(.*?)\ntotal ", done.stdout, re.S)
    if jobs is None:
        assert "Nothing to be done" in done.stdout, done.stdout
        return {}, done.stdout
    counts = dict(line.split() for line in jobs[1].splitlines())
    counts.pop("all", None)
    return {rule: int(count) for rule, count in counts.items()}, done.stdout


def planned_files(checkout, folder, *arguments, configs=(SMALL,)):
    """Return the results that a run would make, below ``results/<source>``."""
    done = run(checkout, folder, "--summary", *arguments, configs=configs)
    assert done.returncode == 0, done.stdout
    table = done.stdout[done.stdout.index("output_file\t") :].splitlines()
    rows = [line.split("\t") for line in table if line.startswith("results/")]
    return {re.sub(r"^results/\w+/", "", row[0]) for row in rows if row[-1] == "update pending"}


def copy_run(source, target):
    """Copy a run with its dates, so that Snakemake finds it finished."""
    shutil.copytree(source, target, symlinks=True)
    return target


def digests(results, compare=lambda name: True):
    """Return ``{file: hash}`` of the results that must be the same in every run."""
    found = {}
    for path in sorted(Path(results).rglob("*")):
        name = path.relative_to(results).as_posix()
        if path.is_file() and not TIMES.search(name) and compare(name):
            content = path.read_bytes()
            if name == "report.html":
                text, parts = TIMED_PARTS.subn("", content.decode())
                assert parts
                content = text.encode()
            found[name] = hashlib.sha256(content).hexdigest()
    return found


def assert_same_results(results, expected):
    """Fail with the names of the files that differ between two runs."""
    ours, theirs = digests(results), digests(expected)
    differ = sorted(
        name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)
    )
    assert not differ, f"these differ: {', '.join(differ)}"


def remains(folder):
    """Return what writers that were killed have left in a folder."""
    return [path for path in Path(folder).rglob(".*.part*") if ".snakemake" not in path.parts]


def small_archive(path, cohorts=("children", "male"), subjects=30):
    """Write an archive like the authors', with random graphs of 116 regions."""
    rng = np.random.default_rng(0)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for cohort in cohorts:
            for group in ("td", "asd"):
                for _ in range(subjects):
                    graph = np.triu(rng.random((116, 116)) < 0.2, 1).astype(int)
                    text = "\n".join(" ".join(map(str, row)) for row in graph + graph.T)
                    name = f"Site_{len(archive.namelist()):07d}"
                    archive.writestr(f"main/datasets/{cohort}/{group}/{name}.txt", text)
    return path
