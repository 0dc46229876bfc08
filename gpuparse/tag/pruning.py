"""What is kept of what was learned: the weights that matter, in whole numbers, and the words that anything asks for."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gpuparse.tag.lexicon import ATTRIBUTES, Lexicon
from gpuparse.tag.templates import PARTS, VALUE_BITS, Patterns

SCALE = 1024  # a weight of 1.0, in the whole numbers that are stored
MOST = 32767  # the greatest weight: the most that 16 bits hold
AT_A_TIME = 100_000  # rows that are looked at together: the matrix is large, and a copy of it would be as large
WORDS = [ATTRIBUTES.index("word"), ATTRIBUTES.index("lower")]  # the attributes whose values are words


class Rows(NamedTuple):
    """The weights that are kept."""

    keys: np.ndarray  # int64[rows], ascending
    starts: np.ndarray  # int32[rows + 1]: where the weights of each begin
    tags: np.ndarray  # int16[weights]
    weights: np.ndarray  # int16[weights], in 1/SCALE


def prune(keys: np.ndarray, weights: np.ndarray, evidence: np.ndarray, smallest: float) -> Rows:
    """The weights of at least such an effect, and the features that have any.

    The effect of a weight is its size times the root of the evidence behind it, the squares of its gradients: a small
    weight that many sentences asked for matters, and one that a few did not does not.

    >>> prune(np.array([3, 8]), np.array([[0.0, -0.5], [0.01, 0.0]]), np.ones((2, 2)), 0.05)[:3]
    (array([3]), array([0, 1], dtype=int32), array([1], dtype=int16))
    """
    parts = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    for first in range(0, len(weights), AT_A_TIME):
        block = weights[first : first + AT_A_TIME]
        effect = np.abs(block) * np.sqrt(evidence[first : first + AT_A_TIME])
        block_rows, block_tags = np.nonzero((effect >= smallest) & (np.rint(block * SCALE) != 0))
        parts.append((block_rows + first, block_tags))
    rows, tags = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    whole = np.clip(np.rint(weights[rows, tags] * SCALE), -MOST, MOST).astype(np.int16)
    used, numbered = np.unique(rows, return_inverse=True)
    starts = np.searchsorted(numbered, np.arange(len(used) + 1)).astype(np.int32)
    return Rows(keys[used], starts, tags.astype(np.int16), whole)


def forget_words(lexicon: Lexicon, patterns: Patterns, keys: np.ndarray) -> tuple[Lexicon, np.ndarray]:
    """The lexicon without words that are not frequent and in no feature, and the keys with the new numbers of words."""
    template = keys >> (PARTS * VALUE_BITS)
    used = np.zeros(len(lexicon.words) + 1, bool)
    used[: lexicon.frequent + 1] = True  # with the edge
    places = []  # of words in keys: which keys, and by how many bits they are shifted
    for part in range(PARTS):
        which = np.flatnonzero(np.isin(patterns.parts[template, part, 0], WORDS))
        places.append((which, (PARTS - 1 - part) * VALUE_BITS))
    mask = (1 << VALUE_BITS) - 1
    for which, shift in places:
        used[(keys[which] >> shift) & mask] = True
    numbers = np.cumsum(used) - 1
    changed = keys.copy()
    for which, shift in places:
        values = (keys[which] >> shift) & mask
        changed[which] += (numbers[values] - values) << shift
    words = tuple(word for word, stays in zip(lexicon.words, used[1:].tolist(), strict=True) if stays)
    return replace(lexicon, words=words), changed
