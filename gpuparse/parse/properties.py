"""The properties of an item that a feature can ask for, in one table that drives all the code that numbers, computes,
stores and describes features.

The label comes first: items have it themselves, as a symbol of the vocabulary. Every other property is that of an
item's head word. It is read off the word's token, and kept in a column of the table of terminals, the columns in the
order of the table. A new property is one more row: its values are collected from the treebank, numbered, stored in the
model and read out without any other change. One that is optional has no values where nothing is known that it asks for;
then it takes no numbers, and is not in the inventory of the model.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from gpuparse.trees import Language, Token

if TYPE_CHECKING:
    from gpuparse.words import WordClasses


class Predicate(NamedTuple):
    """What is said of an item or a word that has a value, and of one that has not."""

    holds: str  # "is {}"
    fails: str  # "is not {}"


class WordKnowledge(NamedTuple):
    """What is known of words beyond their tokens."""

    language: Language
    classes: WordClasses | None = None


@dataclass(frozen=True)
class Property:
    """One row."""

    name: str  # in the names of features: `first1.headtag=DT`
    of_token: (
        Callable[[Token, WordKnowledge], str | None] | None
    )  # its value for a head word, if any; None for the label
    of_item: Predicate  # how it is said of a constituent
    of_word: Predicate  # and of a word, which is its own head
    quoted: bool = False  # its values are words of the text, and are shown in quotation marks
    optional: bool = False  # a model may be without it


def _class_at(place: int) -> Callable[[Token, WordKnowledge], str | None]:
    """The class of a word at one of the granularities, named by its most frequent words."""

    def of_token(token: Token, knowledge: WordKnowledge) -> str | None:
        classes = knowledge.classes
        if classes is None or place >= len(classes.granularities):
            return None
        return classes.examples(place, classes.of(token.word)[place]) or None

    return of_token


CLASS_PLACES = 3  # granularities that features can ask for
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
        lambda token, knowledge: token.word.lower(),
        of_item=Predicate("has the head word {}", "does not have the head word {}"),
        of_word=Predicate("is {}", "is not {}"),
        quoted=True,
    ),
    Property(
        "headtag",
        lambda token, knowledge: token.tag,
        of_item=Predicate("has the head tag {}", "does not have the head tag {}"),
        of_word=Predicate("is tagged {}", "is not tagged {}"),
    ),
    Property(
        "headtagclass",
        lambda token, knowledge: knowledge.language.tag_class(token.tag),
        of_item=Predicate("has a head of class {}", "does not have a head of class {}"),
        of_word=Predicate("is of class {}", "is not of class {}"),
    ),
    *(
        Property(
            f"headlike{place + 1}",
            _class_at(place),
            of_item=Predicate("has a head word like {}", "does not have a head word like {}"),
            of_word=Predicate("is like {}", "is not like {}"),
            quoted=True,
            optional=True,
        )
        for place in range(CLASS_PLACES)
    ),
)
