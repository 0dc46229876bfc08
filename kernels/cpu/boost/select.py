"""The examples of highest priority, and the highest priority left out; ties go to the earlier example.

Positive floats sort as the integers with the same bits. So counting their leading bits gives a number that few more
than `count` of them reach, and only those have to be sorted.
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
    examples = np.empty(reach + 1, np.int32)  # every example is written; one below the edge is overwritten by the next
    n = 0
    bits = priority.view(np.uint64)
    for i in range(bits.size):
        examples[n] = i
        n += bits[i] >= edge
    return examples[:reach]


def select(priority, count):
    """The `count` examples of highest priority, ascending, and the next highest priority; count < len(priority)."""
    edge, reach = _edge(priority, count)
    examples = _reaching(priority, edge, reach)
    near = priority[examples]
    ordered = np.partition(near, (reach - count - 1, reach - count))
    kept = near > ordered[reach - count]
    ties = np.flatnonzero(near == ordered[reach - count])
    kept[ties[: count - np.count_nonzero(kept)]] = True
    return examples[kept], float(ordered[reach - count - 1])
