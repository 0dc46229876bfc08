"""One word per segment: the exits of a pass that its features close. Set before percolation, cleared after it."""

import numpy as np
from numba import cuda

from ..kernel import kernel
from ..memory import to_device, to_host
from .hold import Streamed

HOLDERS = 1 << 16  # of one node that are marked in parallel


@kernel("int64[::1], int64[::1], uint64[::1], int32[::1], uint64[::1]")
def _mark(begin, end, closed, holders, marks):
    node = cuda.blockIdx.y
    if closed[node] != 0:
        for at in range(begin[node] + cuda.grid(1), end[node], cuda.gridsize(1)):
            cuda.atomic.or_(marks, holders[at], closed[node])


def mark(feature, closed, begins, holders, marks):
    """Close the exits closed[node] (0: none) in the marks of all segments that hold the node's feature."""
    if isinstance(holders, Streamed):
        marked = np.flatnonzero(to_host(closed))
        lists, cuts = holders.list(to_host(feature)[marked])
        begin, end, holders = to_device(cuts[:-1]), to_device(cuts[1:]), to_device(lists)
        closed = closed[to_device(marked)]
    else:
        begin, end = begins[feature], begins[feature + 1]  # not used for leaves, which close nothing
    _mark(HOLDERS, begin, end, closed, holders, marks, across=len(closed))


def unmark(feature, closed, begins, holders, marks):
    """Zero the marks that `mark` set."""
    marks.fill(0)
