"""The features with the least and the greatest sum of a node's histogram: one of them is the best split."""

import numpy as np

from gpuparse.jit import kernel

from ...index import index


@kernel
def extremes(histogram, block, most, least, low, high):
    """(feature, sum) of the least sum <= low and of the greatest >= high; feature -1: none. Ties: the lowest id.

    Blocks of features whose bounds can't reach `low`, `high` or the best so far are skipped.
    """
    lowest = np.int64(low) + 1
    highest = np.int64(high) - 1
    at_lowest = -1
    at_highest = -1
    for b in range(most.size):
        if most[b] <= highest and least[b] >= lowest:
            continue
        start = b * block
        sums = histogram[start : start + block]  # from 0 on, so that the loop becomes vector instructions
        up = sums[0]
        down = sums[0]
        for f in range(sums.size):
            up = max(up, sums[f])
            down = min(down, sums[f])
        if up > highest:
            highest = up
            at_highest = start
            while histogram[at_highest] != up:
                at_highest += 1
        if down < lowest:
            lowest = down
            at_lowest = start
            while histogram[at_lowest] != down:
                at_lowest += 1
    return at_lowest, lowest, at_highest, highest


@kernel
def sparse_extremes(histogram, support, low, high):
    """What `extremes` finds, among the features of the support, which may be in any order."""
    lowest = np.int64(low) + 1
    highest = np.int64(high) - 1
    at_lowest = -1
    at_highest = -1
    for f in support:
        h = histogram[index(f)]
        if h > highest or (h == highest and f < at_highest):
            highest = h
            at_highest = f
        if h < lowest or (h == lowest and f < at_lowest):
            lowest = h
            at_lowest = f
    return at_lowest, lowest, at_highest, highest
