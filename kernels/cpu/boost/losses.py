"""The change of the loss when the scores of groups of examples take a step."""

from gpuparse.jit import vectorised

from .logarithm import logarithm
from .units import units


@vectorised
def losses(begin, end, group, step, factor, scale, first, last, importance, odds, change):
    """For cells first <= c < last of group g = group[c]: multiply the odds of the examples begin[c] <= i < end[c] by
    factor[g] = exp(step[g]), and add the change of their loss, in units, to change[0].

    ln(1 + 1/o') - ln(1 + 1/o) = ln((1 + o') / (1 + o)) - step, where o' = o exp(step).
    """
    total = 0
    for c in range(first, last):
        by = step[group[c]]
        times = factor[group[c]]
        importances = importance[begin[c] : end[c]]
        cell = odds[begin[c] : end[c]]
        for i in range(cell.size):
            new = min(max(cell[i] * times, 1e-300), 1e300)
            total += units(importances[i] * (logarithm((1.0 + new) / (1.0 + cell[i])) - by) * scale)
            cell[i] = new
    change[0] += total
