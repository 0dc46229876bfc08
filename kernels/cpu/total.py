"""A sum that does not depend on the order."""

from numba import njit

from .units import units


@njit(cache=True, nogil=True)
def total(weights, scale):
    """The sum of the weights, each in units."""
    sum_ = 0
    for n in range(weights.size):
        sum_ += units(weights[n] * scale)
    return sum_
