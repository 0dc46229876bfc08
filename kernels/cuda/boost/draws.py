"""Uniform draws that are a function of (key, example) alone: those of the CPU, so the same examples are drawn."""

import numpy as np
from numba import cuda

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
TO_UNIT = 1.0 / (1 << 53)


@cuda.jit(device=True)
def uniform(key, example):
    """The draw of an example under a key, in (0, 1]: a counter-based generator (SplitMix64)."""
    z = np.uint64(key) + (np.uint64(example) + np.uint64(1)) * GOLDEN
    z = (z ^ (z >> np.uint64(30))) * FIRST_FACTOR
    z = (z ^ (z >> np.uint64(27))) * SECOND_FACTOR
    z = z ^ (z >> np.uint64(31))
    return (np.float64(z >> np.uint64(11)) + 1.0) * TO_UNIT
