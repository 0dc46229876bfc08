"""The compiled model: rules instead of trees, laid out for scoring.

A rule is a conjunction of literals and a weight for one label; the score of an inference is the sum of the weights of
the rules that fire. Three things make that cheap and the same everywhere:

- weights are 64-bit fixed point, so that a sum does not depend on its order or on the device;
- a row of bits says not which features there are, but what they do to the rules: a rule has a bit that is set by any
  feature it must not have, and one for each that it must have. So rows can be joined by OR, and which rules fire is
  found for 64 of them at once;
- each rule belongs to the smallest part of an inference that holds all it looks at (the state, the left end ...), and
  is tried once for that part, not for every inference that shares it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gpuparse.boost.compounds import Compounds, Literals, ranges
from gpuparse.dtypes import FEATURE
from gpuparse.parse.features.groups import Column
from gpuparse.parse.features.space import FeatureSpace

FIXED_POINT = 2.0**44  # a score of 1; h is off by less than 1e-9 for tens of thousands of rules
BLOCK = 64  # rules in a word of a row


class Part(IntEnum):
    """A part of an inference, by the columns of features that it holds."""

    STATE = 0
    LEFT = 1  # the state and i
    RIGHT = 2  # the state and j
    HEAD = 3  # the state and the head
    CHILDREN = 4  # the state, i and j
    WHOLE = 5  # and the head


_SHARED = {Column.SENTENCE, Column.STATE}
_LEFT = {Column.LEFT, Column.LEFT_CHILD}
_RIGHT = {Column.RIGHT, Column.RIGHT_CHILD}
PART_COLUMNS: dict[Part, set[Column]] = {
    Part.STATE: _SHARED,
    Part.LEFT: _SHARED | _LEFT,
    Part.RIGHT: _SHARED | _RIGHT,
    Part.HEAD: _SHARED | {Column.HEAD},
    Part.CHILDREN: _SHARED | _LEFT | _RIGHT | {Column.CHILDREN},
    Part.WHOLE: set(Column),
}


class Marks(NamedTuple):
    """The bits that a feature sets in a row, for `at` from `starts[f]` to `starts[f + 1]`.

    A row of a part matters from word `part_words[part]` on: those before are for parts that it is no part of.
    """

    starts: np.ndarray  # uint32[features + 1]
    set: np.ndarray  # uint64[marks, 2]: a word of the row, and the bits to set in it
    part_words: np.ndarray  # int32[parts]


class Layout(NamedTuple):
    """Where the rules are, for scoring.

    Those of a part come in blocks of 64, blocks whose rules must have as many features in a group. A group of n blocks
    has n words in a row where its rules are ruled out, then n where they have the first feature they must have, n for
    the second and so on. An eight of rules is for one label; where rules are lacking, what stands there weighs 0.
    """

    part_groups: np.ndarray  # int32[parts + 1]: where the groups of each part begin
    group_blocks: np.ndarray  # int32[groups + 1]: where the blocks of each group begin
    group_words: np.ndarray  # int32[groups + 1]: where the words of each group begin
    part_runs: np.ndarray  # int32[parts + 1]: where the runs of each part begin, one for each of its labels
    run_eights: np.ndarray  # int32[runs + 1]: where each run begins in `eights`
    run_label: np.ndarray  # int32[runs]
    eights: np.ndarray  # int32: the eights, numbered by where they are in their blocks, run after run
    sums: np.ndarray  # int64[2 * eights, 16]: what the rules weigh that fire, for each way in which four can fire


class Rules(NamedTuple):
    """The rules of all labels. Features are counted within the model: those that occur in rules, ascending."""

    features: np.ndarray  # FEATURE[n]: the numbers, in the feature space, of the model's features
    constant: np.ndarray  # int64[labels]: what every inference scores
    label: np.ndarray  # int32[rules]
    weight: np.ndarray  # int64[rules], fixed point
    marks: Marks
    layout: Layout

    @property
    def words(self) -> int:
        """The number of 64-bit words of a row."""
        return max(1, int(self.layout.group_words[-1]))


class _Ordered(NamedTuple):
    """The rules in the order of the layout. Features are the model's."""

    part: np.ndarray
    needed: np.ndarray  # how many features each must have
    label: np.ndarray
    weight: np.ndarray
    lengths: np.ndarray  # how many literals each has
    literals: np.ndarray  # of all rules: 2 * feature + (is it there?)
    place: np.ndarray  # where each stands among the blocks


def compile_rules(
    compounds: Mapping[int, Mapping[Literals, float]], n_labels: int, space: FeatureSpace, frequency: np.ndarray
) -> Rules:
    """Lay out the parameters of each label, as `lay_out` does."""
    return lay_out({label: Compounds.of(theta) for label, theta in compounds.items()}, n_labels, space, frequency)


