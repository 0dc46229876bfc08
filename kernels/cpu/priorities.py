"""Priorities of examples for sampling: weight over a uniform draw that is a function of (key, example) alone."""

import numpy as np
from numba import njit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
TO_UNIT = 1.0 / (1 << 53)


@njit(cache=True, nogil=True)
def uniform(key, example):
    """The draw of an example under a key, in (0, 1]: a counter-based generator (SplitMix64)."""
    z = np.uint64(key) + (np.uint64(example) + np.uint64(1)) * GOLDEN
    z = (z ^ (z >> np.uint64(30))) * FIRST
    z = (z ^ (z >> np.uint64(27))) * SECOND
    z = z ^ (z >> np.uint64(31))
    return (np.float64(z >> np.uint64(11)) + 1.0) * TO_UNIT


@njit(cache=True, nogil=True)
def priorities(bias, odds, key, start, stop, out):
    """out[i] = w / u for the examples start <= i < stop, with w = bias / (1 + odds) and u = uniform(key, i)."""
    for i in range(start, stop):
        out[i] = bias[i] / (1.0 + odds[i]) / uniform(key, i)
