"""Thinning: of the rows that are all incorrect a sample is kept, so that any treebank fits into the memory there is.

Almost all inferences are incorrect, and most of them in a way that a half-trained model rejects with certainty. Such a
model, the pilot, is learned from a few sentences; then every sentence is scored by it, and a row is kept with the
probability p that its weight under the pilot deserves. With b the importance of an incorrect example, and h its score:

    w[row]  = sqrt(sum over the row's incorrect labels of (b / (1 + exp(-h)))^2)
    w0[row] = sqrt(sum over the row's incorrect labels of (b / 2)^2)                   which is w under no model at all
    p[row]  = 1 if a label is correct, else min(1, max(w, FLOOR * w0) / threshold)

The importance of what is kept is divided by p, so that every sum that learning looks at stays unbiased, and no kept
example weighs more than 2 * threshold / FLOOR. All rows over the same children are drawn together, since they share
their segments. Features are computed for rows that are kept, and for no others: scoring works on the bits of the
pilot's rules alone, as a search does.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from gpuparse.dtypes import CHOICE
from gpuparse.jit import Kernel, compiled, kernel
from gpuparse.kernels import RowScorer, RuleWeights
from gpuparse.parse.features.segments import Keys, mix, run_key
from gpuparse.parse.features.walk import NOT_ALLOWED, RUN, Collected, go_on, gold_label
from gpuparse.parse.logic.goldpath import GoldPath
from gpuparse.parse.logic.state import State, begin_frontier, span_of
from gpuparse.parse.logic.strategy import make_logic
from gpuparse.parse.model.model import Model
from gpuparse.parse.model.rules import FIXED_POINT
from gpuparse.parse.search.atoms import BROUGHT, collect_atoms, look_up_words
from gpuparse.parse.search.expansion import Batch, Grammar, expand, make_batch, most_candidates, rows_of
from gpuparse.parse.search.memory import Memory, known_rows, make_memory
from gpuparse.parse.search.scoring import weights_of
from gpuparse.parse.search.state import Site, note_item, sentence_key

FLOOR = 0.02  # of the weight under no model: a row that weighs less is kept as if it weighed so much
LEAST_LAMBDA = 0.01  # below it, learning gains nothing from more rows

_look_up_words, _sentence_key = kernel(look_up_words), kernel(sentence_key)


def threshold_for(min_lambda: float) -> float:
    """The weight from which on a row is always kept: no kept example weighs more than half of the last lambda.

    >>> threshold_for(0.1)
    0.0005
    """
    return FLOOR * max(min_lambda, LEAST_LAMBDA) / 4


class Weighing(NamedTuple):
    """Room for the rows of one candidate, by their head child from the left."""

    weight: np.ndarray  # float64[max_children]: the sum of squares in w
    least: np.ndarray  # float64[max_children]: the sum of squares in w0
    correct: np.ndarray  # bool[max_children]: whether a label of the row is correct
    row: np.ndarray  # CHOICE[max_children]: which of the candidate's rows it becomes, or NOT_ALLOWED


class Sieve(NamedTuple):
    """What decides which rows are kept: the pilot and the draws, and room to apply them."""

    grammar: Grammar  # of the pilot
    weights: RuleWeights
    threshold: float  # the weight from which on a row is always kept
    key: np.uint64  # of the seed
    batch: Batch
    memory: Memory
    weighing: Weighing


@cache
def make_lister(score_rows: RowScorer) -> Kernel[..., int]:
    """What lists the inferences along a gold path that are kept, with this row scorer, a backend's own."""

    def list_kept(path, number, site, sieve, collected, keys):
        begin_frontier(site.state)
        for item in range(len(path.items)):
            note_item(path.items, site.content, site.inside, item)
        uninferable, draw = 0, mix(sieve.key, number)
        for gold in range(len(path.terminals), len(path.items)):
            sieve.batch.filled[:] = 0
            inferences = expand(site, sieve.grammar, sieve.batch, sieve.memory)
            score_rows(sieve.weights, rows_of(sieve.batch), known_rows(sieve.memory))
            correct = _count_correct(path, gold, site.state, sieve)
            entry = collected.states[collected.filled[0]["states"]]
            entry["sentence"] = number
            entry["correct"] = correct
            entry["incorrect"] = inferences - correct
            entry["worth"] = path.weight
            _list_candidates(path, gold, site.state, sieve, draw, collected, keys)
            collected.filled[0]["states"] += 1
            uninferable += not go_on(path, gold, sieve.grammar.logic, site.state)
        return uninferable

    return Kernel(list_kept)


@compiled
def _count_correct(path, gold, state, sieve):
    """How many of the inferences that a state allows are correct."""
    batch, correct = sieve.batch, 0
    for candidate in range(batch.filled[0]):
        left, right = batch.left[candidate], batch.right[candidate]
        label = gold_label(path, gold, sieve.grammar.logic, state, left, right)
        correct += label >= 0 and batch.heads[candidate, label] >= 0
    return correct


