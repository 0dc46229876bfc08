"""Examples sent down a tree, as far as one pass goes: each comes out at the first exit that no feature of it closes."""

import numpy as np

from gpuparse.jit import kernel

from ..index import index, offset
from .lowest_bit import lowest_bit


@kernel
def _percolate(start, stop, segments, columns, words, below, exits, leaf):
    """What `percolate` does. `columns` is a tuple as long as a row of segments: the compiler unrolls a loop over it."""
    for i in range(offset(start), offset(stop)):
        open_ = below[index(leaf[i])]
        if open_ != 0:
            row = segments[i]
            closed = np.uint64(0)
            for k in range(len(columns)):
                closed |= words[index(row[k])]
            leaf[i] = exits[lowest_bit(open_ & ~closed)]


def percolate(start, stop, segments, words, below, exits, leaf):
    """leaf[i] = where example i, with the segments segments[i], comes out when it starts from node leaf[i].

    For start <= i < stop. words[s] are the exits that segment s closes; below[node] are the exits below a node, 0 for
    one that this pass does not start from: examples there stay.
    """
    _percolate(start, stop, segments, (0,) * segments.shape[1], words, below, exits, leaf)
