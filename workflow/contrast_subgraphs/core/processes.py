"""Several processes that share what is in memory, and end together."""

import ctypes
import multiprocessing
import signal
import sys
from concurrent.futures import ProcessPoolExecutor

_function = None


def end_with_parent():
    """Let the system end this process when the one that started it is killed (Linux).

    Otherwise it would go on unseen.
    """
    if sys.platform == "linux":
        set_signal_of_parents_death = 1
        ctypes.CDLL(None).prctl(set_signal_of_parents_death, signal.SIGKILL)


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
    with ProcessPoolExecutor(processes, fork, _start, (function,)) as pool:
        yield from pool.map(_call, items)


def _start(function):
    global _function
    end_with_parent()
    _function = function


def _call(item):
    return _function(item)
