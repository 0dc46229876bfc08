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
from typing import Any, NamedTuple

import numpy as np

from gpuparse.jit import Kernel, compiled, kernel
from gpuparse.parse.features.segments import Keys, mix, run_key
from gpuparse.parse.features.walk import NOT_ALLOWED, RUN, Collected, gold_label
from gpuparse.parse.logic.goldpath import GoldPath
from gpuparse.parse.logic.state import State, begin_frontier, find_children, put_over, span_of
from gpuparse.parse.logic.strategy import make_logic
from gpuparse.parse.model.model import Model
from gpuparse.parse.model.rules import FIXED_POINT
from gpuparse.parse.search.atoms import BROUGHT, collect_atoms, look_up_words
from gpuparse.parse.search.expansion import Batch, Grammar, expand, make_batch, most_candidates
from gpuparse.parse.search.memory import Memory, make_memory
from gpuparse.parse.search.state import Site, note_item, sentence_key

FLOOR = 0.02  # of the weight under no model: below it a row is as likely to be kept as at it
LEAST_LAMBDA = 0.01  # below it, learning gains nothing from more rows

_look_up_words, _sentence_key = kernel(look_up_words), kernel(sentence_key)


def threshold_for(min_lambda: float) -> float:
    """The weight from which on a row is always kept: no kept example weighs more than half of the last lambda.

    >>> threshold_for(0.1)
    0.0005
    """
    return FLOOR * max(min_lambda, LEAST_LAMBDA) / 4


class Draw(NamedTuple):
    """What decides, besides its weight, whether a row is kept."""

    threshold: float
    key: np.uint64  # of the seed


class Weighing(NamedTuple):
    """Room for the rows of one candidate, by their head child from the left."""

    weight: np.ndarray  # float64[max_children]: the sum of squares in w
    least: np.ndarray  # float64[max_children]: the sum of squares in w0
    correct: np.ndarray  # bool[max_children]: whether a label of the row is correct
    row: np.ndarray  # CHOICE[max_children]: which of the candidate's rows it becomes, or NOT_ALLOWED


@cache
def make_lister(score_rows: Any) -> Kernel[..., int]:
    """What lists the inferences along a gold path that are kept, with this row scorer, a backend's own."""

    def list_kept(path, number, pilot, site, batch, memory, draw, collected, keys, weighing):
        begin_frontier(site.state)
        for item in range(len(path.items)):
            note_item(path.items, site.content, site.inside, item)
        uninferable, logic = 0, pilot.grammar.logic
        n_labels = len(logic.label_symbols)
        for gold in range(len(path.terminals), len(path.items)):
            batch.filled[:] = 0
            inferences = expand(site, pilot.grammar, batch, memory)
            n = batch.filled[0]
            score_rows(
                batch.fires[:n], pilot.labels, pilot.weights, batch.runs[:n], batch.alike[:n], memory.run_fires,
                memory.run_scores, batch.scores[:n],
            )  # fmt: skip
            _list_candidates(path, number, gold, pilot, site.state, batch, draw, collected, keys, weighing, inferences)
            left, right = find_children(site.state, gold)
            put_over(site.state, gold, left, right)
            children, label = right - left + 1, path.labels[gold]
            uninferable += children > logic.max_children or label < 0 or (label == n_labels - 1 and children > 1)
        return uninferable

    return Kernel(list_kept)


@compiled
def _list_candidates(path, number, gold, pilot, state, batch, draw, collected, keys, weighing, inferences):
    """List one state, and of what it allows the candidates that keep a row."""
    filled, logic = collected.filled[0], pilot.grammar.logic
    correct = 0
    for candidate in range(batch.filled[0]):
        left, right = batch.children[candidate, 0], batch.children[candidate, 1]
        label = gold_label(path, gold, logic, state, left, right)
        correct += label >= 0 and batch.heads[candidate, label] >= 0
    entry = collected.states[filled["states"]]
    entry["sentence"] = number
    entry["correct"] = correct
    entry["incorrect"] = inferences - correct
    entry["worth"] = path.weight
    importance = 0.5 * path.weight / max(inferences - correct, 1)
    for candidate in range(batch.filled[0]):
        left, right = int(batch.children[candidate, 0]), int(batch.children[candidate, 1])
        label = gold_label(path, gold, logic, state, left, right)
        _weigh(batch, candidate, right - left + 1, label, importance, weighing)
        children = run_key(RUN, keys, left, right + 1, 0)
        uniform = (mix(mix(draw.key, number), children) >> np.uint64(11)) * 2.0**-53
        rows = _draw_rows(left, right - left + 1, draw.threshold, uniform, weighing, collected)
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
    filled["states"] += 1


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


class Pilot(NamedTuple):
    """A pilot, for compiled code."""

    grammar: Grammar
    labels: np.ndarray  # of the rules
    weights: np.ndarray


class Thinner:
    """Lists what is kept of the sentences of a treebank; each thread has one of its own."""

    def __init__(self, pilot: Model, threshold: float, seed: int, score_rows: Any) -> None:
        self._rules = pilot.rules(pilot.lambda_)
        atoms = collect_atoms(pilot.space, self._rules.features, self._rules.marks)
        logic = make_logic(pilot.vocabulary, pilot.strategy, pilot.max_children)
        self._pilot = Pilot(Grammar(atoms, logic, self._rules.layout), self._rules.label, self._rules.weight)
        self._draw = Draw(threshold, np.uint64(seed))
        self._list = make_lister(score_rows)
        most = pilot.max_children
        self._weighing = Weighing(np.empty(most), np.empty(most), np.empty(most, np.bool_), np.empty(most, np.uint8))
        self._make_room(1)

    def _make_room(self, n_words: int) -> None:
        """Have room for sentences of so many words."""
        grammar, labels = self._pilot.grammar, len(self._rules.constant)
        most = grammar.logic.max_children
        self._n_words = n_words
        self._batch: Batch = make_batch(most_candidates(n_words, most), self._rules.words, labels)
        self._memory: Memory = make_memory(self._rules, most, n_words)
        self._of_word = np.empty((len(grammar.atoms.groups), n_words, BROUGHT), np.int32)

    def __call__(self, path: GoldPath, number: int, state: State, collected: Collected, keys: Keys) -> int:
        """List the states, candidates and heads of a gold path; how many gold items can't be inferred."""
        n_words = len(path.terminals)
        if n_words > self._n_words:
            self._make_room(2 * n_words)
        _look_up_words(self._pilot.grammar.atoms, path.terminals, n_words, self._of_word)
        content, inside = np.empty(len(path.items), np.uint64), np.empty(len(path.items), np.uint64)
        site = Site(state, content, inside, self._of_word, np.uint64(_sentence_key(path.terminals)))
        return int(
            self._list(
                path, number, self._pilot, site, self._batch, self._memory, self._draw, collected, keys, self._weighing
            )
        )
