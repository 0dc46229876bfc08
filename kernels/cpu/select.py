"""The examples of highest priority, and the highest priority left out; ties go to the earlier example."""

import numpy as np
from numba import njit


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
    last = priority.size - count
    ordered = np.partition(priority, (last - 1, last))
    return _at_least(priority, ordered[last], count), float(ordered[last - 1])
