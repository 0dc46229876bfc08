"""The ids of the sample's rows, one row after the other, so that a warp reads its row without gaps.

ids      | row 0: its segments' ids | row 1 ... |
begins     ^                          ^
"""

from typing import Any, NamedTuple

import numpy as np
from numba import cuda

from ...kernel import WARP, kernel
from ...memory import arrays, to_host
from ..hold import pieces


class RowIds(NamedTuple):
    """The sampled rows on the device."""

    begins: Any  # int64[n + 1]
    ids: Any  # int32

    def __len__(self) -> int:
        return len(self.begins) - 1


@kernel("int32[::1], int32[:, ::1], int64[::1], int64[::1]")
def _lengths(rows, segments, starts, lengths):
    for n in range(cuda.grid(1), rows.size, cuda.gridsize(1)):
        length = 0
        for k in range(segments.shape[1]):
            s = segments[rows[n], k]
            length += starts[s + 1] - starts[s]
        lengths[n + 1] = length


@kernel("int32[::1], int32[:, ::1], int64[::1], int64, int64, int64, int32[::1], int64[::1], int32[::1]")
def _copy(rows, segments, starts, first, last, base, piece, begins, ids):
    lane = cuda.grid(1) % WARP
    for n in range(cuda.grid(1) // WARP, rows.size, cuda.gridsize(1) // WARP):
        at = begins[n]
        for k in range(segments.shape[1]):
            s = segments[rows[n], k]
            length = starts[s + 1] - starts[s]
            if first <= s < last:
                for j in range(lane, length, WARP):
                    ids[at + j] = piece[starts[s] - base + j]
            at += length


def gather(matrix: Any, rows: Any) -> RowIds:
    """Copy the ids of these rows of the matrix."""
    lengths = arrays.zeros(len(rows) + 1, np.int64)
    _lengths(len(rows), rows, matrix.segments, matrix.starts, lengths)
    begins = arrays.cumsum(lengths)
    ids = arrays.empty(int(to_host(begins[-1:])[0]), np.int32)
    for piece in pieces(matrix.features, len(matrix.starts) - 1):
        _copy(len(rows) * WARP, rows, matrix.segments, matrix.starts, *piece, begins, ids)
    return RowIds(begins, ids)
