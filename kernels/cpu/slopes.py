"""Derivatives of the loss over cells (stretches of one leaf's examples): what a line search asks for.

Each cell is summed in a fixed order, whoever computes it.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def slopes(begin, end, factor, first, last, bias, odds, weight, curvature):
    """For cells first <= c < last, with the odds of the cell times factor[c]: the sums of w and of w (1 - w / bias)."""
    for c in range(first, last):
        lanes_w = np.zeros(4)
        lanes_c = np.zeros(4)
        times = factor[c]
        for i in range(begin[c], end[c]):
            o = odds[i] * times
            share = 1.0 / (1.0 + o)
            w = bias[i] * share
            lanes_w[i & 3] += w
            lanes_c[i & 3] += w * (o * share)
        weight[c] = lanes_w.sum()
        curvature[c] = lanes_c.sum()
