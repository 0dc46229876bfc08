"""The logistic loss, importance x ln(1 + exp(-margin)). The state of an example is its odds, exp(margin).

Loops go over views of arrays, from 0 on, so that they become vector instructions.
"""

import numpy as np

from gpuparse.jit import vectorised

from ..index import index, offset
from .draws import GOLDEN, scatter
from .logarithm import logarithm
from .units import units


@vectorised
def priorities(importance, state, key, start, stop, out):
    """out[i] = w / u for the examples start <= i < stop, with w = importance / (1 + odds) and u = uniform(key, i)."""
    importances, odds, results = importance[start:stop], state[start:stop], out[start:stop]
    z = np.uint64(key) + np.uint64(start) * GOLDEN
    for i in range(results.size):
        z += GOLDEN
        results[i] = importances[i] / (1.0 + odds[i]) / scatter(z)


@vectorised
def weigh(importance, state, kept, tau, weights):
    """weights[n] = the weight max(w, tau) of example kept[n]; returns the greatest."""
    greatest = 0.0
    for n in range(kept.size):
        i = kept[n]
        weight = max(importance[i] / (1.0 + state[i]), tau)
        weights[n] = weight
        greatest = max(greatest, weight)
    return greatest


@vectorised
def leaf_sums(leaf, examples, scale, start, stop, sums, counts):
    """Add y w, in units, to sums[leaf] and 1 to counts[leaf, y < 0], for the examples start <= i < stop."""
    signs, importance, odds = examples
    for i in range(offset(start), offset(stop)):
        node = index(leaf[i])
        weight = units(importance[i] / (1.0 + odds[i]) * scale)
        if signs[i] > 0:
            sums[node] += weight
            counts[node, 0] += 1
        else:
            sums[node] -= weight
            counts[node, 1] += 1


@vectorised
def slopes(cells, factor, scale, members, sums):
    """For each cell, with the odds of its side times the side's factor: add the sums of w and of
    w (1 - w / importance) over its members, in units, to sums[0, side] and sums[1, side].

    A side whose factor is negative is left out.
    """
    begin, end, side = cells
    for c in range(side.size):
        times = factor[side[c]]
        if times < 0.0:
            continue
        importances = members.importance[begin[c] : end[c]]
        odds = members.state[begin[c] : end[c]]
        sum_w = np.int64(0)
        sum_c = np.int64(0)
        for i in range(importances.size):
            o = odds[i] * times
            share = 1.0 / (1.0 + o)
            w = importances[i] * scale * share  # the scale, a power of two, changes no bit of the mantissa
            sum_w += units(w)
            sum_c += units(w * (o * share))
        sums[0, side[c]] += sum_w
        sums[1, side[c]] += sum_c


@vectorised
def move(cells, step, factor, scale, members, change):
    """For each cell: multiply the odds of its members by factor[side] = exp(step[side]), and add the change of their
    loss, in units, to change[0].

    ln(1 + 1/o') - ln(1 + 1/o) = ln((1 + o') / (1 + o)) - step, where o' = o exp(step).
    """
    begin, end, side = cells
    total = 0
    for c in range(side.size):
        by = step[side[c]]
        times = factor[side[c]]
        importances = members.importance[begin[c] : end[c]]
        odds = members.state[begin[c] : end[c]]
        for i in range(odds.size):
            new = min(max(odds[i] * times, 1e-300), 1e300)
            total += units(importances[i] * (logarithm((1.0 + new) / (1.0 + odds[i])) - by) * scale)
            odds[i] = new
    change[0] += total
