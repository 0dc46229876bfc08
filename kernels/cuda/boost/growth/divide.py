"""The rows of many nodes divided, each node's by its own feature. A row stores its node, so that nothing is moved."""

import numpy as np
from numba import cuda, int64

from ...kernel import WARP, kernel
from ...memory import SIMULATED, arrays, to_device, to_host
from .sum import NodeRows

NODES_IN_BLOCK = 2 if SIMULATED else 64  # nodes that are summed in a block's shared memory first


@kernel("int32[::1], int32[::1], int32[::1], int64[::1], int32[::1], uint8[::1]")
def _find(node_of, place, feature, begins, ids, has):
    lane = cuda.grid(1) % WARP
    for n in range(cuda.grid(1) // WARP, node_of.size, cuda.gridsize(1) // WARP):
        i = place[node_of[n]]
        if i >= 0:
            for j in range(begins[n] + lane, begins[n + 1], WARP):
                if ids[j] == feature[i]:
                    has[n] = 1


@kernel("int32[::1], int32[::1], uint8[::1], int64[::1], int64, int64[:, ::1]")
def _divide(node_of, place, has, packed, first, sums):
    own = cuda.shared.array((NODES_IN_BLOCK, 2), int64)
    for i in range(cuda.threadIdx.x, NODES_IN_BLOCK, cuda.blockDim.x):
        own[i, 0] = 0
        own[i, 1] = 0
    cuda.syncthreads()
    for n in range(cuda.grid(1), node_of.size, cuda.gridsize(1)):
        i = place[node_of[n]]
        if i >= 0:
            node_of[n] = first + 2 * i + 1 - has[n]
            if has[n]:
                if i < NODES_IN_BLOCK:
                    cuda.atomic.add(own, (i, 0), packed[n])
                    cuda.atomic.add(own, (i, 1), 1)
                else:
                    cuda.atomic.add(sums, (i, 0), packed[n])
                    cuda.atomic.add(sums, (i, 1), 1)
    cuda.syncthreads()
    for i in range(cuda.threadIdx.x, min(NODES_IN_BLOCK, sums.shape[0]), cuda.blockDim.x):
        if own[i, 1] > 0:
            cuda.atomic.add(sums, (i, 0), own[i, 0])
            cuda.atomic.add(sums, (i, 1), own[i, 1])


@kernel("int32[::1], int32[::1], int64[::1], int32[::1]")
def _list(node_of, place, at, members):
    for n in range(cuda.grid(1), node_of.size, cuda.gridsize(1)):
        i = place[node_of[n]]
        if i >= 0:
            members[cuda.atomic.add(at, i, 1)] = n


def divide(node_of, nodes, features, rows, packed, first):
    """Rows of nodes[i] go to node first + 2 i if they have features[i], else to the next.

    Returns, on the host, for each node the packed weight of those that have it, and how many they are.
    """
    place = to_device(_places(nodes, first))
    has, sums = arrays.zeros(len(rows), np.uint8), arrays.zeros((len(nodes), 2), np.int64)
    _find(len(rows) * WARP, node_of, place, to_device(np.array(features, np.int32)), rows.begins, rows.ids, has)
    _divide(len(rows), node_of, place, has, packed, first, sums)
    return to_host(sums)


def list_rows(node_of, nodes, sizes, n_nodes):
    """The rows of some nodes, of which sizes[i] are in nodes[i]."""
    cuts = np.cumsum([0, *sizes])
    members = arrays.empty(int(cuts[-1]), np.int32)
    _list(len(node_of), node_of, to_device(_places(nodes, n_nodes)), to_device(cuts[:-1]), members)
    return NodeRows(members, to_device(cuts), max(sizes))


def _places(nodes, n_nodes):
    """For each node its place in the list, or -1."""
    places = np.full(n_nodes, -1, np.int32)
    places[nodes] = np.arange(len(nodes))
    return places
