"""Gradients of leaves, and how many examples each has."""

from gpuparse.jit import vectorised

from ..index import index, offset
from .units import units


@vectorised
def leaf_sums(leaf, y, importance, odds, scale, start, stop, sums, counts):
    """Add y w, in units, to sums[leaf] and 1 to counts[leaf, y < 0], for the examples start <= i < stop."""
    for i in range(offset(start), offset(stop)):
        node = index(leaf[i])
        weight = units(importance[i] / (1.0 + odds[i]) * scale)
        if y[i] > 0:
            sums[node] += weight
            counts[node, 0] += 1
        else:
            sums[node] -= weight
            counts[node, 1] += 1
