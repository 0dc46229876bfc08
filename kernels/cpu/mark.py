"""Words of bits for the segments: which of a tree's features each holds. Set before percolation, cleared after it."""

import numpy as np
from numba import njit

from .index import index


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
    """Zero the words that mark has set."""
    for node in range(feature.size):
        if bit[node] >= 0:
            for at in range(begins[feature[node]], begins[feature[node] + 1]):
                bits[index(holders[at])] = 0
