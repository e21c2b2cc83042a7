"""Several processes that share what is in memory, and end together."""

import contextvars
import ctypes
import multiprocessing
import os
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from numbers import Integral
from pathlib import Path
from typing import Any

from .errors import InputError

_function = None


def end_with_parent(ancestor=0, by=None):
    """Let the system end this process when the one that started it is killed (Linux).

    `ancestor`: a process from which this one must descend; if it does not, it ends at once; `by`:
    the signal that ends it, by default SIGKILL.
    """
    if sys.platform != "linux":
        return
    # Not as the argument's default: Windows has no such signal, and could not import this module.
    if by is None:
        by = signal.SIGKILL
    # 1 is PR_SET_PDEATHSIG: the signal comes when the parent ends, from here on.
    ctypes.CDLL(None).prctl(1, by)
    # The parent may have ended before the line above, and then no signal ever comes.
    if ancestor and ancestor not in _ancestors():
        os.kill(os.getpid(), signal.SIGKILL)


def run_with_signals(command, env=None):
    """Run a command to its end, and interrupt it where this process is told to stop.

    Whoever stops this process (Ctrl-C, ``kill``, a closed terminal) means the command. It is a
    process group of its own, so that a terminal's Ctrl-C reaches it once, from here; and if this
    process is killed, it is interrupted by the system (Linux).

    Every signal is handed on as an interrupt: at a SIGTERM Snakemake can wait forever, since its
    handler asks for a lock that the interrupted thread may hold.

    Parameters
    ----------
    command : list of str
        The program and its arguments.
    env : mapping, optional
        Its environment; by default that of this process.

    Returns
    -------
    int
        Its exit code; if a signal ended it, 128 plus the number of the signal, as in a shell.

    Examples
    --------
    >>> run_with_signals([sys.executable, "-c", "raise SystemExit(3)"])
    3
    """
    # On Windows a console's Ctrl-C reaches both, and there is no SIGTERM.
    if os.name != "posix":
        return subprocess.run(command, env=env, check=False).returncode
    process = subprocess.Popen(
        command,
        env=env,
        process_group=0,
        preexec_fn=_can_be_interrupted,
    )
    before = {
        number: signal.signal(number, lambda *_: process.send_signal(signal.SIGINT))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    try:
        code = process.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if code >= 0:
        return code
    return 128 - code


def _can_be_interrupted():
    """Let an interrupt end this process, also in the background of a shell, which ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    end_with_parent(by=signal.SIGINT)


def _ancestors():
    """Yield the ids of the processes that this one descends from, nearest first."""
    process = os.getppid()
    while process:
        yield process
        # Field 4 of "id (name) state parent ..."; the name may hold anything.
        try:
            status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            # It has just ended.
            return
        process = int(status.rpartition(")")[2].split()[1])


#: Seconds between two bars that a long loop writes to stderr; None: it writes none.
_every = contextvars.ContextVar("every", default=None)


def show_progress(shown=True, every=0.1):
    """Let `progress` show bars from here on, or none.

    `every`: seconds from one to the next. In a log, where a bar cannot move, each is a line.
    """
    if not shown:
        every = None
    _every.set(every)


def progress(items, what, total=None):
    """Return the items; if asked for, a bar shows after two seconds how long they take."""
    from tqdm import tqdm

    every = _every.get()
    if every is None or not what:
        return items
    return tqdm(items, what, total, delay=2, leave=False, mininterval=every)


def check_jobs(n_jobs: Any) -> int:
    """Return how many processes are meant: -1 or None means one for each core.

    As in scikit-learn -2 leaves one core free, and so on. Results are the same with any number.

    Examples
    --------
    >>> check_jobs(3), check_jobs(-1) == check_jobs(None)
    (3, True)
    """
    if n_jobs is None:
        n_jobs = -1
    whole = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool)
    if not whole or n_jobs == 0:
        raise InputError(
            f"n_jobs must be a whole number of at least 1, or -1 (or None) for all cores, "
            f"not {n_jobs!r}"
        )
    if n_jobs > 0:
        return int(n_jobs)
    return max(1, _cores() + 1 + int(n_jobs))


def _cores():
    """Return how many cores this process may use, which a cluster's job may limit."""
    # Linux: what the job was given, which on a cluster is less than the machine has.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def mapped(function, items, processes, what=None):
    """Yield ``function(item)`` in order, by forked processes, which share the function's memory.

    Where a system does not fork, or not safely (macOS), one process does all. `what`: see
    `progress`.
    """
    items = list(items)
    if processes == 1 or sys.platform != "linux":
        done = map(function, items)
        yield from progress(done, what, len(items))
        return
    # Forked processes see the matrices of this one without a copy; others would unpickle them.
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(processes, fork, _start, (function, os.getpid())) as pool:
        done = pool.map(_call, items)
        yield from progress(done, what, len(items))


def _start(function, parent):
    global _function
    end_with_parent(parent)
    _function = function


def _call(item):
    return _function(item)
