"""The tagger in plain Python: features by their names, scores by a dictionary, the best tags by trying all."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import product

from gpuparse.tag.lexicon import ATTRIBUTES
from gpuparse.tag.tagger import Tagger

Weights = dict[int, dict[int, float]]  # of each feature's key, for each tag


def stored_weights(tagger: Tagger) -> Weights:
    weights: Weights = {}
    for row, key in enumerate(tagger.keys.tolist()):
        entries = range(tagger.row_starts[row], tagger.row_starts[row + 1])
        weights[key] = {int(tagger.row_tags[entry]): int(tagger.row_weights[entry]) for entry in entries}
    return weights


def candidates(tagger: Tagger, word: str) -> list[int]:
    lexicon = tagger.lexicon
    frequent = lexicon.words[: lexicon.frequent]
    entry = frequent.index(word) if word in frequent else lexicon.frequent
    return lexicon.dictionary_tags[lexicon.dictionary_starts[entry] : lexicon.dictionary_starts[entry + 1]].tolist()


def keys(tagger: Tagger, words: Sequence[str], tags: Sequence[int], position: int) -> Iterator[int]:
    """The keys of all features of a word under these tags."""

    def value(name: str, distance: int) -> int:
        place = position + distance
        if name == "tag":
            return tags[place] if place >= 0 else len(tagger.lexicon.tags)
        if not 0 <= place < len(words):
            return 0
        return tagger.lexicon.attributes(words[place])[ATTRIBUTES.index(name)]

    for template, name in enumerate(tagger.settings()["templates"]):
        values = [value(part, int(distance)) for part, distance in re.findall(r"(\w+?)([+-]\d)", name)]
        if min(values) >= 0:
            first, second = [*values, 0][:2]
            yield template * 2**48 + first * 2**24 + second


def score(tagger: Tagger, weights: Weights, words: Sequence[str], tags: Sequence[int]) -> float:
    return sum(
        weights.get(key, {}).get(tags[position], 0)
        for position in range(len(words))
        for key in keys(tagger, words, tags, position)
    )


def scored_sequences(tagger: Tagger, weights: Weights, words: Sequence[str]) -> dict[tuple[int, ...], float]:
    sequences = product(*(candidates(tagger, word) for word in words))
    return {tags: score(tagger, weights, words, tags) for tags in sequences}


def best_tags(tagger: Tagger, words: Sequence[str]) -> list[str]:
    """Of equals the one with the lowest tag at the end, then before it, and so on."""
    scores = scored_sequences(tagger, stored_weights(tagger), words)
    best = min(scores, key=lambda tags: (-scores[tags], tags[::-1]))
    return [tagger.lexicon.tags[tag] for tag in best]


def probabilities(tagger: Tagger, weights: Weights, words: Sequence[str]) -> dict[tuple[int, ...], float]:
    scores = scored_sequences(tagger, weights, words)
    total = sum(math.exp(value) for value in scores.values())
    return {tags: math.exp(value) / total for tags, value in scores.items()}
