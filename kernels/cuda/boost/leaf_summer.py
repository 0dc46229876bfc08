"""Sums by leaf: in a block's shared memory first, then in the device's."""

from numba import cuda, int32, int64

from ..kernel import kernel
from ..memory import SIMULATED

NODES_SHARED = 16 if SIMULATED else 1024  # that fit into shared memory; a larger tree adds to the device's right away


def leaf_summer(loss, units_of):
    """The kernel of a loss that adds up y w by leaf; units_of(importance, state, scale) is a weight in units."""

    @kernel(
        "int32[::1], int8[::1], float64[::1], float64[::1], float64, int64, int64, int64[::1], int64[:, ::1]",
        f"{loss}.leaf_sums",
    )
    def add_up(leaf, signs, importance, state, scale, start, stop, sums, counts):
        own_sums = cuda.shared.array(NODES_SHARED, int64)
        own_counts = cuda.shared.array((NODES_SHARED, 2), int32)
        nodes = sums.size if sums.size <= NODES_SHARED else 0
        for node in range(cuda.threadIdx.x, nodes, cuda.blockDim.x):
            own_sums[node] = 0
            own_counts[node, 0] = 0
            own_counts[node, 1] = 0
        cuda.syncthreads()
        for i in range(start + cuda.grid(1), stop, cuda.gridsize(1)):
            node = leaf[i]
            weight = units_of(importance[i], state[i], scale)
            side = 0
            if signs[i] < 0:
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

    return add_up
