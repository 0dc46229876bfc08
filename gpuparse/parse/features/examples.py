"""Training examples: every inference that the states along the gold paths allow, and the matrix of their features.

Kept by candidate, not by example: a candidate is a (state, i, j), and it knows its rows (one a head child), which of
them each label takes, and which label is correct. An example of a label is then a candidate that allows it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gpuparse.boost.matrix import Matrix
from gpuparse.boost.task import Task
from gpuparse.dtypes import CHOICE, FEATURE, ITEM, OFFSET, POSITION, REAL, ROW, SEGMENT, SIGN
from gpuparse.errors import UsageError
from gpuparse.options import Strategy
from gpuparse.parse.features.extraction import segment_capacity
from gpuparse.parse.features.space import FeatureSpace
from gpuparse.parse.features.walk import N_COLUMNS, NOT_ALLOWED, OUT_OF_TABLE, walk
from gpuparse.parse.logic.goldpath import gold_path
from gpuparse.parse.logic.headtable import compile_heads
from gpuparse.parse.logic.vocabulary import Vocabulary
from gpuparse.trees import Tree

PARTS = 8  # of the sentences, for each thread: they don't all take the same time


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

    def of_label(self, label: int) -> Task:
        """The training set of a label: its candidates, worth 1/2 a state for the correct, 1/2 for the incorrect."""
        choice = self.choices[:, label]
        allowed = np.flatnonzero(choice != NOT_ALLOWED)
        rows = self.first_rows[allowed] + choice[allowed].astype(ROW)
        correct = self.gold[allowed] == label
        states = self.states[allowed]
        shared_by = np.where(correct, self.correct[states], self.incorrect[states])
        return Task(rows, np.where(correct, 1, -1).astype(SIGN), (0.5 / shared_by).astype(REAL))


class TrainingData(NamedTuple):
    """What the learner learns from."""

    matrix: Matrix  # its feature ids are the numbers of the feature space
    candidates: Candidates
    uninferable: int  # gold items that can't be inferred, mostly because they have too many children


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
        """Make half as much room again for what ran short, an index of `filled`; the table of segments is not here."""
        names = (("states",), ("candidates", "choices"), ("rows", "heads"), ("starts",), ("features",), ())
        for name in names[short]:
            array = getattr(self, name)
            array.resize((array.shape[0] * 3 // 2, *array.shape[1:]), refcheck=False)

    def append(self, other: _Growing) -> None:
        """Take over all of another, whose sentences come after these. Sentences share no segments."""
        states, _, rows, segments, features = (int(n) for n in self.filled)
        self.trim()
        other.trim()
        other.candidates[:, 0] += states
        other.candidates[:, 6] += rows
        np.add(other.rows, segments - 1, out=other.rows, where=other.rows > 0)
        other.starts += features
        other.starts = other.starts[2:]  # the empty segment is there already
        for name in ("states", "candidates", "choices", "rows", "heads", "starts", "features"):
            mine, others = getattr(self, name), getattr(other, name)
            mine.resize((len(mine) + len(others), *mine.shape[1:]), refcheck=False)
            mine[len(mine) - len(others) :] = others
            setattr(other, name, None)  # its memory is needed
        self.filled += other.filled
        self.filled[3] -= 1

    def trim(self) -> None:
        """Give back the room that was not needed."""
        states, candidates, rows, segments, features = self.filled
        for name, length in (
            *(("states", states), ("candidates", candidates), ("choices", candidates), ("rows", rows)),
            *(("heads", rows), ("starts", segments + 1), ("features", features)),
        ):
            array = getattr(self, name)
            array.resize((length, *array.shape[1:]), refcheck=False)


class ExampleBuilder:
    """Collects the examples of gold paths, tree by tree.

    >>> from gpuparse.parse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.trees import load_language, parse_tree
    >>> tree = parse_tree("(TOP (NP (NNP Ann)))")
    >>> builder = ExampleBuilder(build_vocabulary([tree], load_language()))
    >>> builder.add(0, tree)
    >>> builder.finish().candidates.of_label(0).signs.tolist()  # NP is right over NNP, and can't stand over NP
    [1]
    """

    def __init__(
        self, vocabulary: Vocabulary, strategy: Strategy = Strategy.r2l, max_children: int = 5, seed: int = 0
    ) -> None:
        if not 1 <= max_children < NOT_ALLOWED:
            raise UsageError(f"an item can be allowed 1 to {NOT_ALLOWED - 1} children, not {max_children}")
        self._vocabulary = vocabulary
        self._strategy = strategy
        self._max_children = max_children
        self._seed = seed
        self._space = FeatureSpace(vocabulary)
        self._heads = compile_heads(vocabulary)
        self._numbering = self._space.numbering()
        self._growing = _Growing(len(vocabulary.labels))
        self._workspace = _Workspace(self._space.size)
        self._uninferable = 0

    def add(self, number: int, tree: Tree) -> None:
        """Add a prepared tree, under the number of its sentence; a tree with no word has no examples."""
        if len(tree) == 1:
            return
        path = gold_path(tree, self._vocabulary, self._strategy, [self._seed, number])
        growing, workspace = self._growing, self._workspace
        workspace.make_room(len(path.terminals), self._max_children)
        before = growing.filled.copy()
        while True:
            short, missed = walk(
                *(path, number, int(self._strategy), self._max_children, self._heads, self._numbering),
                *(self._vocabulary.label_symbols, workspace.arrays(), growing.arrays(), growing.filled),
            )
            if short < 0:
                break
            growing.filled[:] = before
            growing.grow(short)
            workspace.start_again(short)
        self._uninferable += missed

    def append(self, other: ExampleBuilder) -> None:
        """Take over what another has collected of the sentences after these; it is of no use afterwards."""
        self._growing.append(other._growing)
        self._uninferable += other._uninferable

    def finish(self, threads: int = 1) -> TrainingData:
        """All that was added. Nothing can be added afterwards."""
        self._growing.trim()
        return _finish(self._growing, self._space, self._uninferable, threads)


def build_training_data(
    trees: Sequence[Tree],
    vocabulary: Vocabulary,
    strategy: Strategy = Strategy.r2l,
    max_children: int = 5,
    seed: int = 0,
    on_sentence: Callable[[int], None] | None = None,
    threads: int = 1,
) -> TrainingData:
    """Walk the gold path of every prepared tree and compute the features of all that its states allow.

    >>> from gpuparse.parse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.trees import load_language, parse_tree
    >>> tree = parse_tree("(TOP (S (NP (NNP Ann)) (VP (VBZ sings))))")
    >>> training = build_training_data([tree], build_vocabulary([tree], load_language()))
    >>> len(training.candidates.sentences), training.candidates.correct.tolist()  # four states, one way on from each
    (4, [1, 1, 1, 1])
    """

    stop = threading.Event()

    def collect(first: int, last: int) -> ExampleBuilder:
        builder = ExampleBuilder(vocabulary, strategy, max_children, seed)
        for number in range(first, last):
            if stop.is_set():
                break
            builder.add(number, trees[number])
            if on_sentence is not None:
                on_sentence(number)
        return builder

    parts = 1 if threads == 1 else PARTS * threads
    with ThreadPoolExecutor(threads) as pool:
        cuts = pairwise(len(trees) * part // parts for part in range(parts + 1))
        try:
            builder, *others = pool.map(lambda cut: collect(*cut), cuts)
        except BaseException:  # Ctrl-C, or a failure of one: the others need not go on
            stop.set()
            raise
    for other in others:
        builder.append(other)
    return builder.finish(threads)


def _finish(growing: _Growing, space: FeatureSpace, uninferable: int, threads: int) -> TrainingData:
    """What has grown, as the learner takes it."""
    group, _, _ = space.place(np.arange(space.size))
    matrix = Matrix.from_segments(growing.rows, growing.starts, growing.features, space.columns[group], threads)
    candidates = Candidates(
        sentences=np.ascontiguousarray(growing.states[:, 0]),
        correct=np.ascontiguousarray(growing.states[:, 1]),
        incorrect=np.ascontiguousarray(growing.states[:, 2]),
        states=np.ascontiguousarray(growing.candidates[:, 0]),
        children=growing.candidates[:, 1:3].astype(POSITION),
        spans=growing.candidates[:, 3:5].astype(POSITION),
        gold=growing.candidates[:, 5].astype(POSITION),
        first_rows=np.ascontiguousarray(growing.candidates[:, 6]),
        choices=growing.choices,
        heads=growing.heads,
    )
    return TrainingData(matrix, candidates, uninferable)


class _Workspace:
    """Scratch arrays of the walk: the frontier, hashes of its ends, and a table of the sentence's runs and segments."""

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
        self.run_heads = np.empty(max_children, CHOICE)
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
        self.make_table(len(self.keys) * (2 if short == OUT_OF_TABLE else 1))

    def arrays(self) -> tuple[np.ndarray, ...]:
        return self.frontier, self.hashes, self.buffer, self.taken, self.run_heads, self.seen, self.keys, self.values
