"""A histogram zeroed where it may not be zero."""

from gpuparse.jit import kernel


@kernel
def clear_listed(histogram, listed):
    """Zero the listed features."""
    for f in listed:
        histogram[f] = 0
