"""The change of the loss over cells when the score of their examples takes a step."""

import math

from numba import njit


@njit(cache=True, nogil=True)
def losses(begin, end, step, first, last, bias, odds, loss):
    """For cells first <= c < last: multiply the odds by exp(step[c]); loss[c] is the change of the cell's loss.

    ln(1 + 1/o') - ln(1 + 1/o) = ln((1 + o') / (1 + o)) - step, where o' = o exp(step).
    """
    for c in range(first, last):
        times = math.exp(step[c])
        change = 0.0
        for i in range(begin[c], end[c]):
            new = min(max(odds[i] * times, 1e-300), 1e300)
            change += bias[i] * (math.log((1.0 + new) / (1.0 + odds[i])) - step[c])
            odds[i] = new
        loss[c] = change
