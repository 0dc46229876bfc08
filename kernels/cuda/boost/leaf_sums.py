"""Gradients of leaves, and how many examples each has: summed in a block's shared memory, then in the device's."""

from numba import cuda, int32, int64

from ..kernel import kernel
from ..memory import SIMULATED
from .exact import units

NODES = 16 if SIMULATED else 1024  # that fit into shared memory; a larger tree adds to the device's memory right away


@kernel("int32[::1], int8[::1], float64[::1], float64[::1], float64, int64, int64, int64[::1], int64[:, ::1]")
def _leaf_sums(leaf, y, importance, odds, scale, start, stop, sums, counts):
    own_sums = cuda.shared.array(NODES, int64)
    own_counts = cuda.shared.array((NODES, 2), int32)
    nodes = sums.size if sums.size <= NODES else 0
    for node in range(cuda.threadIdx.x, nodes, cuda.blockDim.x):
        own_sums[node] = 0
        own_counts[node, 0] = 0
        own_counts[node, 1] = 0
    cuda.syncthreads()
    for i in range(start + cuda.grid(1), stop, cuda.gridsize(1)):
        node = leaf[i]
        weight = units(importance[i] / (1.0 + odds[i]), scale)
        side = 0
        if y[i] < 0:
            side = 1
            weight = -weight
        if nodes > 0:
            cuda.atomic.add(own_sums, node, weight)
            cuda.atomic.add(own_counts, (node, side), 1)
        else:
            cuda.atomic.add(sums, node, weight)
            cuda.atomic.add(counts, (node, side), 1)
    cuda.syncthreads()
    for node in range(cuda.threadIdx.x, nodes, cuda.blockDim.x):
        cuda.atomic.add(sums, node, own_sums[node])
        cuda.atomic.add(counts, (node, 0), own_counts[node, 0])
        cuda.atomic.add(counts, (node, 1), own_counts[node, 1])


def leaf_sums(leaf, y, importance, odds, scale, start, stop, sums, counts):
    """Add y w, in units, to sums[leaf] and 1 to counts[leaf, y < 0], for the examples start <= i < stop."""
    _leaf_sums(stop - start, leaf, y, importance, odds, scale, start, stop, sums, counts)
