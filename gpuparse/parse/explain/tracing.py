"""How the parser came to its tree, inference by inference: under the strategy bu the tree alone does not show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gpuparse.options import SearchOptions
from gpuparse.parse.logic.vocabulary import TOP
from gpuparse.parse.search.parser import Parser, Result
from gpuparse.parse.search.pool import Pool
from gpuparse.trees import Span, Token, Tree


class Step(NamedTuple):
    """An inference of a derivation: a label and the run of frontier items that became its children."""

    label: int
    left: int
    right: int


class TracingParser(Parser):
    """Parses one sentence at a time and tells the steps of its best tree.

    >>> from gpuparse.kernels import cpu
    >>> from gpuparse.parse.features.space import FeatureSpace
    >>> from gpuparse.options import Strategy
    >>> from gpuparse.parse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.parse.model.rules import compile_rules
    >>> from gpuparse.trees import load_language, parse_tree
    >>> import numpy
    >>> vocabulary = build_vocabulary([parse_tree("(TOP (NP (NNP Ann)))")], load_language())
    >>> rules = compile_rules({0: {(): -1.0}}, 2, FeatureSpace(vocabulary), numpy.empty(0))
    >>> parser = TracingParser(vocabulary, rules, Strategy.r2l, 5, cpu)
    >>> parser.trace([Token("Ann", "NNP")], SearchOptions())[1]
    (Step(label=1, left=0, right=0),)
    """

    _traces: list[tuple[Step, ...]]  # of the trees made, in their order: the best first

    def trace(self, tokens: Sequence[Token], options: SearchOptions) -> tuple[Result, tuple[Step, ...]]:
        """What the search says of a prepared sentence, and the steps to its best tree.

        The steps of a dead end lead to no TOP: the result's tree has one over all that was left. A sentence that is not
        searched has no steps.
        """
        self._traces = []
        [result] = self.parse([tokens], options)
        return result, self._traces[0] if self._traces else ()

    def _tree(self, pool: Pool, slot: int, entry: int, tokens: Sequence[Token]) -> Tree:
        chain = []
        at = entry
        while at > 0:
            chain.append(Step(*(int(column[slot, at]) for column in (pool.label, pool.left, pool.right))))
            at = int(pool.parent[slot, at])
        self._traces.append(tuple(reversed(chain)))
        return super()._tree(pool, slot, entry, tokens)


def frontiers(tokens: Sequence[Token], steps: Sequence[Step], labels: Sequence[str]) -> Iterator[list[Span]]:
    """The items without a parent before each of the steps, and after the last.

    >>> words = [Token("Ann", "NNP"), Token("sings", "VBZ")]
    >>> [[item.label for item in frontier] for frontier in frontiers(words, [Step(0, 1, 1), Step(1, 0, 1)], "VS")]
    [['NNP', 'VBZ'], ['NNP', 'V'], ['S']]
    """
    frontier = [Span(token.tag, at, at + 1) for at, token in enumerate(tokens)]
    yield frontier
    for label, left, right in steps:
        item = Span(labels[label], frontier[left].start, frontier[right].end)
        frontier = [*frontier[:left], item, *frontier[right + 1 :]]
        yield frontier


def places_in_tree(steps: Sequence[Step], reached: Sequence[Sequence[Span]]) -> list[int]:
    """Which non-terminal of the tree, in pre-order, each step built; `reached` are the frontiers of the derivation.

    >>> words, steps = [Token("Ann", "NNP"), Token("sings", "VBZ")], [Step(0, 1, 1), Step(1, 0, 1), Step(2, 0, 0)]
    >>> places_in_tree(steps, list(frontiers(words, steps, ["VP", "S", "TOP"])))
    [2, 1, 0]
    """
    spans = [frontier[step.left] for step, frontier in zip(steps, reached[1:], strict=True)]
    unfinished = [item.label for item in reached[-1]] != [TOP]  # the tree has a TOP over what was left
    outer_first = sorted(range(len(spans)), key=lambda step: (spans[step].start, -spans[step].end, -step))
    places = [0] * len(spans)
    for place, step in enumerate(outer_first):
        places[step] = place + unfinished
    return places
