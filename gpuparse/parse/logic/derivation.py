"""A derivation, inference by inference: the frontiers on the way, and the items that were built."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpuparse.parse.logic.strategy import Inference
from gpuparse.trees import TOP, Span, Token


def frontiers(tokens: Sequence[Token], derivation: Sequence[Inference], labels: Sequence[str]) -> Iterator[list[Span]]:
    """The items without a parent before each inference, and after the last.

    >>> words = [Token("Ann", "NNP"), Token("sings", "VBZ")]
    >>> reached = frontiers(words, [Inference(0, 1, 1), Inference(1, 0, 1)], ["V", "S"])
    >>> [[item.label for item in frontier] for frontier in reached]
    [['NNP', 'VBZ'], ['NNP', 'V'], ['S']]
    """
    frontier = [Span(token.tag, at, at + 1) for at, token in enumerate(tokens)]
    yield frontier
    for label, left, right in derivation:
        item = Span(labels[label], frontier[left].start, frontier[right].end)
        frontier = [*frontier[:left], item, *frontier[right + 1 :]]
        yield frontier


def items_built(derivation: Sequence[Inference], reached: Sequence[Sequence[Span]]) -> list[Span]:
    """The item that each inference built; `reached` are the derivation's frontiers.

    >>> derivation = [Inference(0, 1, 1), Inference(1, 0, 1)]
    >>> words = [Token("Ann", "NNP"), Token("sings", "VBZ")]
    >>> [item.label for item in items_built(derivation, list(frontiers(words, derivation, ["V", "S"])))]
    ['V', 'S']
    """
    return [frontier[step.left] for step, frontier in zip(derivation, reached[1:], strict=True)]


def is_finished(derivation: Sequence[Inference], reached: Sequence[Sequence[Span]]) -> bool:
    """Whether a derivation ends with TOP; if not, its tree has a TOP over all that is left."""
    return bool(derivation) and [item.label for item in reached[-1]] == [TOP]


def places_in_tree(derivation: Sequence[Inference], reached: Sequence[Sequence[Span]]) -> list[int]:
    """Which non-terminal of the tree, in pre-order, each inference built; `reached` are the derivation's frontiers.

    >>> words = [Token("Ann", "NNP"), Token("sings", "VBZ")]
    >>> derivation = [Inference(0, 1, 1), Inference(1, 0, 1), Inference(2, 0, 0)]
    >>> places_in_tree(derivation, list(frontiers(words, derivation, ["VP", "S", "TOP"])))
    [2, 1, 0]
    """
    spans, unfinished = items_built(derivation, reached), not is_finished(derivation, reached)
    outer_first = sorted(range(len(spans)), key=lambda step: (spans[step].start, -spans[step].end, -step))
    places = [0] * len(spans)
    for place, step in enumerate(outer_first):
        places[step] = place + unfinished
    return places