@compiled
def _list_candidates(path, gold, state, sieve, draw, collected, keys):
    """List, of what the state allows, the candidates that keep a row; `draw` is a hash of the seed and the sentence."""
    filled, batch, weighing = collected.filled[0], sieve.batch, sieve.weighing
    importance = 0.5 * path.weight / max(collected.states[filled["states"]]["incorrect"], 1)
    for candidate in range(batch.filled[0]):
        left, right = int(batch.left[candidate]), int(batch.right[candidate])
        label = gold_label(path, gold, sieve.grammar.logic, state, left, right)
        _weigh(batch, candidate, right - left + 1, label, importance, weighing)
        children = run_key(RUN, keys, left, right + 1, 0)
        uniform = (mix(draw, children) >> np.uint64(11)) * 2.0**-53
        rows = _draw_rows(left, right - left + 1, sieve.threshold, uniform, weighing, collected)
        if rows:
            record = collected.candidates[filled["candidates"]]
            record["state"] = filled["states"]
            record["left"] = left
            record["right"] = right
            record["start"], record["end"] = span_of(state, left, right)
            record["gold"] = label
            record["first_row"] = filled["rows"]
            choices = collected.choices[filled["candidates"]]
            for at in range(len(choices)):
                head = batch.heads[candidate, at]
                choices[at] = NOT_ALLOWED if head < 0 else weighing.row[head]
            filled["candidates"] += 1
            filled["rows"] += rows


@compiled
def _weigh(batch, candidate, n_children, gold, importance, weighing):
    """Add up the squares of the weights of a candidate's incorrect inferences, by their head child."""
    for head in range(n_children):
        weighing.weight[head] = 0.0
        weighing.least[head] = 0.0
        weighing.correct[head] = False
    for label in range(batch.heads.shape[1]):
        head = batch.heads[candidate, label]
        if head < 0:
            continue
        if label == gold:
            weighing.correct[head] = True
            continue
        weight = importance / (1.0 + np.exp(-batch.scores[candidate, label] / FIXED_POINT))
        weighing.weight[head] += weight * weight
        weighing.least[head] += 0.25 * importance * importance


@compiled
def _draw_rows(left, n_children, threshold, uniform, weighing, collected):
    """Decide which rows of a candidate are kept, and write their heads and factors; returns how many."""
    first = collected.filled[0]["rows"]
    rows = 0
    for head in range(n_children):
        weighing.row[head] = NOT_ALLOWED
        if weighing.least[head] == 0.0 and not weighing.correct[head]:  # no label has this head
            continue
        weight = max(np.sqrt(weighing.weight[head]), FLOOR * np.sqrt(weighing.least[head]))
        probability = 1.0 if weighing.correct[head] else min(1.0, weight / threshold)
        if uniform < probability:
            weighing.row[head] = rows
            collected.heads[first + rows] = left + head
            collected.factors[first + rows] = 1.0 / probability
            rows += 1
    return rows


class Thinner:
    """Lists what is kept of the sentences of a treebank; each thread has one of its own."""

    def __init__(self, pilot: Model, threshold: float, seed: int, score_rows: RowScorer) -> None:
        self._rules = pilot.rules(pilot.lambda_)
        atoms = collect_atoms(pilot.space, self._rules.features, self._rules.marks)
        logic = make_logic(pilot.vocabulary, pilot.strategy, pilot.max_children)
        self._grammar = Grammar(atoms, logic, self._rules.layout)
        self._threshold, self._key = threshold, np.uint64(seed)
        self._list = make_lister(score_rows)
        self._make_room(1)

    def _make_room(self, n_words: int) -> None:
        """Have room for sentences of so many words."""
        most, labels = self._grammar.logic.max_children, len(self._rules.constant)
        self._n_words = n_words
        self._sieve = Sieve(
            self._grammar,
            weights_of(self._rules),
            self._threshold,
            self._key,
            make_batch(most_candidates(n_words, most), self._rules.blocks, labels),
            make_memory(self._rules, most, n_words),
            Weighing(np.empty(most), np.empty(most), np.empty(most, np.bool_), np.empty(most, CHOICE)),
        )
        self._of_word = np.empty((len(self._grammar.atoms.groups), n_words, BROUGHT), np.int32)

    def __call__(self, path: GoldPath, number: int, state: State, collected: Collected, keys: Keys) -> int:
        """List the states, candidates and heads of a gold path; how many gold items can't be inferred."""
        n_words = len(path.terminals)
        if n_words > self._n_words:
            self._make_room(2 * n_words)
        _look_up_words(self._grammar.atoms, path.terminals, n_words, self._of_word)
        content, inside = np.empty(len(path.items), np.uint64), np.empty(len(path.items), np.uint64)
        site = Site(state, content, inside, self._of_word, np.uint64(_sentence_key(path.terminals)))
        return int(self._list(path, number, site, self._sieve, collected, keys))
