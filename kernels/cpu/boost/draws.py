"""Uniform draws that are a function of (key, example) alone (SplitMix64)."""

import numpy as np

from gpuparse.jit import kernel, spliced

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # by which the counter goes up
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
TO_UNIT = 1.0 / (1 << 53)
UNIT_SPACED = 2.0**52  # a double of this size has units in its last bit
UNIT_SPACED_BITS = np.float64(UNIT_SPACED).view(np.uint64)
LOW_BITS = np.uint64(0xFFFFFFFF)


@spliced
def scatter(z):
    """A number in (0, 1] out of the counter, key + (example + 1) GOLDEN."""
    z = (z ^ (z >> np.uint64(30))) * FIRST_FACTOR
    z = (z ^ (z >> np.uint64(27))) * SECOND_FACTOR
    z = z ^ (z >> np.uint64(31))
    # its 53 leading bits as a real, in two parts: no vector instruction converts so many
    high = np.uint64((z >> np.uint64(43)) | UNIT_SPACED_BITS).view(np.float64) - UNIT_SPACED
    low = np.uint64(((z >> np.uint64(11)) & LOW_BITS) | UNIT_SPACED_BITS).view(np.float64) - UNIT_SPACED
    return (high * 2.0**32 + low + 1.0) * TO_UNIT


@kernel
def uniform(key, example):
    """The draw of an example under a key, in (0, 1]."""
    return scatter(np.uint64(key) + (np.uint64(example) + np.uint64(1)) * GOLDEN)
