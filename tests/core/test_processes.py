"""Work divided between processes: in order, and ended with the one that started them."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest
from contrast_subgraphs import InputError
from contrast_subgraphs.core.processes import (
    check_jobs,
    end_with_parent,
    mapped,
    run_with_signals,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="one process elsewhere")


@pytest.mark.parametrize("processes", [1, 3])
def test_results_come_in_order(processes):
    offset = 10  # a closure cannot be pickled
    results = list(mapped(lambda item: (item + offset, os.getpid()), range(20), processes))
    assert [value for value, _ in results] == list(range(10, 30))
    assert (os.getpid() in {process for _, process in results}) == (processes == 1)


def test_an_error_reaches_the_caller():
    with pytest.raises(ZeroDivisionError):
        list(mapped(lambda item: 1 / item, [1, 0], 2))


def test_a_killed_process_ends_the_work():
    with pytest.raises(BrokenProcessPool):
        list(mapped(lambda item: os.kill(os.getpid(), signal.SIGKILL), range(4), 2))


def test_they_end_with_the_one_that_started_them(root, tmp_path):
    code = (
        "import os, sys, time; sys.path.insert(0, 'workflow')\n"
        "from contrast_subgraphs.core.processes import mapped\n"
        "def work(item):\n"
        "    open(f'{sys.argv[1]}/{os.getpid()}', 'w').close(); time.sleep(600)\n"
        "list(mapped(work, range(2), 2))\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], cwd=root)
    end = time.monotonic() + 60
    while len(found := [int(path.name) for path in tmp_path.iterdir()]) < 2:
        assert time.monotonic() < end
        time.sleep(0.05)
    parent.kill()
    parent.wait()
    while any(_runs(process) for process in found):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_one_whose_starter_is_gone_already_ends_at_once():
    """Killed before its first lines, the starter can send no signal any more."""

    def status_of_child(ancestor):
        process = os.fork()
        if not process:
            end_with_parent(ancestor)
            os._exit(7)
        return os.waitpid(process, 0)[1]

    assert os.waitstatus_to_exitcode(status_of_child(os.getpid())) == 7
    assert os.waitstatus_to_exitcode(status_of_child(os.getppid())) == 7
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert os.waitstatus_to_exitcode(status_of_child(gone.pid)) == -signal.SIGKILL


def _runs(process):
    try:
        return " Z " not in (Path("/proc") / str(process) / "stat").read_text()
    except OSError:
        return False


#: Starts a child that says which signal it got, then ends with a code of its own.
_HANDS_ON = """
import sys; sys.path.insert(0, 'workflow')
from contrast_subgraphs import InputError
from contrast_subgraphs.core.processes import (
    check_jobs,
    end_with_parent,
    mapped,
    run_with_signals,
)
child = '''
import os, signal, sys, time
def end(number, frame):
    time.sleep(0.3)
    # A print here may come within the one below, which Python does not allow.
    os.write(1, (signal.Signals(number).name + chr(10)).encode())
    raise SystemExit(7)
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, end)
os.write(1, b'ready' + bytes([10]))
time.sleep(600)
'''
code = run_with_signals([sys.executable, '-c', child])
print('code', code, flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_goes_on_and_the_end_is_waited_for(root, number):
    command = [sys.executable, "-c", _HANDS_ON]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        assert process.stdout.read() == "SIGINT\ncode 7\n"


def test_a_command_ends_when_the_one_that_started_it_is_killed(root):
    command = [sys.executable, "-c", _HANDS_ON]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        process.kill()
        assert process.stdout.read() == "SIGINT\n"


def test_a_command_that_a_signal_ends_has_a_shell_s_code():
    kill = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    assert run_with_signals([sys.executable, "-c", kill]) == 137


@pytest.mark.parametrize("n_jobs", [0, 1.5, True, "all"])
def test_strange_numbers_of_jobs_are_refused(n_jobs):
    with pytest.raises(InputError, match="n_jobs must be a whole number"):
        check_jobs(n_jobs)


def test_minus_one_and_none_are_all_cores():
    cores = len(os.sched_getaffinity(0))
    assert check_jobs(-1) == check_jobs(None) == cores
    assert check_jobs(-2) == max(1, cores - 1) and check_jobs(-1000) == 1 and check_jobs(7) == 7
