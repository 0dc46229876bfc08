"""Rules in sentences: `first1.headtag=DT and not len(children)>3` as a person would say it.

Each group of items has two subjects, one for what holds and one for what does not ("a child", "no child"), and those
that are counted a way to say how many there are. What is said of them is in the table of properties.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from gpuparse.boost.ensemble import Literals
from gpuparse.parse.features.groups import GROUPS
from gpuparse.parse.features.space import LENGTH, LENGTHS, FeatureSpace
from gpuparse.parse.properties import PROPERTIES
from gpuparse.printable import printable

_ORDINALS = ("", "", "2nd ", "3rd ")
_ENDS = {"l": "first", "h": "head", "r": "last"}


class _Subject(NamedTuple):
    """A group of items in a sentence."""

    some: str  # what has a property
    none: str  # what does not; "" where `some` is one item, which then "is not"
    words: bool = False  # its items are words, not constituents
    how_many: str = ""  # "it has {} children"


def in_english(literals: Literals, space: FeatureSpace, rarity: Mapping[int, int]) -> tuple[str, ...]:
    """The conditions of a rule: what must be there, then what must not, frequent things before rare ones.

    Negative conditions on one group are joined: "no child is NN, UH or VP".

    >>> from gpuparse.parse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.trees import load_language, parse_trees
    >>> space = FeatureSpace(build_vocabulary(parse_trees("(TOP (S (NP (NNP Ann)) (VBZ is)))"), load_language()))
    >>> in_english(((0, False), (1, True), (2, False)), space, {})
    ('the first child is NP', 'the first child is not NNP or S')
    """
    rare = len(rarity)
    by_frequency = sorted(literals, key=lambda literal: (not literal[1], rarity.get(literal[0], rare)))
    group, prop, value = space.place(np.array([feature for feature, _ in by_frequency], np.int64))
    conditions: dict[tuple[int, ...], list[int]] = {}  # the values of each group, property and sign
    for g, p, v, (feature, there) in zip(group.tolist(), prop.tolist(), value.tolist(), by_frequency, strict=True):
        alone = there or p == LENGTH
        conditions.setdefault((g, p, there, feature if alone else -1), []).append(v)
    return tuple(_sentence(g, p, bool(there), values, space) for (g, p, there, _), values in conditions.items())


def _sentence(group: int, prop: int, there: bool, values: list[int], space: FeatureSpace) -> str:
    subject = _SUBJECTS[GROUPS[group].name]
    if prop == LENGTH:
        return _count(subject, values[0] % LENGTHS, values[0] >= LENGTHS, there)
    row, names = PROPERTIES[prop], space.vocabulary.values[prop]
    alternatives = _alternatives([_quoted(names[value], row.quoted) for value in values])
    holds, fails = (verb.format(alternatives) for verb in (row.of_word if subject.words else row.of_item))
    if there:
        return f"{subject.some} {holds}"
    return f"{subject.none} {holds}" if subject.none else f"{subject.some} {fails}"


def _quoted(name: str, word: bool) -> str:
    shown = printable(name)
    return f"“{shown}”" if word or not any(map(str.isalnum, name)) else shown


def _alternatives(names: list[str]) -> str:
    return " or ".join(phrase for phrase in (", ".join(names[:-1]), names[-1]) if phrase)


def _count(subject: _Subject, n: int, more: bool, there: bool) -> str:
    """How many there are: `n`, or more than `n`, or that this is not so."""
    if more:
        number = (f"more than {n}" if n else "at least 1") if there else (f"at most {n}" if n else "no")
        return _singular(subject.how_many.format(number))
    if there:
        return _singular(subject.how_many.format(n or "no"))
    denial = subject.how_many.replace(" has ", " does not have ").replace("there are ", "there are not ")
    return _singular(denial.format(n) if n else subject.how_many.format("at least 1"))


def _singular(phrase: str) -> str:
    for plural, singular in (("children", "child"), ("items", "item"), ("words", "word")):
        phrase = phrase.replace(f" 1 {plural}", f" 1 {singular}")
    return re.sub(r"there are (not |more than |at most |at least |)1 ", r"there is \g<1>1 ", phrase)


def _runs() -> dict[str, _Subject]:
    """`first1 .. last4`, `left1 .. right4`, `headleft1 .. headright4`."""
    families = {
        "first": ("the first child", "the first {} children"),
        "last": ("the last child", "the last {} children"),
        "left": ("the item just to the left", "the {} items just to the left"),
        "right": ("the item just to the right", "the {} items just to the right"),
        "headleft": ("the child just before the head", "the {} children just before the head"),
        "headright": ("the child just after the head", "the {} children just after the head"),
    }
    return {
        f"{name}{n}": _Subject(one, "") if n == 1 else _Subject(f"one of {many.format(n)}", f"none of {many.format(n)}")
        for name, (one, many) in families.items()
        for n in range(1, 5)
    }


def _nth() -> dict[str, _Subject]:
    """`item.l-1 .. item.r+3` and `word.l-1 .. word.r+3`."""
    return {
        f"{kind}.{end}{sign}{n}": _Subject(
            f"the {_ORDINALS[n]}{kind} {where} its {which} {'child' if kind == 'item' else 'word'}", "", kind == "word"
        )
        for kind in ("item", "word")
        for end, which in _ENDS.items()
        for sign, where in (("-", "before"), ("+", "after"))
        for n in range(1, 4)
    }


def _grandchildren() -> dict[str, _Subject]:
    """`child.l.l .. child.r.r`."""
    return {
        f"child.{a}.{b}": _Subject(f"the {inner} child of the {outer} child", "")
        for a, outer in _ENDS.items()
        for b, inner in _ENDS.items()
    }


def _counted() -> dict[str, _Subject]:
    """`all .. afterhead`, and the words below each."""
    places = {
        "left": "to the left",
        "right": "to the right",
        "nonfirst": "after the first child",
        "nonhead": "outside the head child",
        "nonlast": "before the last child",
        "tohead": "up to the end of the head child",
        "beforehead": "before the head child",
        "fromhead": "from the head child on",
        "afterhead": "after the head child",
    }
    subjects = {
        "all": _Subject("some item", "no item", False, "there are {} items in all"),
        "children": _Subject("a child", "no child", False, "it has {} children"),
        "words(all)": _Subject("a word of the sentence", "no word of the sentence", True, "the sentence has {} words"),
        "words(children)": _Subject("one of its words", "none of its words", True, "it has {} words"),
    }
    for name, place in places.items():
        item = "item" if name in ("left", "right") else "child"
        count = f"there are {{}} items {place}" if item == "item" else f"it has {{}} children {place}"
        subjects[name] = _Subject(
            f"{'an' if item == 'item' else 'a'} {item} {place}", f"no {item} {place}", False, count
        )
        below = f"there are {{}} words {place}" if item == "item" else f"it has {{}} words {place}"
        subjects[f"words({name})"] = _Subject(f"a word {place}", f"no word {place}", True, below)
    return subjects


_SUBJECTS = {**_runs(), **_nth(), **_grandchildren(), **_counted()}
