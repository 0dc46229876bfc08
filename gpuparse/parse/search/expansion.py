"""What a state allows, written into a batch: its candidates, and a row of model features for each part to be scored.

    rows of a state:  the state | its left ends i | its right ends j | its heads h | its (i, j) | its (i, j, h)

The score of an inference is the sum of the scores of its six rows and the label's constant. States of a sentence have
most of their items in common, so what a column sets, and which heads a run of children has, are remembered by a hash of
the items that decide it, as segments are shared in training.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpuparse.jit import compiled, inlined
from gpuparse.kernels import NO_SCORE
from gpuparse.parse.features.groups import Column
from gpuparse.parse.features.runs import CUTS, set_cuts
from gpuparse.parse.features.segments import column_key, hash_ends, mix, run_key
from gpuparse.parse.logic.headtable import HeadTable, head_index
from gpuparse.parse.logic.strategy import allows_children, allows_label
from gpuparse.parse.model.rules import Part
from gpuparse.parse.search.atoms import Atoms, set_column
from gpuparse.parse.search.pool import Register

_WORDS, _FRONTIER, _LAST = int(Register.WORDS), int(Register.FRONTIER), int(Register.LAST)
_FIRST_ROW, _FIRST_CANDIDATE = int(Register.FIRST_ROW), int(Register.FIRST_CANDIDATE)
_CANDIDATES, _CONTENT = int(Register.CANDIDATES), int(Register.CONTENT)
_SENTENCE, _STATE, _LEFT, _RIGHT, _LEFT_CHILD, _RIGHT_CHILD, _CHILDREN, _HEAD, _TO_HEAD, _FROM_HEAD, _NON_HEAD = (
    int(column) for column in Column
)
_STATE_PART, _LEFT_PART, _RIGHT_PART, _HEAD_PART, _CHILDREN_PART, _WHOLE_PART = (int(part) for part in Part)
_OF_LEFT, _OF_RIGHT, _OF_HEAD = range(3)  # rows of `places`
REMEMBERED = 1 << 12  # columns, and runs of children: as many as a cache holds
_HEADS = len(Column)  # stands for the heads of a run, among the columns


class Grammar(NamedTuple):
    """All that compiled code needs to know of a model besides its rules."""

    atoms: Atoms
    heads: HeadTable
    label_symbols: np.ndarray  # ITEM[labels]; TOP is the last
    strategy: int
    max_children: int


class Batch(NamedTuple):
    """The rows and candidates of one round. Candidates of a search are neighbours, and so are its rows."""

    bits: np.ndarray  # uint64[rows, words]: the model's features that a row has
    parts: np.ndarray  # uint8[rows]
    scores: np.ndarray  # int64[rows, labels]: fixed point; NO_SCORE where a label has another head
    filled: np.ndarray  # int64[2]: rows and candidates in use
    children: np.ndarray  # int32[candidates, 2]: i and j
    rows: np.ndarray  # int32[candidates, 3]: the rows of i, of j, and of (i, j)
    heads: np.ndarray  # int32[candidates, labels]: the head child, from i on, or -1 where the label is not allowed
    head_rows: np.ndarray  # int32[candidates, max_children, 2]: the rows of h and of (i, j, h), for each head in use
    content: np.ndarray  # uint64[words]: of the frontier items of the state being written
    inside: np.ndarray  # uint64[words]: of the same
    hashes: np.ndarray  # uint64[2, words + 1]: of the items before each, and from each on
    column_keys: np.ndarray  # uint64[REMEMBERED]: a hash of what decided the bits remembered here
    column_bits: np.ndarray  # uint64[REMEMBERED, words]
    whole_keys: np.ndarray  # uint64[REMEMBERED]: a hash of the children and the head whose bits are remembered here
    whole_bits: np.ndarray  # uint64[REMEMBERED, words]: of the columns TO_HEAD, FROM_HEAD and NON_HEAD
    heads_keys: np.ndarray  # uint64[REMEMBERED]: a hash of the children whose heads are remembered here
    heads_known: np.ndarray  # int64[REMEMBERED, labels + 1]: the heads, and those in use, as bits
    places: np.ndarray  # int32[3, words + 1]: the rows of the i, j and h of the state being written, -1 for none
    totals: np.ndarray  # int64[labels]: the scores of the inferences being taken back
    cuts: np.ndarray  # int64[CUTS]: the points of the inference being written
    fires: np.ndarray  # uint64[blocks]: the rules that fire on the row being scored


def make_batch(
    rows: int, candidates: int, words: int, blocks: int, labels: int, max_children: int, n_words: int
) -> Batch:
    """An empty batch; `words` is the length of a bit set, `blocks` of what fires, `n_words` of the longest sentence."""
    return Batch(
        bits=np.empty((rows, words), np.uint64),
        parts=np.empty(rows, np.uint8),
        scores=np.empty((rows, labels), np.int64),
        filled=np.zeros(2, np.int64),
        children=np.empty((candidates, 2), np.int32),
        rows=np.empty((candidates, 3), np.int32),
        heads=np.empty((candidates, labels), np.int32),
        head_rows=np.empty((candidates, max_children, 2), np.int32),
        content=np.empty(n_words, np.uint64),
        inside=np.empty(n_words, np.uint64),
        hashes=np.empty((2, n_words + 1), np.uint64),
        column_keys=np.zeros(REMEMBERED, np.uint64),
        column_bits=np.empty((REMEMBERED, words), np.uint64),
        whole_keys=np.zeros(REMEMBERED, np.uint64),
        whole_bits=np.empty((REMEMBERED, words), np.uint64),
        heads_keys=np.zeros(REMEMBERED, np.uint64),
        heads_known=np.empty((REMEMBERED, labels + 1), np.int64),
        places=np.empty((3, n_words + 1), np.int32),
        totals=np.empty(labels, np.int64),
        cuts=np.empty(CUTS, np.int64),
        fires=np.empty(blocks, np.uint64),
    )


def most_candidates(n_words: int, max_children: int) -> int:
    """No state of a sentence of this many words has more candidates."""
    return n_words * max_children


def most_rows(n_words: int, max_children: int) -> int:
    """No state of a sentence of this many words has more rows."""
    return 1 + 3 * n_words + most_candidates(n_words, max_children) * (1 + max_children)


@inlined
def _new_row(batch, part):
    """A new row of the batch; its bits are still to be written, and which labels want its scores."""
    row = batch.filled[0]
    batch.filled[0] += 1
    batch.parts[row] = part
    return row


@inlined
def _new_shared_row(batch, part):
    """A new row, to be scored for every label."""
    row = _new_row(batch, part)
    batch.scores[row] = 0
    return row


@inlined
def _place(key):
    """Where what has this key is remembered, if it is."""
    return np.int64(key >> np.uint64(40)) & (REMEMBERED - 1)


@inlined
def _join(row, a, b, first):
    """Write into a row the bits of two others, from a word on."""
    row, a, b = row[first:], a[first:], b[first:]  # from 0 on, so that the loop becomes vector instructions
    for word in range(len(row)):
        row[word] = a[word] | b[word]


@inlined
def _join_three(row, a, b, c, first):
    """Write into a row the bits of three others, from a word on."""
    row, a, b, c = row[first:], a[first:], b[first:], c[first:]
    for word in range(len(row)):
        row[word] = a[word] | b[word] | c[word]


@compiled
def _add_columns(columns, sentence, size, batch, i, j, h, row, first):
    """Set in a row, from a word on, the bits of some columns of the inference over (i, j) with head h."""
    for column in columns:
        key = mix(column_key(column, 0, batch.content, size, batch.hashes, i, j, h), sentence[4])
        if column in (_LEFT_CHILD, _RIGHT_CHILD, _HEAD):  # which look at the children of one item
            key = mix(key, batch.inside[i if column == _LEFT_CHILD else j if column == _RIGHT_CHILD else h])
        place = _place(key)
        known = batch.column_bits[place]
        if batch.column_keys[place] != key:
            batch.column_keys[place] = key
            known[:] = 0
            set_column(column, *sentence[:4], batch.cuts, known)
        _join(row, row, known, first)


@compiled
def _find_heads(grammar, items, terminals, frontier, size, i, j, heads):
    """The head child, from i on, of every label that is allowed over (i, j); returns the heads in use, as bits."""
    n_labels = len(heads)
    used = 0
    for label in range(n_labels):
        heads[label] = -1
        if allows_label(label, n_labels, grammar.label_symbols, items, frontier, size, i, j):
            heads[label] = 0 if i == j else head_index(grammar.heads, label, items, terminals, frontier, i, j) - i
            used |= 1 << heads[label]
    return used


@compiled
def _recall_heads(grammar, batch, sentence, terminals, size, i, j, heads):
    """What _find_heads finds, which for more than one child depends on nothing but them."""
    items, frontier = sentence[2], sentence[3]
    if i == j:
        return _find_heads(grammar, items, terminals, frontier, size, i, j, heads)
    key = mix(run_key(_HEADS, batch.content, i, j + 1, 0), sentence[4])
    place = _place(key)
    known = batch.heads_known[place]
    n_labels = len(heads)
    if batch.heads_keys[place] != key:
        batch.heads_keys[place] = key
        known[n_labels] = _find_heads(grammar, items, terminals, frontier, size, i, j, known[:n_labels])
    for label in range(n_labels):
        heads[label] = known[label]
    return known[n_labels]


@compiled
def expand(pool, slot, grammar, batch):
    """Write the candidates and rows of the state at hand; returns how many inferences there are to score."""
    registers = pool.registers[slot]
    items, frontier, size = pool.items[slot], pool.frontier[slot], registers[_FRONTIER]
    terminals = pool.terminals[slot, : registers[_WORDS]]
    sentence = (grammar.atoms, pool.of_word[slot], items, frontier, np.uint64(registers[_CONTENT]))
    batch.places[:, :size] = -1
    for at in range(size):
        batch.content[at] = pool.content[slot, frontier[at]]
        batch.inside[at] = pool.inside[slot, frontier[at]]
    hash_ends(batch.content, size, batch.hashes)
    state_row = _new_shared_row(batch, _STATE_PART)
    registers[_FIRST_ROW] = state_row
    registers[_FIRST_CANDIDATE] = batch.filled[1]
    set_cuts(batch.cuts, items, frontier, size, len(terminals), 0, 0, 0)
    batch.bits[state_row] = 0
    _add_columns((_SENTENCE,), sentence, size, batch, 0, 0, 0, batch.bits[state_row], 0)
    set_column(_STATE, *sentence[:4], batch.cuts, batch.bits[state_row])
    inferences = 0
    for i in range(size):
        for j in range(i, min(i + grammar.max_children, size)):
            if not allows_children(grammar.strategy, registers[_LAST], items, terminals, frontier, i, j):
                continue
            candidate = batch.filled[1]
            used = _recall_heads(grammar, batch, sentence, terminals, size, i, j, batch.heads[candidate])
            if used == 0:
                continue
            for label in range(batch.heads.shape[1]):
                inferences += batch.heads[candidate, label] >= 0
            batch.filled[1] += 1
            batch.children[candidate, 0] = i
            batch.children[candidate, 1] = j
            _write_rows(sentence, size, len(terminals), batch, state_row, candidate, i, j, used)
    registers[_CANDIDATES] = batch.filled[1] - registers[_FIRST_CANDIDATE]
    return inferences


@compiled
def _write_rows(sentence, size, n_words, batch, state_row, candidate, i, j, used):
    """Write the rows of a candidate: i, j, (i, j), and for each head in use h and (i, j, h)."""
    places, bits, first = batch.places, batch.bits, sentence[0].marks.part_words
    set_cuts(batch.cuts, sentence[2], sentence[3], size, n_words, i, j, i)
    if places[_OF_LEFT, i] < 0:
        places[_OF_LEFT, i] = _new_shared_row(batch, _LEFT_PART)
        row, word = bits[places[_OF_LEFT, i]], first[_LEFT_PART]
        _join(row, bits[state_row], bits[state_row], word)
        _add_columns((_LEFT, _LEFT_CHILD), sentence, size, batch, i, j, i, row, word)
    if places[_OF_RIGHT, j] < 0:
        places[_OF_RIGHT, j] = _new_shared_row(batch, _RIGHT_PART)
        row, word = bits[places[_OF_RIGHT, j]], first[_RIGHT_PART]
        _join(row, bits[state_row], bits[state_row], word)
        _add_columns((_RIGHT, _RIGHT_CHILD), sentence, size, batch, i, j, i, row, word)
    both = _new_shared_row(batch, _CHILDREN_PART)
    word = first[_CHILDREN_PART]
    _join(bits[both], bits[places[_OF_LEFT, i]], bits[places[_OF_RIGHT, j]], word)
    _add_columns((_CHILDREN,), sentence, size, batch, i, j, i, bits[both], word)
    batch.rows[candidate, 0] = places[_OF_LEFT, i]
    batch.rows[candidate, 1] = places[_OF_RIGHT, j]
    batch.rows[candidate, 2] = both
    for h in range(i, j + 1):
        if used & (1 << (h - i)):
            _write_head(sentence, size, n_words, batch, state_row, candidate, both, i, j, h)


@compiled
def _recall_whole(sentence, size, batch, i, j, h, first):
    """Where the bits are, from a word on, that only the children and the head together decide."""
    key = mix(column_key(_NON_HEAD, 0, batch.content, size, batch.hashes, i, j, h), sentence[4])
    place = _place(key)
    if batch.whole_keys[place] != key:
        batch.whole_keys[place] = key
        known = batch.whole_bits[place]
        known[first:] = 0
        _add_columns((_TO_HEAD, _FROM_HEAD), sentence, size, batch, i, j, h, known, first)
        set_column(_NON_HEAD, *sentence[:4], batch.cuts, known)
    return place


@compiled
def _write_head(sentence, size, n_words, batch, state_row, candidate, both, i, j, h):
    """Write the rows of h and of (i, j, h), the latter for the labels whose head is h."""
    places, bits, first = batch.places, batch.bits, sentence[0].marks.part_words
    set_cuts(batch.cuts, sentence[2], sentence[3], size, n_words, i, j, h)
    if places[_OF_HEAD, h] < 0:
        places[_OF_HEAD, h] = _new_shared_row(batch, _HEAD_PART)
        row, word = bits[places[_OF_HEAD, h]], first[_HEAD_PART]
        _join(row, bits[state_row], bits[state_row], word)
        _add_columns((_HEAD,), sentence, size, batch, i, j, h, row, word)
    whole = _new_row(batch, _WHOLE_PART)
    row, word = bits[whole], first[_WHOLE_PART]
    known = batch.whole_bits[_recall_whole(sentence, size, batch, i, j, h, word)]
    _join_three(row, bits[both], bits[places[_OF_HEAD, h]], known, word)
    heads, scores = batch.heads[candidate], batch.scores[whole]
    for label in range(len(scores)):
        scores[label] = 0 if heads[label] == h - i else NO_SCORE
    batch.head_rows[candidate, h - i, 0] = places[_OF_HEAD, h]
    batch.head_rows[candidate, h - i, 1] = whole
