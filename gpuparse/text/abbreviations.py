"""English abbreviations: whether a full stop belongs to the word before it, and whether a sentence may end there."""

from __future__ import annotations

import re
from enum import Enum

from gpuparse.text.english import ENDING, NUMBERED, WITHIN


class Abbreviation(Enum):
    """What a word before a full stop can be."""

    NONE = "an ordinary word: the full stop ends a sentence"
    WITHIN = "an abbreviation that something always follows (Mr., e.g.)"
    ENDING = "an abbreviation that may be the last word of a sentence (Inc., etc.)"
    INITIAL = "a capital letter: an initial inside a name, a word at the end of a sentence"
    NUMBERED = "an abbreviation only before a number (No. 5, p. 7), else a word or a sentence's end"


LETTERS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")  # U.S, a.m, J.R.R


def abbreviation(word: str) -> Abbreviation:
    """What the word is, taken without its full stop.

    >>> [abbreviation(word).name for word in ("Mr", "U.S", "J", "No", "rain")]
    ['WITHIN', 'ENDING', 'INITIAL', 'NUMBERED', 'NONE']
    """
    if word in WITHIN:
        return Abbreviation.WITHIN
    if word in ENDING or LETTERS.fullmatch(word):
        return Abbreviation.ENDING
    if len(word) == 1 and word.isupper():
        return Abbreviation.INITIAL
    return Abbreviation.NUMBERED if word in NUMBERED else Abbreviation.NONE
