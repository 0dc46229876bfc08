"""The parser: sentences in, the cheapest trees out, many searches in parallel.

Each round every live search hands over what its state allows, one call scores it all, and the agendas take the scores
back. A search never looks at another, so its result does not depend on what else is in the batch.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from gpuparse.errors import UsageError
from gpuparse.jit import eventual, is_slow, kernel
from gpuparse.kernels import ScoreOps, computes_on_host
from gpuparse.options import SearchOptions, Strategy
from gpuparse.parse.features.space import FeatureSpace
from gpuparse.parse.logic.derivation import frontiers, is_finished, items_built
from gpuparse.parse.logic.strategy import Inference, make_logic
from gpuparse.parse.logic.vocabulary import Vocabulary
from gpuparse.parse.model.rules import Rules
from gpuparse.parse.search.atoms import collect_atoms
from gpuparse.parse.search.expansion import Batch, Grammar, make_batch, most_candidates
from gpuparse.parse.search.memory import Memory, make_memory
from gpuparse.parse.search.pool import Pool, Status, make_pool, take_slot
from gpuparse.parse.search.rounds import Plan, absorb, advance, begin, make_search
from gpuparse.parse.search.scoring import HostScorer, Scorer, weights_of
from gpuparse.trees import TOP, UNPARSED, Span, Token, Tree, count_words

FIRST_WORDS = 40  # there is room for sentences of this length from the start
ROUNDS = 64  # that compiled code makes before Python can be interrupted
PIECE_TOKENS = 40  # of a sentence that is parsed in pieces, at most
PIECE_LIMIT = 5_000  # partial parses scored for a piece
MOST_WAITING = 1_000  # results that may wait for an earlier sentence
_begin, _advance, _absorb = eventual(begin), kernel(advance), kernel(absorb)


USUAL_SEARCH = SearchOptions()


class Outcome(StrEnum):
    """What a search came to."""

    OPTIMAL = "optimal"  # no tree is cheaper, but for colliding hashes: 1 in billions (docs/how-it-works.md)
    LIMIT = "limit"  # a tree, but the limit was met before it was proved the best
    FALLBACK = "fallback"  # no tree within the limit: the partial parse at hand was finished greedily, or flat
    TIMEOUT = "timeout"  # the time was over: the best tree found, or where there was none, as for FALLBACK
    LONG = "long"  # more words than are searched whole: parsed in pieces, whose trees stand beside each other
    MEMORY = "memory"  # too little memory to search it whole: parsed in pieces
    FLAT = "flat"  # not searched, since it has no words


@dataclass(frozen=True)
class Parse:
    """A tree over the tokens of a sentence, and what it costs: nan where the sentence was not searched."""

    tree: Tree
    cost: float
    derivation: tuple[Inference, ...] = ()  # how it was built; without TOP where that was put over a partial parse


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
        """Whether no tree is cheaper; a sentence without words has only one."""
        return self.outcome in (Outcome.OPTIMAL, Outcome.FLAT)


@dataclass
class _Run:
    """The searches under way in one call of `parse`."""

    options: SearchOptions
    plan: Plan
    pool: Pool
    batch: Batch
    memory: Memory
    tokens: list[Sequence[Token] | None]  # the sentence in each slot
    number: list[int]  # and its number
    spent: list[float]  # the seconds that it has had so far
    scored: list[int | None]  # its partial parses when the time was over; None: it is not
    finished: dict[int, Result] = field(default_factory=dict)  # results that wait for an earlier sentence

    def has_room(self) -> bool:
        """Whether another sentence can be taken in."""
        return None in self.tokens and len(self.finished) < MOST_WAITING


def cut(tokens: Sequence[Token], most: int, punctuation: Set[str]) -> Iterator[tuple[int, int]]:
    """Where the pieces of a long sentence start and end: after the last punctuation that leaves at most so many tokens.

    Punctuation at the edges of a piece is in none.

    >>> list(cut([Token(word, word) for word in "a b , c d e f .".split()], 4, {",", "."}))
    [(0, 2), (3, 7)]
    """
    start = 0
    while start < len(tokens):
        end = min(start + most, len(tokens))
        if end < len(tokens):
            end = next((i for i in range(end, start, -1) if tokens[i - 1].tag in punctuation), end)
        words = [i for i in range(start, end) if tokens[i].tag not in punctuation]
        if words:
            yield words[0], words[-1] + 1
        start = end


class Parser:
    """Parses prepared sentences with one set of rules.

    >>> from gpuparse.kernels import cpu
    >>> from gpuparse.parse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.boost.compounds import Compounds
    >>> from gpuparse.parse.model.rules import lay_out
    >>> from gpuparse.trees import load_language, parse_tree
    >>> vocabulary = build_vocabulary([parse_tree("(TOP (NP (NNP Ann)))")], load_language())
    >>> rules = lay_out({0: Compounds.of({(): -1.0})}, 2, FeatureSpace(vocabulary), np.empty(0))
    >>> parser = Parser(vocabulary, rules, Strategy.r2l, 5, cpu)
    >>> [str(result.tree) for result in parser.parse([[Token("Ann", "NNP")]])]
    ['(TOP (NNP Ann))']
    """

    def __init__(
        self, vocabulary: Vocabulary, rules: Rules, strategy: Strategy, max_children: int, kernels: ScoreOps
    ) -> None:
        self.vocabulary = vocabulary
        self.rules = rules
        self.seconds: dict[str, float] | None = None  # of CPU time, by "features", "scoring", "agenda"; None: not asked
        self._kernels = kernels
        self._search = make_search(kernels.score_rows) if computes_on_host(kernels) else None
        self.score = HostScorer(kernels.score_rows, rules) if computes_on_host(kernels) else Scorer(kernels, rules)
        atoms = collect_atoms(FeatureSpace(vocabulary), rules.features, rules.marks)
        self.grammar = Grammar(atoms, make_logic(vocabulary, strategy, max_children), rules.layout)

    def parse(
        self, sentences: Iterable[Sequence[Token]], options: SearchOptions = USUAL_SEARCH, jobs: int = 1
    ) -> Iterator[Result]:
        """The results in the order of the sentences, each as soon as those before it are known.

        A sentence is the tokens that preparation kept. So many threads search; where it is one, no more sentences are
        asked for while a result can be given, and where there are several, they ask for the sentences, in turn.
        """
        if jobs == 1:
            return self._parse_here(sentences, options, lambda: False)
        if self._search is None:
            raise UsageError("jobs are cores of the CPU: use the device cpu, or one job and a larger batch.")
        from gpuparse.parse.search.crew import Crew  # only for those who ask for it, so that a start is quick

        return Crew(
            lambda own, is_halted: self._parse_here(own, options, is_halted), sentences, jobs, MOST_WAITING
        ).results()

    def _parse_here(
        self, sentences: Iterable[Sequence[Token]], options: SearchOptions, is_halted: Callable[[], bool]
    ) -> Iterator[Result]:
        """The same in the thread that takes the results; nothing more comes when it is halted."""
        run = self._begin_run(options)
        waiting = enumerate(sentences)
        next_out = 0
        exhausted = False
        while not is_halted():
            while not exhausted and next_out not in run.finished and run.has_room():
                number, tokens = next(waiting, (-1, None))
                if tokens is None:
                    exhausted = True
                elif (unsearched := self._without_search(tokens, options)) is not None:
                    run.finished[number] = unsearched
                else:
                    try:
                        self._start(run, number, tokens)
                    except MemoryError:
                        run.finished[number] = self._in_pieces(tokens, options, Outcome.MEMORY)
            if any(tokens is not None for tokens in run.tokens):
                self._go_on(run)
                self._collect(run)
            elif not run.finished:
                return
            while next_out in run.finished:
                yield run.finished.pop(next_out)
                next_out += 1

    def _without_search(self, tokens: Sequence[Token], options: SearchOptions) -> Result | None:
        """What is said of a sentence that is not to be searched."""
        if not tokens:
            return Result((Parse(UNPARSED, math.nan),), Outcome.FLAT, 0, False)
        if options.max_words is None or count_words(tokens, self.vocabulary.language) <= options.max_words:
            return None
        return self._in_pieces(tokens, options, Outcome.LONG)

    def _in_pieces(self, tokens: Sequence[Token], options: SearchOptions, outcome: Outcome) -> Result:
        """The trees of the pieces under one TOP; they cost nothing that could be compared with another tree."""
        most = min(PIECE_TOKENS, options.max_words or PIECE_TOKENS)
        pieces = list(cut(tokens, most, self.vocabulary.language.raised))
        limit = min(
            max(options.limit_for(len(tokens)) // max(len(pieces), 1), 1), PIECE_LIMIT
        )  # together as many as for any sentence
        few = replace(options, limit=limit, k=1, batch=1, max_words=None, timeout=None)
        spans, scored = [Span(TOP, 0, len(tokens))], 0
        for (start, _), result in zip(pieces, self.parse((tokens[i:j] for i, j in pieces), few), strict=True):
            spans += [Span(label, start + i, start + j) for label, i, j in result.tree.spans() if label != TOP]
            scored += result.scored
        return Result((Parse(Tree.from_spans(spans, tokens), math.nan),), outcome, scored, False)

    def _begin_run(self, options: SearchOptions) -> _Run:
        plan = Plan(
            method=int(options.method),
            max_min=options.max_min,
            width=options.width,
            max_popped=options.max_popped,
            use_chart=self.grammar.logic.strategy == int(Strategy.bu),
            gap=options.cost_gap,
        )
        pool, batch, memory = self._make_memory(options, FIRST_WORDS)
        slots = self._slots(options)
        return _Run(
            options,
            plan,
            pool,
            batch,
            memory,
            tokens=[None] * slots,
            number=[-1] * slots,
            spent=[0.0] * slots,
            scored=[None] * slots,
        )

    def _slots(self, options: SearchOptions) -> int:
        return options.batch or self._kernels.BATCH

    def _make_memory(self, options: SearchOptions, words: int) -> tuple[Pool, Batch, Memory]:
        """Room for sentences of at most so many words."""
        labels, groups = len(self.vocabulary.labels), len(self.grammar.atoms.groups)
        max_children = self.grammar.logic.max_children
        use_chart = self.grammar.logic.strategy == int(Strategy.bu)
        slots = self._slots(options)
        pool = make_pool(slots, words, labels, groups, options.limit_for(words), options.k, use_chart)
        batch = make_batch(slots * most_candidates(words, max_children), self.rules.blocks, labels)
        return pool, batch, make_memory(self.rules, max_children, words)

    def _start(self, run: _Run, number: int, tokens: Sequence[Token]) -> None:
        """Put a sentence into a free slot; the memory grows if the sentence is longer than any before."""
        if len(tokens) > run.pool.terminals.shape[1]:
            old = run.pool
            run.pool, run.batch, run.memory = self._make_memory(run.options, len(tokens) + len(tokens) // 4)
            for before, after in zip(old, run.pool, strict=True):
                after[tuple(slice(length) for length in before.shape)] = before
        slot = run.tokens.index(None)
        run.tokens[slot], run.number[slot] = tokens, number
        run.spent[slot], run.scored[slot] = 0.0, None
        take_slot(run.pool, slot, self.vocabulary.terminals(tokens), run.options.limit_for(len(tokens)))
        _begin(run.pool, self.grammar, run.plan, slot)

    def _go_on(self, run: _Run) -> None:
        """A round, or several where all of it is compiled code."""
        began = time.monotonic()
        if self._search is not None and self.seconds is None:
            rounds = 1 if run.options.timeout is not None or is_slow() else ROUNDS
            self._search(run.pool, self.grammar, run.plan, run.batch, run.memory, weights_of(self.rules), rounds)
        else:
            self._round(run)
        if run.options.timeout is not None:
            self._watch_time(run, time.monotonic() - began, run.options.timeout)

    def _round(self, run: _Run) -> None:
        times = [time.process_time()]
        live = _advance(run.pool, self.grammar, run.plan, run.batch, run.memory)
        times.append(time.process_time())
        if live:
            self.score(run.batch, run.memory)
            times.append(time.process_time())
            _absorb(run.pool, self.grammar, run.plan, run.batch)
            times.append(time.process_time())
        if self.seconds is not None:
            for name, start, end in zip(self.seconds, times, times[1:], strict=False):
                self.seconds[name] += end - start

    def _watch_time(self, run: _Run, seconds: float, timeout: float) -> None:
        """A search whose time is over counts as one that met its limit, so that it ends with what it has.

        To finish a partial parse greedily takes time too: it may take as long again, then TOP goes over what is there.
        Variations are not looked for any more.
        """
        for slot, registers in enumerate(run.pool.registers):
            run.spent[slot] += seconds
            status = registers["status"]
            live, finishing = status in (Status.LIVE, Status.VARYING), status == Status.FALLBACK
            over = (live and run.spent[slot] > timeout) or (finishing and run.spent[slot] > 2 * timeout)
            if over and run.scored[slot] is None:
                run.scored[slot] = int(registers["scored"])
            if over and live:
                registers["scored"], registers["most"] = registers["limit"], 0
            elif over:
                registers["current"], registers["status"] = registers["next"], Status.DONE

    def _collect(self, run: _Run) -> None:
        registers = run.pool.registers
        for slot in map(int, np.flatnonzero(registers["status"] == Status.DONE)):
            tokens = run.tokens[slot]
            assert tokens is not None
            result = self._result(run, slot, tokens)
            before = run.scored[slot]
            if before is not None:
                result = self._timed_out(run.pool, slot, result, before)
            run.finished[run.number[slot]] = result
            run.tokens[slot] = None
            registers[slot]["status"] = Status.IDLE

    def _timed_out(self, pool: Pool, slot: int, result: Result, scored: int) -> Result:
        """What is said of a sentence whose time was over. A tree that was not finished has no cost."""
        last = pool.label[slot, pool.registers[slot]["current"]]
        if result.outcome is Outcome.FALLBACK and self.vocabulary.labels[last] != TOP:
            result = replace(result, parses=(replace(result.parses[0], cost=math.nan),))
        return replace(result, scored=scored, outcome=result.outcome if result.optimal else Outcome.TIMEOUT)

    def _result(self, run: _Run, slot: int, tokens: Sequence[Token]) -> Result:
        pool, options = run.pool, run.options
        registers = pool.registers[slot]
        scored = int(registers["scored"])
        entries = pool.solutions[slot, : registers["solutions"]]
        entries = entries[pool.cost[slot, entries] <= pool.cost[slot, entries[:1]] + run.plan.gap]
        if len(entries) == 0:
            entry = int(registers["current"])
            return Result((self._parse(pool, slot, entry, tokens),), Outcome.FALLBACK, scored, False)
        parses = tuple(self._parse(pool, slot, int(entry), tokens) for entry in entries)
        cost, dropped = parses[0].cost, float(pool.dropped[slot])
        optimal = bool(registers["complete"]) or (dropped > cost if options.max_min else dropped >= cost)
        outcome = Outcome.OPTIMAL if optimal else Outcome.LIMIT
        return Result(parses, outcome, scored, optimal and int(registers["greedy"]) == int(entries[0]))

    def _parse(self, pool: Pool, slot: int, entry: int, tokens: Sequence[Token]) -> Parse:
        """The tree of an entry, what it costs, and how the search came to it."""
        chain, at, parent = [], entry, pool.parent[slot]
        while at > 0:
            chain.append(at)
            at = parent.item(at)
        chain.reverse()
        columns = (array[slot, chain].tolist() for array in (pool.label, pool.left, pool.right))
        derivation = tuple(map(Inference, *columns))
        return Parse(self._tree(derivation, tokens), float(pool.cost[slot, entry]), derivation)

    def _tree(self, derivation: Sequence[Inference], tokens: Sequence[Token]) -> Tree:
        """The tree of a derivation; where that does not end with TOP, TOP goes over all that is left."""
        reached = list(frontiers(tokens, derivation, self.vocabulary.labels))
        spans = items_built(derivation, reached)
        if not is_finished(derivation, reached):
            spans.append(Span(TOP, 0, len(tokens)))
        spans.reverse()  # of equal spans the outer comes first
        return Tree.from_spans(sorted(spans, key=lambda span: (span.start, -span.end)), tokens)
