"""A small child's part of a histogram moved out of its parent's, feature by feature, with a list of those touched."""

import numpy as np
from numba import njit

from ..index import index

LOW = np.int64(0xFFFFFFFF)  # the lower half of a packed sum: the negative weight


@njit(cache=True, nogil=True)
def move_listed(touched, sums, begins, ends, features, reach, parent, histogram, listed):
    """Take from the parent's histogram and add to the child's; returns how many features it lists as touched.

    A feature whose sum returns to 0 on the way is listed again, which does no harm to a search for extremes.
    """
    count = 0
    for s in touched:
        weight = np.int32((sums[s] >> 32) - (sums[s] & LOW))
        sums[s] = 0
        if weight != 0:
            for j in range(begins[s], ends[s]):
                f = features[j]
                if f >= reach:
                    break
                if histogram[index(f)] == 0:
                    listed[count] = f
                    count += 1
                histogram[index(f)] += weight
                parent[index(f)] -= weight
    return count
