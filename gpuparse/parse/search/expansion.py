"""What a state allows, written into a batch: its candidates, and for each the rules that fire.

A candidate has one row of bits for all labels, as every rule is for one label, and a label has one head:

    fires = satisfied in the sentence and the state                                     once for each state
            & in what is before and around the left end i                               for each i
            & in what is after and around the right end j                               for each j
            & in the children                                                           remembered for each run
            & OR over the heads h (the rules of the labels whose head is h & satisfied around h)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpuparse.jit import compiled, inlined, spliced
from gpuparse.kernels import BitRows
from gpuparse.options import Strategy
from gpuparse.parse.features.runs import set_cuts
from gpuparse.parse.features.segments import Keys, hash_ends, mix
from gpuparse.parse.logic.items import END, ONLY, START, SYMBOL
from gpuparse.parse.logic.state import LAST_INFERRED, N_FRONTIER, Run, is_punctuation
from gpuparse.parse.logic.strategy import NO_HEAD, Logic, allows_children, find_heads
from gpuparse.parse.model.rules import Layout, View
from gpuparse.parse.search.atoms import (
    FROM_HEAD,
    FROM_LEFT,
    FROM_RIGHT,
    REACH,
    Atoms,
    set_beside,
    set_child_lengths,
    set_length_beside,
    set_role,
    set_view,
)
from gpuparse.parse.search.memory import AT_HEAD, AT_LEFT, AT_RIGHT, place_of

_SENTENCE, _STATE, _BEFORE, _AFTER = int(View.SENTENCE), int(View.STATE), int(View.BEFORE), int(View.AFTER)
_LEFT_WORDS, _RIGHT_WORDS = int(View.LEFT_WORDS), int(View.RIGHT_WORDS)
_LEFT, _RIGHT, _LEFT_CHILD, _RIGHT_CHILD = int(View.LEFT), int(View.RIGHT), int(View.LEFT_CHILD), int(View.RIGHT_CHILD)
_HEAD, _CHILDREN = int(View.HEAD), int(View.CHILDREN)
_R2L, _L2R = int(Strategy.r2l), int(Strategy.l2r)
_USED, _ALLOWED = range(2)  # columns of what is remembered about a pattern
_ALONE = 1 << 32  # stands where a second child's symbol would: no symbol is as great


class Grammar(NamedTuple):
    """All that compiled code needs to know of a model besides what rules weigh."""

    atoms: Atoms
    logic: Logic
    layout: Layout


class Batch(NamedTuple):
    """The candidates of one round. Those of a search are neighbours."""

    fires: np.ndarray  # uint64[candidates, blocks]: the rules that fire, each for its label
    scores: np.ndarray  # int64[candidates, labels]: fixed point
    filled: np.ndarray  # int64[1]: candidates in use
    left: np.ndarray  # int32[candidates]: i, the frontier index of the first child
    right: np.ndarray  # int32[candidates]: j, of the last
    heads: np.ndarray  # int32[candidates, labels]: the head child, from i on, or NO_HEAD: the label is not allowed
    runs: np.ndarray  # int64[candidates]: where what is known of the run of children is remembered
    alike: np.ndarray  # int64[candidates]: the same; of a run that was never met before, that of one with the same end


def make_batch(candidates: int, blocks: int, labels: int) -> Batch:
    """An empty batch."""
    return Batch(
        fires=np.empty((candidates, blocks), np.uint64),
        scores=np.empty((candidates, labels), np.int64),
        filled=np.zeros(1, np.int64),
        left=np.empty(candidates, np.int32),
        right=np.empty(candidates, np.int32),
        heads=np.empty((candidates, labels), np.int32),
        runs=np.empty(candidates, np.int64),
        alike=np.empty(candidates, np.int64),
    )


@spliced
def rows_of(batch):
    """The rows of a batch's candidates, to be scored."""
    n = batch.filled[0]
    return BitRows(batch.fires[:n], batch.runs[:n], batch.alike[:n], batch.scores[:n])


def most_candidates(n_words: int, max_children: int) -> int:
    """No state of a sentence of this many words has more candidates."""
    return n_words * max_children


@inlined
def _copy(out, bits):
    for block in range(len(out)):
        out[block] = bits[block]


@inlined
def _and(out, bits):
    for block in range(len(out)):
        out[block] &= bits[block]


@inlined
def _or(out, bits):
    for block in range(len(out)):
        out[block] |= bits[block]


