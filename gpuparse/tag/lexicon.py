"""What the tagger knows of words: the words themselves, their affixes and shapes, and the tags of the frequent ones.

To the tagger a word is a row of numbers, one per attribute, and the tags that it can have. Nothing here depends on a
language or a script; what a language says of its tags is in `TagRules`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from gpuparse.tag.forms import Forms
from gpuparse.trees import TagRules, Token

LONGEST_AFFIX = 4
ATTRIBUTES = (
    "word",
    "lower",  # the word in small letters
    *(f"prefix{length}" for length in range(1, LONGEST_AFFIX + 1)),
    *(f"suffix{length}" for length in range(1, LONGEST_AFFIX + 1)),
    "shape",
    "class",  # of a frequent word, the tags it occurred with; of another word, the shape
    "kind",  # what sort of token it is, by its characters
    "forms",  # the tags that its other forms promise
    "folded",  # of a word in small letters the class; if that is not frequent, its forms
)
CLUSTER = "cluster"  # with the number of classes: an attribute that a list of word classes gives
EDGE = 0  # the value of every attribute before the first and after the last word; real values begin at 1
NOTHING = -1  # the value where there is none, such as the number of an unknown word
MOST_WORDS = 250_000  # known; a value has 18 bits
RARE = 0.001  # a tag that a frequent word has less often is a slip of whoever tagged
RARE_FOR_UNKNOWN = 0.0002  # the same, of all words that are not frequent
SURE = 300  # a word that occurs so often had all its tags; a rarer one may also have those that its forms promise

KINDS = (
    "address", "mail", "hashtag", "name", "number", "mixed", "letter", "capitals", "capital", "inner", "small",
    "hyphen", "mark", "symbol", "other",
)  # fmt: skip
_ADDRESS = re.compile(r"(?:\w+://|www\.)\S+|\S+\.(?:com|org|net|edu|gov|html?)(?:/\S*)?", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?[\d.,:/']+")  # with a digit among them


def shape(word: str) -> str:
    """Capitals, small letters and digits as X, x and d, runs shortened to two; other characters as they are.

    >>> shape("McDonald"), shape("F-16s"), shape("1,000.50")
    ('XxXxx', 'X-ddx', 'd,dd.dd')
    """
    kinds: list[str] = []
    for character in word:
        kind = _letter_kind(character)
        if kinds[-2:] != [kind, kind]:
            kinds.append(kind)
    return "".join(kinds)


def _letter_kind(character: str) -> str:
    if character.isdigit():
        return "d"
    if character.isupper():
        return "X"
    return "x" if character.isalpha() else character


def kind(word: str) -> str:
    """Which of KINDS a token is.

    >>> [kind(word) for word in ("www.a.org", "a@b.org", "#now", "@me", "1,000", "4th", "A", "USA", "Ann", "iPad")]
    ['address', 'mail', 'hashtag', 'name', 'number', 'mixed', 'letter', 'capitals', 'capital', 'inner']
    >>> [kind(word) for word in ("so", "so-so", "!", "→", "")]
    ['small', 'hyphen', 'mark', 'symbol', 'other']
    """
    if word.isalpha():
        return _kind_of_letters(word)
    if any(character.isdigit() for character in word) and _NUMBER.fullmatch(word):
        return "number"
    if "@" in word[1:] and word[-1] != "@" and "/" not in word:
        return "mail"
    if len(word) > 3 and _ADDRESS.fullmatch(word):
        return "address"
    if len(word) > 1 and word[0] in "#@" and word[1].isalnum():
        return "hashtag" if word[0] == "#" else "name"
    if any(character.isdigit() for character in word):
        return "mixed"
    if any(character.isalpha() for character in word):
        return "hyphen" if "-" in word[1:-1] else _kind_of_letters(word)
    categories = {unicodedata.category(character)[0] for character in word}
    if "S" in categories:
        return "symbol"
    return "mark" if "P" in categories else "other"


def _kind_of_letters(word: str) -> str:
    if not any(character.isupper() for character in word):
        return "small"
    if word.isupper():
        return "letter" if len(word) == 1 else "capitals"
    return "capital" if word[0].isupper() else "inner"


class Classes(Protocol):
    """Words and their classes, at several granularities."""

    @property
    def granularities(self) -> tuple[int, ...]:
        """How many classes there are."""

    @property
    def words(self) -> Iterable[str]:
        """The words that have classes."""

    def of(self, word: str) -> tuple[int, ...]:
        """The number of a word's class at each granularity; 0 for an unknown word."""


