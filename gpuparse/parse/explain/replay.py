"""A derivation again, state by state, with the score of every inference that each state allows.

States, candidates and scores come from the code of the search itself, so they are the very ones that it saw; the rules
behind a score come from the features as training numbers them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gpuparse.boost.ensemble import Literals
from gpuparse.dtypes import FEATURE
from gpuparse.jit import kernel
from gpuparse.parse.features.extraction import emit_inference, segment_capacity
from gpuparse.parse.features.groups import Column
from gpuparse.parse.features.runs import CUTS
from gpuparse.parse.logic.derivation import frontiers
from gpuparse.parse.logic.items import HEAD
from gpuparse.parse.logic.state import Run, span_of
from gpuparse.parse.logic.strategy import NO_HEAD, Inference
from gpuparse.parse.model.model import Model
from gpuparse.parse.model.rules import FIXED_POINT
from gpuparse.parse.search.atoms import look_up_words
from gpuparse.parse.search.expansion import Batch, expand, make_batch, most_candidates
from gpuparse.parse.search.memory import Memory, make_memory
from gpuparse.parse.search.parser import Parser
from gpuparse.parse.search.pool import Pool, make_pool, take_slot
from gpuparse.parse.search.state import begin_state, follow, site_of, state_of
from gpuparse.trees import Span, Token

_look_up_words, _begin_state, _follow = kernel(look_up_words), kernel(begin_state), kernel(follow)
_expand, _emit_inference = kernel(expand), kernel(emit_inference)


class ScoredInference(NamedTuple):
    """An inference that a state allows, and what follows from it."""

    inference: Inference
    head: int  # the head child, in the state's frontier
    start: int  # the first terminal below it
    end: int  # one past the last
    head_word: int  # the terminal that is its head
    score: int  # fixed point


class Judgement(NamedTuple):
    """Why an inference has its score; weights are in fixed point."""

    fired: dict[Literals, int]  # the rules of its label that hold: their weights add up to the score
    effects: dict[int, int]  # for features that are there: the score, less what it would be without the feature


class ReplayedState:
    """A state on the way, as the search saw it. It is good until the replay goes on."""

    def __init__(self, replay: Replay, pool: Pool, batch: Batch, frontier: list[Span]) -> None:
        self.frontier = frontier
        self._replay = replay
        self._pool = pool
        self._batch = batch

    @cached_property
    def inferences(self) -> list[ScoredInference]:
        """All that the state allows, the best first; among equals in the order of the search."""
        batch = self._batch
        heads = batch.heads[: batch.filled[0]]
        inferences = [
            self._inference(
                Inference(int(label), int(batch.left[at]), int(batch.right[at])),
                head=int(heads[at, label]),
                score=int(batch.scores[at, label]),
            )
            for at, label in np.argwhere(heads != NO_HEAD)
        ]
        return sorted(inferences, key=lambda inference: -inference.score)

    def _inference(self, inference: Inference, head: int, score: int) -> ScoredInference:
        """An inference whose head child is so far from its first."""
        state, head = state_of(self._pool, 0), inference.left + head
        start, end = span_of(state, inference.left, inference.right)
        return ScoredInference(
            inference,
            head=head,
            start=int(start),
            end=int(end),
            head_word=int(state.items[state.frontier[head], HEAD]),
            score=score,
        )

    def judge(self, scored: ScoredInference) -> Judgement:
        """The rules and the features behind the score of an inference."""
        features = self._features(scored)
        fired: dict[Literals, int] = {}
        effects: dict[int, int] = {}
        for literals, weight in self._replay.weights(scored.inference.label).items():
            broken = [feature for feature, there in literals if (feature in features) != there]
            if not broken:
                fired[literals] = weight
                for feature in (feature for feature, there in literals if there):
                    effects[feature] = effects.get(feature, 0) + weight
            elif len(broken) == 1 and broken[0] in features:  # without this feature the rule would fire
                effects[broken[0]] = effects.get(broken[0], 0) - weight
        return Judgement(fired, effects)

    def _features(self, scored: ScoredInference) -> set[int]:
        state = state_of(self._pool, 0)
        numbers = np.empty(len(Column) * segment_capacity(len(state.terminals)), FEATURE)
        run = Run(scored.inference.left, scored.inference.right, scored.head)
        end = _emit_inference(self._replay.model.space.numbering(), state, run, np.empty(CUTS, np.int64), numbers)
        return set(numbers[:end].tolist())


class Replay:
    """Replays derivations of a model's parser, whose rules are those at a lambda."""

    def __init__(self, model: Model, lambda_: float, parser: Parser) -> None:
        self.model = model
        self.parser = parser
        self._lambda = lambda_
        self._weights: dict[int, Mapping[Literals, int]] = {}

    def weights(self, label: int) -> Mapping[Literals, int]:
        """The rules of a label with their weights in fixed point, as scoring has them."""
        if label not in self._weights:
            theta = self.model.ensembles[self.model.vocabulary.labels[label]].compounds(self._lambda)
            self._weights[label] = {literals: round(value * FIXED_POINT) for literals, value in theta.items()}
        return self._weights[label]

    def states(self, tokens: Sequence[Token], derivation: Sequence[Inference]) -> Iterator[ReplayedState]:
        """The states at which the inferences of a derivation were made, in their order."""
        pool, batch, memory = self._make_memory(len(tokens))
        take_slot(pool, 0, self.model.vocabulary.terminals(tokens))
        _look_up_words(self.parser.grammar.atoms, pool.terminals[0], len(tokens), pool.of_word[0])
        _begin_state(pool, 0)
        reached = frontiers(tokens, derivation, self.model.vocabulary.labels)
        for number, (inference, frontier) in enumerate(zip(derivation, reached, strict=False), 1):
            self._score(pool, batch, memory)
            yield ReplayedState(self, pool, batch, frontier)
            pool.label[0, number], pool.left[0, number], pool.right[0, number] = inference
            _follow(pool, 0, number, self.parser.grammar.logic)

    def _make_memory(self, n_words: int) -> tuple[Pool, Batch, Memory]:
        labels, most_children = len(self.model.vocabulary.labels), self.model.max_children
        rules = self.parser.rules
        pool = make_pool(1, n_words, labels, len(self.parser.grammar.atoms.groups), limit=1, k=1, chart=False)
        batch = make_batch(most_candidates(n_words, most_children), rules.blocks, labels)
        return pool, batch, make_memory(rules, most_children, n_words)

    def _score(self, pool: Pool, batch: Batch, memory: Memory) -> None:
        batch.filled[:] = 0
        _expand(site_of(pool, 0), self.parser.grammar, batch, memory)
        self.parser.score(batch, memory)
