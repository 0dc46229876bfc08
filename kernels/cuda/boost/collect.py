"""The examples of the leaves that may move, copied together leaf by leaf, in whatever order they come.

A block counts its examples of each side of a leaf first, and takes as many places at once: otherwise all would queue
at one counter.
"""

from numba import cuda, int32, int64

from ..kernel import kernel
from ..memory import SIMULATED

SIDES_SHARED = 16 if SIMULATED else 1024  # that a block can count in its shared memory; a node has two


@kernel(
    "int32[::1], int8[::1], float64[::1], float64[::1], int64, int64, int64[:, ::1], "
    "int32[::1], float64[::1], float64[::1]"
)
def _collect(leaf, signs, importance, state, start, stop, place, example, member_importance, member_state):
    counts = cuda.shared.array(SIDES_SHARED, int32)
    begins = cuda.shared.array(SIDES_SHARED, int64)
    sides = 2 * place.shape[0]
    for first in range(start + cuda.blockIdx.x * cuda.blockDim.x, stop, cuda.gridsize(1)):
        for side in range(cuda.threadIdx.x, sides, cuda.blockDim.x):
            counts[side] = 0
        cuda.syncthreads()
        i = first + cuda.threadIdx.x
        side = -1
        before = 0  # examples of the side that threads of the block counted earlier
        if i < stop:
            side = 2 * leaf[i] + (0 if signs[i] > 0 else 1)
            if place[side // 2, side % 2] < 0:
                side = -1
        if side >= 0:
            before = cuda.atomic.add(counts, side, 1)
        cuda.syncthreads()
        for other in range(cuda.threadIdx.x, sides, cuda.blockDim.x):
            if counts[other] > 0:
                begins[other] = cuda.atomic.add(place, (other // 2, other % 2), counts[other])
        cuda.syncthreads()
        if side >= 0:
            at = begins[side] + before
            example[at] = i
            member_importance[at] = importance[i]
            member_state[at] = state[i]


@kernel(
    "int32[::1], int8[::1], float64[::1], float64[::1], int64, int64, int64[:, ::1], "
    "int32[::1], float64[::1], float64[::1]"
)
def _collect_many(leaf, signs, importance, state, start, stop, place, example, member_importance, member_state):
    for i in range(start + cuda.grid(1), stop, cuda.gridsize(1)):
        node = leaf[i]
        side = 0 if signs[i] > 0 else 1
        if place[node, side] >= 0:
            at = cuda.atomic.add(place, (node, side), 1)
            example[at] = i
            member_importance[at] = importance[i]
            member_state[at] = state[i]


def collect(leaf, examples, start, stop, place, members):
    """Copy the examples start <= i < stop of leaves with place[leaf, y < 0] >= 0 to places from there on."""
    run = _collect if 2 * len(place) <= SIDES_SHARED else _collect_many
    run(stop - start, leaf, *examples, start, stop, place, *members)
