"""Training examples: every inference that the states along the gold paths allow, and the matrix of their features.

They are kept by candidate: a candidate is a (state, i, j), and it knows its rows (one per head child), which of them
each label takes, and which label is correct. An example of a label is then a candidate that allows it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np

from gpuparse.boost.matrix import Matrix
from gpuparse.boost.task import Task
from gpuparse.dtypes import CHOICE, FEATURE, OFFSET, POSITION, REAL, ROW, SEGMENT, SIGN
from gpuparse.errors import UsageError
from gpuparse.options import Strategy, TrainingOptions
from gpuparse.parse.features.extraction import segment_capacity
from gpuparse.parse.features.runs import CUTS
from gpuparse.parse.features.segments import Keys, clear, copy_table, has_room, make_key_table
from gpuparse.parse.features.space import FeatureSpace
from gpuparse.parse.features.walk import (
    CANDIDATE,
    FILLED,
    N_COLUMNS,
    NOT_ALLOWED,
    STATE,
    Collected,
    Workspace,
    list_inferences,
    write_rows,
)
from gpuparse.parse.logic.goldpath import GoldPath, gold_path
from gpuparse.parse.logic.state import State, make_state
from gpuparse.parse.logic.strategy import make_logic
from gpuparse.parse.logic.vocabulary import Vocabulary
from gpuparse.trees import Tree

SHARES_PER_THREAD = 8  # of the sentences: they don't all take the same time


class Source(NamedTuple):
    """What training data is made from: prepared trees, and how they are to be parsed."""

    trees: Sequence[Tree]
    vocabulary: Vocabulary
    strategy: Strategy = TrainingOptions.strategy
    max_children: int = TrainingOptions.max_children
    seed: int = 0  # of the gold paths of `bu`
    weights: Sequence[float] = ()  # what each tree counts; empty: 1

    def path(self, number: int) -> GoldPath:
        """The gold path of the tree of this number."""
        path = gold_path(self.trees[number], self.vocabulary, self.strategy, [self.seed, number])
        return path._replace(weight=float(self.weights[number])) if self.weights else path

    def excerpt(self, numbers: Sequence[int]) -> Source:
        """The trees of these numbers alone."""
        weights = [self.weights[number] for number in numbers] if self.weights else ()
        return self._replace(trees=[self.trees[number] for number in numbers], weights=weights)


class Candidates(NamedTuple):
    """Every state of the gold paths, and every (state, i, j) that it allows."""

    sentences: np.ndarray  # ROW[states]: the sentence of each state
    correct: np.ndarray  # ROW[states]: the number of its correct inferences
    incorrect: np.ndarray  # ROW[states]: and of the others
    worth: np.ndarray  # REAL[states]: what a state counts
    states: np.ndarray  # ROW[candidates]: the state of each candidate
    children: np.ndarray  # POSITION[candidates, 2]: i and j, in the frontier
    spans: np.ndarray  # POSITION[candidates, 2]: the words covered, the end exclusive
    gold: np.ndarray  # POSITION[candidates]: the label that is correct, or -1
    first_rows: np.ndarray  # ROW[candidates]: the first of its rows
    choices: np.ndarray  # CHOICE[candidates, labels]: which of its rows a label takes, or NOT_ALLOWED
    heads: np.ndarray  # POSITION[rows]: the head child of each row, in the frontier
    factors: np.ndarray  # REAL[rows]: what the importance of incorrect examples is multiplied by; empty: 1

    def of_label(self, label: int) -> Task:
        """The training set of a label. The correct examples of a state are together worth 1/2, so are the others."""
        choice = self.choices[:, label]
        allowed = np.flatnonzero(choice != NOT_ALLOWED)
        rows = self.first_rows[allowed] + choice[allowed].astype(ROW)
        correct = self.gold[allowed] == label
        states = self.states[allowed]
        shared_by = np.where(correct, self.correct[states], self.incorrect[states])
        importance = (0.5 * self.worth[states] / shared_by).astype(REAL)
        if len(self.factors):
            importance[~correct] *= self.factors[rows[~correct]]
        return Task(rows, np.where(correct, 1, -1).astype(SIGN), importance)


class TrainingData(NamedTuple):
    """What the learner learns from."""

    matrix: Matrix  # its feature ids are the numbers of the feature space
    candidates: Candidates
    uninferable: int  # gold items that can't be inferred, mostly because they have too many children


SLOTS_PER_WORD = 512  # of the table of segments, at first

# What counts how much of an array of `Collected` is filled, by the names of FILLED.
COUNTED_AS = {
    "states": "states",
    "candidates": "candidates",
    "choices": "candidates",
    "heads": "rows",
    "factors": "rows",
    "rows": "rows",
    "starts": "segments",
    "features": "features",
}


class _Growing:
    """What is collected, in arrays that grow."""

    def __init__(self, n_labels: int, thinned: bool) -> None:
        self._names = [name for name in COUNTED_AS if thinned or name != "factors"]
        self.collected = Collected(
            states=np.empty(2**10, STATE),
            candidates=np.empty(2**14, CANDIDATE),
            choices=np.empty((2**14, n_labels), CHOICE),
            heads=np.empty(2**15, POSITION),
            factors=np.empty(0, REAL),
            rows=np.empty((2**15, N_COLUMNS), SEGMENT),
            starts=np.zeros(2**15, OFFSET),
            features=np.empty(2**20, FEATURE),
            filled=np.zeros(1, FILLED),
        )
        self.collected.filled["segments"] = 1  # segment 0 is empty

    def make_room(self, **needed: int) -> None:
        """Make room for so many more entries in the arrays of these names."""
        for name, more in needed.items():
            array, length = getattr(self.collected, name), self._length(name) + more
            if len(array) < length and name in self._names:
                _resize(array, max(length, len(array) * 3 // 2))

    def trim(self) -> None:
        """Give back the room that was not needed."""
        for name in self._names:
            _resize(getattr(self.collected, name), self._length(name))

    def _length(self, name: str) -> int:
        """How much of an array is filled."""
        return int(self.collected.filled[0][COUNTED_AS[name]]) + (name == "starts")  # which has the last end, too

    def append(self, other: _Growing) -> None:
        """Take over all of another, whose sentences come after these. Sentences share no segments."""
        self.trim()
        other.trim()
        mine, others = self.collected, other.collected
        filled = mine.filled[0].copy()
        others.candidates["state"] += filled["states"]
        others.candidates["first_row"] += filled["rows"]
        np.add(others.rows, filled["segments"] - 1, out=others.rows, where=others.rows > 0)
        starts = others.starts[2:] + filled["features"]  # the empty segment is there already
        added = others._asdict() | {"starts": starts}
        del other.collected, others  # each array is freed as soon as it is copied
        for name in self._names:
            array, more = getattr(mine, name), added.pop(name)
            _resize(array, len(array) + len(more))
            array[len(array) - len(more) :] = more
        for name in FILLED.names or ():
            mine.filled[name] += added["filled"][name] - (name == "segments")


def _resize(array: np.ndarray, length: int) -> None:
    """Change the length of an array in place, which keeps what is in it, and needs no second copy where it can grow."""
    array.resize((length, *array.shape[1:]), refcheck=False)


class Lister(Protocol):
    """Lists the part of a gold path's inferences that is kept; see gpuparse/parse/thinning.py."""

    def __call__(self, path: GoldPath, number: int, state: State, collected: Collected, keys: Keys) -> int:
        """List states, candidates, heads and factors; how many gold items can't be inferred."""


