"""The rows that a tree grows on, with their segments numbered 1, 2, ... in order of first use, so that sums by segment
take little room.

    segments   | 7 0 9 |     local   | 1 0 2 |     used     0 7 9 4
               | 4 9 0 |             | 3 2 0 |     number   number[7] = 1, number[9] = 2, number[4] = 3, others 0
"""

from typing import NamedTuple

import numpy as np

from gpuparse.jit import kernel

from ...index import index


class SampleRows(NamedTuple):
    """The sampled rows and their weights."""

    local: np.ndarray  # int32[n, K]: the rows' segments, by number in the sample; 0 is the empty one
    begins: np.ndarray  # int64[segments]: where a segment's features begin in the matrix
    ends: np.ndarray  # int64[segments]
    number: np.ndarray  # int32[segments of the matrix]: a segment's number in the sample, 0 if it is not there
    packed: np.ndarray  # int64[n]: see kernels/packing.py


@kernel
def gather(segments, rows, number, local, used):
    """local[n, k] = the new number of segments[rows[n], k], used[new] = old, number[old] = new; returns how many.

    `number` must be all zero; the empty segment stays 0.
    """
    used[0] = 0
    count = 1
    for n in range(rows.size):
        row = index(rows[n])
        for k in range(segments.shape[1]):
            old = segments[row, k]
            new = number[index(old)]
            if new == 0 and old != 0:
                new = count
                number[index(old)] = new
                used[index(new)] = old
                count += 1
            local[n, k] = new
    return count
