"""A node's sums by segment added to a histogram, or taken from one.

Ids ascend within a segment, so a thread can take a range of features: threads that share a node never add to the same.
"""

import numpy as np
from numba import njit

from ..index import index

LOW = np.int64(0xFFFFFFFF)  # the lower half of a packed sum: the negative weight


@njit(cache=True, nogil=True)
def add_signed(touched, sums, begins, ends, features, first, reach, sign, histogram):
    """Add sign * (positive - negative) to the features first <= f < reach of a histogram (int32)."""
    for s in touched:
        weight = np.int32(sign * ((sums[s] >> 32) - (sums[s] & LOW)))
        if weight != 0:
            begin, end = begins[s], ends[s]
            if first > 0:
                begin = _first_from(features, begin, end, first)
            for j in range(begin, end):
                f = features[j]
                if f >= reach:
                    break
                histogram[index(f)] += weight


@njit(cache=True, nogil=True)
def _first_from(features, begin, end, first):
    """Where the ids from `first` on begin in features[begin:end]."""
    while begin < end:
        middle = (begin + end) >> 1
        if features[middle] < first:
            begin = middle + 1
        else:
            end = middle
    return begin
