"""A small child's part of a histogram moved out of its parent's, feature by feature, with a list of those touched."""

import numpy as np

from gpuparse.jit import kernel

from ...index import index, offset
from .end_below import end_below
from .fetch_ahead import fetch_ahead

LOW = np.int64(0xFFFFFFFF)  # the lower half of a packed sum: the negative weight


@kernel
def move_listed(touched, sums, begins, ends, features, reach, parent, histogram, listed):
    """Take from the parent's histogram and add to the child's; returns how many features it lists as touched.

    A feature whose sum returns to 0 on the way is listed again, which does no harm to a search for extremes.
    """
    count = 0
    fetched = under_way = 0
    for s in touched:
        fetched, under_way = fetch_ahead(touched, begins, ends, features, fetched, under_way)
        under_way -= ends[s] - begins[s]
        weight = np.int32((sums[s] >> 32) - (sums[s] & LOW))
        sums[s] = 0
        if weight != 0:
            for j in range(offset(begins[s]), offset(end_below(features, begins[s], ends[s], reach))):
                f = features[j]
                if histogram[index(f)] == 0:
                    listed[count] = f
                    count += 1
                histogram[index(f)] += weight
                parent[index(f)] -= weight
    return count
