"""Several processes that share what is in memory, and end together."""

import ctypes
import multiprocessing
import os
import signal
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

_function = None


def end_with_parent(ancestor=0):
    """Let the system end this process when the one that started it is killed (Linux).

    Otherwise it would go on unseen.

    Parameters
    ----------
    ancestor : int, optional
        Id of a process from which this one must descend. Where it does not any more, that
        process was killed before this function was called, and this one ends at once.
    """
    if sys.platform != "linux":
        return
    set_signal_of_parents_death = 1
    ctypes.CDLL(None).prctl(set_signal_of_parents_death, signal.SIGKILL)
    # From here on the system takes care. What happened before must be looked up.
    if ancestor and ancestor not in _ancestors():
        os.kill(os.getpid(), signal.SIGKILL)


def _ancestors():
    """Yield the ids of the processes that this one descends from, nearest first."""
    process = os.getppid()
    while process:
        yield process
        # Field 4 of "id (name) state parent ..."; the name may hold anything.
        try:
            status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:  # it has just ended
            return
        process = int(status.rpartition(")")[2].split()[1])


def mapped(function, items, processes):
    """Yield ``function(item)`` in order, computed by several processes.

    Parameters
    ----------
    function : callable
        Need not be pickled: the processes are forked and share its memory. Where systems
        do not fork, or not safely (macOS), one process does all.
    items : iterable
    processes : int

    Yields
    ------
    object

    Raises
    ------
    concurrent.futures.process.BrokenProcessPool
        If a process is killed, for example for want of memory.
    """
    if processes == 1 or sys.platform != "linux":
        yield from map(function, items)
        return
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(processes, fork, _start, (function, os.getpid())) as pool:
        yield from pool.map(_call, items)


def _start(function, parent):
    global _function
    end_with_parent(parent)
    _function = function


def _call(item):
    return _function(item)
