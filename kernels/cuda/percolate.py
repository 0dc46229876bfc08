"""Examples sent down a tree to their leaves: a thread an example, a look at the word of a segment a test."""

import numpy as np
from numba import cuda

from .kernel import kernel


@kernel(
    "int64, int64, int32[:, ::1], uint8[::1], int32[::1], int32[::1], int32[::1], int64[::1], uint64[::1], int32[::1]"
)
def _percolate(start, stop, segments, column, feature, yes, no, bit, bits, leaf):
    for i in range(start + cuda.grid(1), stop, cuda.gridsize(1)):
        node = leaf[i]
        while bit[node] >= 0:
            s = segments[i, column[feature[node]]]
            there = (bits[s] >> np.uint64(bit[node])) & np.uint64(1) != 0
            node = yes[node] if there else no[node]
        leaf[i] = node


def percolate(start, stop, segments, column, feature, yes, no, bit, bits, leaf):
    """leaf[i] = where example i, with the segments segments[i], comes to in the tree (feature, yes, no).

    For start <= i < stop, from leaf[i] on, through nodes that have a bit. A node without one (-1) is a leaf, or belongs
    to another pass.
    """
    _percolate(stop - start, start, stop, segments, column, feature, yes, no, bit, bits, leaf)
