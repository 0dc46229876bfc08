"""Examples sent down a tree to their leaves: a thread an example.

A feature with a bit is looked up in the word of the example's segment, another is searched for in the segment's ids. An
example whose ids are not in the part at hand waits where it is.
"""

import numpy as np
from numba import cuda

from .hold import Streamed, parts
from .holds import holds
from .kernel import kernel
from .memory import arrays, to_host


@kernel(
    "int32[::1], int64, int64, int32[:, ::1], int64[::1], int64, int64, int64, int32[::1], uint8[::1], "
    "int32[::1], int32[::1], int32[::1], int64[::1], uint64[::1], int32[::1], int32[::1]"
)
def _percolate(
    rows, start, stop, segments, starts, first, last, base, ids, column, feature, yes, no, bit, bits, leaf, waiting
):
    for i in range(start + cuda.grid(1), stop, cuda.gridsize(1)):
        node = leaf[i]
        while feature[node] >= 0:
            s = segments[rows[i], column[feature[node]]]
            if bit[node] >= 0:
                there = (bits[s] >> np.uint64(bit[node])) & np.uint64(1) != 0
            elif s == 0:
                there = False
            elif first <= s < last:
                there = holds(ids, starts[s] - base, starts[s + 1] - base, feature[node])
            else:
                waiting[0] = 1
                break
            node = yes[node] if there else no[node]
        leaf[i] = node


def percolate(rows, start, stop, segments, starts, features, column, feature, yes, no, bit, bits, leaf):
    """leaf[i] = the node of the tree (feature, yes, no) in which rows[i] ends, for start <= i < stop."""
    leaf[start:stop] = 0
    waiting = arrays.empty(1, np.int32)
    while True:
        waiting.fill(0)
        for part in parts(features, len(starts) - 1):
            around = (segments, starts, part.first, part.last, part.base, part.ids, column)
            _percolate(stop - start, rows, start, stop, *around, feature, yes, no, bit, bits, leaf, waiting)
        if not isinstance(features, Streamed) or not to_host(waiting)[0]:  # most examples never wait
            return
