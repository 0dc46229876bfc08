"""The root's histogram of rare features, read from the segments that hold each of them."""

import numpy as np

from gpuparse.jit import kernel

from ...index import index, offset

LOW = np.int64(0xFFFFFFFF)  # the lower half of a packed sum: the negative weight


@kernel
def pull(begins, holders, sums, first, last, block, histogram, most, least):
    """What add_root and settle do, for blocks of rare features, from the segments that hold each of them.

    The sums are by segment of the matrix, not of the sample. To read them here and there is cheaper than to add here
    and there to a histogram that no cache holds.
    """
    for b in range(first, last):
        high = np.int64(0)
        low = np.int64(0)
        for f in range(b * block, min((b + 1) * block, histogram.size)):
            total = np.int64(0)
            for at in range(offset(begins[f]), offset(begins[f + 1])):
                total += sums[index(holders[at])]
            histogram[f] = np.int32((total >> 32) - (total & LOW))
            high = max(high, total >> 32)
            low = max(low, total & LOW)
        most[b] = high
        least[b] = -low