@inlined
def _satisfied(planes, row, out):
    """Write the rules that are satisfied in a view, given its row."""
    for block in range(len(out)):
        out[block] = ~row[block]
    for plane in range(1, len(planes) - 1):
        _and(out[: planes[plane + 1] - planes[plane]], row[planes[plane] : planes[plane + 1]])


@spliced
def _row(grammar, memory, number, view):
    """Room for a row of a view, one of three."""
    return memory.rows[number, : grammar.layout.planes[view, -1]]


@inlined
def _run_key(memory, start, stop, key):
    """A hash of a run of frontier items and of a hash."""
    for at in range(start, stop):
        key = mix(key, memory.content[at])
    return key


@compiled
def _join_view(view, key, site, grammar, memory, out):
    """Take out of a bit set the rules that are not satisfied in a view, which the key stands for."""
    place = place_of(key, memory.view_keys.shape[1])
    bits = memory.view_satisfied[view, place]
    if memory.view_keys[view, place] != key:
        memory.view_keys[view, place] = key
        row = _row(grammar, memory, 0, view)
        _copy(row, grammar.layout.blank[view])
        set_view(view, grammar.atoms, site, memory.cuts, row)
        _satisfied(grammar.layout.planes[view], row, bits)
    _and(out, bits)


@compiled
def _learn_place(kind, at, place, near, site, grammar, memory):
    """Remember what is satisfied in the views around a place, if a run begins or ends there or has its head there."""
    state, size = site.state, site.state.extent[N_FRONTIER]
    bits = memory.place_satisfied[kind, place]
    set_cuts(memory.cuts, state, Run(at, at, at))
    bits[:] = ~np.uint64(0)
    item = state.frontier[at]
    own = mix(site.sentence, memory.inside[at])
    if kind == AT_LEFT:
        words = mix(site.sentence, state.items[item, START])
        _join_view(_LEFT_WORDS, words, site, grammar, memory, bits)
        _join_view(_LEFT, near, site, grammar, memory, bits)
        _join_view(_LEFT_CHILD, _run_key(memory, at, min(at + REACH, size), own), site, grammar, memory, bits)
    elif kind == AT_RIGHT:
        words = mix(site.sentence, state.items[item, END])
        _join_view(_RIGHT_WORDS, words, site, grammar, memory, bits)
        after = _run_key(memory, at + 1, min(at + REACH + 1, size), words)
        _join_view(_RIGHT, after, site, grammar, memory, bits)
        _join_view(_RIGHT_CHILD, _run_key(memory, max(at - 3, 0), at + 1, own), site, grammar, memory, bits)
    else:
        beside = _run_key(memory, max(at - 3, 0), min(at + REACH, size), mix(own, min(at, 3)))
        _join_view(_HEAD, beside, site, grammar, memory, bits)


@compiled
def _look_around(site, grammar, memory, reach):
    """Write what is satisfied around each place, if a run begins or ends there or has its head there."""
    state, size = site.state, site.state.extent[N_FRONTIER]
    for at in range(reach.first_left, reach.last_right + 1):
        first = max(at - REACH, 0)
        near = _run_key(memory, first, at, mix(site.sentence, at - first))
        key = _run_key(memory, at, min(at + REACH + 1, size), mix(near, memory.inside[at]))
        place = place_of(key, memory.place_keys.shape[1])
        edge = not is_punctuation(state, at)
        for kind in range(3):
            if kind == AT_LEFT and not (edge and at <= reach.last_left):
                continue
            if kind == AT_RIGHT and not (edge and at >= reach.first_right):
                continue
            if memory.place_keys[kind, place] != key:
                memory.place_keys[kind, place] = key
                _learn_place(kind, at, place, near, site, grammar, memory)
            _copy(memory.around[kind, at], memory.place_satisfied[kind, place])


@compiled
def _learn_beside(view, place, length, row, grammar, memory):
    """Remember what is satisfied in all items on one side, which set what is in the row."""
    whole = _row(grammar, memory, 1, view)
    _copy(whole, row)
    set_length_beside(view, grammar.atoms, length, whole)
    _satisfied(grammar.layout.planes[view], whole, memory.view_satisfied[view, place])


@compiled
def _join_beside(view, key, length, row, grammar, memory, out):
    """Take out of a bit set the rules that are not satisfied in all items on one side, which set what is in the row."""
    place = place_of(key, memory.view_keys.shape[1])
    if memory.view_keys[view, place] != key:
        memory.view_keys[view, place] = key
        _learn_beside(view, place, length, row, grammar, memory)
    _and(out, memory.view_satisfied[view, place])


