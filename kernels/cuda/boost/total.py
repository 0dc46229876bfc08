"""A sum that does not depend on the order."""

import numpy as np

from ..memory import arrays, to_host


def total(weights, scale):
    """The sum of the weights, each in units."""
    return int(to_host(arrays.rint(weights * scale).astype(np.int64).sum()))
