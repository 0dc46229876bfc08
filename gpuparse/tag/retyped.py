"""Sentences as people type them: in small letters, in capitals, without the mark at their end.

Printed text has few such sentences, and a tagger that has seen none takes all words in capitals for names, and no word
in small letters for one. In a script without capitals only the mark goes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gpuparse.trees import Token

IN_SMALL_LETTERS = 0.55  # of what is typed anew is in small letters,
IN_CAPITALS = 0.15  # and so much in capitals; the rest keeps its letters, and loses its mark
WITHOUT_MARK = 0.7  # of those in small letters or in capitals have no mark at their end


class Retyped(NamedTuple):
    """A sentence, and the place of the one that it was made of."""

    origin: int
    tokens: list[Token]


def retype(sentences: Sequence[Sequence[Token]], share: float, seed: int) -> Iterator[Retyped]:
    """About such a share of the sentences, chosen at random, typed anew; without those that stay as they were.

    >>> sentence = [Token("He", "PRP"), Token("waits", "VBZ"), Token(".", ".")]
    >>> sorted({" ".join(token.word for token in made.tokens) for made in retype([sentence] * 99, 1.0, seed=0)})
    ['HE WAITS', 'HE WAITS .', 'He waits', 'he waits', 'he waits .']
    """
    draws = np.random.default_rng(seed).random((len(sentences), 3))
    for origin, (chosen, letters, mark) in enumerate(draws.tolist()):
        if chosen < share:
            tokens = _retyped(sentences[origin], letters, mark)
            if tokens != list(sentences[origin]):
                yield Retyped(origin, tokens)


def _retyped(sentence: Sequence[Token], letters: float, mark: float) -> list[Token]:
    if letters >= IN_SMALL_LETTERS + IN_CAPITALS:
        return list(_without_mark(sentence))
    kept = _without_mark(sentence) if mark < WITHOUT_MARK else sentence
    return [
        Token(token.word.lower() if letters < IN_SMALL_LETTERS else token.word.upper(), token.tag) for token in kept
    ]


def _without_mark(sentence: Sequence[Token]) -> Sequence[Token]:
    marked = len(sentence) > 2 and not any(character.isalnum() for character in sentence[-1].word)
    return sentence[:-1] if marked else sentence
