"""The parser: sentences in, the cheapest trees out, many searches side by side.

Each round every live search hands over what its state allows, one call scores it all, and the agendas take the scores
back. A search never looks at another, so its result does not depend on what else is in the batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from gpuparse.errors import UsageError
from gpuparse.features.space import FeatureSpace
from gpuparse.logic.headtable import compile_heads
from gpuparse.logic.strategy import Strategy
from gpuparse.logic.vocabulary import TOP, Vocabulary
from gpuparse.model.rules import Rules
from gpuparse.search.expansion import Grammar, make_batch, most_candidates, most_rows
from gpuparse.search.pool import Pool, Register, Status, make_pool
from gpuparse.search.rounds import Method, Plan, absorb, advance, begin
from gpuparse.trees import Span, Token, Tree


@dataclass(frozen=True)
class SearchOptions:
    """How to search."""

    method: Method = Method.greedy  # greedy completion finds a good tree at once, and with it a bound
    max_min: bool = False  # maximise the least confidence instead of minimising the sum of costs
    limit: int = 100_000  # partial parses scored for a sentence
    k: int = 1  # how many trees
    width: int = 100  # of the agenda, under beam search
    max_popped: int = 1_000  # states taken off the agenda, under beam search
    batch: int = 16  # sentences side by side; a CPU's caches like few, a GPU many

    def __post_init__(self) -> None:
        """Refuse what can't be meant."""
        for name in ("limit", "k", "width", "max_popped", "batch"):
            if getattr(self, name) < 1:
                raise UsageError(f"search options: {name} is at least 1, not {getattr(self, name)}")


class Outcome(StrEnum):
    """What a search came to."""

    OPTIMAL = "optimal"  # no tree is cheaper
    LIMIT = "limit"  # a tree, but the limit was met before it was proved the best
    FALLBACK = "fallback"  # no tree within the limit: the partial parse at hand was finished greedily, or flat


@dataclass(frozen=True)
class Parse:
    """A tree over the tokens of a prepared sentence, and what it costs."""

    tree: Tree
    cost: float


@dataclass(frozen=True)
class Result:
    """What the parser says of a sentence."""

    parses: tuple[Parse, ...]  # the best first; one unless more were asked for
    outcome: Outcome
    scored: int  # partial parses
    greedy_is_optimal: bool  # whether the first descent found the best tree, and it was proved

    @property
    def tree(self) -> Tree:
        """The best tree."""
        return self.parses[0].tree

    @property
    def cost(self) -> float:
        """Its cost."""
        return self.parses[0].cost

    @property
    def optimal(self) -> bool:
        """Whether no tree is cheaper."""
        return self.outcome is Outcome.OPTIMAL


@dataclass
class _Slots:
    """Which sentence is in which slot."""

    tokens: list[Sequence[Token] | None]
    number: list[int]
    finished: dict[int, Result] = field(default_factory=dict)  # results that wait for an earlier sentence


