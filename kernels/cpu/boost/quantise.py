"""Weights of sampled examples in fixed point: integers that sum to the same in any order, on any device.

A packed weight holds the positive part in its upper 32 bits and the negative part in its lower 32, so that one
addition sums both apart.
"""

from gpuparse.jit import kernel


@kernel
def quantise(y, kept, weights, scale, packed):
    """packed[n] = weights[n] in units, on the side of the y of example kept[n]; returns their sum."""
    everything = 0
    for n in range(kept.size):
        weight = int(weights[n] * scale + 0.5)
        packed[n] = weight << 32 if y[kept[n]] > 0 else weight
        everything += packed[n]
    return everything
