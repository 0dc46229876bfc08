"""The compiled model: rules instead of trees, laid out for scoring.

A rule is a conjunction of literals and a weight for one label; the score of an inference is the sum of the weights of
the rules that fire. Three things make that cheap and the same everywhere:

- weights are 64-bit fixed point, so that a sum does not depend on its order or on the device;
- a rule has a bit, and fires if it is satisfied in every *view* of the inference: the state, the items before, the
  children and so on. What is satisfied in a view is found for 64 rules at once, remembered with what the view shows,
  and joined by AND;
- what inferences score differs by the few rules that fire for one of them and not for the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from gpuparse.boost.compounds import Compounds, ranges
from gpuparse.dtypes import FEATURE
from gpuparse.parse.features.groups import GROUPS, Column, Domain, Group
from gpuparse.parse.features.space import FeatureSpace

FIXED_POINT = 2.0**44  # a score of 1; h is off by less than 1e-9 for tens of thousands of rules
BLOCK = 64  # rules in a machine word


class View(IntEnum):
    """What of an inference is looked at together."""

    SENTENCE = 0  # the terminals
    STATE = 1  # the frontier
    BEFORE = 2  # all items before the children
    AFTER = 3  # all items after them
    LEFT_WORDS = 4  # the terminals before the leftmost one below, and some after it
    RIGHT_WORDS = 5  # the terminals after the rightmost one below, and some before it
    LEFT = 6  # the four items before the children
    RIGHT = 7  # the four items after them
    LEFT_CHILD = 8  # the first child and the three items after it
    RIGHT_CHILD = 9  # the last child and the three items before it
    HEAD = 10  # the head child and the three items either side
    CHILDREN = 11  # the children, and which of them is the head


_OF_COLUMN = {
    Column.SENTENCE: View.SENTENCE,
    Column.STATE: View.STATE,
    Column.LEFT_CHILD: View.LEFT_CHILD,
    Column.RIGHT_CHILD: View.RIGHT_CHILD,
    Column.HEAD: View.HEAD,
}
_BESIDE = {  # all items, terminals, and a few items
    Column.LEFT: (View.BEFORE, View.LEFT_WORDS, View.LEFT),
    Column.RIGHT: (View.AFTER, View.RIGHT_WORDS, View.RIGHT),
}


def view_of(group: Group) -> View:
    """The view that a group of items is in.

    >>> [view_of(group).name for group in GROUPS if group.name in ("left", "left1", "words(left)", "tohead")]
    ['LEFT', 'BEFORE', 'CHILDREN', 'LEFT_WORDS']
    """
    if group.column in _BESIDE:
        all_items, terminals, few_items = _BESIDE[group.column]
        return terminals if group.domain != Domain.ITEMS else all_items if group.counted else few_items
    return _OF_COLUMN.get(group.column, View.CHILDREN)


WORD, BITS = range(2)  # columns of a table of marks


class Marks(NamedTuple):
    """The bits that a feature sets in a row of its view, for `at` from `starts[f]` to `starts[f + 1]`."""

    starts: np.ndarray  # uint32[features + 1]
    set: np.ndarray  # uint64[marks, 2]: a machine word of the row (WORD), and the bits to set in it (BITS)


class Layout(NamedTuple):
    """How a row of each view says what features do to the rules.

    A row is joined by OR from what its features mark. It has planes of one bit per rule. In plane 0 are the rules that
    are ruled out, by a feature that they must not have; in plane 1 those that have the first feature of the view that
    they must have, in plane 2 the second, and so on:

        row of a view     | plane 0: out      | plane 1: 1st | plane 2: 2nd |
                          ^ planes[view, 0]   ^ [view, 1]    ^ [view, 2]    ^ [view, 3], the end, and [view, 4] ...

        satisfied = ~plane 0 & plane 1 & plane 2 & ...

    Rules that need the most children come first, and a plane ends with the last rule that has something in it: the
    planes of the children, of which most rows are computed, are short. A rule that lacks a need has its bit in the
    plane of that need from the start, in the blank row.
    """

    planes: np.ndarray  # int32[views, planes + 1]
    blank: np.ndarray  # uint64[views, longest row]: the row of a view that nothing is seen in
    of_label: np.ndarray  # uint64[labels, blocks]: the rules of each label


class Rules(NamedTuple):
    """The rules of all labels. Features are counted within the model: those that occur in rules, ascending."""

    features: np.ndarray  # FEATURE[n]: the numbers, in the feature space, of the model's features
    constant: np.ndarray  # int64[labels]: what every inference scores
    label: np.ndarray  # int32[rules]
    weight: np.ndarray  # int64[rules], fixed point
    marks: Marks
    layout: Layout

    @property
    def blocks(self) -> int:
        """The number of machine words that hold a bit for each rule."""
        return int(self.layout.of_label.shape[1])


class _Ordered(NamedTuple):
    """The rules in the order of the layout. Features are the model's."""

    label: np.ndarray
    weight: np.ndarray
    rule: np.ndarray  # for each literal of all rules, the rule
    literals: np.ndarray  # 2 * feature + (is it there?)
    views: np.ndarray  # what the literal's feature looks at


