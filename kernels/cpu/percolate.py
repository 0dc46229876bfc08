"""Examples sent down a tree to their leaves. Neighbouring rows share segments, so a node remembers recent answers."""

import numpy as np
from numba import njit

from .membership import holds

WAYS = 8  # answers a node remembers, by the segment's last bits


@njit(cache=True, nogil=True)
def percolate(rows, start, stop, segments, starts, features, column, feature, yes, no, leaf):
    """leaf[i] = the node of the tree (feature, yes, no) in which rows[i] ends, for start <= i < stop."""
    nodes = feature.size
    seen = np.full(nodes * WAYS, -1, np.int32)
    answer = np.empty(nodes * WAYS, np.bool_)
    columns = np.empty(nodes, np.int64)
    for node in range(nodes):
        columns[node] = column[feature[node]] if feature[node] >= 0 else 0
    for i in range(start, stop):
        row = rows[i]
        node = 0
        while feature[node] >= 0:
            s = segments[row, columns[node]]
            slot = node * WAYS + (s & (WAYS - 1))
            if seen[slot] != s:
                seen[slot] = s
                answer[slot] = holds(features, starts[s], starts[s + 1], feature[node])
            node = yes[node] if answer[slot] else no[node]
        leaf[i] = node
