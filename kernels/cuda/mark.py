"""Words of bits for the segments: which of a tree's features each holds. Set before percolation, cleared after it."""

import numpy as np
from numba import cuda

from .hold import Streamed
from .kernel import kernel
from .memory import to_device, to_host

HOLDERS = 1 << 16  # so many of a node are marked side by side


@kernel("int64[::1], int64[::1], int64[::1], int32[::1], uint64[::1]")
def _mark(begin, end, bit, holders, bits):
    node = cuda.blockIdx.y
    if bit[node] >= 0:
        flag = np.uint64(1) << np.uint64(bit[node])
        for at in range(begin[node] + cuda.grid(1), end[node], cuda.gridsize(1)):
            cuda.atomic.or_(bits, holders[at], flag)


def mark(feature, bit, begins, holders, bits):
    """Set each node's bit (-1: none) in the words of all segments that hold its feature."""
    if isinstance(holders, Streamed):
        marked = np.flatnonzero(to_host(bit) >= 0)
        listed, cuts = holders.list(to_host(feature)[marked])
        begin, end, holders, bit = to_device(cuts[:-1]), to_device(cuts[1:]), to_device(listed), bit[to_device(marked)]
    else:
        begin, end = begins[feature], begins[feature + 1]  # where a leaf tests nothing this is never looked at
    _mark(HOLDERS, begin, end, bit, holders, bits, across=len(bit))


def unmark(feature, bit, begins, holders, bits):
    """Zero the words that mark has set."""
    bits.fill(0)
