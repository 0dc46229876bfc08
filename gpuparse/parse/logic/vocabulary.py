"""The values that labels, head words, head tags and tag classes can take, and sentences written in their numbers.

Symbols are the labels of items: POS tags and non-terminals. Those seen in training come first and can be values of
features; after them come the ones that only the head rules name, and last a single symbol for every other tag.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gpuparse.dtypes import ITEM
from gpuparse.errors import TrainingError
from gpuparse.parse.logic.items import PUNCTUATION, TAG, TAG_CLASS, TAG_SYMBOL, TERMINAL_COLUMNS, WORD
from gpuparse.trees import Language, Token, Tree

TOP = "TOP"


@dataclass(frozen=True)
class Vocabulary:
    """The values seen in training, each list sorted; a value's place in its list is its number."""

    labels: tuple[str, ...]  # what can be inferred; TOP is the last
    symbols: tuple[str, ...]  # tags and non-terminals seen in training
    words: tuple[str, ...]  # lower-cased
    tags: tuple[str, ...]
    classes: tuple[str, ...]
    language: Language

    @cached_property
    def all_symbols(self) -> tuple[str, ...]:
        """The symbols seen in training, then those that only the head rules name."""
        named = {name for rule in self.language.rules.values() for step in rule.steps for name in step.labels}
        named |= {rule.last for rule in self.language.rules.values() if rule.last is not None} | {"CC"}
        return self.symbols + tuple(sorted(named - set(self.symbols)))

    @property
    def other_symbol(self) -> int:
        """The symbol of a tag that is named nowhere."""
        return len(self.all_symbols)

    @cached_property
    def _symbol_numbers(self) -> dict[str, int]:
        return {symbol: number for number, symbol in enumerate(self.all_symbols)}

    @cached_property
    def _numbers(self) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
        def numbers(values: Sequence[str]) -> dict[str, int]:
            return {value: number for number, value in enumerate(values)}

        return numbers(self.words), numbers(self.tags), numbers(self.classes)

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
        """The table of terminals of a prepared sentence, one row a token."""
        words, tags, classes = self._numbers
        table = np.empty((len(tokens), TERMINAL_COLUMNS), ITEM)
        for row, (word, tag) in zip(table, tokens, strict=True):
            row[TAG_SYMBOL] = self.symbol(tag)
            row[WORD] = words.get(word.lower(), -1)
            row[TAG] = tags.get(tag, -1)
            row[TAG_CLASS] = classes.get(self.language.tag_class(tag), -1)
            row[PUNCTUATION] = tag in self.language.raised
        return table

    def unknown_tags(self, tokens: Iterable[Token]) -> set[str]:
        """The tags among these that were never seen in training."""
        return {tag for _, tag in tokens}.difference(self.tags)


def build_vocabulary(trees: Iterable[Tree], language: Language) -> Vocabulary:
    """The vocabulary of prepared trees.

    >>> from gpuparse.trees import load_language, parse_trees
    >>> trees = parse_trees("(TOP (S (NP (NNP Ann)) (VP (VBZ sings))))")
    >>> build_vocabulary(trees, load_language()).labels
    ('NP', 'S', 'VP', 'TOP')
    """
    labels: set[str] = set()
    words: set[str] = set()
    tags: set[str] = set()
    for tree in trees:
        for label, word in zip(tree.labels[1:], tree.words[1:], strict=True):
            if word is None:
                labels.add(label)
            else:
                tags.add(label)
                words.add(word.lower())
        if TOP in labels:
            raise TrainingError(f"TOP is the root's label and can't stand inside a tree, but it does in {tree}")
    if not words:
        raise TrainingError("no sentence is left to learn from; the treebank is empty, or every sentence was left out")
    return Vocabulary(
        labels=(*sorted(labels), TOP),
        symbols=tuple(sorted(labels | tags)),
        words=tuple(sorted(words)),
        tags=tuple(sorted(tags)),
        classes=tuple(sorted({language.tag_class(tag) for tag in tags})),
        language=language,
    )
