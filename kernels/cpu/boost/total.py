"""A sum that does not depend on the order."""

from gpuparse.jit import kernel

from .units import units


@kernel
def total(weights, scale):
    """The sum of the weights, each in units."""
    sum_ = 0
    for n in range(weights.size):
        sum_ += units(weights[n] * scale)
    return sum_
