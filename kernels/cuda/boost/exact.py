"""Arithmetic that rounds as the CPU does: a GPU would fuse a product and a sum, and round once instead of twice."""

from numba import cuda, int64

from ..memory import SIMULATED

SHIFT = 1.5 * 2.0**52  # a double of this size has units in its last bit

if SIMULATED:

    @cuda.jit(device=True)
    def times(x, y):
        """The product, rounded."""
        return x * y

else:
    from numba.cuda import libdevice

    times = libdevice.dmul_rn


@cuda.jit(device=True)
def units(x, scale):
    """The integer nearest to x * scale, of two the even one; its absolute value is below 2^51."""
    return int64((times(x, scale) + SHIFT) - SHIFT)
