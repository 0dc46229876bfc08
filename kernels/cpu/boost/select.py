"""The examples of highest priority, and the highest priority left out; ties go to the earlier example.

Positive floats sort as the integers with the same bits: counting the leading bits tells from where on to look, and
there are few more from there on than are wanted.
"""

import numpy as np

from gpuparse.jit import kernel

LEADING = 16  # bits that are counted: the exponent, and four of the mantissa


@kernel
def _edge(priority, count):
    """A number, as bits, that more than `count` of the priorities reach; and how many do."""
    shift = np.uint64(64 - LEADING)
    counts = np.zeros(1 << LEADING, np.int64)
    for b in priority.view(np.uint64):
        counts[b >> shift] += 1
    edge, reach = len(counts) - 1, counts[-1]
    while reach <= count:
        edge -= 1
        reach += counts[edge]
    return np.uint64(edge) << shift, reach


@kernel
def _reaching(priority, edge, reach):
    """The examples whose priority reaches the edge."""
    found = np.empty(reach + 1, np.int32)  # one more, which what does not reach it is written over, without a branch
    n = 0
    bits = priority.view(np.uint64)
    for i in range(bits.size):
        found[n] = i
        n += bits[i] >= edge
    return found[:reach]


def select(priority, count):
    """The `count` examples of highest priority, ascending, and the next highest priority; count < len(priority)."""
    edge, reach = _edge(priority, count)
    found = _reaching(priority, edge, reach)
    near = priority[found]
    ordered = np.partition(near, (reach - count - 1, reach - count))
    kept = near > ordered[reach - count]
    ties = np.flatnonzero(near == ordered[reach - count])
    kept[ties[: count - np.count_nonzero(kept)]] = True
    return found[kept], float(ordered[reach - count - 1])
