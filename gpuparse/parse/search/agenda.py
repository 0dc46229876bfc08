"""The agenda: which partial parse is better, a heap of those that wait, a list for beam search, and the chart.

What is pushed waits unordered at the end of the heap until something is popped: greedy completion pushes thousands of
entries before it first pops, and by then it has a solution, and most of them can't win any more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpuparse.jit import compiled


class Order(NamedTuple):
    """What decides which entry of a search is better."""

    cost: np.ndarray  # float64[entries]
    step_cost: np.ndarray  # float64[entries]
    parent: np.ndarray  # int32[entries]
    ahead: np.ndarray  # int32[entries]
    profile: np.ndarray  # float64[words + 1]: what a good tree costs by the time it has so much ahead; 0: unknown
    sorted_costs: np.ndarray  # float64[2, items]: room for the steps of two entries
    max_min: bool
    gap: float  # what costs more than the best tree and this is not wanted


@compiled
def precedes(order, a, b):
    """Whether entry a is strictly better than entry b.

    By cost; under max-min the greatest step decides, among equals the second greatest, and so on, and a partial parse
    whose steps run out first is the better.
    """
    if order.cost[a] != order.cost[b]:
        return order.cost[a] < order.cost[b]
    return order.max_min and _steps_precede(order, a, b)


@compiled
def _steps_precede(order, a, b):
    first, second = _sort_steps(order, a, 0), _sort_steps(order, b, 1)
    for at in range(min(first, second)):
        if order.sorted_costs[0, at] != order.sorted_costs[1, at]:
            return order.sorted_costs[0, at] < order.sorted_costs[1, at]
    return first < second


@compiled
def _sort_steps(order, entry, which):
    """Sort the costs of an entry's inferences into a row of `sorted_costs`, the greatest first; how many there are."""
    length = 0
    while entry > 0:
        step = order.step_cost[entry]
        at = length
        while at > 0 and order.sorted_costs[which, at - 1] < step:
            order.sorted_costs[which, at] = order.sorted_costs[which, at - 1]
            at -= 1
        order.sorted_costs[which, at] = step
        length += 1
        entry = order.parent[entry]
    return length


@compiled
def _before(order, a, b):
    """The order on the agenda: first what costs least beyond the profile, then the better, among equals the older."""
    first = order.cost[a] - order.profile[order.ahead[a]]
    second = order.cost[b] - order.profile[order.ahead[b]]
    if first != second:
        return first < second
    if precedes(order, a, b):
        return True
    return a < b and not precedes(order, b, a)


@compiled
def sift_up(heap, size, entry, order):
    """Add an entry to a heap of this size."""
    at = size
    while at > 0:
        above = (at - 1) >> 1
        if not _before(order, entry, heap[above]):
            break
        heap[at] = heap[above]
        at = above
    heap[at] = entry


@compiled
def take_best(heap, size, order):
    """Take the best entry off a heap of this size, which is not empty."""
    best, entry = heap[0], heap[size - 1]
    size -= 1
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size and _before(order, heap[below + 1], heap[below]):
            below += 1
        if not _before(order, heap[below], entry):
            break
        heap[at] = heap[below]
        at = below
    heap[at] = entry
    return best


@compiled
def insert(waiting, size, entry, width, order):
    """Add an entry to a list of at most `width`, the best last; returns the entry that falls off, or -1."""
    dropped = -1
    if size == width:
        if not _before(order, entry, waiting[0]):
            return entry
        dropped = waiting[0]
        for at in range(size - 1):
            waiting[at] = waiting[at + 1]
        size -= 1
    at = size
    while at > 0 and _before(order, waiting[at - 1], entry):
        waiting[at] = waiting[at - 1]
        at -= 1
    waiting[at] = entry
    return dropped


@compiled
def charted(chart, signature, entry, order):
    """Whether the entry's state was popped before at no greater cost; if not, it is noted as popped now."""
    mask = len(chart) - 1
    key = signature[entry]
    at = np.int64(key & np.uint64(mask))
    while chart[at] >= 0:
        if signature[chart[at]] == key:
            if not precedes(order, entry, chart[at]):
                return True
            break
        at = (at + 1) & mask
    chart[at] = entry
    return False
