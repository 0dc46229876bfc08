"""Which items a group holds: a row of the table of groups, and where the points of an inference lie.

Training and parsing both ask here, so that a group means the same to them.
"""

from __future__ import annotations

from gpuparse.jit import inlined
from gpuparse.parse.features.groups import (
    CLIP_START,
    CLIP_STOP,
    DOMAIN,
    START_OFFSET,
    START_POINT,
    STOP_OFFSET,
    STOP_POINT,
    WITHOUT_HEAD,
    Domain,
    Point,
)
from gpuparse.parse.logic.items import FIRST, HEAD, HEAD_CHILD, LAST
from gpuparse.parse.logic.state import N_FRONTIER, span_of

_BELOW, _TERMINALS = int(Domain.BELOW), int(Domain.TERMINALS)
_BEGIN, _LEFT, _HEAD, _HEADEND, _RIGHT, _FINISH = (int(point) for point in Point)
_POINTS = len(Point)
CUTS = 2 * _POINTS  # the six points among the frontier items, and the six among the terminals


@inlined
def set_cuts(cuts, state, run):
    """Write down where the points of an inference lie, among the frontier items and among the terminals."""
    cuts[_BEGIN], cuts[_LEFT], cuts[_RIGHT] = 0, run.left, run.right + 1
    cuts[_HEAD], cuts[_HEADEND], cuts[_FINISH] = run.head, run.head + 1, state.extent[N_FRONTIER]
    head = state.items[state.frontier[run.head], HEAD]
    start, end = span_of(state, run.left, run.right)
    words = _POINTS
    cuts[words + _BEGIN], cuts[words + _LEFT], cuts[words + _RIGHT] = 0, start, end
    cuts[words + _HEAD], cuts[words + _HEADEND], cuts[words + _FINISH] = head, head + 1, len(state.terminals)


@inlined
def child_of(group, cuts, state):
    """The only item of a group of the domain CHILD, or -1."""
    parent = state.frontier[cuts[group[START_POINT]] + group[START_OFFSET]]
    which = group[CLIP_START]
    return state.items[parent, FIRST if which == _LEFT else HEAD_CHILD if which == _HEAD else LAST]


@inlined
def run_of(group, cuts, state):
    """The run of a group of another domain: `[start, skip)` and `[resume, stop)`, frontier places or terminals."""
    domain = group[DOMAIN]
    base = _POINTS if domain == _TERMINALS else 0
    start = cuts[base + group[START_POINT]] + group[START_OFFSET]
    stop = cuts[base + group[STOP_POINT]] + group[STOP_OFFSET]
    start = max(start, cuts[base + group[CLIP_START]])
    stop = max(start, min(stop, cuts[base + group[CLIP_STOP]]))
    skip, resume = stop, stop
    if group[WITHOUT_HEAD]:
        skip, resume = cuts[_HEAD], cuts[_HEADEND]
    if domain == _BELOW and start < stop:
        if group[WITHOUT_HEAD]:
            skip, resume = span_of(state, skip, skip)
        start, stop = span_of(state, start, stop - 1)
        if not group[WITHOUT_HEAD]:
            skip, resume = stop, stop
    return start, skip, resume, stop
