"""The values that properties can take (labels, head words, head tags ...), and sentences written in their numbers.

Symbols are the labels of items: POS tags and non-terminals. Those seen in training come first and can be values of
features; after them come the ones that only the head rules name, and last a single symbol for every other tag.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gpuparse.dtypes import ITEM
from gpuparse.errors import TrainingError
from gpuparse.parse.logic.items import FIRST_VALUE, PUNCTUATION, TAG_SYMBOL, TERMINAL_COLUMNS
from gpuparse.parse.properties import LABEL, PROPERTIES, WordKnowledge
from gpuparse.trees import TOP, Language, Token, Tree

if TYPE_CHECKING:
    from gpuparse.words import WordClasses


@dataclass(frozen=True)
class Vocabulary:
    """The values seen in training, each list sorted; a value's place in its list is its number."""

    labels: tuple[str, ...]  # what can be inferred; TOP is the last
    values: tuple[tuple[str, ...], ...]  # of each property, in the order of PROPERTIES; none of one that is left out
    language: Language
    classes: WordClasses | None = None  # of words, those never seen in training too

    def values_of(self, name: str) -> tuple[str, ...]:
        """The values of the property with this name.

        >>> from gpuparse.trees import load_language, parse_trees
        >>> vocabulary = build_vocabulary(parse_trees("(TOP (NP (DT No) (NN rain)))"), load_language())
        >>> vocabulary.values_of("headtagclass")
        ('D', 'N')
        """
        return self.values[[prop.name for prop in PROPERTIES].index(name)]

    @property
    def symbols(self) -> tuple[str, ...]:
        """Tags and non-terminals seen in training: the values of the label."""
        return self.values[LABEL]

    @property
    def words(self) -> tuple[str, ...]:
        """The words, in lower case."""
        return self.values_of("headword")

    @property
    def tags(self) -> tuple[str, ...]:
        """The POS tags."""
        return self.values_of("headtag")

    @cached_property
    def all_symbols(self) -> tuple[str, ...]:
        """The symbols seen in training, then those that only the head rules name."""
        named = {name for rule in self.language.rules.values() for scan in rule.scans for name in scan.labels}
        named |= {rule.last for rule in self.language.rules.values() if rule.last is not None}
        named |= self.language.conjunctions
        return self.symbols + tuple(sorted(named - set(self.symbols)))

    @property
    def other_symbol(self) -> int:
        """The symbol of a tag that is named nowhere."""
        return len(self.all_symbols)

    @cached_property
    def _symbol_numbers(self) -> dict[str, int]:
        return {symbol: number for number, symbol in enumerate(self.all_symbols)}

    @cached_property
    def _head_values(self) -> list[tuple[Callable[[Token, WordKnowledge], str | None], dict[str | None, int]]]:
        """For each property of a head word, how it is read off a token, and the numbers of its values."""
        return [
            (prop.of_token, {value: number for number, value in enumerate(values)})
            for prop, values in zip(PROPERTIES, self.values, strict=True)
            if prop.of_token is not None
        ]

    @cached_property
    def _label_numbers(self) -> dict[str, int]:
        return {label: number for number, label in enumerate(self.labels)}

    @cached_property
    def label_symbols(self) -> np.ndarray:
        """The symbol of each label; TOP, which is never part of a frontier, has the symbol of the unknown."""
        return np.array([self.symbol(label) for label in self.labels], ITEM)

    def symbol(self, name: str) -> int:
        """The number of a tag or non-terminal, the last number if it is named nowhere."""
        return self._symbol_numbers.get(name, self.other_symbol)

    def label(self, name: str) -> int:
        """The number of a label, -1 if it was never seen in training."""
        return self._label_numbers.get(name, -1)

    def terminals(self, tokens: Sequence[Token]) -> np.ndarray:
        """The table of terminals of a prepared sentence, one row per token."""
        table = np.empty((len(tokens), TERMINAL_COLUMNS), ITEM)
        table[:, TAG_SYMBOL] = [self.symbol(token.tag) for token in tokens]
        table[:, PUNCTUATION] = [token.tag in self.language.raised for token in tokens]
        knowledge = WordKnowledge(self.language, self.classes)
        for column, (of_token, numbers) in enumerate(self._head_values, FIRST_VALUE):
            table[:, column] = [numbers.get(of_token(token, knowledge), -1) for token in tokens]
        return table

    def unknown_tags(self, tokens: Iterable[Token]) -> set[str]:
        """The tags among these that were never seen in training."""
        return {tag for _, tag in tokens}.difference(self.tags)


def build_vocabulary(trees: Iterable[Tree], language: Language, classes: WordClasses | None = None) -> Vocabulary:
    """The vocabulary of prepared trees, with the classes of words if they are known.

    >>> from gpuparse.trees import load_language, parse_trees
    >>> trees = parse_trees("(TOP (S (NP (NNP Ann)) (VP (VBZ sings))))")
    >>> build_vocabulary(trees, load_language()).labels
    ('NP', 'S', 'VP', 'TOP')
    """
    labels: set[str] = set()
    seen: set[tuple[str, str]] = set()  # words and their tags
    for tree in trees:
        for label, word in zip(tree.labels[1:], tree.words[1:], strict=True):
            if word is None:
                labels.add(label)
            else:
                seen.add((word, label))
        if TOP in labels:
            raise TrainingError(f"TOP is the root's label and can't stand inside a tree, but it does in {tree}")
    if not seen:
        raise TrainingError("no sentence is left to learn from; the treebank is empty, or every sentence was left out")
    tokens = [Token(word, tag) for word, tag in seen]
    symbols = labels | {token.tag for token in tokens}
    knowledge = WordKnowledge(language, classes)
    values = (
        symbols if prop.of_token is None else {prop.of_token(token, knowledge) for token in tokens}
        for prop in PROPERTIES
    )
    in_order = tuple(tuple(sorted(value for value in some if value is not None)) for some in values)
    return Vocabulary((*sorted(labels), TOP), in_order, language, classes)
