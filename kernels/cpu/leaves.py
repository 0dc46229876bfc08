"""Sums over the examples of each leaf: gradients, the examples themselves in order, slopes of the line search, losses.

Sums run over cells (stretches of bounded length) in a fixed order, whoever computes them.
"""

import math

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def leaf_sums(leaf, y, bias, odds, start, stop, sums, counts):
    """Add y w to sums[leaf] and 1 to counts[leaf, y < 0], for the examples start <= i < stop."""
    for i in range(start, stop):
        node = leaf[i]
        weight = bias[i] / (1.0 + odds[i])
        if y[i] > 0:
            sums[node] += weight
            counts[node, 0] += 1
        else:
            sums[node] -= weight
            counts[node, 1] += 1


@njit(cache=True, nogil=True)
def collect(leaf, y, bias, odds, start, stop, place, member, member_bias, member_odds):
    """Copy the examples start <= i < stop of leaves with place[leaf, y < 0] >= 0 there, one after the other."""
    for i in range(start, stop):
        node = leaf[i]
        side = 0 if y[i] > 0 else 1
        at = place[node, side]
        if at >= 0:
            place[node, side] = at + 1
            member[at] = i
            member_bias[at] = bias[i]
            member_odds[at] = odds[i]


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


@njit(cache=True, nogil=True)
def put_back(member, member_odds, odds):
    """odds[member] = member_odds."""
    for n in range(member.size):
        odds[member[n]] = member_odds[n]
