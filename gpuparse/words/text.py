"""A text as its classes see it: numbered words, how often each occurs, and how often each follows which.

Sentences stand one after the other with an edge between them, so that every word has a word before and after it. Rare
words and the edge are two words of their own, whose classes are fixed.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from gpuparse.errors import InputError

MOST_TOKENS = int(np.iinfo(np.int32).max)


class Neighbours(NamedTuple):
    """In CSR form: for each word the words on one side of it, ascending, and how often each occurs there."""

    starts: np.ndarray  # int64[words + 1]
    words: np.ndarray  # int32
    counts: np.ndarray  # int32


class Text(NamedTuple):
    """What compiled code needs to know of a text. After the words come two more: the rare words, and the edge."""

    counts: np.ndarray  # int64[words + 2]: how often each occurs
    before: Neighbours
    after: Neighbours
    doubled: np.ndarray  # int32[words + 2]: how often each follows itself; not among its neighbours


def count_text(sentences: Iterable[Sequence[str]], least: int, fold: bool = False) -> tuple[tuple[str, ...], Text]:
    """The words that occur at least so often, the most frequent first and equals by spelling, and the text of them.

    >>> words, text = count_text([["a", "rose", "is", "a", "rose"], ["a", "rose"]], least=3)
    >>> words, text.counts.tolist()
    (('a', 'rose'), [3, 3, 1, 2])
    """
    numbers: dict[str, int] = {}
    tokens = array("i")  # as numbered in the order of their first occurrence; 0 is the edge
    for sentence in sentences:
        tokens.append(0)
        tokens.extend(numbers.setdefault(word.lower() if fold else word, len(numbers) + 1) for word in sentence)
        if len(tokens) >= MOST_TOKENS:
            raise InputError(f"the text is too long: more than {MOST_TOKENS:,} tokens. Give less of it.")
    spellings = list(numbers)
    in_order = np.frombuffer(tokens, np.int32) if tokens else np.zeros(0, np.int32)
    counts = np.bincount(in_order, minlength=len(numbers) + 1)
    frequent = [number for number in range(1, len(counts)) if counts[number] >= least]
    frequent.sort(key=lambda number: (-counts[number], spellings[number - 1]))
    renumbered = np.full(len(counts), len(frequent), np.int32)
    renumbered[frequent] = np.arange(len(frequent), dtype=np.int32)
    renumbered[0] = len(frequent) + 1
    return tuple(spellings[number - 1] for number in frequent), _text(renumbered[in_order], len(frequent) + 2)


def _text(tokens: np.ndarray, words: int) -> Text:
    """From the numbers of all tokens; the text ends in the edge that it begins with."""
    pairs, counts = np.unique(tokens.astype(np.int64) * words + np.roll(tokens, -1), return_counts=True)
    first, second = pairs // words, pairs % words
    doubled = np.zeros(words, np.int32)
    same = first == second
    doubled[first[same]] = counts[same]
    first, second, counts = first[~same], second[~same], counts[~same]
    turned = np.lexsort((first, second))
    return Text(
        np.bincount(tokens, minlength=words),
        before=_neighbours(second[turned], first[turned], counts[turned], words),
        after=_neighbours(first, second, counts, words),
        doubled=doubled,
    )


def _neighbours(of: np.ndarray, neighbours: np.ndarray, counts: np.ndarray, words: int) -> Neighbours:
    starts = np.searchsorted(of, np.arange(words + 1)).astype(np.int64)
    return Neighbours(starts, neighbours.astype(np.int32), counts.astype(np.int32))
