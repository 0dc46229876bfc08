"""The natural logarithm in the arithmetic of the CPU's twin, so that both round the same."""

import numpy as np
from numba import cuda

from .exact import SHIFT, times

ONE = np.float64(1.0).view(np.uint64)
LEAST = np.float64(0.5**0.5).view(np.uint64)
MANTISSA = np.uint64((1 << 52) - 1)
DIGITS = np.uint64(52)
NO_POWER = np.int64(np.float64(SHIFT).view(np.int64) - 1023)
LN_2 = np.log(2.0)


@cuda.jit(device=True)
def logarithm(x):
    """ln x, to 1e-15 of it, for normal numbers x > 0: kernels/cpu/boost/logarithm.py says how."""
    bits = np.float64(x).view(np.uint64) + (ONE - LEAST)
    k = np.int64(np.int64(bits >> DIGITS) + NO_POWER).view(np.float64) - SHIFT
    m = np.uint64((bits & MANTISSA) + LEAST).view(np.float64)
    s = (m - 1.0) / (m + 1.0)
    q = times(s, s)
    series = times(2 / 21, q) + 2 / 19
    series = times(series, q) + 2 / 17
    series = times(series, q) + 2 / 15
    series = times(series, q) + 2 / 13
    series = times(series, q) + 2 / 11
    series = times(series, q) + 2 / 9
    series = times(series, q) + 2 / 7
    series = times(series, q) + 2 / 5
    series = times(series, q) + 2 / 3
    series = times(series, q) + 2.0
    return times(k, LN_2) + times(series, s)
