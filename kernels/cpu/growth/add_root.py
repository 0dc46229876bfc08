"""Sums by segment spread over the features of the segments: S'(R'w), the half of the root's histogram that costs.

Ids ascend within a segment, so it is left as soon as features begin that are of no interest.
"""

import numpy as np
from numba import njit

from ..index import index

LOW = np.int64(0xFFFFFFFF)  # the lower half of a packed sum: the negative weight


@njit(cache=True, nogil=True)
def add_root(touched, sums, begins, ends, features, head, reach, histogram, packed):
    """Add the sums to a histogram (int32) for features f < head, and to a packed one (int64) for head <= f < reach.

    The sums stay as they are.
    """
    for s in touched:
        weight = sums[s]
        difference = np.int32((weight >> 32) - (weight & LOW))
        j = begins[s]
        end = ends[s]
        while j < end and features[j] < head:
            histogram[index(features[j])] += difference
            j += 1
        while j < end and features[j] < reach:
            packed[index(features[j])] += weight
            j += 1
