"""What the tagger knows of words: the words themselves, their affixes and shapes, and the tags of the frequent ones.

To the tagger a word is a row of numbers, one per attribute. Nothing here depends on a language or a script.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gpuparse.trees import Token

LONGEST_AFFIX = 4
ATTRIBUTES = (
    "word",
    "lower",  # the word in small letters
    *(f"prefix{length}" for length in range(1, LONGEST_AFFIX + 1)),
    *(f"suffix{length}" for length in range(1, LONGEST_AFFIX + 1)),
    "shape",
    "class",  # of a frequent word, the tags it occurred with; of another word, the shape
)
EDGE = 0  # the value of every attribute before the first and after the last word; real values begin at 1
NOTHING = -1  # the value where there is none, such as the number of an unknown word


def shape(word: str) -> str:
    """Capitals, small letters and digits as X, x and d, runs shortened to two; other characters as they are.

    >>> shape("McDonald"), shape("F-16s"), shape("1,000.50")
    ('XxXxx', 'X-ddx', 'd,dd.dd')
    """
    kinds: list[str] = []
    for character in word:
        kind = _kind(character)
        if kinds[-2:] != [kind, kind]:
            kinds.append(kind)
    return "".join(kinds)


def _kind(character: str) -> str:
    if character.isdigit():
        return "d"
    if character.isupper():
        return "X"
    return "x" if character.isalpha() else character


@dataclass(frozen=True)
class Lexicon:
    """The words of a treebank.

    >>> sentences = [[Token("I", "PRP"), Token("saw", "VBD"), Token("saws", "NNS")]] * 2 + [[Token("saw", "NN")]]
    >>> lexicon = Lexicon.learn(sentences, known=2, frequent=3)
    >>> lexicon.words, lexicon.dictionary_tags.tolist()
    (('saw', 'I', 'saws', 'i'), [0, 3, 1, 2])
    """

    tags: tuple[str, ...]
    words: tuple[str, ...]  # the most frequent first
    prefixes: tuple[str, ...]
    suffixes: tuple[str, ...]
    shapes: tuple[str, ...]
    dictionary_starts: np.ndarray  # int32[frequent words + 2]: where the tags of each begin
    dictionary_tags: np.ndarray  # int16: of all words, last those of words that are not frequent

    @classmethod
    def learn(cls, sentences: Iterable[Sequence[Token]], known: int, frequent: int) -> Lexicon:
        """From tagged sentences; words that occur so often are known, or are in the tag dictionary."""
        counts = Counter(token for sentence in sentences for token in sentence)
        tags = tuple(sorted({token.tag for token in counts}))
        number = {tag: index for index, tag in enumerate(tags)}
        words: Counter[str] = Counter()
        seen_tags: dict[str, set[int]] = defaultdict(set)
        for token, count in counts.items():
            words[token.word] += count
            seen_tags[token.word].add(number[token.tag])
        dictionary = [word for word in _by_count(words) if words[word] >= frequent]
        others = set().union(*(seen_tags[word] for word in words if words[word] < frequent)) or set(number.values())
        entries = [*(sorted(seen_tags[word]) for word in dictionary), sorted(others)]
        return cls(
            tags=tags,
            words=_known_words(words, known),
            prefixes=_known_strings(words, _prefixes, known),
            suffixes=_known_strings(words, _suffixes, known),
            shapes=_known_strings(words, lambda word: [shape(word)], known),
            dictionary_starts=np.cumsum([0, *map(len, entries)]).astype(np.int32),
            dictionary_tags=np.array([tag for entry in entries for tag in entry], np.int16),
        )

    @property
    def frequent(self) -> int:
        """The number of words in the tag dictionary, which is also the entry of all other words."""
        return len(self.dictionary_starts) - 2

    def entry(self, word: str) -> int:
        """The word's entry in the tag dictionary."""
        return min(self._word_numbers.get(word, len(self.words) + 1) - 1, self.frequent)

    def attributes(self, word: str) -> list[int]:
        """The value of each attribute.

        >>> Lexicon.learn([[Token("Go", "VB")]], 1, 1).attributes("Go")
        [1, 2, 1, 2, -1, -1, 2, 1, -1, -1, 1, 1]
        """
        row = self._rows.get(word)
        if row is None:
            row = self._attributes(word)
            if word in self._word_numbers:
                self._rows[word] = row
        return row

    def _attributes(self, word: str) -> list[int]:
        lower, form = word.lower(), self._shape_numbers.get(shape(word), NOTHING)
        return [
            self._word_numbers.get(word, NOTHING),
            self._word_numbers.get(lower, NOTHING),
            *_values(self._prefix_numbers, _prefixes(word)),
            *_values(self._suffix_numbers, _suffixes(word)),
            form,
            self._class(word, lower, form),
        ]

    @cached_property
    def _rows(self) -> dict[str, list[int]]:
        """The attributes of known words, in the order in which they occur."""
        return {}

    def sizes(self) -> np.ndarray:
        """One more than the greatest value of each attribute."""
        lengths = [len(self.words)] * 2
        lengths += [len(self.prefixes)] * LONGEST_AFFIX + [len(self.suffixes)] * LONGEST_AFFIX
        lengths += [len(self.shapes), 2 * self._class_count + len(self.shapes)]
        return np.array(lengths, np.int64) + 1

    def _class(self, word: str, lower: str, form: int) -> int:
        for candidate, offset in ((word, 0), (lower, self._class_count)):
            entry = self.entry(candidate)
            if entry < self.frequent:
                return 1 + offset + self._classes[entry]
        return NOTHING if form == NOTHING else 2 * self._class_count + form

    @cached_property
    def _classes(self) -> list[int]:
        """For each frequent word which set of tags it has; sets are numbered in the order in which they occur."""
        starts, tags = self.dictionary_starts.tolist(), self.dictionary_tags.tolist()
        numbers: dict[tuple[int, ...], int] = {}
        sets = (tuple(tags[starts[entry] : starts[entry + 1]]) for entry in range(self.frequent))
        return [numbers.setdefault(one, len(numbers)) for one in sets]

    @cached_property
    def _class_count(self) -> int:
        return max(self._classes, default=-1) + 1

    @cached_property
    def _word_numbers(self) -> dict[str, int]:
        return _numbered(self.words)

    @cached_property
    def _prefix_numbers(self) -> dict[str, int]:
        return _numbered(self.prefixes)

    @cached_property
    def _suffix_numbers(self) -> dict[str, int]:
        return _numbered(self.suffixes)

    @cached_property
    def _shape_numbers(self) -> dict[str, int]:
        return _numbered(self.shapes)


