"""The examples of the leaves that may move, copied together leaf by leaf, in whatever order they come.

A block counts its examples of each group first and takes as many places at once: otherwise all would queue at one
counter.
"""

from numba import cuda, int32, int64

from ..kernel import kernel
from ..memory import SIMULATED

GROUPS = 16 if SIMULATED else 1024  # that a block can count in its shared memory; a node has two


@kernel(
    "int32[::1], int8[::1], float64[::1], float64[::1], int64, int64, int64[:, ::1], "
    "int32[::1], float64[::1], float64[::1]"
)
def _collect(leaf, y, importance, odds, start, stop, place, member, member_importance, member_odds):
    counts = cuda.shared.array(GROUPS, int32)
    begins = cuda.shared.array(GROUPS, int64)
    groups = 2 * place.shape[0]
    for first in range(start + cuda.blockIdx.x * cuda.blockDim.x, stop, cuda.gridsize(1)):
        for group in range(cuda.threadIdx.x, groups, cuda.blockDim.x):
            counts[group] = 0
        cuda.syncthreads()
        i = first + cuda.threadIdx.x
        group = -1
        before = 0  # examples of the group that threads of the block counted earlier
        if i < stop:
            group = 2 * leaf[i] + (0 if y[i] > 0 else 1)
            if place[group // 2, group % 2] < 0:
                group = -1
        if group >= 0:
            before = cuda.atomic.add(counts, group, 1)
        cuda.syncthreads()
        for other in range(cuda.threadIdx.x, groups, cuda.blockDim.x):
            if counts[other] > 0:
                begins[other] = cuda.atomic.add(place, (other // 2, other % 2), counts[other])
        cuda.syncthreads()
        if group >= 0:
            at = begins[group] + before
            member[at] = i
            member_importance[at] = importance[i]
            member_odds[at] = odds[i]


@kernel(
    "int32[::1], int8[::1], float64[::1], float64[::1], int64, int64, int64[:, ::1], "
    "int32[::1], float64[::1], float64[::1]"
)
def _collect_many(leaf, y, importance, odds, start, stop, place, member, member_importance, member_odds):
    for i in range(start + cuda.grid(1), stop, cuda.gridsize(1)):
        node = leaf[i]
        side = 0 if y[i] > 0 else 1
        if place[node, side] >= 0:
            at = cuda.atomic.add(place, (node, side), 1)
            member[at] = i
            member_importance[at] = importance[i]
            member_odds[at] = odds[i]


def collect(leaf, y, importance, odds, start, stop, place, member, member_importance, member_odds):
    """Copy the examples start <= i < stop of leaves with place[leaf, y < 0] >= 0 to places from there on."""
    run = _collect if 2 * len(place) <= GROUPS else _collect_many
    run(stop - start, leaf, y, importance, odds, start, stop, place, member, member_importance, member_odds)