@dataclass(frozen=True)
class StoredClasses:
    """Word classes as a tagger keeps them."""

    granularities: tuple[int, ...]
    numbers: Mapping[str, tuple[int, ...]]

    @property
    def words(self) -> Iterable[str]:
        """The words that have classes."""
        return self.numbers

    def of(self, word: str) -> tuple[int, ...]:
        """The number of a word's class at each granularity; 0 for an unknown word.

        >>> StoredClasses((32,), {"dogs": (7,)}).of("dogs"), StoredClasses((32,), {}).of("dogs")
        ((7,), (0,))
        """
        return self.numbers.get(word) or (0,) * len(self.granularities)


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
    forms: Forms | None = None  # without, as before there were any, only words that are not frequent have all open tags
    promises: tuple[str, ...] = ()  # the known values of `forms`
    sure: int = 0  # the first so many words had all their tags
    rules: TagRules = field(default_factory=TagRules)
    classes: Classes | None = None

    @classmethod
    def learn(
        cls,
        sentences: Iterable[Sequence[Token]],
        known: int,
        frequent: int,
        rules: TagRules | None = None,
        classes: Classes | None = None,
    ) -> Lexicon:
        """From tagged sentences; words that occur so often are known, or are in the tag dictionary."""
        counts = Counter(token for sentence in sentences for token in sentence)
        tags = tuple(sorted({token.tag for token in counts}))
        number = {tag: index for index, tag in enumerate(tags)}
        words: Counter[str] = Counter()
        held: dict[str, Counter[int]] = defaultdict(Counter)
        for token, count in counts.items():
            words[token.word] += count
            held[token.word][number[token.tag]] += count
        dictionary = [word for word in _by_count(words) if words[word] >= frequent][:MOST_WORDS]
        others: Counter[int] = Counter()
        for word in words:
            if words[word] < frequent:
                others.update(held[word])
        entries = [
            *(_without_slips(held[word]) for word in dictionary),
            _without_slips(others, RARE_FOR_UNKNOWN) or list(range(len(tags))),
        ]
        lexicon = cls(
            tags=tags,
            words=_known_words(words, known)[:MOST_WORDS],
            prefixes=_known_strings(words, _prefixes, known),
            suffixes=_known_strings(words, _suffixes, known),
            shapes=_known_strings(words, lambda word: [shape(word)], known),
            dictionary_starts=np.cumsum([0, *map(len, entries)]).astype(np.int32),
            dictionary_tags=np.array([tag for entry in entries for tag in entry], np.int16),
            forms=Forms(()),
            sure=sum(words[word] >= SURE for word in dictionary),
            rules=(rules or TagRules()).with_tags(tags),
            classes=classes,
        )
        lexicon = replace(lexicon, forms=Forms.learn(lexicon.tags_of_frequent))
        return replace(lexicon, promises=_known_strings(words, lambda word: [lexicon._promise(word)], known))

    @property
    def frequent(self) -> int:
        """The number of words in the tag dictionary, which is also the entry of all other words."""
        return len(self.dictionary_starts) - 2

    @property
    def attribute_names(self) -> tuple[str, ...]:
        """The names of the attributes, with one per granularity of the word classes."""
        granularities = () if self.classes is None else self.classes.granularities
        return (*ATTRIBUTES, *(f"{CLUSTER}{number}" for number in granularities))

    def entry(self, word: str) -> int:
        """The word's entry in the tag dictionary."""
        return min(self._word_numbers.get(word, len(self.words) + 1) - 1, self.frequent)

    def candidates(self, word: str) -> tuple[int, ...]:
        """The tags that a word can have, ascending."""
        numbers = self._candidates.get(word)
        if numbers is None:
            numbers = self._find_candidates(word)
            if word in self._word_numbers:
                self._candidates[word] = numbers
        return numbers

    def candidates_of_stranger(self, word: str) -> tuple[int, ...]:
        """The tags that a word could have if it were unknown. One that can have a single tag keeps it."""
        candidates = self.candidates(word)
        return candidates if len(candidates) == 1 else tuple(sorted({*candidates, *self._dictionary[-1]}))

    def predicates(self, tags: Sequence[int]) -> int:
        """Whether none of the tags is one of a predicate (0), some (1), or all (2)."""
        are_predicates = [tag in self._predicates for tag in tags]
        return 2 if all(are_predicates) else int(any(are_predicates))

    @cached_property
    def _predicates(self) -> frozenset[int]:
        return frozenset(self._tag_numbers[tag] for tag in self.rules.predicates)

    def _find_candidates(self, word: str) -> tuple[int, ...]:
        entry = self.entry(word)
        if self.forms is None:
            return self._dictionary[entry]
        written = self.rules.tag_of(word)
        if written is not None:
            return (self._tag_numbers[written],)
        candidates = set(self._dictionary[entry])
        folded = self.entry(word.lower())
        if folded < self.frequent and entry >= self.sure:
            candidates.update(self._dictionary[folded])
        if entry >= self.sure:
            candidates.update(self._tag_numbers[tag] for tag in self._promised(word))
        return tuple(sorted(candidates))

    def attributes(self, word: str) -> list[int]:
        """The value of each attribute.

        >>> Lexicon.learn([[Token("Go", "VB")]], 1, 1).attributes("Go")
        [1, 2, 1, 2, -1, -1, 2, 1, -1, -1, 1, 1, 9, 1, 2]
        """
        row = self._rows.get(word)
        if row is None:
            row = self._attributes(word)
            if word in self._word_numbers:
                self._rows[word] = row
        return row

    def attributes_of_stranger(self, word: str) -> list[int]:
        """The same as if the word were unknown.

        >>> lexicon = Lexicon.learn([[Token("Go", "VB")]], 1, 1)
        >>> lexicon.attributes_of_stranger("Go")
        [-1, -1, 1, 2, -1, -1, 2, 1, -1, -1, 1, 3, 9, 1, 2]
        """
        row = list(self.attributes(word))
        place = ATTRIBUTES.index
        row[place("word")] = row[place("lower")] = NOTHING
        row[place("class")] = self._class_of_unknown(row[place("shape")])
        if self.forms is not None:
            row[place("folded")] = self._folded_of_unknown(row[place("forms")])
        return row

    def _attributes(self, word: str) -> list[int]:
        lower, form = word.lower(), self._shape_numbers.get(shape(word), NOTHING)
        row = [
            self._word_numbers.get(word, NOTHING),
            self._word_numbers.get(lower, NOTHING),
            *_values(self._prefix_numbers, _prefixes(word)),
            *_values(self._suffix_numbers, _suffixes(word)),
            form,
            self._class(word, lower, form),
        ]
        if self.forms is not None:
            promise = self._promise_numbers.get(self._promise(word), NOTHING)
            entry = self.entry(lower)
            folded = 1 + self._classes[entry] if entry < self.frequent else self._folded_of_unknown(promise)
            row += [1 + KINDS.index(kind(word)), promise, folded]
        else:
            row += [NOTHING] * 3
        if self.classes is not None:
            row += [number or NOTHING for number in self._clusters(word, lower)]
        return row

    def _clusters(self, word: str, lower: str) -> tuple[int, ...]:
        assert self.classes is not None
        numbers = self.classes.of(word)
        return numbers if any(numbers) else self.classes.of(lower)

    @cached_property
    def _rows(self) -> dict[str, list[int]]:
        """The attributes of known words, in the order in which they occur."""
        return {}

    @cached_property
    def _candidates(self) -> dict[str, tuple[int, ...]]:
        return {}

    def sizes(self) -> np.ndarray:
        """One more than the greatest value of each attribute."""
        lengths = [len(self.words)] * 2
        lengths += [len(self.prefixes)] * LONGEST_AFFIX + [len(self.suffixes)] * LONGEST_AFFIX
        lengths += [len(self.shapes), 2 * self._class_count + len(self.shapes)]
        lengths += [len(KINDS), len(self.promises), self._class_count + len(self.promises)]
        lengths += [] if self.classes is None else self.classes.granularities
        return np.array(lengths, np.int64) + 1

    def _class(self, word: str, lower: str, form: int) -> int:
        for candidate, offset in ((word, 0), (lower, self._class_count)):
            entry = self.entry(candidate)
            if entry < self.frequent:
                return 1 + offset + self._classes[entry]
        return self._class_of_unknown(form)

    def _class_of_unknown(self, form: int) -> int:
        return NOTHING if form == NOTHING else 2 * self._class_count + form

    def _folded_of_unknown(self, promise: int) -> int:
        return self._class_count + promise if promise > 0 else NOTHING

    def _promised(self, word: str) -> tuple[str, ...]:
        """The tags that a word's other forms promise."""
        return () if self.forms is None else self.forms.promised(word.lower(), self.tags_of_frequent)

    def _promise(self, word: str) -> str:
        """The same as one string."""
        return " ".join(self._promised(word))

    @cached_property
    def tags_of_frequent(self) -> Mapping[str, frozenset[str]]:
        """The tags of each frequent word."""
        return {
            word: frozenset(self.tags[tag] for tag in self._dictionary[entry])
            for entry, word in enumerate(self.words[: self.frequent])
        }

    @cached_property
    def _dictionary(self) -> list[tuple[int, ...]]:
        """The tags of each entry."""
        starts, tags = self.dictionary_starts.tolist(), self.dictionary_tags.tolist()
        return [tuple(tags[starts[entry] : starts[entry + 1]]) for entry in range(self.frequent + 1)]

    @cached_property
    def _classes(self) -> list[int]:
        """For each frequent word which set of tags it has; sets are numbered in the order in which they occur."""
        numbers: dict[tuple[int, ...], int] = {}
        return [numbers.setdefault(one, len(numbers)) for one in self._dictionary[:-1]]

    @cached_property
    def _class_count(self) -> int:
        return max(self._classes, default=-1) + 1

    @cached_property
    def _tag_numbers(self) -> dict[str, int]:
        return {tag: number for number, tag in enumerate(self.tags)}

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

    @cached_property
    def _promise_numbers(self) -> dict[str, int]:
        return _numbered(self.promises)


def _without_slips(counts: Counter[int], rare: float = RARE) -> list[int]:
    """The tags, ascending, without those that are rare."""
    least = rare * sum(counts.values())
    return sorted(tag for tag, count in counts.items() if count >= least)


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
