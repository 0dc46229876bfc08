"""Words of bits for the segments: which of a tree's features each holds. Set before percolation, cleared after it."""

import numpy as np
from numba import njit

from .index import index

IN_A_ROW = 10  # words that are zeroed in a row while one is that must be looked for


@njit(cache=True, nogil=True)
def mark(feature, bit, begins, holders, bits):
    """Set each node's bit (-1: none) in the words of all segments that hold its feature."""
    for node in range(feature.size):
        if bit[node] >= 0:
            flag = np.uint64(1) << np.uint64(bit[node])
            for at in range(begins[feature[node]], begins[feature[node] + 1]):
                bits[index(holders[at])] |= flag


@njit(cache=True, nogil=True)
def unmark(feature, bit, begins, holders, bits):
    """Zero the words that mark has set: one by one, or all of them where that is less work."""
    marked = 0
    for node in range(feature.size):
        if bit[node] >= 0:
            marked += begins[feature[node] + 1] - begins[feature[node]]
    if marked * IN_A_ROW > bits.size:
        bits[:] = 0
        return
    for node in range(feature.size):
        if bit[node] >= 0:
            for at in range(begins[feature[node]], begins[feature[node] + 1]):
                bits[index(holders[at])] = 0
