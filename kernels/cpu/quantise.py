"""Weights of sampled examples in fixed point: integers that sum to the same in any order, on any device.

A packed weight holds the positive part in its upper 32 bits and the negative part in its lower 32, so that one
addition sums both apart. The scale is a power of two that brings the total weight into [2^29, 2^30).
"""

import math

from numba import njit


@njit(cache=True, nogil=True)
def quantise(y, bias, odds, kept, tau, packed):
    """packed[i] = the weight max(w, tau) of example kept[i], on the side of its y; returns the scale and the total."""
    total = 0.0
    for i in kept:
        total += max(bias[i] / (1.0 + odds[i]), tau)
    scale = math.ldexp(1.0, min(30 - math.frexp(total)[1], 1000)) if total > 0.0 else 1.0  # 2^1024 is infinite
    everything = 0
    for n in range(kept.size):
        i = kept[n]
        weight = int(max(bias[i] / (1.0 + odds[i]), tau) * scale + 0.5)
        packed[n] = weight << 32 if y[i] > 0 else weight
        everything += packed[n]
    return scale, everything