def _by_count(words: Counter[str]) -> list[str]:
    return sorted(words, key=lambda word: (-words[word], word))


def _known_words(words: Counter[str], known: int) -> tuple[str, ...]:
    """The words, as they are and in small letters, that occur at least so often."""
    in_small_letters = _count_strings(words, lambda word: [word.lower()])
    kept = {word for counts in (words, in_small_letters) for word, count in counts.items() if count >= known}
    return tuple(_by_count(Counter({word: words[word] for word in kept})))


def _known_strings(words: Counter[str], strings: Callable[[str], Iterable[str]], known: int) -> tuple[str, ...]:
    return tuple(sorted(string for string, count in _count_strings(words, strings).items() if count >= known))


def _count_strings(words: Counter[str], strings: Callable[[str], Iterable[str]]) -> Counter[str]:
    """How often each string occurs in the words."""
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for string in strings(word):
            counts[string] += count
    return counts


def _prefixes(word: str) -> list[str]:
    lower = word.lower()
    return [lower[:length] for length in range(1, min(len(lower), LONGEST_AFFIX) + 1)]


def _suffixes(word: str) -> list[str]:
    lower = word.lower()
    return [lower[-length:] for length in range(1, min(len(lower), LONGEST_AFFIX) + 1)]


def _numbered(strings: Sequence[str]) -> dict[str, int]:
    return {string: number for number, string in enumerate(strings, 1)}


def _values(numbers: dict[str, int], affixes: Sequence[str]) -> list[int]:
    """The numbers of a word's affixes; a short word lacks the longer ones."""
    return [numbers.get(affix, NOTHING) for affix in affixes] + [NOTHING] * (LONGEST_AFFIX - len(affixes))
