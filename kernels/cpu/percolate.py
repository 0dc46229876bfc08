"""Examples sent down a tree to their leaves.

Each segment has a word with a bit for each of the tree's features that it holds; or'ed over its segments they give an
example's word, which decides its leaf. Few different words occur, so the leaves of those met lately are remembered.
"""

import numpy as np
from numba import njit

from .index import index

REMEMBERED = 10  # bits of a word's place among the words met lately
SCATTER = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def percolate(start, stop, segments, column, feature, yes, no, bit, bits, leaf):
    """leaf[i] = where example i, with the segments segments[i], comes to in the tree (feature, yes, no).

    For start <= i < stop, from leaf[i] on, through nodes that have a bit. A node without one (-1) is a leaf, or belongs
    to another pass.
    """
    columns = np.unique(np.array([column[feature[node]] for node in range(feature.size) if bit[node] >= 0], np.uint32))
    words = np.zeros(1 << REMEMBERED, np.uint64)
    begun = np.full(1 << REMEMBERED, -1, np.int32)
    answers = np.zeros(1 << REMEMBERED, np.int32)
    shift = np.uint64(64 - REMEMBERED)
    for i in range(start, stop):
        node = leaf[i]
        if bit[index(node)] < 0:
            continue
        word = np.uint64(0)
        for k in columns:
            word |= bits[index(segments[i, k])]
        place = index((word * SCATTER) >> shift)
        if words[place] != word or begun[place] != node:
            words[place], begun[place] = word, node
            while bit[node] >= 0:
                there = (word >> np.uint64(bit[node])) & np.uint64(1) != 0
                node = yes[node] if there else no[node]
            answers[place] = node
        leaf[i] = answers[place]
