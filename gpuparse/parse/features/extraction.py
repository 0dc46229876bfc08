"""The features of an inference for training: the numbers of all of them, segment by segment.

A feature may be written more than once, since a group is a set and its items are a list.
"""

from __future__ import annotations

from gpuparse.jit import compiled
from gpuparse.parse.features.groups import COUNTED, DOMAIN, GROUPS, Domain
from gpuparse.parse.features.runs import child_of, run_of, set_cuts
from gpuparse.parse.features.space import LENGTH, LENGTHS
from gpuparse.parse.logic.items import FIRST_VALUE, HEAD, HEAD_VALUES, SYMBOL
from gpuparse.parse.properties import LABEL

_ITEMS, _CHILD = int(Domain.ITEMS), int(Domain.CHILD)


def segment_capacity(n_words: int) -> int:
    """More features than any one segment of a sentence of this many words can have, repetitions counted."""
    return len(GROUPS) * (LENGTH * n_words + LENGTHS + 1)


@compiled
def _emit_item(item, state, base, symbols, out, at):
    """Write the properties of an item as features: its label, and those of its head word."""
    head, symbol = state.items[item, HEAD], state.items[item, SYMBOL]
    if symbol < symbols:
        out[at] = base[LABEL] + symbol
        at += 1
    for number in range(HEAD_VALUES):  # so few that the loop is unrolled
        value = state.terminals[head, FIRST_VALUE + number]
        if value >= 0:
            out[at] = base[LABEL + 1 + number] + value
            at += 1
    return at


@compiled
def _emit_length(length, base, out, at):
    """Write `len(J)=length` and `len(J)>n` for every smaller n."""
    if length < LENGTHS:
        out[at] = base + length
        at += 1
    for n in range(min(length, LENGTHS)):
        out[at] = base + LENGTHS + n
        at += 1
    return at


@compiled
def emit_segment(column, numbering, state, cuts, out, at):
    """Write the features of one column's groups for the inference whose points are in `cuts`.

    Returns the position after the last feature written to `out` from `at` on.
    """
    for place in range(numbering.column_starts[column], numbering.column_starts[column + 1]):
        number = numbering.order[place]
        group, base = numbering.groups[number], numbering.base[number]
        if group[DOMAIN] == _CHILD:
            child = child_of(group, cuts, state)
            if child >= 0:
                at = _emit_item(child, state, base, numbering.symbols, out, at)
            continue
        start, skip, resume, stop = run_of(group, cuts, state)
        for begin, end in ((start, skip), (resume, stop)):
            for k in range(begin, end):
                item = state.frontier[k] if group[DOMAIN] == _ITEMS else k
                at = _emit_item(item, state, base, numbering.symbols, out, at)
        if group[COUNTED]:
            at = _emit_length(stop - start - (resume - skip), base[LENGTH], out, at)
    return at


@compiled
def emit_inference(numbering, state, run, cuts, out):
    """Write the features of all columns for an inference over a run; `cuts` is room for its points.

    Returns how many were written.
    """
    set_cuts(cuts, state, run)
    at = 0
    for column in range(len(numbering.column_starts) - 1):
        at = emit_segment(column, numbering, state, cuts, out, at)
    return at
