"""Weights of sampled examples in fixed point."""

import numpy as np

from ..memory import arrays, to_host


def quantise(y, kept, weights, scale, packed):
    """packed[n] = weights[n] in units, on the side of the y of example kept[n]; returns their sum."""
    units = (weights * scale + 0.5).astype(np.int64)
    packed[:] = arrays.where(y[kept] > 0, units << 32, units)
    return int(to_host(packed.sum()))
