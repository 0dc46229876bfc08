"""Weights of sampled examples in fixed point."""

import numpy as np

from ...packing import as_negative, as_positive
from ..memory import arrays, to_host


def quantise(signs, kept, weights, scale, packed):
    """packed[n] = weights[n] in units, on the side of the y of example kept[n]; returns their sum."""
    units = (weights * scale + 0.5).astype(np.int64)
    packed[:] = arrays.where(signs[kept] > 0, as_positive(units), as_negative(units))
    return int(to_host(packed.sum()))