def lay_out(parameters: Mapping[int, Compounds], n_labels: int, space: FeatureSpace, frequency: np.ndarray) -> Rules:
    """Lay out the parameters of each label. `frequency[feature]` helps to order rules; it changes no score.

    Rules that share frequent features stand next to each other, so that such a feature sets bits in few blocks.
    """
    of_labels = (Compounds.of({}), *parameters.values())
    label = np.repeat([0, *parameters], [len(compounds.value) for compounds in of_labels])
    lengths = np.concatenate([np.diff(compounds.starts) for compounds in of_labels])
    literals = np.concatenate([compounds.literals for compounds in of_labels])
    weight = np.rint(np.concatenate([compounds.value for compounds in of_labels]) * FIXED_POINT).astype(np.int64)
    constant = np.zeros(n_labels, np.int64)
    np.add.at(constant, label[lengths == 0], weight[lengths == 0])
    features, local = np.unique(literals >> 1, return_inverse=True)
    literals = 2 * local + (literals & 1)
    rules = np.flatnonzero((lengths > 0) & (weight != 0))
    literals = literals[ranges((np.cumsum(lengths) - lengths)[rules], lengths[rules])]
    views = np.array([view_of(group) for group in GROUPS], np.int64)[space.place(features)[0]]
    rank = np.argsort(np.lexsort((features, -frequency[features].astype(np.int64))))  # the most frequent is the first
    ordered = _order(label[rules], weight[rules], lengths[rules], literals, views, rank)
    need = _number_needs(ordered)
    layout = _arrange(ordered, need, n_labels)
    return Rules(
        features=features.astype(FEATURE),
        constant=constant,
        label=ordered.label.astype(np.int32),
        weight=ordered.weight,
        marks=_collect_marks(ordered, need, layout, len(features)),
        layout=layout,
    )


def _order(
    label: np.ndarray,
    weight: np.ndarray,
    lengths: np.ndarray,
    literals: np.ndarray,
    views: np.ndarray,
    rank: np.ndarray,
) -> _Ordered:
    """Order the rules by how many children they need, the most first, then by literals, those of the most frequent
    features first, then by label.
    """
    starts = np.cumsum(lengths) - lengths
    of_children = (literals & 1) * (views[literals >> 1] == View.CHILDREN)
    needed = _reduce(np.add, of_children, starts)
    # Rows of big-endian numbers, as bytes, are in the order of the numbers.
    owner = np.repeat(np.arange(len(lengths)), lengths)
    by_rank = np.sort((owner << 32) | (2 * rank[literals >> 1] + (literals & 1))) & 0xFFFFFFFF
    ends = np.cumsum(lengths + 3)
    begins = ends - lengths - 3
    rows = np.zeros(len(literals) + 3 * len(lengths), ">u4")
    rows[begins] = len(views) - needed
    rows[ranges(begins + 1, lengths)] = by_rank + 1  # so that a zero ends the literals
    rows[ends - 1] = label
    content = rows.tobytes()
    keys = [content[4 * i : 4 * j] for i, j in zip(begins.tolist(), ends.tolist(), strict=True)]
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
    literals = literals[ranges(starts[order], lengths[order])]
    rule = np.repeat(np.arange(len(order)), lengths[order])
    return _Ordered(label[order], weight[order], rule, literals, views[literals >> 1])