class ExampleBuilder:
    """Collects the examples of gold paths, tree by tree.

    >>> from gpuparse.parse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.trees import load_language, parse_tree
    >>> tree = parse_tree("(TOP (NP (NNP Ann)))")
    >>> builder = ExampleBuilder(Source([tree], build_vocabulary([tree], load_language())))
    >>> builder.add(0)
    >>> builder.finish().candidates.of_label(0).signs.tolist()  # NP is right over NNP, and can't stand over NP
    [1]
    """

    def __init__(self, source: Source, thinner: Lister | None = None) -> None:
        if not 1 <= source.max_children < NOT_ALLOWED:
            raise UsageError(f"an item can be allowed 1 to {NOT_ALLOWED - 1} children, not {source.max_children}")
        self._source, self._thinner = source, thinner
        self._space = FeatureSpace(source.vocabulary)
        self._numbering = self._space.numbering()
        self._logic = make_logic(source.vocabulary, source.strategy, source.max_children)
        self._growing = _Growing(len(source.vocabulary.labels), thinned=thinner is not None)
        self._seen = np.zeros(self._space.size, SEGMENT)
        self._table = make_key_table(2)
        self._uninferable = 0

    def add(self, number: int) -> None:
        """Add the tree of this number; one with no word has no examples."""
        if len(self._source.trees[number]) == 1:
            return
        path = self._source.path(number)
        state = make_state(path.terminals, path.items)
        growing, collected = self._growing, self._growing.collected
        n_states = len(path.items) - len(path.terminals)
        most = n_states * len(path.terminals) * self._logic.max_children  # candidates
        most_rows = most * self._logic.max_children
        growing.make_room(states=n_states, candidates=most, choices=most, heads=most_rows, factors=most_rows)
        before = collected.filled.copy()
        workspace = self._make_workspace(state)
        if self._thinner is None:
            self._uninferable += list_inferences(path, number, self._logic, state, collected, workspace)
        else:
            self._uninferable += self._thinner(path, number, state, collected, workspace.keys)
        row, end = int(before[0]["rows"]), int(collected.filled[0]["rows"])
        growing.make_room(rows=end - row)
        clear(workspace.table)
        while True:
            row = write_rows(path, self._numbering, state, collected, workspace, before, row)
            if row == end:
                break
            growing.make_room(starts=N_COLUMNS, features=N_COLUMNS * len(workspace.buffer))
            workspace = self._enlarge_table(workspace)

    def _make_workspace(self, state: State) -> Workspace:
        """Scratch arrays for a sentence."""
        n_words = len(state.terminals)
        slots = 2 ** int(np.ceil(np.log2(SLOTS_PER_WORD * n_words)))
        if slots > len(self._table.keys):
            self._table = make_key_table(slots)
        clear(self._table)
        return Workspace(
            keys=Keys(state.frontier, np.empty(n_words + 1, np.uint64), np.empty(n_words + 1, np.uint64)),
            table=self._table,
            label_heads=np.empty(len(self._source.vocabulary.labels), np.int64),
            cuts=np.empty(CUTS, np.int64),
            row_of_head=np.empty(self._logic.max_children, CHOICE),
            buffer=np.empty(segment_capacity(n_words), FEATURE),
            seen=self._seen,
        )

    def _enlarge_table(self, workspace: Workspace) -> Workspace:
        """The same workspace, with room in its table."""
        if not has_room(self._table, N_COLUMNS):
            larger = make_key_table(2 * len(self._table.keys))
            copy_table(self._table, larger)
            self._table = larger
        return workspace._replace(table=self._table)

    def append(self, other: ExampleBuilder) -> None:
        """Take over what another has collected of the sentences after these; it is of no use afterwards."""
        self._growing.append(other._growing)
        self._uninferable += other._uninferable

    def finish(self, threads: int = 1) -> TrainingData:
        """All that was added. Nothing can be added afterwards."""
        self._growing.trim()
        return _finish(self._growing, self._space, self._uninferable, threads)