@compiled
def _look_at_state(site, grammar, memory, reach):
    """Write what is satisfied in the state, and at each place where a run may begin, end or have its head."""
    state, atoms, layout = site.state, grammar.atoms, grammar.layout
    size, shared = state.extent[N_FRONTIER], memory.shared[0]
    set_cuts(memory.cuts, state, Run(0, 0, 0))
    row = _row(grammar, memory, 0, _STATE)
    _copy(row, layout.blank[_STATE])
    set_view(_STATE, atoms, site, memory.cuts, row)
    _satisfied(layout.planes[_STATE], row, shared)
    _join_view(_SENTENCE, site.sentence, site, grammar, memory, shared)
    _look_around(site, grammar, memory, reach)
    row = _row(grammar, memory, 2, _BEFORE)
    _copy(row, layout.blank[_BEFORE])
    for at in range(reach.last_left + 1):
        if at > 0:
            set_beside(_BEFORE, atoms, site, state.frontier[at - 1], row)
        if at >= reach.first_left and not is_punctuation(state, at):
            out = memory.around[AT_LEFT, at]
            _join_beside(_BEFORE, mix(site.sentence, memory.before[at]), at, row, grammar, memory, out)
            _and(out, shared)
    row = _row(grammar, memory, 2, _AFTER)
    _copy(row, layout.blank[_AFTER])
    for at in range(size - 1, reach.first_right - 1, -1):
        if at < size - 1:
            set_beside(_AFTER, atoms, site, state.frontier[at + 1], row)
        if at <= reach.last_right and not is_punctuation(state, at):
            key, out = mix(site.sentence, memory.after[at + 1]), memory.around[AT_RIGHT, at]
            _join_beside(_AFTER, key, size - 1 - at, row, grammar, memory, out)


@compiled
def _learn_pattern(place, left, right, site, logic, layout, memory):
    """Remember which labels the children allow, and the head of each, which only their symbols decide."""
    heads, about = memory.pattern_heads[place], memory.pattern_about[place]
    about[_USED] = find_heads(logic, site.state, left, right, heads)
    allowed = 0
    for label in range(len(heads)):
        allowed += heads[label] != NO_HEAD
    about[_ALLOWED] = allowed
    number = 0
    for head in range(right - left + 1):
        if about[_USED] & (1 << head):
            rules = memory.pattern_rules[place, number]
            rules[:] = 0
            for label in range(len(heads)):
                if heads[label] == head:
                    _or(rules, layout.of_label[label])
            number += 1


@compiled
def _learn_role(role, place, item, site, atoms, memory):
    """Remember what a child in a role sets."""
    row = memory.role_rows[place]
    row[:] = 0
    set_role(role, atoms, site, item, row)


@compiled
def _add_role(role, at, site, atoms, memory, row):
    """Add to a row what a child in a role sets."""
    key = mix(mix(site.sentence, memory.content[at]), role)
    place = place_of(key, len(memory.role_keys))
    if memory.role_keys[place] != key:
        memory.role_keys[place] = key
        _learn_role(role, place, site.state.frontier[at], site, atoms, memory)
    _or(row, memory.role_rows[place])


@compiled
def _learn_run(place, pattern, left, right, site, grammar, memory):
    """Remember the rules that are satisfied in the children, each if the head is that of its label."""
    atoms, planes = grammar.atoms, grammar.layout.planes[_CHILDREN]
    row, whole = _row(grammar, memory, 0, _CHILDREN), _row(grammar, memory, 1, _CHILDREN)
    _copy(row, grammar.layout.blank[_CHILDREN])
    for at in range(left, right + 1):
        _add_role(FROM_LEFT + min(at - left, REACH), at, site, atoms, memory, row)
        _add_role(FROM_RIGHT + min(right - at, REACH), at, site, atoms, memory, row)
    set_cuts(memory.cuts, site.state, Run(left, right, left))
    set_child_lengths(0, atoms.headless, atoms, site, memory.cuts, row)
    satisfied, room = memory.run_satisfied[place], memory.shared[1]
    satisfied[:] = 0
    number = 0
    for head in range(left, right + 1):
        if memory.pattern_about[pattern, _USED] & (1 << (head - left)):
            _copy(whole, row)
            for at in range(left, right + 1):
                _add_role(FROM_HEAD + min(max(at - head, -REACH - 1), REACH + 1), at, site, atoms, memory, whole)
            set_cuts(memory.cuts, site.state, Run(left, right, head))
            set_child_lengths(atoms.headless, len(atoms.counting), atoms, site, memory.cuts, whole)
            _satisfied(planes, whole, room)
            _and(room, memory.pattern_rules[pattern, number])
            _or(satisfied, room)
            number += 1


