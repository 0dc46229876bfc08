"""The exponential loss, importance x exp(-margin). The state of an example is exp(-margin); its weight is its loss.

Loops go over views of arrays, from 0 on, so that they become vector instructions.
"""

import numpy as np

from gpuparse.jit import vectorised

from ..index import index, offset
from .draws import GOLDEN, scatter
from .units import units


@vectorised
def priorities(importance, state, key, start, stop, out):
    """out[i] = w / u for the examples start <= i < stop, with w = importance x state and u = uniform(key, i)."""
    importances, states, results = importance[start:stop], state[start:stop], out[start:stop]
    z = np.uint64(key) + np.uint64(start) * GOLDEN
    for i in range(results.size):
        z += GOLDEN
        results[i] = importances[i] * states[i] / scatter(z)


@vectorised
def weigh(importance, state, kept, tau, weights):
    """weights[n] = the weight max(w, tau) of example kept[n]; returns the greatest."""
    greatest = 0.0
    for n in range(kept.size):
        i = kept[n]
        weight = max(importance[i] * state[i], tau)
        weights[n] = weight
        greatest = max(greatest, weight)
    return greatest


@vectorised
def leaf_sums(leaf, examples, scale, start, stop, sums, counts):
    """Add y w, in units, to sums[leaf] and 1 to counts[leaf, y < 0], for the examples start <= i < stop."""
    signs, importance, state = examples
    for i in range(offset(start), offset(stop)):
        node = index(leaf[i])
        weight = units(importance[i] * state[i] * scale)
        if signs[i] > 0:
            sums[node] += weight
            counts[node, 0] += 1
        else:
            sums[node] -= weight
            counts[node, 1] += 1


@vectorised
def slopes(cells, factor, scale, members, sums):
    """For each cell, with the states of its side times the side's factor: add the sum of w over its members, in
    units, to both sums[0, side] and sums[1, side]. Both derivatives of this loss are w.

    A side whose factor is negative is left out.
    """
    begin, end, side = cells
    for c in range(side.size):
        times = factor[side[c]]
        if times < 0.0:
            continue
        importances = members.importance[begin[c] : end[c]]
        states = members.state[begin[c] : end[c]]
        total = np.int64(0)
        for i in range(importances.size):
            total += units(importances[i] * (states[i] * times) * scale)
        sums[0, side[c]] += total
        sums[1, side[c]] += total


@vectorised
def move(cells, step, factor, scale, members, change):
    """For each cell: multiply the states of its members by factor[side] = exp(-step[side]), and add the change of
    their loss, in units, to change[0].
    """
    begin, end, side = cells
    total = 0
    for c in range(side.size):
        times = factor[side[c]]
        importances = members.importance[begin[c] : end[c]]
        states = members.state[begin[c] : end[c]]
        for i in range(states.size):
            new = min(max(states[i] * times, 1e-300), 1e300)
            total += units(importances[i] * (new - states[i]) * scale)
            states[i] = new
    change[0] += total
