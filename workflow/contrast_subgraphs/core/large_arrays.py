"""Arrays that may not fit in memory are kept in temporary files."""

import mmap
import os
import tempfile

import numpy as np

from .atomic_files import in_single

#: Weights that take more than this share of the machine's memory are kept in a temporary file.
SHARE = 0.25


def stacked_rows(rows, count):
    """Return rows of numbers as one array, in single precision if that changes none.

    It is in a temporary file if it takes more than `SHARE` of the memory.
    """
    for k, row in enumerate(map(in_single, rows)):
        if k == 0:
            stack = _room((count, len(row)), row.dtype)
        elif row.dtype.itemsize > stack.dtype.itemsize:
            # The first rows fitted single precision and this one does not: all become double.
            wider = _room(stack.shape, row.dtype)
            wider[:k] = stack[:k]
            stack = wider
        stack[k] = row
    return stack


def _room(shape, dtype):
    if hasattr(os, "sysconf"):
        pages = os.sysconf("SC_PHYS_PAGES")
    else:
        pages = np.inf
    if np.prod(shape) * dtype.itemsize <= SHARE * pages * mmap.PAGESIZE:
        return np.empty(shape, dtype)
    # The file has no name any more once it is open: the system removes it with the process.
    with tempfile.TemporaryFile() as file:
        return np.memmap(file, dtype, "w+", shape=shape)


def let_go(array):
    """Free the memory of an array that is kept in a file; it is read again where it is needed."""
    # An array, or a view of one, whose memory is in the end that of a file.
    base = array
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        base.madvise(mmap.MADV_DONTNEED)