def _reduce(function: np.ufunc, values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Of the values from each start to the next. There is at least one."""
    return function.reduceat(values, starts) if len(starts) else np.empty(0, np.int64)


def _first(*columns: np.ndarray) -> np.ndarray:
    """Where one of the columns has another value than before."""
    differs = np.ones(len(columns[0]), bool)
    differs[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.flatnonzero(differs)


def _number_needs(rules: _Ordered) -> np.ndarray:
    """Number the literals that each rule needs in each view: 1, 2, ...; literals that must not be there have 0."""
    numbers = np.zeros(len(rules.literals), np.int64)
    needs = np.flatnonzero(rules.literals & 1)
    needs = needs[np.lexsort((needs, rules.views[needs], rules.rule[needs]))]
    starts = _first(rules.rule[needs], rules.views[needs])
    lengths = np.diff(np.append(starts, len(needs)))
    numbers[needs] = np.arange(len(needs)) - np.repeat(starts, lengths) + 1
    return numbers


def _arrange(rules: _Ordered, need: np.ndarray, n_labels: int) -> Layout:
    blocks = max(1, -(-len(rules.label) // BLOCK))
    most = int(need.max(initial=0))
    widths = np.zeros((len(View), most + 1), np.int64)
    widths[:, 0] = blocks
    np.maximum.at(widths, (rules.views, need), rules.rule // BLOCK + 1)
    planes = np.concatenate([np.zeros((len(View), 1), np.int64), np.cumsum(widths, axis=1)], axis=1)
    blank = np.zeros((len(View), int(planes[:, -1].max())), np.uint64)
    for view in View:
        blank[view, planes[view, 1] : planes[view, -1]] = ~np.uint64(0)
    needed = need > 0
    views, rule = rules.views[needed], rules.rule[needed]
    np.bitwise_and.at(blank, (views, planes[views, need[needed]] + rule // BLOCK), ~_bit(rule))
    of_label = np.zeros((n_labels, blocks), np.uint64)
    every = np.arange(len(rules.label))
    np.bitwise_or.at(of_label, (rules.label, every // BLOCK), _bit(every))
    return Layout(planes.astype(np.int32), blank, of_label)


def _bit(rule: np.ndarray) -> np.ndarray:
    """The bit of a rule in its machine word."""
    return np.uint64(1) << (rule % BLOCK).astype(np.uint64)


def _collect_marks(rules: _Ordered, need: np.ndarray, layout: Layout, n_features: int) -> Marks:
    """What each feature sets: a bit of plane 0 for rules that must not have it, of another for those that must."""
    word = layout.planes[rules.views, need].astype(np.int64) + rules.rule // BLOCK
    feature, bit = rules.literals >> 1, _bit(rules.rule)
    order = np.lexsort((word, feature))
    feature, word, bit = feature[order], word[order], bit[order]
    marks = _first(feature, word)
    return Marks(
        np.searchsorted(feature[marks], np.arange(n_features + 1)).astype(np.uint32),
        np.stack([word[marks].astype(np.uint64), _reduce(np.bitwise_or, bit, marks).astype(np.uint64)], axis=1),
    )
