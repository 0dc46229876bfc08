"""Priorities of examples for sampling: weight over a uniform draw that is a function of (key, example) alone."""

import numpy as np

from gpuparse.jit import kernel, spliced, vectorised

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
TO_UNIT = 1.0 / (1 << 53)
WHOLE = 2.0**52  # a double of this size has units in its last bit
WHOLE_BITS = np.float64(WHOLE).view(np.uint64)
LOW_BITS = np.uint64(0xFFFFFFFF)


@spliced
def _scatter(z):
    """A number in (0, 1] out of a counter that goes up by GOLDEN (SplitMix64)."""
    z = (z ^ (z >> np.uint64(30))) * FIRST
    z = (z ^ (z >> np.uint64(27))) * SECOND
    z = z ^ (z >> np.uint64(31))
    # its 53 leading bits as a real, in two parts: no vector instruction converts so many
    high = np.uint64((z >> np.uint64(43)) | WHOLE_BITS).view(np.float64) - WHOLE
    low = np.uint64(((z >> np.uint64(11)) & LOW_BITS) | WHOLE_BITS).view(np.float64) - WHOLE
    return (high * 2.0**32 + low + 1.0) * TO_UNIT


@kernel
def uniform(key, example):
    """The draw of an example under a key, in (0, 1]."""
    return _scatter(np.uint64(key) + (np.uint64(example) + np.uint64(1)) * GOLDEN)


@vectorised
def priorities(importance, odds, key, start, stop, out):
    """out[i] = w / u for the examples start <= i < stop, with w = importance / (1 + odds) and u = uniform(key, i)."""
    importances, old, results = importance[start:stop], odds[start:stop], out[start:stop]
    z = np.uint64(key) + np.uint64(start) * GOLDEN
    for i in range(results.size):
        z += GOLDEN
        results[i] = importances[i] / (1.0 + old[i]) / _scatter(z)
