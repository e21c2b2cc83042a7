"""What every script starts with: logs, warnings, one line for an error."""

import subprocess
import sys

import pytest

SCRIPT = """
import sys, types, warnings
sys.path.insert(0, {scripts!r})
snakemake = types.SimpleNamespace(
    rule="rule", wildcards=["x"], threads=1, output=[], log=[{log!r}]
)
from job import job
with job(snakemake):
    from contrast_subgraphs.core.errors import InputError
    {work}
"""


@pytest.fixture
def run_job(root, tmp_path):
    def run(work):
        log = tmp_path / "logs" / "x.log"
        text = SCRIPT.format(scripts=str(root / "workflow" / "scripts"), log=str(log), work=work)
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
        return done, log

    return run


def test_a_warning_is_told_once_and_recorded(run_job):
    done, log = run_job("for i in range(3): warnings.warn(f'site\\nA {i % 2}', stacklevel=2)")
    assert done.returncode == 0
    assert done.stderr.splitlines() == ["warning: site A 0 (rule x)", "warning: site A 1 (rule x)"]
    assert log.read_text().splitlines() == ["warning: site A 0", "warning: site A 1"]
    record = log.with_suffix(".warnings").read_text(encoding="utf-8")
    assert record.splitlines() == ["site A 0", "site A 1"]


def test_the_record_leaves_room_for_the_noun_for_people(run_job):
    """The page puts the config's there, and a library's own class of warnings is not for users."""
    work = (
        "from contrast_subgraphs.core.data_warnings import PEOPLE, DataWarning; "
        "warnings.warn(DataWarning(PEOPLE.join(['3 ', ' lack age']))); "
        "warnings.warn('no convergence', type('Own', (UserWarning,), {}))"
    )
    done, log = run_job(work)
    assert done.stderr.splitlines() == ["warning: 3 people lack age (rule x)"]
    assert log.with_suffix(".warnings").read_text().splitlines() == ["3 {people} lack age"]
    assert "3 people lack age\nwarning: no convergence" in log.read_text()


def test_what_libraries_say_of_themselves_stays_in_the_log(run_job):
    done, log = run_job("warnings.warn('changes in 2.0', FutureWarning)")
    assert done.stderr == "" and "changes in 2.0" in log.read_text()
    assert not log.with_suffix(".warnings").exists()


def test_the_record_is_that_of_the_last_run(run_job):
    run_job("warnings.warn('old')")
    _, log = run_job("pass")
    assert not log.with_suffix(".warnings").exists()


@pytest.mark.parametrize(
    ("work", "says"),
    [
        ("raise InputError('no such file: give another')", "no such file: give another"),
        ("raise KeyError('a')", "rule rule failed (KeyError: 'a')"),
        ("raise KeyboardInterrupt", "interrupted; run the same command again to resume"),
        ("raise OSError(28, 'No space left on device')", "no space left on the disk (output)"),
    ],
)
def test_an_error_is_one_line(run_job, work, says):
    done, log = run_job(work)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    (line,) = [line for line in log.read_text().splitlines() if line.startswith("error: ")]
    assert line.startswith(f"error: {says}")


def test_what_is_registered_for_the_end_is_done_after_an_error(run_job, tmp_path):
    """Nothing is cut short: buffers are written, temporary folders are removed."""
    work = f"import atexit; atexit.register(open, {str(tmp_path / 'done')!r}, 'w'); 1 / 0"
    assert run_job(work)[0].returncode == 1
    assert (tmp_path / "done").exists()
