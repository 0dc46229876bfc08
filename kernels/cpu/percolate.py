"""Examples sent down a tree to their leaves.

Each segment gets a word with a bit for each of the tree's features in its column; a test is then a look at one bit.
Features beyond the first 64 of a column have no bit and are searched for.
"""

import numpy as np
from numba import njit

from .membership import holds


@njit(cache=True, nogil=True)
def mark(feature, bit, begins, holders, bits):
    """Set each node's bit (-1: none) in the words of all segments that hold its feature."""
    for node in range(feature.size):
        if bit[node] >= 0:
            flag = np.uint64(1) << np.uint64(bit[node])
            for at in range(begins[feature[node]], begins[feature[node] + 1]):
                bits[holders[at]] |= flag


@njit(cache=True, nogil=True)
def unmark(feature, bit, begins, holders, bits):
    """Zero the words that mark has set."""
    for node in range(feature.size):
        if bit[node] >= 0:
            for at in range(begins[feature[node]], begins[feature[node] + 1]):
                bits[holders[at]] = 0


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
