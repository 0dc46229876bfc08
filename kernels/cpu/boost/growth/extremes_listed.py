"""The least and the greatest sum of a histogram that lists its features."""

import numpy as np

from gpuparse.jit import kernel

from ...index import index


@kernel
def extremes_listed(histogram, listed, low, high):
    """What `extremes` finds, among the listed features, which may be in any order."""
    lowest = np.int64(low) + 1
    highest = np.int64(high) - 1
    at_lowest = -1
    at_highest = -1
    for f in listed:
        h = histogram[index(f)]
        if h > highest or (h == highest and f < at_highest):
            highest = h
            at_highest = f
        if h < lowest or (h == lowest and f < at_lowest):
            lowest = h
            at_lowest = f
    return at_lowest, lowest, at_highest, highest
