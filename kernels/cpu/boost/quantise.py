"""Weights of sampled examples in fixed point: integers that sum to the same in any order, on any device."""

from gpuparse.jit import kernel

from ...packing import as_negative, as_positive


@kernel
def quantise(signs, kept, weights, scale, packed):
    """packed[n] = weights[n] in units, on the side of the y of example kept[n]; returns their sum."""
    everything = 0
    for n in range(kept.size):
        weight = int(weights[n] * scale + 0.5)
        packed[n] = as_positive(weight) if signs[kept[n]] > 0 else as_negative(weight)
        everything += packed[n]
    return everything