class Parser:
    """Parses prepared sentences with one set of rules."""

    def __init__(
        self, vocabulary: Vocabulary, rules: Rules, strategy: Strategy, max_children: int, kernels: Any
    ) -> None:
        space = FeatureSpace(vocabulary)
        model_feature = np.full(space.size, -1, np.int32)
        model_feature[rules.features] = np.arange(len(rules.features), dtype=np.int32)
        self.vocabulary = vocabulary
        self.rules = rules
        self._kernels = kernels
        self._grammar = Grammar(
            space.numbering_for(rules.features),
            model_feature,
            compile_heads(vocabulary),
            vocabulary.label_symbols,
            int(strategy),
            max_children,
        )

    def parse(self, sentences: Iterable[Sequence[Token]], options: SearchOptions = SearchOptions()) -> Iterator[Result]:  # noqa: B008  # frozen
        """The results in the order of the sentences, each as soon as those before it are known.

        A sentence is the tokens that preparation kept, at least one.
        """
        plan = Plan(
            int(options.method),
            options.max_min,
            options.limit,
            options.width,
            options.max_popped,
            self._grammar.strategy == Strategy.bu,
        )
        pool = self._make_pool(options, words=40)
        slots = _Slots([None] * options.batch, [-1] * options.batch)
        waiting = enumerate(sentences)
        next_out = 0
        exhausted = False
        while True:
            while not exhausted and None in slots.tokens and len(slots.finished) < 1000:
                number, tokens = next(waiting, (-1, None))
                if tokens is None:
                    exhausted = True
                    break
                pool = self._start(pool, plan, options, slots, number, tokens)
            if all(tokens is None for tokens in slots.tokens):
                return
            self._round(pool, plan)
            self._collect(pool, slots, options)
            while next_out in slots.finished:
                yield slots.finished.pop(next_out)
                next_out += 1

    def _make_pool(self, options: SearchOptions, words: int) -> Pool:
        chart = self._grammar.strategy == Strategy.bu
        pool = make_pool(options.batch, words, len(self.vocabulary.labels), options.limit, options.k, chart)
        rows, candidates = (bound(words, self._grammar.max_children) for bound in (most_rows, most_candidates))
        self._batch = make_batch(
            rows * options.batch,
            candidates * options.batch,
            self.rules.words,
            len(self.vocabulary.labels),
            self._grammar.max_children,
            words,
        )
        self._scores = np.empty((rows * options.batch, len(self.vocabulary.labels)), np.int64)
        return pool

    def _start(
        self, pool: Pool, plan: Plan, options: SearchOptions, slots: _Slots, number: int, tokens: Sequence[Token]
    ) -> Pool:
        """Put a sentence into a free slot; the pool grows if the sentence is longer than any before."""
        if len(tokens) > pool.terminals.shape[1]:
            old, pool = pool, self._make_pool(options, 2 * len(tokens))
            for before, after in zip(old, pool, strict=True):
                after[tuple(slice(length) for length in before.shape)] = before
        slot = slots.tokens.index(None)
        slots.tokens[slot], slots.number[slot] = tokens, number
        pool.registers[slot, Register.WORDS] = len(tokens)
        pool.terminals[slot, : len(tokens)] = self.vocabulary.terminals(tokens)
        begin(pool, slot, plan)
        return pool

    def _round(self, pool: Pool, plan: Plan) -> None:
        if advance(pool, self._grammar, plan, self._batch) == 0:
            return
        rows = int(self._batch.filled[0])
        scores = self._scores[:rows]
        scores.fill(0)
        self._kernels.score(self._batch.bits[:rows], self._batch.parts[:rows], *self.rules[2:], scores)
        absorb(pool, self._grammar, plan, self._batch, scores, self.rules.constant)

    def _collect(self, pool: Pool, slots: _Slots, options: SearchOptions) -> None:
        for slot in map(int, np.flatnonzero(pool.registers[:, Register.STATUS] == Status.DONE)):
            tokens = slots.tokens[slot]
            assert tokens is not None
            slots.finished[slots.number[slot]] = self._result(pool, slot, tokens, options)
            slots.tokens[slot] = None
            pool.registers[slot, Register.STATUS] = Status.IDLE

    def _result(self, pool: Pool, slot: int, tokens: Sequence[Token], options: SearchOptions) -> Result:
        registers = pool.registers[slot]
        scored = int(registers[Register.SCORED])
        entries = pool.solutions[slot, : registers[Register.SOLUTIONS]]
        if len(entries) == 0:
            entry = int(registers[Register.CURRENT])
            parse = Parse(self._tree(pool, slot, entry, tokens), float(pool.cost[slot, entry]))
            return Result((parse,), Outcome.FALLBACK, scored, False)
        parses = tuple(Parse(self._tree(pool, slot, e, tokens), float(pool.cost[slot, e])) for e in entries)
        cost, dropped = parses[0].cost, float(pool.dropped[slot])
        optimal = bool(registers[Register.COMPLETE]) or (dropped > cost if options.max_min else dropped >= cost)
        outcome = Outcome.OPTIMAL if optimal else Outcome.LIMIT
        return Result(parses, outcome, scored, optimal and int(registers[Register.GREEDY]) == int(entries[0]))

    def _tree(self, pool: Pool, slot: int, entry: int, tokens: Sequence[Token]) -> Tree:
        """The tree of an entry; where it is no final state, TOP goes over its frontier."""
        chain = []
        while entry > 0:
            chain.append(entry)
            entry = int(pool.parent[slot, entry])
        frontier = [(word, word + 1) for word in range(len(tokens))]
        spans = []
        for at in reversed(chain):
            i, j = int(pool.left[slot, at]), int(pool.right[slot, at])
            span = (frontier[i][0], frontier[j][1])
            frontier[i : j + 1] = [span]
            spans.append(Span(self.vocabulary.labels[pool.label[slot, at]], *span))
        if not spans or spans[-1].label != TOP:
            spans.append(Span(TOP, 0, len(tokens)))
        spans.reverse()  # of equal spans the outer comes first
        return Tree.from_spans(sorted(spans, key=lambda span: (span.start, -span.end)), tokens)
