"""A node's sums by segment added to a histogram, or taken from one."""

import numpy as np

from gpuparse.jit import kernel

from ...index import index, offset
from .end_below import end_below
from .fetch_ahead import fetch_ahead

LOW = np.int64(0xFFFFFFFF)  # the lower half of a packed sum: the negative weight


@kernel
def add_signed(touched, sums, begins, ends, features, reach, sign, histogram):
    """Add sign * (positive - negative) to the features f < reach of a histogram (int32)."""
    fetched = under_way = 0
    for s in touched:
        fetched, under_way = fetch_ahead(touched, begins, ends, features, fetched, under_way)
        under_way -= ends[s] - begins[s]
        weight = np.int32(sign * ((sums[s] >> 32) - (sums[s] & LOW)))
        if weight != 0:
            for j in range(offset(begins[s]), offset(end_below(features, begins[s], ends[s], reach))):
                histogram[index(features[j])] += weight
