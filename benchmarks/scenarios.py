"""What the studies of made-up data sets share: scenarios by name, their number, and cores."""

import argparse
import contextlib
import warnings

from threadpoolctl import threadpool_limits


def parser(description, sets):
    """Return a parser with the options of a study; `sets` is the default number of data sets."""
    made = argparse.ArgumentParser(description=description.split("\n")[0])
    made.add_argument("scenarios", nargs="*", help="part of their names")
    made.add_argument("--sets", type=int, default=sets)
    made.add_argument("--cores", type=int, default=1)
    return made


def asked(scenarios, parts):
    """Return the names of the scenarios that have one of the parts, or all of them."""
    return [name for name in scenarios if not parts or any(part in name for part in parts)]


@contextlib.contextmanager
def quiet():
    """One thread, and no warnings: made-up data sets have faults on purpose."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
