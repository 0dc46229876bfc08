"""Examples sent down a tree, as far as one pass goes: one thread per example."""

import numpy as np
from numba import cuda

from ..kernel import kernel


@kernel("int64, int64, int32[:, ::1], uint64[::1], uint64[::1], int32[::1], int32[::1]")
def _percolate(start, stop, segments, marks, below, exits, leaf):
    for i in range(start + cuda.grid(1), stop, cuda.gridsize(1)):
        open_ = below[leaf[i]]
        if open_ != 0:
            closed = np.uint64(0)
            for k in range(segments.shape[1]):
                closed |= marks[segments[i, k]]
            still = open_ & ~closed
            leaf[i] = exits[cuda.popc(~still & (still - np.uint64(1)))]  # bits below the lowest that is set


def percolate(start, stop, segments, marks, below, exits, leaf):
    """leaf[i] = where example i, with the segments segments[i], comes out when it starts from node leaf[i].

    For start <= i < stop. marks[s] are the exits that segment s closes; below[node] are the exits below a node, 0 for
    one that this pass does not start from: examples there stay.
    """
    _percolate(stop - start, start, stop, segments, marks, below, exits, leaf)
