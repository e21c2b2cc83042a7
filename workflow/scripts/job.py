"""What every script starts with: its log, its threads, its errors.

The first line of a script is ``from job import job``, before anything heavy, so that
numerical libraries see how many threads they may use.
"""

import contextlib
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


@contextlib.contextmanager
def job(snakemake):
    """Run a script's work: output to the rule's log, one clear line for a bad input.

    Parameters
    ----------
    snakemake : object
        What Snakemake hands to the script.
    """
    for library in ("OMP", "OPENBLAS", "MKL", "NUMBA", "BLIS"):
        os.environ[f"{library}_NUM_THREADS"] = str(snakemake.threads)
    from contrast_subgraphs.errors import InputError

    log = Path(snakemake.log[0])
    log.parent.mkdir(parents=True, exist_ok=True)
    name = " ".join([snakemake.rule, *map(str, snakemake.wildcards)])
    with open(log, "w", encoding="utf-8", buffering=1) as file:
        output = _Log(file, sys.stderr, name)
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            warnings.showwarning = _short_warning
            try:
                yield
                return
            except InputError as error:
                print(f"error: {error}", file=file)
                message = f"error: {error}"
            except MemoryError:
                traceback.print_exc(file=file)
                message = "error: not enough memory; see --resources mem_mb and the log"
            except OSError as error:
                traceback.print_exc(file=file)
                message = f"error: {error}"
                if error.errno == 28:
                    message = (
                        f"error: no space left on the disk ({error.filename or 'output'}): free "
                        "some and run the same command again; what is finished is kept"
                    )
            except BaseException:
                traceback.print_exc(file=file)
                message = f"error: rule {snakemake.rule} failed; the log {log} says where"
    print(message, file=sys.stderr, flush=True)
    # No traceback of this file: the message is the error.
    os._exit(1)


def resource(known):
    """Return the path of a file of ``workflow/resources`` (what `resource` in common.smk gave)."""
    return ROOT / "workflow" / "resources" / known["file"] if known else None


class _Log:
    """The log file; of a progress bar a line now and then, on the terminal too."""

    every = 15  # seconds

    def __init__(self, file, terminal, name):
        self.file, self.terminal, self.name = file, terminal, name
        self.last = time.monotonic()

    def write(self, text):
        if not text.startswith("\r"):
            return self.file.write(text)
        bar = text.strip()
        if bar and time.monotonic() - self.last >= self.every:
            self.last = time.monotonic()
            self.file.write(bar + "\n")
            print(f"{self.name}: {bar}", file=self.terminal, flush=True)
        return len(text)

    def flush(self):
        self.file.flush()

    def isatty(self):
        return False


def _short_warning(message, category, filename, lineno, file=None, line=None):
    print(f"warning: {message}", file=file or sys.stderr)
