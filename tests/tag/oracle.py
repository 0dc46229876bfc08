"""The tagger in plain Python: features by their names, scores by a dictionary, the best tags by trying all."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import product

from gpuparse.tag.tagger import Tagger

PART = re.compile(r"([a-z]+\d*?)([+-]\d|\.end)?")
Weights = dict[int, dict[int, float]]  # of each feature's key, for each tag


def stored_weights(tagger: Tagger) -> Weights:
    weights: Weights = {}
    for row, key in enumerate(tagger.keys.tolist()):
        entries = range(tagger.row_starts[row], tagger.row_starts[row + 1])
        weights[key] = {int(tagger.row_tags[entry]): int(tagger.row_weights[entry]) for entry in entries}
    return weights


def entry_tags(tagger: Tagger, word: str) -> set[int]:
    lexicon = tagger.lexicon
    frequent = lexicon.words[: lexicon.frequent]
    entry = frequent.index(word) if word in frequent else lexicon.frequent
    starts = lexicon.dictionary_starts
    return set(lexicon.dictionary_tags[starts[entry] : starts[entry + 1]].tolist())


def candidates(tagger: Tagger, word: str) -> list[int]:
    """The tags of the word, of the word in small letters, and those promised; or the one that a rule gives."""
    lexicon = tagger.lexicon
    number = lexicon.tags.index
    written = lexicon.rules.tag_of(word)
    if written is not None:
        return [number(written)]
    tags = entry_tags(tagger, word)
    if word not in lexicon.words[: lexicon.sure]:
        if word.lower() in lexicon.words[: lexicon.frequent]:
            tags |= entry_tags(tagger, word.lower())
        assert lexicon.forms is not None
        tags_of = {
            other: [lexicon.tags[tag] for tag in entry_tags(tagger, other)]
            for other in lexicon.words[: lexicon.frequent]
        }
        tags |= {number(tag) for tag in lexicon.forms.promised(word.lower(), tags_of)}
    return sorted(tags)


def predicates(tagger: Tagger, words: Sequence[str]) -> int:
    """Whether none of the words can be a predicate (0), or one can (1), or one can be nothing else (2)."""
    predicates = {tagger.lexicon.tags.index(tag) for tag in tagger.lexicon.rules.predicates}
    can = [set(candidates(tagger, word)) for word in words]
    return 2 if any(tags <= predicates for tags in can) else int(any(tags & predicates for tags in can))


def keys(tagger: Tagger, words: Sequence[str], tags: Sequence[int], position: int) -> Iterator[int]:
    """The keys of all features of a word under these tags."""

    def value(name: str, distance: str) -> int:
        if name == "predicates":
            return 3 * predicates(tagger, words[:position]) + predicates(tagger, words[position + 1 :])
        place = len(words) - 1 if distance == ".end" else position + int(distance)
        if name == "tag":
            return tags[place] if place >= 0 else len(tagger.lexicon.tags)
        if not 0 <= place < len(words):
            return 0
        return tagger.lexicon.attributes(words[place])[tagger.lexicon.attribute_names.index(name)]

    for template, name in enumerate(tagger.settings()["templates"]):
        values = [value(*PART.fullmatch(part).groups()) for part in name.split()]
        if min(values) >= 0:
            first, second, third = [*values, 0, 0][:3]
            yield template * 2**54 + first * 2**36 + second * 2**18 + third


def score(tagger: Tagger, weights: Weights, words: Sequence[str], tags: Sequence[int]) -> float:
    return sum(
        weights.get(key, {}).get(tags[position], 0)
        for position in range(len(words))
        for key in keys(tagger, words, tags, position)
    )


def scored_sequences(tagger: Tagger, weights: Weights, words: Sequence[str]) -> dict[tuple[int, ...], float]:
    sequences = product(*(candidates(tagger, word) for word in words))
    return {tags: score(tagger, weights, words, tags) for tags in sequences}


def best_sequences(tagger: Tagger, words: Sequence[str]) -> list[tuple[tuple[str, ...], float]]:
    """All sequences, the best first; of equals the one with the lowest tag at the end, then before it, and so on."""
    scores = scored_sequences(tagger, stored_weights(tagger), words) if words else {}
    ranked = sorted(scores, key=lambda tags: (-scores[tags], tags[::-1]))
    return [
        (tuple(tagger.lexicon.tags[tag] for tag in tags), (scores[ranked[0]] - scores[tags]) / 1024) for tags in ranked
    ]


def best_tags(tagger: Tagger, words: Sequence[str]) -> list[str]:
    return list(best_sequences(tagger, words)[0][0])


def probabilities(tagger: Tagger, weights: Weights, words: Sequence[str]) -> dict[tuple[int, ...], float]:
    scores = scored_sequences(tagger, weights, words)
    total = sum(math.exp(value) for value in scores.values())
    return {tags: math.exp(value) / total for tags, value in scores.items()}
