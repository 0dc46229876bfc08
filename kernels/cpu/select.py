"""The examples of highest priority, and the highest priority left out; ties go to the earlier example.

Positive floats sort as the integers with the same bits: counting the leading bits tells near which bits the threshold
lies, and only what is there needs sorting.
"""

import numpy as np
from numba import njit

LEADING = 16  # bits that are counted: the exponent, and four of the mantissa


@njit(cache=True, nogil=True)
def _near(priority, rank):
    """The priorities with the same leading bits as those of ranks `rank` and `rank + 1`; and how many lie below."""
    shift = np.uint64(64 - LEADING)
    bits = priority.view(np.uint64)
    counts = np.zeros(1 << LEADING, np.int64)
    for b in bits:
        counts[b >> shift] += 1
    first, below = np.uint64(0), 0
    while below + counts[first] <= rank:
        below += counts[first]
        first += np.uint64(1)
    last, up_to = first, below + counts[first]
    while up_to <= rank + 1:
        last += np.uint64(1)
        up_to += counts[last]
    near = np.empty(up_to - below)
    n = 0
    for i in range(bits.size):
        if first <= bits[i] >> shift <= last:
            near[n] = priority[i]
            n += 1
    return near, below


@njit(cache=True, nogil=True)
def _at_least(priority, threshold, count):
    above = 0
    for q in priority:
        above += q > threshold
    ties = count - above
    kept = np.empty(count, np.int32)
    n = 0
    for i in range(priority.size):
        q = priority[i]
        if q > threshold or (q == threshold and ties > 0):
            ties -= q == threshold
            kept[n] = i
            n += 1
    return kept


def select(priority, count):
    """The `count` examples of highest priority, ascending, and the next highest priority; count < len(priority)."""
    rank = priority.size - count - 1
    near, below = _near(priority, rank)
    ordered = np.partition(near, (rank - below, rank - below + 1))
    return _at_least(priority, ordered[rank - below + 1], count), float(ordered[rank - below])
