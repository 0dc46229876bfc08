"""Priorities of examples for sampling; the generator is that of the CPU, so the same examples are drawn."""

import numpy as np
from numba import cuda

from ..kernel import kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
TO_UNIT = 1.0 / (1 << 53)


@cuda.jit(device=True)
def uniform(key, example):
    """The draw of an example under a key, in (0, 1]: a counter-based generator (SplitMix64)."""
    z = np.uint64(key) + (np.uint64(example) + np.uint64(1)) * GOLDEN
    z = (z ^ (z >> np.uint64(30))) * FIRST
    z = (z ^ (z >> np.uint64(27))) * SECOND
    z = z ^ (z >> np.uint64(31))
    return (np.float64(z >> np.uint64(11)) + 1.0) * TO_UNIT


@kernel("float64[::1], float64[::1], uint64, int64, int64, float64[::1]")
def _priorities(importance, odds, key, start, stop, out):
    for i in range(start + cuda.grid(1), stop, cuda.gridsize(1)):
        out[i] = importance[i] / (1.0 + odds[i]) / uniform(key, i)


def priorities(importance, odds, key, start, stop, out):
    """out[i] = w / u for the examples start <= i < stop, with w = importance / (1 + odds) and u = uniform(key, i)."""
    _priorities(stop - start, importance, odds, key, start, stop, out)
