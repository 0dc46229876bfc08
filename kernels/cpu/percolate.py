"""Examples sent down a tree to their leaves.

Each segment has a word with a bit for each of the tree's features that it holds; or'ed over its segments they give an
example's word, which decides its leaf. Few different words occur, so the leaves of those met lately are remembered.
Features beyond the first 64 have no bit and are searched for.
"""

import numpy as np
from numba import njit

from .holds import holds

REMEMBERED = 10  # bits of a word's place among the words met lately
SCATTER = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def percolate(rows, start, stop, segments, starts, features, column, feature, yes, no, bit, bits, leaf):
    """leaf[i] = the node of the tree (feature, yes, no) in which rows[i] ends, for start <= i < stop."""
    columns = np.zeros(feature.size, np.int64)
    used = np.zeros(segments.shape[1], np.int64)
    n_used = 0
    searches = False
    for node in range(feature.size):
        if feature[node] >= 0:
            columns[node] = column[feature[node]]
            searches |= bit[node] < 0
            if bit[node] >= 0 and not np.any(used[:n_used] == columns[node]):
                used[n_used] = columns[node]
                n_used += 1
    words = np.zeros(1 << REMEMBERED, np.uint64)
    answers = np.full(1 << REMEMBERED, -1, np.int32)
    shift = np.uint64(64 - REMEMBERED)
    for i in range(start, stop):
        row = rows[i]
        word = np.uint64(0)
        for k in used[:n_used]:
            word |= bits[segments[row, k]]
        place = (word * SCATTER) >> shift
        if not searches and words[place] == word and answers[place] >= 0:
            leaf[i] = answers[place]
            continue
        node = 0
        while feature[node] >= 0:
            if bit[node] >= 0:
                there = (word >> np.uint64(bit[node])) & np.uint64(1) != 0
            else:
                s = segments[row, columns[node]]
                there = holds(features, starts[s], starts[s + 1], feature[node])
            node = yes[node] if there else no[node]
        words[place], answers[place] = word, node
        leaf[i] = node
