"""The root's packed histogram as a signed one, with bounds of every sum that can come up in its tree."""

import numpy as np

from gpuparse.jit import kernel

LOW = np.int64(0xFFFFFFFF)  # the lower half of a packed sum: the negative weight


@kernel
def settle(packed, first, last, block, histogram, most, least):
    """Turn blocks first <= b < last of the root's packed histogram into a signed one and bounds of every later sum.

    In any node a feature's sum lies between minus its negative and its positive weight at the root:
    most[b] and least[b] are the greatest and smallest such sums in block b. The packed histogram is zeroed.
    """
    for b in range(first, last):
        high = np.int64(0)
        low = np.int64(0)
        for f in range(b * block, min((b + 1) * block, histogram.size)):
            positive = packed[f] >> 32
            negative = packed[f] & LOW
            packed[f] = 0
            histogram[f] = np.int32(positive - negative)
            high = max(high, positive)
            low = max(low, negative)
        most[b] = high
        least[b] = -low
