"""The features of an inference, computed: compiled code that follows the table of groups.

One function, `emit_segment`, serves training and parsing alike. It writes the numbers of the features of one segment
of an inference; a feature may be written more than once, since a group is a set and its items are a list.
"""

from __future__ import annotations

from numba import njit

from gpuparse.features.groups import (
    CLIP_START,
    CLIP_STOP,
    COUNTED,
    DOMAIN,
    GROUPS,
    START_OFFSET,
    START_POINT,
    STOP_OFFSET,
    STOP_POINT,
    WITHOUT_HEAD,
    Domain,
    Point,
)
from gpuparse.features.space import LENGTH, LENGTHS
from gpuparse.logic.items import END, FIRST, HEAD, HEAD_CHILD, LAST, START, SYMBOL, TAG, TAG_CLASS, WORD

_ITEMS, _BELOW, _TERMINALS, _CHILD = (int(domain) for domain in Domain)
_BEGIN, _LEFT, _HEAD, _HEADEND, _RIGHT, _FINISH = (int(point) for point in Point)


def segment_capacity(n_words: int) -> int:
    """More features than any one segment of a sentence of this many words can have, repetitions counted."""
    return len(GROUPS) * (4 * n_words + LENGTHS + 1)


@njit(cache=True, nogil=True, inline="always")
def _cut(point, left, head, right, finish):
    """Where a point lies, given where the children and the head begin and end."""
    if point == _LEFT:
        return left
    if point == _HEAD:
        return head
    if point == _HEADEND:
        return head + 1
    if point == _RIGHT:
        return right
    return finish if point == _FINISH else 0


@njit(cache=True, nogil=True)
def _emit_item(item, items, terminals, base, symbols, wanted, out, at):
    """Write the label, head word, head tag and tag class of an item as features."""
    head = items[item, HEAD]
    if wanted & 1 and items[item, SYMBOL] < symbols:
        out[at] = base[0] + items[item, SYMBOL]
        at += 1
    if wanted & 2 and terminals[head, WORD] >= 0:
        out[at] = base[1] + terminals[head, WORD]
        at += 1
    if wanted & 4 and terminals[head, TAG] >= 0:
        out[at] = base[2] + terminals[head, TAG]
        at += 1
    if wanted & 8 and terminals[head, TAG_CLASS] >= 0:
        out[at] = base[3] + terminals[head, TAG_CLASS]
        at += 1
    return at


@njit(cache=True, nogil=True)
def _emit_length(length, base, out, at):
    """Write `len(J)=length` and `len(J)>n` for every smaller n."""
    if length < LENGTHS:
        out[at] = base + length
        at += 1
    for n in range(min(length, LENGTHS)):
        out[at] = base + LENGTHS + n
        at += 1
    return at


@njit(cache=True, nogil=True)
def emit_segment(column, numbering, items, terminals, frontier, size, i, j, h, out, at):
    """Write the features of one column's groups for the inference over `frontier[i..j]` with head child `h`.

    `size` is the number of frontier items. Columns that the head does not decide ignore `h`.
    Returns the position after the last feature written to `out` from `at` on.
    """
    n_words = terminals.shape[0]
    left_word = items[frontier[i], START]
    head_word = items[frontier[h], HEAD]
    right_word = items[frontier[j], END]
    for place in range(numbering.column_starts[column], numbering.column_starts[column + 1]):
        group = numbering.order[place]
        wanted = numbering.wanted[group]
        if wanted == 0:
            continue
        row = numbering.groups[group]
        base = numbering.base[group]
        domain = row[DOMAIN]
        if domain == _CHILD:
            parent = frontier[_cut(row[START_POINT], i, h, j + 1, size) + row[START_OFFSET]]
            which = row[CLIP_START]
            child = items[parent, FIRST if which == _LEFT else HEAD_CHILD if which == _HEAD else LAST]
            if child >= 0:
                at = _emit_item(child, items, terminals, base, numbering.symbols, wanted, out, at)
            continue
        if domain == _TERMINALS:
            left, head, right, finish = left_word, head_word, right_word, n_words
        else:
            left, head, right, finish = i, h, j + 1, size
        start = _cut(row[START_POINT], left, head, right, finish) + row[START_OFFSET]
        stop = _cut(row[STOP_POINT], left, head, right, finish) + row[STOP_OFFSET]
        start = max(start, _cut(row[CLIP_START], left, head, right, finish))
        stop = max(start, min(stop, _cut(row[CLIP_STOP], left, head, right, finish)))
        skip_start, skip_stop = (h, h + 1) if row[WITHOUT_HEAD] else (stop, stop)
        if domain == _BELOW and start < stop:
            if row[WITHOUT_HEAD]:
                skip_start, skip_stop = items[frontier[h], START], items[frontier[h], END]
            start, stop = items[frontier[start], START], items[frontier[stop - 1], END]
            if not row[WITHOUT_HEAD]:
                skip_start, skip_stop = stop, stop
        if wanted & 15:
            for k in range(start, stop):
                if skip_start <= k < skip_stop:
                    continue
                item = frontier[k] if domain == _ITEMS else k
                at = _emit_item(item, items, terminals, base, numbering.symbols, wanted, out, at)
        if row[COUNTED] and wanted & (1 << LENGTH):
            at = _emit_length(stop - start - (skip_stop - skip_start), base[LENGTH], out, at)
    return at
