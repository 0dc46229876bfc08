"""What a state allows, written into a batch: its candidates, and a row of model features for each part to be scored.

    rows of a state:  the state | its left ends i | its right ends j | its heads h | its (i, j) | its (i, j, h)

The score of an inference is the sum of the scores of its six rows and the label's constant.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from gpuparse.dtypes import FEATURE
from gpuparse.features.extraction import emit_segment, segment_capacity
from gpuparse.features.groups import Column
from gpuparse.features.space import Numbering
from gpuparse.logic.headtable import HeadTable, head_index
from gpuparse.logic.strategy import allows_children, allows_label
from gpuparse.model.rules import Part
from gpuparse.search.pool import Register

_WORDS, _FRONTIER, _LAST = int(Register.WORDS), int(Register.FRONTIER), int(Register.LAST)
_FIRST_ROW, _FIRST_CANDIDATE = int(Register.FIRST_ROW), int(Register.FIRST_CANDIDATE)
_CANDIDATES = int(Register.CANDIDATES)
_SENTENCE, _STATE, _LEFT, _RIGHT, _LEFT_CHILD, _RIGHT_CHILD, _CHILDREN, _HEAD, _TO_HEAD, _FROM_HEAD, _NON_HEAD = (
    int(column) for column in Column
)
_STATE_PART, _LEFT_PART, _RIGHT_PART, _HEAD_PART, _CHILDREN_PART, _WHOLE_PART = (int(part) for part in Part)


class Grammar(NamedTuple):
    """All that compiled code needs to know of a model besides its rules."""

    numbering: Numbering  # of the features that occur in rules
    model_feature: np.ndarray  # int32[space]: the model's feature for each feature of the space, -1 for none
    heads: HeadTable
    label_symbols: np.ndarray  # ITEM[labels]; TOP is the last
    strategy: int
    max_children: int


class Batch(NamedTuple):
    """The rows and candidates of one round. Candidates of a search are neighbours, and so are its rows."""

    bits: np.ndarray  # uint64[rows, words]: the model's features that a row has
    parts: np.ndarray  # uint8[rows]
    filled: np.ndarray  # int64[2]: rows and candidates in use
    children: np.ndarray  # int32[candidates, 2]: i and j
    rows: np.ndarray  # int32[candidates, 3]: the rows of i, of j, and of (i, j)
    heads: np.ndarray  # int32[candidates, labels]: the head child, from i on, or -1 where the label is not allowed
    head_rows: np.ndarray  # int32[candidates, max_children, 2]: the rows of h and of (i, j, h), for each head in use
    scratch: np.ndarray  # FEATURE: room for the features of a segment
    places: np.ndarray  # int32[3, words + 1]: the rows of the i, j and h of the state being written, -1 for none


def make_batch(rows: int, candidates: int, words: int, labels: int, max_children: int, n_words: int) -> Batch:
    """An empty batch; `words` is the length of a bit set, `n_words` that of the longest sentence."""
    return Batch(
        bits=np.empty((rows, words), np.uint64),
        parts=np.empty(rows, np.uint8),
        filled=np.zeros(2, np.int64),
        children=np.empty((candidates, 2), np.int32),
        rows=np.empty((candidates, 3), np.int32),
        heads=np.empty((candidates, labels), np.int32),
        head_rows=np.empty((candidates, max_children, 2), np.int32),
        scratch=np.empty(segment_capacity(n_words), FEATURE),
        places=np.empty((3, n_words + 1), np.int32),
    )


def most_candidates(n_words: int, max_children: int) -> int:
    """No state of a sentence of this many words has more candidates."""
    return n_words * max_children


def most_rows(n_words: int, max_children: int) -> int:
    """No state of a sentence of this many words has more rows."""
    return 1 + 3 * n_words + most_candidates(n_words, max_children) * (1 + max_children)


@njit(cache=True, nogil=True)
def _set_features(column, grammar, items, terminals, frontier, size, i, j, h, batch, row):
    """Set the bits of a segment's features in a row."""
    scratch, bits = batch.scratch, batch.bits[row]
    emitted = emit_segment(column, grammar.numbering, items, terminals, frontier, size, i, j, h, scratch, 0)
    for at in range(emitted):
        feature = grammar.model_feature[scratch[at]]
        if feature >= 0:
            bits[feature >> 6] |= np.uint64(1) << np.uint64(feature & 63)


