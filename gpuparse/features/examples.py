"""Training examples: every inference that the states along the gold paths allow, and the matrix of their features.

Kept by candidate, not by example: a candidate is a (state, i, j), and it knows its rows (one a head child), which of
them each label takes, and which label is correct. An example of a label is then a candidate that allows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numba import njit

from gpuparse.dtypes import CHOICE, FEATURE, ITEM, OFFSET, POSITION, REAL, ROW, SEGMENT, SIGN
from gpuparse.features.extraction import emit_segment, segment_capacity
from gpuparse.features.groups import Column
from gpuparse.features.matrix import Matrix
from gpuparse.features.space import FeatureSpace
from gpuparse.logic.goldpath import GoldPath, gold_path
from gpuparse.logic.headtable import compile_heads, head_index
from gpuparse.logic.items import END, FIRST, LAST, START
from gpuparse.logic.strategy import Strategy, allows_children, allows_label
from gpuparse.logic.vocabulary import Vocabulary
from gpuparse.trees import Tree

NOT_ALLOWED = np.iinfo(CHOICE).max
N_COLUMNS = len(Column)
_TABLE = 5  # what ran out of room: the table of segments
_BU = int(Strategy.bu)
_SENTENCE, _STATE, _LEFT, _RIGHT, _LEFT_CHILD, _RIGHT_CHILD, _CHILDREN, _HEAD, _TO_HEAD, _FROM_HEAD, _NON_HEAD = (
    int(column) for column in Column
)


class Examples(NamedTuple):
    """The training set of one label."""

    rows: np.ndarray  # ROW[n], ascending
    y: np.ndarray  # SIGN[n]: +1 correct, -1 incorrect
    bias: np.ndarray  # REAL[n]: how much each is worth


class Candidates(NamedTuple):
    """Every state of the gold paths, and every (state, i, j) that it allows."""

    sentences: np.ndarray  # ROW[states]: the sentence of each state
    correct: np.ndarray  # ROW[states]: the number of its correct inferences
    incorrect: np.ndarray  # ROW[states]: and of the others
    states: np.ndarray  # ROW[candidates]: the state of each candidate
    children: np.ndarray  # POSITION[candidates, 2]: i and j, in the frontier
    spans: np.ndarray  # POSITION[candidates, 2]: the words covered, the end exclusive
    gold: np.ndarray  # POSITION[candidates]: the label that is correct, or -1
    first_rows: np.ndarray  # ROW[candidates]: the first of its rows
    choices: np.ndarray  # CHOICE[candidates, labels]: which of its rows a label takes, or NOT_ALLOWED
    heads: np.ndarray  # POSITION[rows]: the head child of each row, in the frontier

    def of_label(self, label: int) -> Examples:
        """The training set of a label: its candidates, worth 1/2 a state for the correct, 1/2 for the incorrect."""
        choice = self.choices[:, label]
        allowed = np.flatnonzero(choice != NOT_ALLOWED)
        rows = self.first_rows[allowed] + choice[allowed].astype(ROW)
        correct = self.gold[allowed] == label
        states = self.states[allowed]
        shared_by = np.where(correct, self.correct[states], self.incorrect[states])
        return Examples(rows, np.where(correct, 1, -1).astype(SIGN), (0.5 / shared_by).astype(REAL))


class TrainingData(NamedTuple):
    """What the learner learns from."""

    matrix: Matrix
    candidates: Candidates
    numbers: np.ndarray  # FEATURE[n_features]: the number, in the feature space, of each column of the matrix
    uninferable: int  # gold items with too many children


class _Growing:
    """The arrays of candidates, rows and segments while they grow, and how far each is filled."""

    def __init__(self, n_labels: int) -> None:
        self.states = np.empty((2**10, 3), ROW)  # sentence, correct, incorrect
        self.candidates = np.empty((2**14, 7), ROW)  # state, i, j, start, end, gold, first row
        self.choices = np.empty((2**14, n_labels), CHOICE)
        self.rows = np.empty((2**15, N_COLUMNS), SEGMENT)
        self.heads = np.empty(2**15, POSITION)
        self.starts = np.zeros(2**15, OFFSET)
        self.features = np.empty(2**20, FEATURE)
        self.filled = np.array([0, 0, 0, 1, 0], np.int64)  # states, candidates, rows, segments (0 is empty), features
        self.starts[:2] = 0

    def arrays(self) -> tuple[np.ndarray, ...]:
        return self.states, self.candidates, self.choices, self.rows, self.heads, self.starts, self.features

    def grow(self, short: int) -> None:
        """Make half as much room again for what ran short (an index of `filled`, or _TABLE, which is not here)."""
        names = (("states",), ("candidates", "choices"), ("rows", "heads"), ("starts",), ("features",), ())
        for name in names[short]:
            array = getattr(self, name)
            array.resize((array.shape[0] * 3 // 2, *array.shape[1:]), refcheck=False)

    def trim(self) -> None:
        """Give back the room that was not needed."""
        states, candidates, rows, segments, features = self.filled
        for name, length in (
            *(("states", states), ("candidates", candidates), ("choices", candidates), ("rows", rows)),
            *(("heads", rows), ("starts", segments + 1), ("features", features)),
        ):
            array = getattr(self, name)
            array.resize((length, *array.shape[1:]), refcheck=False)


def build_training_data(
    trees: Iterable[Tree],
    vocabulary: Vocabulary,
    strategy: Strategy = Strategy.r2l,
    max_children: int = 5,
    seed: int = 0,
    on_sentence: Callable[[int], None] | None = None,
) -> TrainingData:
    """Walk the gold path of every prepared tree and compute the features of all that its states allow."""
    space = FeatureSpace(vocabulary)
    heads = compile_heads(vocabulary)
    numbering = space.numbering()
    growing = _Growing(len(vocabulary.labels))
    workspace = _Workspace(space.size)
    uninferable = 0
    for number, tree in enumerate(trees):
        path = gold_path(tree, vocabulary, heads, strategy, [seed, number])
        workspace.make_room(len(path.terminals), max_children)
        before = growing.filled.copy()
        while True:
            short, missed = _walk(
                *(path, number, int(strategy), max_children, heads, numbering, vocabulary.label_symbols),
                *(workspace.arrays(), growing.arrays(), growing.filled),
            )
            if short < 0:
                break
            growing.filled[:] = before
            growing.grow(short)
            workspace.start_again(short)
        uninferable += missed
        if on_sentence is not None:
            on_sentence(number)
    growing.trim()
    return _finish(growing, space, uninferable)


def _finish(growing: _Growing, space: FeatureSpace, uninferable: int) -> TrainingData:
    """Number the features by how many segments have them, and put every segment in order."""
    counts = np.zeros(space.size, np.int64)
    _count(growing.features, counts)
    numbers = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)].astype(FEATURE)
    rank = np.empty(space.size, FEATURE)
    rank[numbers] = np.arange(len(numbers), dtype=FEATURE)
    _renumber(growing.features, growing.starts, rank)
    group, _, _ = space.place(numbers)
    matrix = Matrix(growing.rows, growing.starts, growing.features, space.columns[group])
    candidates = Candidates(
        *(np.ascontiguousarray(column) for column in growing.states.T),
        states=np.ascontiguousarray(growing.candidates[:, 0]),
        children=growing.candidates[:, 1:3].astype(POSITION),
        spans=growing.candidates[:, 3:5].astype(POSITION),
        gold=growing.candidates[:, 5].astype(POSITION),
        first_rows=np.ascontiguousarray(growing.candidates[:, 6]),
        choices=growing.choices,
        heads=growing.heads,
    )
    return TrainingData(matrix, candidates, numbers, uninferable)


class _Workspace:
    """Scratch arrays of the walk: the frontier, hashes of its ends, and the segments of the sentence so far."""

    def __init__(self, n_features: int) -> None:
        self.seen = np.zeros(n_features, SEGMENT)  # the segment that wrote the feature last
        self.frontier = np.empty(0, ITEM)
        self.keys = np.empty(0, np.uint64)

    def make_room(self, n_words: int, max_children: int) -> None:
        """Get ready for the next sentence."""
        if n_words + 1 > len(self.frontier):
            self.frontier = np.empty(2 * n_words + 1, ITEM)
            self.hashes = np.empty((2, 2 * n_words + 2), np.uint64)
            self.buffer = np.empty(segment_capacity(2 * n_words), FEATURE)
        self.taken = np.empty(max_children, CHOICE)
        self.make_table(2 ** int(np.ceil(np.log2(512 * n_words))))

    def make_table(self, slots: int) -> None:
        """An empty table of segments with at least this many slots, a power of two."""
        if slots > len(self.keys):
            self.keys = np.empty(slots, np.uint64)
            self.values = np.empty(slots, SEGMENT)
        self.values.fill(-1)

    def start_again(self, short: int) -> None:
        """Forget what the sentence has written, since it is walked again with more room."""
        self.seen.fill(0)
        self.make_table(len(self.keys) * (2 if short == _TABLE else 1))

    def arrays(self) -> tuple[np.ndarray, ...]:
        return self.frontier, self.hashes, self.buffer, self.taken, self.seen, self.keys, self.values


@njit(cache=True, nogil=True)
def _mix(key, value):
    """A 64-bit hash of a hash and a number, which does not commute."""
    key = (key + np.uint64(1)) * np.uint64(0xD6E8FEB86659FD93) + np.uint64(value)
    key = (key ^ (key >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return key ^ (key >> np.uint64(29))


@njit(cache=True, nogil=True)
def _run_key(column, frontier, start, stop, extra):
    """The key of a run of frontier items. Within a sentence an item has one number, so equal runs are the same run."""
    key = _mix(_mix(np.uint64(0), column + 1), extra)
    for at in range(start, stop):
        key = _mix(key, frontier[at] + 1)
    return key


@njit(cache=True, nogil=True)
def _column_key(column, state, frontier, size, hashes, i, j, h):
    """What decides the segment of a column: equal keys, equal features."""
    if column == _SENTENCE:
        return _mix(_mix(np.uint64(0), column + 1), 0)
    if column == _STATE:
        return _mix(_mix(np.uint64(0), column + 1), state)
    if column == _LEFT:
        return _mix(_mix(np.uint64(0), column + 1), hashes[0, i])
    if column == _RIGHT:
        return _mix(_mix(np.uint64(0), column + 1), hashes[1, j + 1])
    if column == _LEFT_CHILD:
        return _run_key(column, frontier, i, min(i + 4, size), 0)
    if column == _RIGHT_CHILD:
        return _run_key(column, frontier, max(j - 3, 0), j + 1, 0)
    if column == _CHILDREN:
        return _run_key(column, frontier, i, j + 1, 0)
    if column == _HEAD:
        return _run_key(column, frontier, max(h - 3, 0), min(h + 4, size), min(h, 3))
    if column == _TO_HEAD:
        return _run_key(column, frontier, i, h + 1, 0)
    if column == _FROM_HEAD:
        return _run_key(column, frontier, h, j + 1, 0)
    return _run_key(column, frontier, i, j + 1, h - i)


@njit(cache=True, nogil=True)
def _hash_ends(frontier, size, hashes):
    """`hashes[0, i]` stands for the items before i, `hashes[1, j]` for those from j on."""
    hashes[0, 0] = 0
    for at in range(size):
        hashes[0, at + 1] = _mix(hashes[0, at], frontier[at] + 1)
    hashes[1, size] = 0
    for at in range(size - 1, -1, -1):
        hashes[1, at] = _mix(hashes[1, at + 1], frontier[at] + 1)


@njit(cache=True, nogil=True)
def _find_slot(keys, values, key):
    """The slot of a key in the open-addressed table, or the free slot where it belongs."""
    mask = len(keys) - 1
    slot = int(key >> np.uint64(16)) & mask
    while values[slot] >= 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@njit(cache=True, nogil=True)
def _write_segment(emitted, buffer, seen, starts, features, filled):
    """Append the distinct features of the buffer as a new segment; its number, or 0 if it is empty."""
    segment = filled[3]
    at = filled[4]
    for k in range(emitted):
        feature = buffer[k]
        if seen[feature] != segment:
            seen[feature] = segment
            features[at] = feature
            at += 1
    if at == filled[4]:
        return 0
    filled[3] += 1
    filled[4] = at
    starts[segment + 1] = at
    return segment


@njit(cache=True, nogil=True)
def _walk(path, number, strategy, max_children, heads, numbering, label_symbols, workspace, growing, filled):
    """Walk one gold path. Returns which array ran out of room, or -1, and the number of items that can't be inferred."""
    frontier, hashes, buffer, taken, seen, keys, values = workspace
    states, candidates, choices, rows, row_heads, starts, features = growing
    terminals, items, labels, parents = path
    n_labels = len(label_symbols)
    size = terminals.shape[0]
    last = -1
    missed = 0
    segments_before = filled[3]
    for at in range(size):
        frontier[at] = at
    for gold in range(size, items.shape[0]):
        if filled[0] == states.shape[0]:
            return 0, 0
        state = filled[0]
        filled[0] += 1
        states[state, 0] = number
        correct, incorrect = 0, 0
        _hash_ends(frontier, size, hashes)
        for i in range(size):
            for j in range(i, min(i + max_children, size)):
                if not allows_children(strategy, last, items, terminals, frontier, i, j):
                    continue
                if filled[1] == candidates.shape[0]:
                    return 1, 0
                candidate = filled[1]
                filled[1] += 1
                expected = _gold_item(items, parents, frontier, i, j)
                if strategy != _BU and expected != gold:
                    expected = -1
                candidates[candidate, 0] = state
                candidates[candidate, 1] = i
                candidates[candidate, 2] = j
                candidates[candidate, 3] = items[frontier[i], START]
                candidates[candidate, 4] = items[frontier[j], END]
                candidates[candidate, 5] = labels[expected] if expected >= 0 else -1
                candidates[candidate, 6] = filled[2]
                taken[: j - i + 1] = NOT_ALLOWED
                for label in range(n_labels):
                    choices[candidate, label] = NOT_ALLOWED
                    if allows_label(label, n_labels, label_symbols, items, frontier, size, i, j):
                        head = head_index(heads, label, items, terminals, frontier, i, j) - i
                        choices[candidate, label] = head
                        taken[head] = 0
                for head in range(i, j + 1):
                    if taken[head - i] == NOT_ALLOWED:
                        continue
                    if filled[2] == rows.shape[0]:
                        return 2, 0
                    row = filled[2]
                    filled[2] += 1
                    taken[head - i] = row - candidates[candidate, 6]
                    row_heads[row] = head
                    for column in range(N_COLUMNS):
                        key = _column_key(column, state, frontier, size, hashes, i, j, head)
                        slot = _find_slot(keys, values, key)
                        if values[slot] < 0:
                            if filled[3] + 2 > len(starts):
                                return 3, 0
                            if 2 * (filled[3] - segments_before) > len(keys):
                                return _TABLE, 0
                            emitted = emit_segment(
                                column, numbering, items, terminals, frontier, size, i, j, head, buffer, 0
                            )
                            if filled[4] + emitted > len(features):
                                return 4, 0
                            keys[slot] = key
                            values[slot] = _write_segment(emitted, buffer, seen, starts, features, filled)
                        rows[row, column] = values[slot]
                for label in range(n_labels):
                    if choices[candidate, label] != NOT_ALLOWED:
                        choices[candidate, label] = taken[choices[candidate, label]]
                        if expected >= 0 and label == labels[expected]:
                            correct += 1
                        else:
                            incorrect += 1
        states[state, 1] = correct
        states[state, 2] = incorrect
        last, children = _infer(items, frontier, size, gold)
        size -= children - 1
        missed += children > max_children
    return -1, missed


@njit(cache=True, nogil=True)
def _gold_item(items, parents, frontier, i, j):
    """The gold item whose children are exactly `frontier[i..j]`, or -1."""
    parent = parents[frontier[i]]
    if parent < 0 or items[parent, FIRST] != frontier[i] or items[parent, LAST] != frontier[j]:
        return -1
    for at in range(i, j + 1):
        if parents[frontier[at]] != parent:
            return -1
    return parent


@njit(cache=True, nogil=True)
def _infer(items, frontier, size, gold):
    """Put a gold item in place of its children; its frontier index, and how many children it had."""
    i = 0
    while frontier[i] != items[gold, FIRST]:
        i += 1
    j = i
    while frontier[j] != items[gold, LAST]:
        j += 1
    frontier[i] = gold
    for at in range(j + 1, size):
        frontier[i + at - j] = frontier[at]
    return i, j - i + 1


@njit(cache=True, nogil=True)
def _count(features, counts):
    for feature in features:
        counts[feature] += 1


@njit(cache=True, nogil=True)
def _renumber(features, starts, rank):
    for segment in range(len(starts) - 1):
        part = features[starts[segment] : starts[segment + 1]]
        for at in range(len(part)):
            part[at] = rank[part[at]]
        part.sort()
