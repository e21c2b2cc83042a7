"""Killed at random moments elsewhere, on a full disk, twice at once: the same bytes.

`SURVIVAL_KILLS=20 python -m pytest tests/workflow/test_kill_safety.py` kills twenty times
instead of three.
"""

import os
import re
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest
from workflow_runs import (
    FINISHED,
    RESULTS,
    Running,
    assert_same_results,
    copy_checkout,
    copy_run,
    digests,
    environment,
    planned,
    remains,
    run,
)

KILLS = int(os.environ.get("SURVIVAL_KILLS", 3))


@pytest.mark.slow
def test_killed_again_and_again_elsewhere_it_comes_to_the_same_results(
    checkout, small_run, tmp_path
):
    """Kill Snakemake or one of its jobs at random moments, run again, compare all bytes.

    The run differs in everything that must not matter: number of cores, folder, locale,
    time zone, order of hashes. Slow: all of the small run once more, parts of it twice.
    """
    rng = np.random.default_rng(8)
    elsewhere = tmp_path / "an other plåce"
    checkout, folder = copy_checkout(checkout, elsewhere / "code"), elsewhere / "run"
    env = environment(
        LC_ALL="C",
        LANG=None,
        LANGUAGE=None,
        TZ="Pacific/Chatham",
        PYTHONHASHSEED="1",
        OMP_NUM_THREADS="3",
        COLUMNS="40",
    )
    said = (small_run / "run.txt").read_text(encoding="utf-8")
    total = len(FINISHED.findall(said))
    moments = np.sort(rng.integers(0, total - 2, KILLS))
    victims = rng.permutation(["snakemake", "job"] * ((KILLS + 1) // 2))[:KILLS]
    done, told = 0, False
    for turn, (moment, victim) in enumerate(zip(moments, victims, strict=True)):
        running = Running(checkout, folder, cores=1 + turn % 2, env=env)
        running.wait_for(lambda: running.finished + done >= moment)  # noqa: B023
        if victim == "job":
            running.wait_for(running.jobs)
        time.sleep(rng.uniform(0, 2))
        jobs = running.jobs()
        if victim == "job" and jobs:
            os.kill(int(rng.choice(jobs)), signal.SIGKILL)
        else:
            running.process.kill()
        running.output()
        assert running.process.returncode != 0 or (folder / RESULTS / "report.html").exists()
        done += running.finished
        assert running.wait_for(lambda: not running.jobs(), 20) or not running.jobs()  # noqa: B023
        if list((folder / ".snakemake" / "locks").glob("*")):
            if not told:  # the way out is said where the lock is met
                again = run(checkout, folder)
                assert again.returncode != 0 and "--unlock" in again.stdout
                told = True
            assert run(checkout, folder, "--unlock").returncode == 0
    completed = run(checkout, folder, cores=1, env=env)
    assert completed.returncode == 0, completed.stdout
    assert_same_results(folder / RESULTS, small_run / RESULTS)
    assert not remains(folder)
    assert planned(checkout, folder)[0] == {}


def test_a_full_disk_is_named_and_nothing_half_made_is_kept(checkout, small_run, tmp_path):
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can make a small disk")
    disk, target = tmp_path / "disk", RESULTS / "contrast" / "male" / "td-asd.json"
    disk.mkdir()
    # Room for the simulated release and a few sites.
    size = sum(path.stat().st_size for path in (small_run / RESULTS / "data").rglob("*"))
    options = f"size={int(size * 0.96) // 1024}k"
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(disk)], capture_output=True, text=True
    )
    if made.returncode:
        pytest.skip(f"no small disk here: {made.stderr}")
    try:
        done = run(checkout, disk, "--", target)
        assert done.returncode != 0
        said = re.findall(r"^error: no space left on the disk.*", done.stdout, flags=re.M)
        assert said and "run the same command again" in said[0], done.stdout
        finished = digests(disk / RESULTS, lambda name: not name.startswith("data/release"))
        expected = digests(small_run / RESULTS)
        half_made = {name for name in finished if finished[name] != expected[name]}
        assert finished and not half_made and not remains(disk)

        subprocess.run(["mount", "-o", "remount,size=1g", str(disk)], check=True)
        done = run(checkout, disk, "--", target)
        assert done.returncode == 0, done.stdout
        finished = digests(disk / RESULTS)
        assert finished == {name: expected[name] for name in finished}
        assert "contrast/male/td-asd.json" in finished
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def test_a_second_run_in_the_same_folder_says_so_and_does_no_harm(checkout, small_run, tmp_path):
    folder = copy_run(small_run, tmp_path / "run")
    target = RESULTS / "evaluation" / "nested" / "male" / "cs-p2.csv"
    (folder / target).unlink()
    first = Running(checkout, folder, "--", target)
    assert first.wait_for(first.jobs)
    jobs = first.jobs()
    for job in jobs:  # so that they are at work as long as the second tries
        os.kill(job, signal.SIGSTOP)
    second = run(checkout, folder)
    for job in jobs:
        os.kill(job, signal.SIGCONT)
    assert second.returncode != 0
    assert "Directory cannot be locked" in second.stdout and "--unlock" in second.stdout
    output = first.output()
    assert first.process.returncode == 0, output
    ours, theirs = digests(folder / RESULTS), digests(small_run / RESULTS)
    stability = str(target.relative_to(RESULTS)).replace(".csv", ".stability.csv")
    assert ours == theirs and stability in ours


def test_what_killed_writers_left_is_cleared_away(checkout, small_run, tmp_path):
    folder = copy_run(small_run, tmp_path / "run")
    target = folder / RESULTS / "evaluation" / "splits" / "male.csv"
    target.unlink()
    left = [target.with_name(name) for name in (".male.123.part.csv", ".children.123.part.csv")]
    for path in left:
        path.write_text("cut", encoding="utf-8")
    done = run(checkout, folder, "--", target.relative_to(folder))
    assert done.returncode == 0, done.stdout
    # That of another file may be somebody's who is at work.
    assert [path.exists() for path in left] == [False, True]
