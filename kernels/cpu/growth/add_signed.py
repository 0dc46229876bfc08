"""A node's sums by segment added to a histogram, or taken from one."""

import numpy as np
from numba import njit

from ..index import index

LOW = np.int64(0xFFFFFFFF)  # the lower half of a packed sum: the negative weight


@njit(cache=True, nogil=True)
def add_signed(touched, sums, begins, ends, features, reach, sign, histogram):
    """Add sign * (positive - negative) to the features f < reach of a histogram (int32)."""
    for s in touched:
        weight = np.int32(sign * ((sums[s] >> 32) - (sums[s] & LOW)))
        if weight != 0:
            for j in range(begins[s], ends[s]):
                f = features[j]
                if f >= reach:
                    break
                histogram[index(f)] += weight
