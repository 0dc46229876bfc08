"""A real rounded to an integer, in a way that becomes vector instructions; used by several operations."""

import numpy as np

from gpuparse.jit import spliced

SHIFT = 1.5 * 2.0**52  # a double of this size has units in its last bit
SHIFT_BITS = np.float64(SHIFT).view(np.int64)


@spliced
def units(x):
    """The integer nearest to x, of two the even one; |x| < 2^51."""
    return np.float64(x + SHIFT).view(np.int64) - SHIFT_BITS
