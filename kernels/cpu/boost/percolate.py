"""Examples sent down a tree, as far as one pass goes: each comes out at the first exit that no feature of it closes."""

from typing import NamedTuple

import numpy as np

from gpuparse.jit import kernel

from ..index import index, offset
from .lowest_bit import lowest_bit


class _Exits(NamedTuple):
    below: np.ndarray  # uint64[nodes]
    nodes: np.ndarray  # int32[exits]


@kernel
def _percolate(start, stop, segments, columns, marks, exits, leaf):
    """What `percolate` does. `columns` is a tuple as long as a row of segments: the compiler unrolls a loop over it."""
    below, nodes = exits
    for i in range(offset(start), offset(stop)):
        open_ = below[index(leaf[i])]
        if open_ != 0:
            row = segments[i]
            closed = np.uint64(0)
            for k in range(len(columns)):
                closed |= marks[index(row[k])]
            leaf[i] = nodes[lowest_bit(open_ & ~closed)]


def percolate(start, stop, segments, marks, below, exits, leaf):
    """leaf[i] = where example i, with the segments segments[i], comes out when it starts from node leaf[i].

    For start <= i < stop. marks[s] are the exits that segment s closes; below[node] are the exits below a node, 0 for
    one that this pass does not start from: examples there stay.
    """
    _percolate(start, stop, segments, (0,) * segments.shape[1], marks, _Exits(below, exits), leaf)
