"""Compiled functions, and where their machine code is kept.

numba's own cache looks at the file of a function, not at the files of what it calls: after
an edit of a called function in another file, the old machine code would run. Here the code
is kept in a folder named by a hash of all that the function's room imports, so that machine
code never outlives what it was made from.
"""

import contextlib
import functools
import os
import sys
import tempfile
from pathlib import Path

try:
    import fcntl
except ImportError:
    # Not on Windows.
    fcntl = None  # type: ignore[assignment]

from .code_hash import IMPORTS, PACKAGE, files_behind, hash_of


def kernel(function=None, **options):
    """Compile a function with `numba.njit(**options)` at its first call; keep the machine code."""
    if function:
        return Kernel(function, options)
    return functools.partial(Kernel, options=options)


class Kernel:
    """A compiled function. numba, half of a short job's imports, is imported at its first call."""

    # Whether it was said that functions are being compiled, or need not be.
    said = False

    def __init__(self, function, options):
        functools.update_wrapper(self, function)
        self._function = function
        self._options = options

    def __call__(self, *given):
        return self.dispatcher(*given)

    @property
    # How numba sees this function in another compiled one.
    def _numba_type_(self):
        return self.dispatcher._numba_type_

    @functools.cached_property
    def dispatcher(self):
        """What numba makes of the function."""
        import numba

        _say_once()
        function = self._function
        options = self._options
        room = f"{function.__module__}.".split(".")[1]
        if room not in IMPORTS:
            room = "report"
        folder = cache_folder(room)
        if folder is None or not os.path.exists(function.__code__.co_filename):
            return numba.njit(**options)(function)
        # numba reads its setting while it decorates; other packages keep theirs.
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(folder)
        try:
            compiled = numba.njit(cache=True, **options)(function)
        finally:
            numba.config.CACHE_DIR = before
        _compile_once(compiled, folder / f"{function.__module__}.{function.__qualname__}.lock")
        return compiled


def _compile_once(compiled, path):
    """Let one process at a time compile a function; the next ones find its machine code."""
    # With NUMBA_DISABLE_JIT there is nothing to compile, and on Windows no lock.
    if fcntl is None or not hasattr(compiled, "compile"):
        return
    compile_now = compiled.compile
    held = []

    def compile_in_turn(signature):
        with contextlib.ExitStack() as stack:
            # A function that calls itself compiles in the same turn, and would wait for itself.
            if not held:
                # Some file systems have no locks: there, two processes may compile the same.
                with contextlib.suppress(OSError):
                    file = stack.enter_context(open(path, "w"))
                    fcntl.flock(file, fcntl.LOCK_EX)
                held.append(path)
                stack.callback(held.clear)
            return compile_now(signature)

    compiled.compile = compile_in_turn


@functools.cache
def _say_once():
    """Have it said once that functions are being compiled: this delays the first answer."""
    from numba.core import event

    class Said(event.Listener):
        def on_start(self, event):
            module = event.data["dispatcher"].py_func.__module__
            if not Kernel.said and module.startswith("contrast_subgraphs."):
                Kernel.said = True
                print("compiling (once)", file=sys.stderr, flush=True)

        def on_end(self, event): ...

    event.register("numba:compile", Said())


@functools.cache
def cache_folder(room):
    """Return the folder for the machine code of a room: the first that can be written, or None."""
    own = os.environ.get("NUMBA_CACHE_DIR")
    places = []
    if own:
        places = [Path(own)]
    places.append(PACKAGE / "__pycache__")
    # A user without a home has no cache folder.
    with contextlib.suppress(RuntimeError):
        places.append(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"))
    for place in places:
        folder = place / f"contrast-subgraphs-kernels-{hash_of(files_behind(room))}"
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
            return folder
    return None
