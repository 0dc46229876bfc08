"""A histogram zeroed where it may not be zero."""

from numba import njit


@njit(cache=True, nogil=True)
def clear_listed(histogram, listed):
    """Zero the listed features."""
    for f in listed:
        histogram[f] = 0
