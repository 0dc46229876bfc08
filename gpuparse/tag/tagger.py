"""The tagger: words in, words with their POS tags out; how it is learned, stored and loaded.

Weights are whole numbers (1/1024ths), so that a sentence's tags are the same on every machine and in every batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from gpuparse.errors import ModelError, TrainingError
from gpuparse.tag.lattice import LONGEST, make_lattice, tag_sentences
from gpuparse.tag.lexicon import ATTRIBUTES, EDGE, Lexicon
from gpuparse.tag.options import TaggerOptions
from gpuparse.tag.templates import (
    HISTORY,
    TEMPLATES,
    VALUE_BITS,
    Table,
    Words,
    collect_keys,
    key_limits,
    longest_probe,
    make_table,
)
from gpuparse.text.tokens import TokenStyle
from gpuparse.trees import Token

SCALE = 1024  # a weight of 1.0, in the whole numbers that are stored
MOST = 32767  # tags, and the greatest weight: the most that 16 bits hold
MOST_PROBES = 256  # to find a key; among a million random keys the most is about 70
ARRAYS = {
    "keys": np.int64,
    "row_starts": np.int32,
    "row_tags": np.int16,
    "row_weights": np.int16,
    "dictionary_starts": np.int32,
    "dictionary_tags": np.int16,
}
STRINGS = ("tags", "words", "prefixes", "suffixes", "shapes")


@dataclass(frozen=True)
class Tagger:
    """A POS tagger.

    >>> tagger = train_tagger([[Token("Dogs", "NNS"), Token("bark", "VBP")], [Token("Ann", "NNP")]] * 9)
    >>> tagger.tag(["Dogs", "bark"])
    [Token(word='Dogs', tag='NNS'), Token(word='bark', tag='VBP')]
    """

    lexicon: Lexicon
    style: TokenStyle  # how the treebank cuts text into tokens
    keys: np.ndarray  # int64[rows], ascending: the features that have weights
    row_starts: np.ndarray  # int32[rows + 1]: where the weights of each begin
    row_tags: np.ndarray  # int16[weights]
    row_weights: np.ndarray  # int16[weights], in 1/SCALE

    def tag(self, words: Sequence[str]) -> list[Token]:
        """The words of one sentence with their tags."""
        return next(self.tag_many([words]))

    def tag_many(self, sentences: Iterable[Sequence[str]], batch: int = 1000) -> Iterator[list[Token]]:
        """The sentences with their tags, in order. Sentences do not influence each other.

        >>> tagger = train_tagger([[Token("Dogs", "NNS"), Token("bark", "VBP")]] * 9)
        >>> [[token.tag for token in tokens] for tokens in tagger.tag_many([["Dogs"], [], ["Dogs", "bark"]])]
        [['NNS'], [], ['NNS', 'VBP']]
        """
        pending: list[Sequence[str]] = []
        for sentence in sentences:
            pending.append(sentence)
            if len(pending) == batch:
                yield from self._tag_batch(pending)
                pending = []
        yield from self._tag_batch(pending)

    def _tag_batch(self, sentences: Sequence[Sequence[str]]) -> Iterator[list[Token]]:
        words = number_words(self.lexicon, sentences)
        widest = int(np.diff(self.lexicon.dictionary_starts).max())
        lattice = make_lattice(int(np.diff(words.starts).max(initial=0)), widest, np.int64)
        tags = np.empty(len(words.numbers), np.int16)
        dictionary = (self.lexicon.dictionary_starts, self.lexicon.dictionary_tags)
        tag_sentences(words, *dictionary, self._table, self._weights, lattice, tags)
        names = map(self.lexicon.tags.__getitem__, tags.tolist())
        for sentence in sentences:  # zip takes the word first, so that no tag is lost at the end of a sentence
            yield [Token(word, name) for word, name in zip(sentence, names, strict=False)]

    @cached_property
    def _table(self) -> Table:
        return make_table(self.keys, len(self.lexicon.tags))

    @cached_property
    def _weights(self) -> np.ndarray:
        """The weights as a full matrix: int16[rows + 1, tags]."""
        weights = np.zeros((len(self.keys) + 1, len(self.lexicon.tags)), np.int16)
        weights[np.repeat(np.arange(len(self.keys)), np.diff(self.row_starts)), self.row_tags] = self.row_weights
        return weights

    def arrays(self) -> dict[str, np.ndarray]:
        """What is stored as arrays."""
        held = {"dictionary_starts": self.lexicon.dictionary_starts, "dictionary_tags": self.lexicon.dictionary_tags}
        return held | {name: getattr(self, name) for name in ARRAYS if name not in held}

    def settings(self) -> dict[str, Any]:
        """What is stored as JSON."""
        strings = {name: list(getattr(self.lexicon, name)) for name in STRINGS}
        return {"templates": [*TEMPLATES, *HISTORY], "style": asdict(self.style), **strings}

    @classmethod
    def from_parts(cls, arrays: Mapping[str, np.ndarray], settings: Mapping[str, Any]) -> Tagger:
        """The tagger that was stored, with every index checked.

        >>> tagger = train_tagger([[Token("Dogs", "NNS"), Token("bark", "VBP")]] * 9)
        >>> Tagger.from_parts(tagger.arrays(), tagger.settings()).tag(["bark"])
        [Token(word='bark', tag='VBP')]
        """
        _check(settings.get("templates") == [*TEMPLATES, *HISTORY], "its features are those of another version")
        style, strings = _checked_style(settings.get("style")), _checked_strings(settings)
        checked = {name: _checked_array(arrays, name) for name in ARRAYS}
        starts, tags = checked.pop("dictionary_starts"), checked.pop("dictionary_tags")
        _check_starts(starts, len(tags), "tag dictionary")
        _check(2 <= len(starts) <= len(strings["words"]) + 2, "its tag dictionary does not fit its words")
        _check(bool((starts[1:] > starts[:-1]).all()), "a word in its tag dictionary has no tag")
        _check_tags(tags, starts, len(strings["tags"]))
        tagger = cls(Lexicon(**strings, dictionary_starts=starts, dictionary_tags=tags), style, **checked)
        tagger._check_rows()
        return tagger

    def _check_rows(self) -> None:
        _check_starts(self.row_starts, len(self.row_tags), "weights")
        _check(len(self.row_starts) == len(self.keys) + 1, "its features and weights do not fit")
        _check(len(self.row_weights) == len(self.row_tags), "its weights and their tags do not fit")
        _check_tags(self.row_tags, self.row_starts, len(self.lexicon.tags))
        _check(bool((self.keys[1:] > self.keys[:-1]).all()), "its features are not in order")
        first_limit, second_limit = key_limits(self.lexicon)
        template, mask = self.keys >> (2 * VALUE_BITS), (1 << VALUE_BITS) - 1
        _check(bool(((template >= 0) & (template < len(first_limit))).all()), "a feature has no template")
        fits = ((self.keys >> VALUE_BITS) & mask) < first_limit[template]
        fits &= (self.keys & mask) < second_limit[template]
        _check(bool(fits.all()), "a feature has a value that is not there")
        _check(longest_probe(self.keys) <= MOST_PROBES, "its features collide in the table that finds them")


def train_tagger(sentences: Iterable[Sequence[Token]], options: TaggerOptions | None = None) -> Tagger:
    """Learn a tagger from tagged sentences.

    >>> train_tagger([[Token("Dogs", "NNS")]] * 9).lexicon.tags
    ('NNS',)
    """
    from gpuparse.tag.learning import learn_weights  # which parsing does not need

    options = options or TaggerOptions()
    examples = [list(sentence) for sentence in sentences if sentence]
    if not examples:
        raise TrainingError("There is no tagged word to learn tagging from.")
    lexicon = Lexicon.learn(examples, options.known, options.frequent)
    if len(lexicon.tags) > MOST:
        raise TrainingError(f"The treebank has {len(lexicon.tags)} POS tags; the tagger can tell {MOST} apart.")
    words = number_words(lexicon, [[token.word for token in sentence] for sentence in examples])
    number = {tag: index for index, tag in enumerate(lexicon.tags)}
    gold = np.array([number[token.tag] for sentence in examples for token in sentence], np.int16)
    table = make_table(collect_keys(words, gold, len(lexicon.tags), options.least), len(lexicon.tags))
    weights = learn_weights(words, gold, lexicon, table, options)
    return _pruned(lexicon, TokenStyle.learned_from(examples), table.keys, weights[:-1], options.smallest)


def _pruned(lexicon: Lexicon, style: TokenStyle, keys: np.ndarray, weights: np.ndarray, smallest: float) -> Tagger:
    """The tagger with the weights that matter, in whole numbers."""
    whole = np.clip(np.rint(weights * SCALE), -MOST, MOST).astype(np.int16)
    whole[np.abs(weights) < smallest] = 0
    used = whole.any(axis=1)
    rows, tags = np.nonzero(whole[used])
    starts = np.searchsorted(rows, np.arange(used.sum() + 1)).astype(np.int32)
    return Tagger(lexicon, style, keys[used], starts, tags.astype(np.int16), whole[used][rows, tags])


def jackknife(
    sentences: Sequence[Sequence[Token]], folds: int = 10, options: TaggerOptions | None = None
) -> list[list[Token]]:
    """The sentences with the tags of taggers that were not trained on them, by cross-validation in `folds` parts.

    >>> [tokens[0].tag for tokens in jackknife([[Token("Dogs", "NNS")]] * 18, folds=2)][:2]
    ['NNS', 'NNS']
    """
    if not 2 <= folds <= len(sentences):
        raise TrainingError(f"{len(sentences)} sentences can't be retagged by cross-validation in {folds} parts.")
    bounds = [len(sentences) * fold // folds for fold in range(folds + 1)]
    retagged: list[list[Token]] = []
    for start, end in pairwise(bounds):
        tagger = train_tagger([*sentences[:start], *sentences[end:]], options)
        retagged += tagger.tag_many([token.word for token in sentence] for sentence in sentences[start:end])
    return retagged


def number_words(lexicon: Lexicon, sentences: Sequence[Sequence[str]]) -> Words:
    """Sentences as numbers; a sentence of more than LONGEST words comes in pieces.

    >>> lexicon = Lexicon.learn([[Token("Dogs", "NNS"), Token("bark", "VBP")]], 1, 1)
    >>> number_words(lexicon, [["Dogs", "Dogs"], ["bark"]]).numbers.tolist()
    [0, 0, 1]
    """
    distinct: dict[str, int] = {}
    numbers = [distinct.setdefault(word, len(distinct)) for sentence in sentences for word in sentence]
    lengths = [
        min(LONGEST, len(sentence) - done) for sentence in sentences for done in range(0, len(sentence), LONGEST)
    ]
    return Words(
        np.array([*(lexicon.attributes(word) for word in distinct), [EDGE] * len(ATTRIBUTES)], np.int32),
        np.array([lexicon.entry(word) for word in distinct], np.int32),
        np.array(numbers, np.int32),
        np.cumsum([0, *lengths]).astype(np.int64),
    )


def _check(holds: bool, problem: str) -> None:
    if not holds:
        raise ModelError(f"The model's tagger is damaged: {problem}. Train or fetch the model again.")


def _checked_style(style: Any) -> TokenStyle:
    known = asdict(TokenStyle())
    _check(isinstance(style, dict) and style.keys() == known.keys(), "its token style is not complete")
    _check(all(isinstance(value, bool) for value in style.values()), "its token style is not a choice of yes and no")
    return TokenStyle(**style)


def _checked_strings(settings: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    lists: dict[str, Any] = {name: settings.get(name) for name in STRINGS}
    for name, strings in lists.items():
        whole = isinstance(strings, list) and all(isinstance(string, str) for string in strings)
        _check(whole and len(set(strings)) == len(strings) < 1 << (VALUE_BITS - 2), f"its {name} are no list of names")
    _check(0 < len(lists["tags"]) <= MOST, "it has no tags, or too many")
    return {name: tuple(strings) for name, strings in lists.items()}


def _checked_array(arrays: Mapping[str, np.ndarray], name: str) -> np.ndarray:
    array = arrays.get(name)
    _check(
        array is not None and array.dtype == ARRAYS[name] and array.ndim == 1, f"{name} is missing or of a wrong type"
    )
    return np.array(array)  # a copy: others may change or unmap theirs


def _check_starts(starts: np.ndarray, end: int, what: str) -> None:
    rising = len(starts) > 0 and starts[0] == 0 and starts[-1] == end and bool((starts[1:] >= starts[:-1]).all())
    _check(rising, f"the list of its {what} is not in order")


def _check_tags(tags: np.ndarray, starts: np.ndarray, tag_count: int) -> None:
    """Check that the tags exist, and that each list of them is ascending."""
    _check(bool(((tags >= 0) & (tags < tag_count)).all()), "it names a tag that is not there")
    rises = tags[1:] > tags[:-1]
    inner = starts[(starts > 0) & (starts < len(tags))]
    rises[inner - 1] = True
    _check(bool(rises.all()), "its tags are not in order")
