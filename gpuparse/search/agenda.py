"""The agenda: which partial parse is better, a heap of those that wait, a list for beam search, and the chart."""

from __future__ import annotations

import numpy as np
from numba import njit

from gpuparse.search.pool import Register

_AGENDA = int(Register.AGENDA)


@njit(cache=True, nogil=True)
def precedes(pool, slot, a, b, max_min):
    """Whether entry a is strictly better than entry b.

    By cost; under max-min the greatest step decides, among equals the second greatest, and so on, and a partial parse
    whose steps run out first is the better.
    """
    cost = pool.cost[slot]
    if cost[a] != cost[b]:
        return cost[a] < cost[b]
    if not max_min:
        return False
    first, second = _steps(pool, slot, a), _steps(pool, slot, b)
    for at in range(min(len(first), len(second))):
        if first[at] != second[at]:
            return first[at] < second[at]
    return len(first) < len(second)


@njit(cache=True, nogil=True)
def _steps(pool, slot, entry):
    """The costs of an entry's inferences, the greatest first."""
    length = 0
    at = entry
    while at > 0:
        length += 1
        at = pool.parent[slot, at]
    steps = np.empty(length)
    at = entry
    for k in range(length):
        steps[k] = pool.step[slot, at]
        at = pool.parent[slot, at]
    steps.sort()
    return steps[::-1]


@njit(cache=True, nogil=True)
def _before(pool, slot, a, b, max_min):
    """The order on the agenda: the better first, among equals the older."""
    if precedes(pool, slot, a, b, max_min):
        return True
    return a < b and not precedes(pool, slot, b, a, max_min)


@njit(cache=True, nogil=True)
def push(pool, slot, entry, max_min):
    """Add an entry to the heap."""
    heap = pool.agenda[slot]
    at = pool.registers[slot, _AGENDA]
    pool.registers[slot, _AGENDA] += 1
    while at > 0:
        above = (at - 1) >> 1
        if not _before(pool, slot, entry, heap[above], max_min):
            break
        heap[at] = heap[above]
        at = above
    heap[at] = entry


@njit(cache=True, nogil=True)
def pop(pool, slot, max_min):
    """Take the best entry off the heap, which is not empty."""
    heap = pool.agenda[slot]
    pool.registers[slot, _AGENDA] -= 1
    size = pool.registers[slot, _AGENDA]
    best, entry = heap[0], heap[size]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size and _before(pool, slot, heap[below + 1], heap[below], max_min):
            below += 1
        if not _before(pool, slot, heap[below], entry, max_min):
            break
        heap[at] = heap[below]
        at = below
    heap[at] = entry
    return best


@njit(cache=True, nogil=True)
def insert(pool, slot, entry, width, max_min):
    """Add an entry to a list of at most `width`, the best last; returns the entry that falls off, or -1."""
    waiting = pool.agenda[slot]
    size = pool.registers[slot, _AGENDA]
    dropped = -1
    if size == width:
        if not _before(pool, slot, entry, waiting[0], max_min):
            return entry
        dropped = waiting[0]
        for at in range(size - 1):
            waiting[at] = waiting[at + 1]
        size -= 1
    at = size
    while at > 0 and _before(pool, slot, waiting[at - 1], entry, max_min):
        waiting[at] = waiting[at - 1]
        at -= 1
    waiting[at] = entry
    pool.registers[slot, _AGENDA] = size + 1
    return dropped


@njit(cache=True, nogil=True)
def charted(pool, slot, entry, max_min):
    """Whether the entry's state was popped before at no greater cost; if not, it is noted as popped now."""
    chart = pool.chart[slot]
    mask = len(chart) - 1
    key = pool.signature[slot, entry]
    at = np.int64(key & np.uint64(mask))
    while chart[at] >= 0:
        if pool.signature[slot, chart[at]] == key:
            if not precedes(pool, slot, entry, chart[at], max_min):
                return True
            break
        at = (at + 1) & mask
    chart[at] = entry
    return False
