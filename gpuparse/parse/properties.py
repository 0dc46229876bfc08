"""The properties of an item that a feature can ask for, in one table that drives all the code that numbers, computes,
stores and tells features.

The label comes first: items have it themselves, as a symbol of the vocabulary. Every other property is that of an
item's head word. It is read off the word's token, and kept in a column of the table of terminals, the columns in the
order of the table. A new property is one more row: its values are collected from the treebank, numbered, stored in the
model and read out without any other change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from gpuparse.trees import Language, Token


class Predicate(NamedTuple):
    """What is said of an item or a word that has a value, and of one that has not."""

    holds: str  # "is {}"
    fails: str  # "is not {}"


@dataclass(frozen=True)
class Property:
    """One row."""

    name: str  # in the names of features: `first1.headtag=DT`
    of_token: Callable[[Token, Language], str] | None  # its value for a head word; None for the label
    of_item: Predicate  # how it is said of a constituent
    of_word: Predicate  # and of a word, which is its own head
    quoted: bool = False  # its values are words of the text, and are told between quotation marks


LABEL = 0  # the row of the label

PROPERTIES: tuple[Property, ...] = (
    Property(
        "label",
        None,
        of_item=Predicate("is {}", "is not {}"),
        of_word=Predicate("is tagged {}", "is not tagged {}"),
    ),
    Property(
        "headword",
        lambda token, language: token.word.lower(),
        of_item=Predicate("has the head word {}", "does not have the head word {}"),
        of_word=Predicate("is {}", "is not {}"),
        quoted=True,
    ),
    Property(
        "headtag",
        lambda token, language: token.tag,
        of_item=Predicate("has the head tag {}", "does not have the head tag {}"),
        of_word=Predicate("is tagged {}", "is not tagged {}"),
    ),
    Property(
        "headtagclass",
        lambda token, language: language.tag_class(token.tag),
        of_item=Predicate("has a head of class {}", "does not have a head of class {}"),
        of_word=Predicate("is of class {}", "is not of class {}"),
    ),
)
