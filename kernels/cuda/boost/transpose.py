"""The segments that hold each feature: counted, then put into place, in any order."""

import numpy as np
from numba import cuda

from ...cpu.boost.transpose import transpose as transpose_on_host
from ..kernel import kernel
from ..memory import arrays, to_device
from .hold import Streamed


@kernel("int32[::1], int64[::1]")
def _count(features, begins):
    for j in range(cuda.grid(1), features.size, cuda.gridsize(1)):
        cuda.atomic.add(begins, features[j] + 1, 1)


@kernel("int64[::1], int32[::1], int64[::1], int32[::1]")
def _place(starts, features, place, holders):
    for s in range(cuda.grid(1), starts.size - 1, cuda.gridsize(1)):
        for j in range(starts[s], starts[s + 1]):
            holders[cuda.atomic.add(place, features[j], 1)] = s


def transpose(starts, features, n_features, team):
    """(begins, holders): holders[begins[f]:begins[f + 1]] are the segments that hold feature f, in any order.

    Where the features are streamed, so are the holders; the team finds them on the host.
    """
    if isinstance(features, Streamed):
        begins, holders = transpose_on_host(features.starts, features.ids, n_features, team)
        piece_bytes = max(int(np.diff(features.starts[features.cuts]).max()), 1) * holders.itemsize
        return to_device(begins), Streamed(holders, begins, piece_bytes)
    begins = arrays.zeros(n_features + 1, np.int64)
    _count(len(features), features, begins)
    begins = arrays.cumsum(begins)
    holders = arrays.empty(len(features), np.int32)
    _place(len(starts) - 1, starts, features, begins[:-1].copy(), holders)
    return begins, holders