def lay_out(parameters: Mapping[int, Compounds], n_labels: int, space: FeatureSpace, frequency: np.ndarray) -> Rules:
    """Lay out the parameters of each label. `frequency[feature]` helps to order rules; it changes no score.

    Rules that share frequent features stand next to each other, so that such a feature sets bits in few words.
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
    columns = space.columns[space.place(features)[0]]
    rank = np.argsort(np.lexsort((features, -frequency[features].astype(np.int64))))  # the most frequent is the first
    ordered = _order(label[rules], weight[rules], lengths[rules], literals, columns, rank)
    layout = _arrange(ordered)
    return Rules(
        features=features.astype(FEATURE),
        constant=constant,
        label=ordered.label.astype(np.int32),
        weight=ordered.weight,
        marks=_collect_marks(ordered, layout, len(features)),
        layout=layout,
    )


def _order(
    label: np.ndarray,
    weight: np.ndarray,
    lengths: np.ndarray,
    literals: np.ndarray,
    columns: np.ndarray,
    rank: np.ndarray,
) -> _Ordered:
    """Order the rules by part, number of needs, label, and literals, those of the most frequent features first."""
    starts = np.cumsum(lengths) - lengths
    used = _reduce(np.bitwise_or, 1 << columns[literals >> 1].astype(np.int64), starts)
    held = [sum(1 << column for column in PART_COLUMNS[part]) for part in Part]
    part = np.argmax([used & ~columns_held == 0 for columns_held in held], axis=0)
    needed = _reduce(np.add, literals & 1, starts)
    # Rows of big-endian numbers, as bytes, are in the order of the numbers.
    owner = np.repeat(np.arange(len(lengths)), lengths)
    by_rank = np.sort((owner << 32) | (2 * rank[literals >> 1] + (literals & 1))) & 0xFFFFFFFF
    ends = np.cumsum(lengths + 3)
    begins = ends - lengths - 3
    rows = np.empty(len(literals) + 3 * len(lengths), ">u4")
    for at, column in enumerate((part, needed, label)):
        rows[begins + at] = column
    rows[ranges(begins + 3, lengths)] = by_rank
    content = rows.tobytes()
    keys = [content[4 * i : 4 * j] for i, j in zip(begins.tolist(), ends.tolist(), strict=True)]
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
    part, needed, label, weight = part[order], needed[order], label[order], weight[order]
    literals = literals[ranges(starts[order], lengths[order])]
    return _Ordered(part, needed, label, weight, lengths[order], literals, _places(part, needed, label))


def _reduce(function: np.ufunc, values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Of the values from each start to the next. There is at least one."""
    return function.reduceat(values, starts) if len(starts) else np.empty(0, np.int64)


def _first(*columns: np.ndarray) -> np.ndarray:
    """Where one of the columns has another value than before."""
    differs = np.ones(len(columns[0]), bool)
    differs[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.flatnonzero(differs)


def _places(part: np.ndarray, needed: np.ndarray, label: np.ndarray) -> np.ndarray:
    """Number the rules; another part or number of needs begins a new block, another label a new eight."""
    places = np.empty(len(part), np.int64)
    new_blocks = set(_first(part, needed).tolist())
    place = 0
    for start, stop in pairwise([*_first(part, needed, label).tolist(), len(part)]):
        step = BLOCK if start in new_blocks else 8
        place = -(-place // step) * step
        places[start:stop] = np.arange(place, place + stop - start)
        place += stop - start
    return places


def _arrange(rules: _Ordered) -> Layout:
    blocks = int(rules.place[-1]) // BLOCK + 1 if len(rules.place) else 0
    weight = np.zeros((blocks * BLOCK // 8, 8), np.int64)
    weight[rules.place // 8, rules.place % 8] = rules.weight
    groups = _first(rules.part, rules.needed)
    group_blocks = np.append(rules.place[groups] // BLOCK, blocks)
    words = np.diff(group_blocks) * (1 + rules.needed[groups])
    eights = _first(rules.place // 8)
    eights = eights[np.lexsort((eights, rules.label[eights], rules.part[eights]))]
    runs = _first(rules.part[eights], rules.label[eights])
    fires = np.arange(16)[:, None] >> np.arange(4) & 1
    parts = np.arange(len(Part) + 1)
    return Layout(
        part_groups=np.searchsorted(rules.part[groups], parts).astype(np.int32),
        group_blocks=group_blocks.astype(np.int32),
        group_words=np.append(0, np.cumsum(words)).astype(np.int32),
        part_runs=np.searchsorted(rules.part[eights][runs], parts).astype(np.int32),
        run_eights=np.append(runs, len(eights)).astype(np.int32),
        run_label=rules.label[eights][runs].astype(np.int32),
        eights=(rules.place[eights] // 8).astype(np.int32),
        sums=weight[rules.place[eights] // 8].reshape(-1, 4) @ fires.T,
    )


def _collect_marks(rules: _Ordered, layout: Layout, n_features: int) -> Marks:
    """What each feature sets: a word of a block for rules that must not have it, another for those that must."""
    blocks, words = layout.group_blocks.astype(np.int64), layout.group_words.astype(np.int64)
    group = np.searchsorted(blocks, rules.place // BLOCK, side="right") - 1
    ruled_out = words[group] + rules.place // BLOCK - blocks[group]
    rule = np.repeat(np.arange(len(rules.lengths)), rules.lengths)
    there = rules.literals & 1
    met = np.cumsum(there) - (np.cumsum(rules.needed) - rules.needed)[rule]  # how many needs up to this one
    word = ruled_out[rule] + there * met * np.diff(blocks)[group][rule]
    feature, bit = rules.literals >> 1, np.uint64(1) << (rules.place[rule] % BLOCK).astype(np.uint64)
    order = np.lexsort((word, feature))
    feature, word, bit = feature[order], word[order], bit[order]
    marks = _first(feature, word)
    return Marks(
        np.searchsorted(feature[marks], np.arange(n_features + 1)).astype(np.uint32),
        np.stack([word[marks].astype(np.uint64), _reduce(np.bitwise_or, bit, marks).astype(np.uint64)], axis=1),
        layout.group_words[layout.part_groups[:-1]],
    )
