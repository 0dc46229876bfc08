"""The natural logarithm in plain arithmetic, which becomes vector instructions, and rounds the same on every device."""

import numpy as np

from gpuparse.jit import spliced

from .units import SHIFT, SHIFT_BITS

ONE = np.float64(1.0).view(np.uint64)
LEAST = np.float64(0.5**0.5).view(np.uint64)  # x = m 2^k with the square root of 1/2 <= m < that of 2
MANTISSA = np.uint64((1 << 52) - 1)
DIGITS = np.uint64(52)
NO_POWER = np.int64(SHIFT_BITS - 1023)
LN_2 = np.log(2.0)


@spliced
def logarithm(x):
    """ln x, to 1e-15 of it, for normal numbers x > 0.

    x = m 2^k, so that ln x = k ln 2 + ln m; and ln m = 2 artanh(s) = 2 (s + s^3 / 3 + s^5 / 5 + ...) for
    s = (m - 1) / (m + 1), which is at most 0.172.
    """
    bits = np.float64(x).view(np.uint64) + (ONE - LEAST)
    k = np.int64(np.int64(bits >> DIGITS) + NO_POWER).view(np.float64) - SHIFT
    m = np.uint64((bits & MANTISSA) + LEAST).view(np.float64)
    s = (m - 1.0) / (m + 1.0)
    q = s * s
    series = 2 / 21 * q + 2 / 19
    series = series * q + 2 / 17
    series = series * q + 2 / 15
    series = series * q + 2 / 13
    series = series * q + 2 / 11
    series = series * q + 2 / 9
    series = series * q + 2 / 7
    series = series * q + 2 / 5
    series = series * q + 2 / 3
    series = series * q + 2.0
    return k * LN_2 + series * s
