"""Histograms: one warp per row adds the row's weight at each of its ids.

The frequent features, which come first, are summed in a block's shared memory, where many rows meet; the others go to
the device's memory right away, and mostly stay in its cache.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import cuda, int32, int64

from .... import packing
from ...kernel import THREADS, WARP, kernel
from ...memory import SIMULATED

HOT = 8 if SIMULATED else 2048  # features summed in shared memory
ROWS_PER_BLOCK = 4 if SIMULATED else 256  # of a node per block: enough that handing on the hot sums costs little

_difference = cuda.jit(device=True)(packing.difference)


@kernel("int64[::1], int32[::1], int64[::1], int64[::1]")
def _sum_root(begins, ids, packed, histogram):
    hot = cuda.shared.array(HOT, int64)
    for f in range(cuda.threadIdx.x, HOT, cuda.blockDim.x):
        hot[f] = 0
    cuda.syncthreads()
    lane = cuda.grid(1) % WARP
    for n in range(cuda.grid(1) // WARP, packed.size, cuda.gridsize(1) // WARP):
        for j in range(begins[n] + lane, begins[n + 1], WARP):
            if ids[j] < HOT:
                cuda.atomic.add(hot, ids[j], packed[n])
            else:
                cuda.atomic.add(histogram, ids[j], packed[n])
    cuda.syncthreads()
    for f in range(cuda.threadIdx.x, min(HOT, histogram.size), cuda.blockDim.x):
        if hot[f] != 0:
            cuda.atomic.add(histogram, f, hot[f])


class NodeRows(NamedTuple):
    """The rows of some nodes: those of node i are members[cuts[i]:cuts[i + 1]], in any order."""

    members: Any  # int32, on the device
    cuts: Any  # int64[nodes + 1], on the device
    largest: int  # rows in the largest node


def _node_summer(name, dtype, weight_of):
    """The kernel that adds rows to histograms of a type; weight_of(packed) is what a row adds."""

    @kernel(
        f"int32[::1], int64[::1], int64[::1], int64[::1], int64[::1], int32[::1], int64[::1], int64, {dtype}[::1]", name
    )
    def sum_up(members, cuts, plus, minus, begins, ids, packed, reach, sums):
        hot = cuda.shared.array(HOT, dtype)
        node = cuda.blockIdx.y
        first = cuts[node] + cuda.blockIdx.x * ROWS_PER_BLOCK
        if first < cuts[node + 1]:  # the same for all threads of the block
            for f in range(cuda.threadIdx.x, HOT, cuda.blockDim.x):
                hot[f] = 0
            cuda.syncthreads()
            lane = cuda.threadIdx.x % WARP
            stride = ROWS_PER_BLOCK * cuda.gridDim.x
            while first < cuts[node + 1]:
                last = min(first + ROWS_PER_BLOCK, cuts[node + 1])
                for n in range(first + cuda.threadIdx.x // WARP, last, cuda.blockDim.x // WARP):
                    m = members[n]
                    weight = weight_of(packed[m])
                    if weight != 0:
                        for j in range(begins[m] + lane, begins[m + 1], WARP):
                            f = ids[j]
                            if f < HOT:
                                cuda.atomic.add(hot, f, weight)
                            elif f < reach:
                                if plus[node] >= 0:
                                    cuda.atomic.add(sums, plus[node] + f, weight)
                                if minus[node] >= 0:
                                    cuda.atomic.add(sums, minus[node] + f, -weight)
                first += stride
            cuda.syncthreads()
            for f in range(cuda.threadIdx.x, min(HOT, reach), cuda.blockDim.x):
                if hot[f] != 0:
                    if plus[node] >= 0:
                        cuda.atomic.add(sums, plus[node] + f, hot[f])
                    if minus[node] >= 0:
                        cuda.atomic.add(sums, minus[node] + f, -hot[f])

    return sum_up


@cuda.jit(device=True)
def _signed(packed):
    return int32(_difference(packed))


@cuda.jit(device=True)
def _whole(packed):
    return packed


SUM_NODES = {
    np.dtype(np.int32): _node_summer("sum.sum_nodes", int32, _signed),
    np.dtype(np.int64): _node_summer("sum.sum_nodes_packed", int64, _whole),
}


def sum_root(rows, packed, histogram):
    """Add the packed weights of all rows to a histogram (int64)."""
    blocks = -(-len(rows) // ROWS_PER_BLOCK)
    _sum_root(blocks * THREADS, rows.begins, rows.ids, packed, histogram)


def sum_nodes(nodes, plus, minus, rows, packed, reach, sums):
    """For each node i: add the weights of its rows to the histogram at plus[i] of `sums`, features f < reach, and
    subtract them from that at minus[i]; -1: there is none.

    Weights are packed where the histograms are; else what counts is positive - negative.
    """
    blocks = -(-nodes.largest // ROWS_PER_BLOCK)
    SUM_NODES[sums.dtype](
        blocks * THREADS, nodes.members, nodes.cuts, plus, minus, *rows, packed, reach, sums, across=len(plus)
    )