def build_training_data(
    source: Source,
    on_sentence: Callable[[int], None] | None = None,
    threads: int = 1,
    make_thinner: Callable[[], Lister] | None = None,
) -> TrainingData:
    """Walk the gold path of every prepared tree and compute the features of all that its states allow.

    Each thread has a lister of its own, if any, which decides what is kept.

    >>> from gpuparse.parse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.trees import load_language, parse_tree
    >>> tree = parse_tree("(TOP (S (NP (NNP Ann)) (VP (VBZ sings))))")
    >>> training = build_training_data(Source([tree], build_vocabulary([tree], load_language())))
    >>> len(training.candidates.sentences), training.candidates.correct.tolist()  # four states, one way on from each
    (4, [1, 1, 1, 1])
    """

    stop = threading.Event()

    def collect(first: int, last: int) -> ExampleBuilder:
        builder = ExampleBuilder(source, None if make_thinner is None else make_thinner())
        for number in range(first, last):
            if stop.is_set():
                break
            builder.add(number)
            if on_sentence is not None:
                on_sentence(number)
        return builder

    shares = 1 if threads == 1 else SHARES_PER_THREAD * threads
    with ThreadPoolExecutor(threads) as pool:
        cuts = pairwise(len(source.trees) * share // shares for share in range(shares + 1))
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
    collected = growing.collected
    matrix = Matrix.from_segments(collected.rows, collected.starts, collected.features, space.columns[group], threads)
    states, candidates = collected.states, collected.candidates
    return TrainingData(
        matrix,
        Candidates(
            sentences=np.ascontiguousarray(states["sentence"]),
            correct=np.ascontiguousarray(states["correct"]),
            incorrect=np.ascontiguousarray(states["incorrect"]),
            worth=np.ascontiguousarray(states["worth"]),
            states=np.ascontiguousarray(candidates["state"]),
            children=np.stack([candidates["left"], candidates["right"]], axis=1).astype(POSITION),
            spans=np.stack([candidates["start"], candidates["end"]], axis=1).astype(POSITION),
            gold=candidates["gold"].astype(POSITION),
            first_rows=np.ascontiguousarray(candidates["first_row"]),
            choices=collected.choices,
            heads=collected.heads,
            factors=collected.factors,
        ),
        uninferable,
    )
