"""Derivatives of the loss over groups of examples (of one leaf and one sign): what a line search asks for."""

import numpy as np

from gpuparse.jit import vectorised

from .units import units


@vectorised
def slopes(begin, end, group, factor, scale, first, last, importance, odds, weight, curvature):
    """For cells first <= c < last, with the odds of group g = group[c] times factor[g]: the sums of w and of
    w (1 - w / importance) over the examples begin[c] <= i < end[c], in units, are added to weight[g] and curvature[g].

    A group whose factor is negative is left out.
    """
    for c in range(first, last):
        times = factor[group[c]]
        if times < 0.0:
            continue
        importances = importance[begin[c] : end[c]]  # from 0 on, so that the loop becomes vector instructions
        old = odds[begin[c] : end[c]]
        sum_w = np.int64(0)
        sum_c = np.int64(0)
        for i in range(importances.size):
            o = old[i] * times
            share = 1.0 / (1.0 + o)
            w = importances[i] * scale * share  # the scale, a power of two, changes no bit of the mantissa
            sum_w += units(w)
            sum_c += units(w * (o * share))
        weight[group[c]] += sum_w
        curvature[group[c]] += sum_c