@njit(cache=True, nogil=True)
def _new_row(batch, part, like):
    """A new row of the batch with the bits of another, or with none."""
    row = batch.filled[0]
    batch.filled[0] += 1
    batch.parts[row] = part
    if like < 0:
        batch.bits[row] = 0
    else:
        batch.bits[row] = batch.bits[like]
    return row


@njit(cache=True, nogil=True)
def _place(places, at, part, first_column, second_column, grammar, items, terminals, frontier, size, batch, state_row):
    """The row of a left end, a right end or a head, written when it is first asked for."""
    if places[at] < 0:
        row = _new_row(batch, part, state_row)
        _set_features(first_column, grammar, items, terminals, frontier, size, at, at, at, batch, row)
        if second_column >= 0:
            _set_features(second_column, grammar, items, terminals, frontier, size, at, at, at, batch, row)
        places[at] = row
    return places[at]


@njit(cache=True, nogil=True)
def expand(pool, slot, grammar, batch):
    """Write the candidates and rows of the state at hand; returns how many inferences there are to score."""
    registers = pool.registers[slot]
    items, frontier, size = pool.items[slot], pool.frontier[slot], registers[_FRONTIER]
    terminals = pool.terminals[slot, : registers[_WORDS]]
    n_labels = len(grammar.label_symbols)
    batch.places[:, :size] = -1
    state_row = _new_row(batch, _STATE_PART, -1)
    registers[_FIRST_ROW] = state_row
    registers[_FIRST_CANDIDATE] = batch.filled[1]
    _set_features(_SENTENCE, grammar, items, terminals, frontier, size, 0, 0, 0, batch, state_row)
    _set_features(_STATE, grammar, items, terminals, frontier, size, 0, 0, 0, batch, state_row)
    inferences = 0
    for i in range(size):
        for j in range(i, min(i + grammar.max_children, size)):
            if not allows_children(grammar.strategy, registers[_LAST], items, terminals, frontier, i, j):
                continue
            candidate = batch.filled[1]
            used = 0
            for label in range(n_labels):
                batch.heads[candidate, label] = -1
                if allows_label(label, n_labels, grammar.label_symbols, items, frontier, size, i, j):
                    head = head_index(grammar.heads, label, items, terminals, frontier, i, j) - i
                    batch.heads[candidate, label] = head
                    used |= 1 << head
                    inferences += 1
            if used == 0:
                continue
            batch.filled[1] += 1
            batch.children[candidate, 0] = i
            batch.children[candidate, 1] = j
            _write_rows(pool, slot, grammar, batch, state_row, candidate, i, j, used)
    registers[_CANDIDATES] = batch.filled[1] - registers[_FIRST_CANDIDATE]
    return inferences


@njit(cache=True, nogil=True)
def _write_rows(pool, slot, grammar, batch, state_row, candidate, i, j, used):
    """Write the rows of a candidate: i, j, (i, j), and for each head in use h and (i, j, h)."""
    registers = pool.registers[slot]
    items, frontier, size = pool.items[slot], pool.frontier[slot], registers[_FRONTIER]
    terminals = pool.terminals[slot, : registers[_WORDS]]
    state = (grammar, items, terminals, frontier, size)
    left = _place(batch.places[0], i, _LEFT_PART, _LEFT, _LEFT_CHILD, *state, batch, state_row)
    right = _place(batch.places[1], j, _RIGHT_PART, _RIGHT, _RIGHT_CHILD, *state, batch, state_row)
    both = _new_row(batch, _CHILDREN_PART, left)
    batch.bits[both] |= batch.bits[right]
    _set_features(_CHILDREN, *state, i, j, i, batch, both)
    batch.rows[candidate, 0] = left
    batch.rows[candidate, 1] = right
    batch.rows[candidate, 2] = both
    for h in range(i, j + 1):
        if used & (1 << (h - i)):
            head = _place(batch.places[2], h, _HEAD_PART, _HEAD, -1, *state, batch, state_row)
            whole = _new_row(batch, _WHOLE_PART, both)
            batch.bits[whole] |= batch.bits[head]
            _set_features(_TO_HEAD, *state, i, j, h, batch, whole)
            _set_features(_FROM_HEAD, *state, i, j, h, batch, whole)
            _set_features(_NON_HEAD, *state, i, j, h, batch, whole)
            batch.head_rows[candidate, h - i, 0] = head
            batch.head_rows[candidate, h - i, 1] = whole
