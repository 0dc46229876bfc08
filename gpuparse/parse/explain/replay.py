"""A derivation again, state by state, with the score of every inference that each state allows.

States, candidates and scores come from the code of the search itself, so they are the very ones that it saw; the rules
behind a score come from the features as training numbers them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gpuparse.boost.ensemble import Literals
from gpuparse.dtypes import FEATURE
from gpuparse.jit import kernel
from gpuparse.parse.explain.tracing import Step, frontiers
from gpuparse.parse.features.extraction import emit_segment, segment_capacity
from gpuparse.parse.features.groups import Column
from gpuparse.parse.logic.headtable import compile_heads
from gpuparse.parse.logic.items import END, HEAD, START
from gpuparse.parse.model.model import Model
from gpuparse.parse.model.rules import FIXED_POINT, Rules
from gpuparse.parse.search.atoms import collect_atoms, look_up_words
from gpuparse.parse.search.expansion import Batch, Grammar, expand, make_batch, most_candidates, most_rows
from gpuparse.parse.search.pool import Pool, Register, make_pool
from gpuparse.parse.search.scoring import Scorer
from gpuparse.parse.search.state import begin_state, infer
from gpuparse.trees import Span, Token

_look_up_words, _begin_state, _infer = kernel(look_up_words), kernel(begin_state), kernel(infer)
_expand, _emit_segment = kernel(expand), kernel(emit_segment)


class Inference(NamedTuple):
    """An inference that a state allows."""

    label: int
    left: int  # the first child, in the state's frontier
    right: int  # the last
    head: int  # and the head child
    start: int  # the first terminal below it
    end: int  # one past the last
    head_word: int  # the terminal that is its head
    score: int  # fixed point

    @property
    def step(self) -> Step:
        """The inference without what follows from it."""
        return Step(self.label, self.left, self.right)


class Judgement(NamedTuple):
    """Why an inference has its score; weights are in fixed point."""

    fired: dict[Literals, int]  # the rules of its label that hold: their weights add up to the score
    effects: dict[int, int]  # for features that are there: the score, less what it would be without the feature


class State:
    """A state on the way, as the search saw it. It is good until the replay goes on."""

    def __init__(self, replay: Replay, pool: Pool, batch: Batch, frontier: list[Span]) -> None:
        self.frontier = frontier
        self._replay = replay
        self._pool = pool
        self._batch = batch

    @cached_property
    def inferences(self) -> list[Inference]:
        """All that the state allows, the best first; among equals in the order of the search."""
        batch, rules = self._batch, self._replay.rules
        n = int(batch.filled[1])
        scores = batch.scores[: batch.filled[0]]
        heads, candidates = batch.heads[:n], np.arange(n)[:, None]
        labels = np.arange(heads.shape[1])
        totals = rules.constant + scores[0] + sum(scores[batch.rows[:n, part]] for part in range(3))
        head_rows = batch.head_rows[candidates, np.maximum(heads, 0)]
        allowed = heads >= 0
        of_head = np.where(allowed[..., None], head_rows, 0)
        totals = totals + scores[of_head[..., 0], labels] + scores[of_head[..., 1], labels]
        found = [
            self._inference(int(label), batch.children[at], int(heads[at, label]), int(totals[at, label]))
            for at, label in np.argwhere(allowed)
        ]
        return sorted(found, key=lambda inference: -inference.score)

    def _inference(self, label: int, children: np.ndarray, head: int, score: int) -> Inference:
        left, right = (int(child) for child in children)
        items, frontier = self._pool.items[0], self._pool.frontier[0]
        span = int(items[frontier[left], START]), int(items[frontier[right], END])
        return Inference(label, left, right, left + head, *span, int(items[frontier[left + head], HEAD]), score)

    def judge(self, inference: Inference) -> Judgement:
        """The rules and the features behind the score of an inference."""
        features = self._features(inference)
        fired: dict[Literals, int] = {}
        effects: dict[int, int] = {}
        for literals, weight in self._replay.weights(inference.label).items():
            broken = [feature for feature, there in literals if (feature in features) != there]
            if not broken:
                fired[literals] = weight
                for feature in (feature for feature, there in literals if there):
                    effects[feature] = effects.get(feature, 0) + weight
            elif len(broken) == 1 and broken[0] in features:  # without this feature the rule would fire
                effects[broken[0]] = effects.get(broken[0], 0) - weight
        return Judgement(fired, effects)

    def _features(self, inference: Inference) -> set[int]:
        pool = self._pool
        n_words, size = (int(pool.registers[0, at]) for at in (Register.WORDS, Register.FRONTIER))
        numbers = np.empty(len(Column) * segment_capacity(n_words), FEATURE)
        numbering = self._replay.model.space.numbering()
        place = (pool.items[0], pool.terminals[0, :n_words], pool.frontier[0], size)
        end = 0
        for column in Column:
            end = _emit_segment(int(column), numbering, *place, *inference[1:4], numbers, end)
        return set(numbers[:end].tolist())


class Replay:
    """Replays derivations with the rules of a model at a lambda."""

    def __init__(self, model: Model, rules: Rules, lambda_: float, kernels: Any) -> None:
        self.model = model
        self.rules = rules
        self._lambda = lambda_
        self._score_rows = Scorer(kernels, rules)
        self._weights: dict[int, Mapping[Literals, int]] = {}
        self._grammar = Grammar(
            collect_atoms(model.space, rules.features, rules.marks),
            compile_heads(model.vocabulary),
            model.vocabulary.label_symbols,
            int(model.strategy),
            model.max_children,
        )

    def weights(self, label: int) -> Mapping[Literals, int]:
        """The rules of a label with their weights in fixed point, as scoring has them."""
        if label not in self._weights:
            theta = self.model.ensembles[self.model.vocabulary.labels[label]].compounds(self._lambda)
            self._weights[label] = {literals: round(value * FIXED_POINT) for literals, value in theta.items()}
        return self._weights[label]

    def states(self, tokens: Sequence[Token], steps: Sequence[Step]) -> Iterator[State]:
        """The states from which the steps of a derivation were taken, in their order."""
        pool, batch = self._memory(len(tokens))
        pool.registers[0, Register.WORDS] = len(tokens)
        pool.terminals[0] = self.model.vocabulary.terminals(tokens)
        _look_up_words(self._grammar.atoms, pool.terminals[0], len(tokens), pool.of_word[0])
        _begin_state(pool, 0)
        reached = frontiers(tokens, steps, self.model.vocabulary.labels)
        for number, (step, frontier) in enumerate(zip(steps, reached, strict=False), 1):
            self._score(pool, batch)
            yield State(self, pool, batch, frontier)
            pool.label[0, number], pool.left[0, number], pool.right[0, number] = step
            _infer(pool, 0, number, self._grammar.heads, self._grammar.label_symbols)

    def _memory(self, n_words: int) -> tuple[Pool, Batch]:
        labels, most_children = len(self.model.vocabulary.labels), self.model.max_children
        pool = make_pool(1, n_words, labels, len(self._grammar.atoms.groups), limit=1, k=1, chart=False)
        sizes = most_rows(n_words, most_children), most_candidates(n_words, most_children)
        blocks = int(self.rules.layout.group_blocks[-1])
        return pool, make_batch(*sizes, self.rules.words, blocks, labels, most_children, n_words)

    def _score(self, pool: Pool, batch: Batch) -> None:
        batch.filled[:] = 0
        _expand(pool, 0, self._grammar, batch)
        rows = int(batch.filled[0])
        self._score_rows(batch.bits[:rows], batch.parts[:rows], batch.scores[:rows])
