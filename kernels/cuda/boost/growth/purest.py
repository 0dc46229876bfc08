"""The purest split of many nodes, out of histograms that keep both sums.

Two launches: the least impurity of each node, then the lowest feature that has it. Every thread computes it in the same
arithmetic, product by product, so the second finds what the first found, and the CPU finds the same.
"""

import math

import numpy as np
from numba import cuda

from .... import packing
from ...kernel import kernel
from ...memory import arrays, to_device, to_host
from .extremes import FEATURES_PER_THREAD

_positive = cuda.jit(device=True)(packing.positive)
_negative = cuda.jit(device=True)(packing.negative)


@cuda.jit(device=True)
def _impurity(packed, total):
    """sqrt(P N) of both children together."""
    p = _positive(packed)
    n = _negative(packed)
    return math.sqrt(p * n) + math.sqrt((_positive(total) - p) * (_negative(total) - n))


@kernel("int64[::1], int64[::1], int64[::1], int64, float64[::1]")
def _least(sums, place, totals, reach, least):
    node = cuda.blockIdx.y
    own = np.inf
    for f in range(cuda.grid(1), reach, cuda.gridsize(1)):
        packed = sums[place[node] + f]
        if packed != 0:
            own = min(own, _impurity(packed, totals[node]))
    cuda.atomic.min(least, node, own)


@kernel("int64[::1], int64[::1], int64[::1], int64, float64[::1], int64[::1]")
def _first(sums, place, totals, reach, least, feature):
    node = cuda.blockIdx.y
    for f in range(cuda.grid(1), reach, cuda.gridsize(1)):
        packed = sums[place[node] + f]
        if packed != 0 and _impurity(packed, totals[node]) == least[node]:
            cuda.atomic.min(feature, node, f)


def purest(sums, place, totals, reach):
    """For each histogram at `place`, whose node has the packed weight totals[i]: the feature of the purest split, and
    the packed weight of the examples that have it; feature -1 where there is none. All but `sums` are on the host.
    """
    starts, on_device = to_device(place), to_device(totals)
    least, feature = arrays.full(len(place), np.inf, np.float64), arrays.full(len(place), reach, np.int64)
    threads = -(-reach // FEATURES_PER_THREAD)
    _least(threads, sums, starts, on_device, reach, least, across=len(place))
    _first(threads, sums, starts, on_device, reach, least, feature, across=len(place))
    best = to_host(feature)
    there = best < reach
    weights = to_host(sums[to_device(place + np.where(there, best, 0))]) if reach else np.zeros(len(place), np.int64)
    return np.stack([np.where(there, best, -1), np.where(there, weights, 0)], axis=1)
