"""Examples sent down a tree to their leaves.

Each segment has a word with a bit for each of the tree's features in its column; a test is a look at one bit.
Features beyond the first 64 of a column have no bit and are searched for.
"""

import numpy as np
from numba import njit

from .holds import holds


@njit(cache=True, nogil=True)
def percolate(rows, start, stop, segments, starts, features, column, feature, yes, no, bit, bits, leaf):
    """leaf[i] = the node of the tree (feature, yes, no) in which rows[i] ends, for start <= i < stop."""
    columns = np.zeros(feature.size, np.int64)
    for node in range(feature.size):
        if feature[node] >= 0:
            columns[node] = column[feature[node]]
    one = np.uint64(1)
    for i in range(start, stop):
        row = rows[i]
        node = 0
        while feature[node] >= 0:
            s = segments[row, columns[node]]
            if bit[node] >= 0:
                there = ((bits[s] >> np.uint64(bit[node])) & one) == one
            else:
                there = holds(features, starts[s], starts[s + 1], feature[node])
            node = yes[node] if there else no[node]
        leaf[i] = node