class Reach(NamedTuple):
    """Where a state allows runs of children to begin and to end, the frontier indices."""

    first_left: int
    last_left: int
    first_right: int
    last_right: int


@compiled
def _reach(logic, state):
    """The reach of a state; some runs within it may not be allowed."""
    last, end = state.extent[LAST_INFERRED], state.extent[N_FRONTIER] - 1
    if last >= 0 and logic.strategy == _R2L:
        return Reach(0, last, 0, min(end, last + logic.max_children - 1))
    if last >= 0 and logic.strategy == _L2R:
        return Reach(max(0, last - logic.max_children + 1), end, last, end)
    return Reach(0, end, 0, end)


@compiled
def expand(site, grammar, batch, memory):
    """Append the candidates of the state at hand to a batch; returns how many inferences there are to score."""
    return expand_within(_reach(grammar.logic, site.state), site, grammar, batch, memory)


@compiled
def expand_within(reach, site, grammar, batch, memory):
    """The same with the candidates within a reach, which is no wider than the state's own."""
    state, logic = site.state, grammar.logic
    items, frontier, size = state.items, state.frontier, state.extent[N_FRONTIER]
    n_labels = batch.heads.shape[1]
    for at in range(size):
        memory.content[at] = site.content[frontier[at]]
        memory.inside[at] = site.inside[frontier[at]]
    hash_ends(Keys(memory.content, memory.before, memory.after), size)
    _look_at_state(site, grammar, memory, reach)
    inferences = 0
    for left in range(reach.first_left, reach.last_left + 1):
        run, symbols = site.sentence, np.uint64(0)
        for right in range(left, min(left + logic.max_children, reach.last_right + 1)):
            run = mix(run, memory.content[right])
            symbols = mix(symbols, 2 * items[frontier[right], SYMBOL] + is_punctuation(state, right))
            if right < reach.first_right or not allows_children(logic, state, left, right):
                continue
            kind = symbols
            if left == right:  # what is below an only child, and whether there are others, decides what is allowed
                kind = mix(kind, _ALONE + (size == 1))
                below = items[frontier[left], ONLY]
                while below >= 0:
                    kind = mix(kind, items[below, SYMBOL])
                    below = items[below, ONLY]
            pattern = place_of(kind, len(memory.pattern_keys))
            if memory.pattern_keys[pattern] != kind:
                memory.pattern_keys[pattern] = kind
                _learn_pattern(pattern, left, right, site, logic, grammar.layout, memory)
            used = memory.pattern_about[pattern, _USED]
            if used == 0:
                continue
            key = mix(run, kind)
            place = place_of(key, len(memory.run_keys))
            candidate = batch.filled[0]
            batch.filled[0] += 1
            batch.alike[candidate] = place
            if memory.run_keys[place] != key:
                memory.run_keys[place] = key
                _learn_run(place, pattern, left, right, site, grammar, memory)
                batch.alike[candidate] = memory.run_before[right]
            memory.run_before[right] = place
            inferences += memory.pattern_about[pattern, _ALLOWED]
            batch.left[candidate] = left
            batch.right[candidate] = right
            batch.runs[candidate] = place
            for label in range(n_labels):
                batch.heads[candidate, label] = memory.pattern_heads[pattern, label]
            _join_places(batch.fires[candidate], place, pattern, left, right, used, memory)
    return inferences


@inlined
def _join_places(fires, place, pattern, left, right, used, memory):
    """Write the rules that fire for a candidate."""
    number = 0
    for head in range(left, right + 1):
        if used & (1 << (head - left)):
            rules, near = memory.pattern_rules[pattern, number], memory.around[AT_HEAD, head]
            if number == 0:
                for block in range(len(fires)):
                    fires[block] = rules[block] & near[block]
            else:
                for block in range(len(fires)):
                    fires[block] |= rules[block] & near[block]
            number += 1
    children, begin, end = memory.run_satisfied[place], memory.around[AT_LEFT, left], memory.around[AT_RIGHT, right]
    for block in range(len(fires)):
        fires[block] &= children[block] & begin[block] & end[block]
