"""Sums by segment spread over the features of the segments: S'(R'w), the half of the root's histogram that costs."""

import numpy as np

from gpuparse.jit import kernel

from ...index import index, offset
from .end_below import end_below
from .fetch_ahead import fetch_ahead

LOW = np.int64(0xFFFFFFFF)  # the lower half of a packed sum: the negative weight


@kernel
def add_root(touched, sums, begins, ends, features, head, reach, histogram, packed):
    """Add the sums to a histogram (int32) for features f < head, and to a packed one (int64) for head <= f < reach.

    The sums stay as they are.
    """
    fetched = under_way = 0
    for s in touched:
        fetched, under_way = fetch_ahead(touched, begins, ends, features, fetched, under_way)
        under_way -= ends[s] - begins[s]
        weight = sums[s]
        difference = np.int32((weight >> 32) - (weight & LOW))
        middle = end_below(features, begins[s], ends[s], head)
        for j in range(offset(begins[s]), offset(middle)):
            histogram[index(features[j])] += difference
        for j in range(offset(middle), offset(end_below(features, middle, ends[s], reach))):
            packed[index(features[j])] += weight
