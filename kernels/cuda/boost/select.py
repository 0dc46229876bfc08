"""The examples of highest priority, and the highest priority left out; ties go to the earlier example."""

import numpy as np

from ..memory import arrays, to_host


def select(priority, count):
    """The `count` examples of highest priority, ascending, and the next highest priority; count < len(priority)."""
    rank = priority.size - count - 1
    tau, threshold = to_host(arrays.sort(priority)[rank : rank + 2])
    above, ties = priority > threshold, priority == threshold
    taken = above | (ties & (arrays.cumsum(ties) <= count - above.sum()))
    return arrays.flatnonzero(taken).astype(np.int32), float(tau)
