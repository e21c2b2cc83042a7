"""What every script starts with: its log, its threads, its errors.

The first line of a script is ``from job import job``, before anything heavy, so that
numerical libraries see how many threads they may use.
"""

import contextlib
import gc
import os
import sys
import time
import traceback
import warnings
from pathlib import Path

#: The checkout, whose library is used, installed or not.
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "workflow"))
# matplotlib must not look for a screen, nor its cache be shared between jobs half-written.
os.environ.setdefault("MPLBACKEND", "Agg")
# Looking for garbage in everything that is imported takes a quarter of a short job's time.
gc.set_threshold(50_000, 20, 50)


@contextlib.contextmanager
def job(snakemake):
    """Run a script's work: output to the rule's log, one clear line for a bad input.

    Parameters
    ----------
    snakemake : object
        What Snakemake hands to the script.
    """
    from contrast_subgraphs.core.processes import end_with_parent, show_progress

    # Otherwise it would go on and write along with the same job of the next run.
    end_with_parent(int(os.environ.get("CONTRAST_SUBGRAPHS_RUN", 0)))
    show_progress()
    for library in ("OMP", "OPENBLAS", "MKL", "NUMBA", "BLIS"):
        os.environ[f"{library}_NUM_THREADS"] = str(snakemake.threads)
    os.environ["VECLIB_MAXIMUM_THREADS"] = str(snakemake.threads)
    from contrast_subgraphs.core.errors import InputError

    name = " ".join([snakemake.rule, *map(str, snakemake.wildcards)])
    try:
        with _open_log(snakemake) as file:
            output = _Log(file, sys.stderr, name)
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
                record = Path(snakemake.log[0]).with_suffix(".warnings")
                record.unlink(missing_ok=True)
                warnings.showwarning = _Warnings(output, record)
                try:
                    yield
                    # Nor is there garbage worth looking for at the end.
                    gc.freeze()
                    return
                except InputError as error:
                    message = str(error)
                except KeyboardInterrupt:
                    message = "interrupted; run the same command again to resume"
                except MemoryError:
                    traceback.print_exc()
                    message = "not enough memory; see --resources mem_mb and the log"
                except OSError as error:
                    traceback.print_exc()
                    message = _of_the_system(error)
                except BaseException as error:
                    traceback.print_exc()
                    message = f"rule {snakemake.rule} failed ({type(error).__name__}: {error})"
                print(f"error: {message}")
            failed = output.failed
    except OSError as error:
        # The error is about the log itself.
        failed, message = True, _of_the_system(error)
    # Snakemake shows the log of a failed job, so say it here only if the log could not be written.
    if failed:
        print(f"error: {message}", file=sys.stderr, flush=True)
    # Without a traceback: the message is the error.
    raise SystemExit(1)


def _open_log(snakemake):
    from contrast_subgraphs.core.atomic_files import remove_remains

    for path in snakemake.output:
        remove_remains(path)
    log = Path(snakemake.log[0])
    log.parent.mkdir(parents=True, exist_ok=True)
    return open(log, "w", encoding="utf-8", buffering=1)


def _of_the_system(error):
    from contrast_subgraphs.core.atomic_files import FULL

    if error.errno in FULL:
        return (
            f"no space left on the disk ({error.filename or 'output'}): free some and run the "
            "same command again; what is finished is kept"
        )
    return str(error)


class _Log:
    """The log file. It gets a line of a progress bar now and then, as the terminal does."""

    # Seconds.
    every = 30

    def __init__(self, file, terminal, name):
        self.file, self.terminal, self.name = file, terminal, name
        self.last = time.monotonic()
        self.failed = False

    def write(self, text):
        # A bar rewrites its line; in a file each state would be a line of its own.
        if not text.startswith("\r"):
            return self._note(text)
        bar = text.strip()
        if bar and time.monotonic() - self.last >= self.every:
            self.last = time.monotonic()
            self._note(bar + "\n")
            print(f"{self.name}: {bar}", file=self.terminal, flush=True)
        return len(text)

    def _note(self, text):
        try:
            self.file.write(text)
        except OSError:
            # The disk is full: the results report it themselves.
            self.failed = True
        return len(text)

    def flush(self):
        with contextlib.suppress(OSError):
            self.file.flush()

    def isatty(self):
        return False


class _Warnings:
    """Warnings in one line, in the log.

    Warnings about the data also go, once, to the terminal and to the record that the page lists.
    """

    def __init__(self, log, record):
        self.log, self.record, self.told = log, record, set()

    def __call__(self, message, category, filename, lineno, file=None, line=None):
        from contrast_subgraphs.core.data_warnings import (
            is_for_the_user,
            text_of,
            with_people,
        )

        text = text_of(message)
        if text in self.told:
            return
        self.told.add(text)
        line = f"warning: {with_people(text)}"
        self.log.write(f"{line}\n")
        if is_for_the_user(category):
            print(f"{line} ({self.log.name})", file=self.log.terminal, flush=True)
            # The record has no noun for people yet: the page names them as the config does.
            # One short write: processes that share the record do not mix their lines.
            with contextlib.suppress(OSError), open(self.record, "a", encoding="utf-8") as file:
                file.write(text + "\n")
