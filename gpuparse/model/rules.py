"""The compiled model: rules instead of trees, laid out for scoring.

A rule is a conjunction of literals and a weight for one label; the score of an inference is the sum of the weights of
the rules that fire. Three things make that cheap and the same everywhere:

- weights are 64-bit fixed point, so that a sum does not depend on its order or on the device;
- each rule is looked up by one feature that must be there, its trigger, the rarest it has. Rules without one, such as
  `not a and not b`, stand behind the last feature, as if there were one more that everything has;
- each rule belongs to the smallest part of an inference that holds all it looks at (the state, the left end ...), and
  is tried once for that part, not for every inference that shares it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from gpuparse.dtypes import FEATURE
from gpuparse.features.groups import Column
from gpuparse.features.space import FeatureSpace
from gpuparse.model.ensemble import Literals

FIXED_POINT = 2.0**44  # a score of 1; h is off by less than 1e-9 for tens of thousands of rules


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


class Rules(NamedTuple):
    """The rules of all labels. Features are counted within the model: those that occur in rules, ascending."""

    features: np.ndarray  # FEATURE[n]: the numbers, in the feature space, of the model's features
    constant: np.ndarray  # int64[labels]: what every inference scores
    triggers: np.ndarray  # int32[parts, n + 1]: those of a part and a trigger are triggers[p, f] .. triggers[p, f+1]
    label: np.ndarray  # int32[rules]
    weight: np.ndarray  # int64[rules], fixed point
    literals: np.ndarray  # int32[rules + 1]: where each rule's other literals begin
    literal: np.ndarray  # int32: 2 * feature + (1 if it must be there)

    @property
    def words(self) -> int:
        """The number of 64-bit words of a bit set over the model's features."""
        return max(1, -(-len(self.features) // 64))


def compile_rules(
    compounds: Mapping[int, Mapping[Literals, float]], n_labels: int, space: FeatureSpace, frequency: np.ndarray
) -> Rules:
    """Lay out the parameters of each label. `frequency[feature]` helps to choose triggers; it changes no score."""
    features = sorted({feature for theta in compounds.values() for literals in theta for feature, _ in literals})
    number = {feature: n for n, feature in enumerate(features)}
    columns = space.columns[space.place(np.array(features, FEATURE))[0]] if features else np.empty(0, np.uint8)
    constant = np.zeros(n_labels, np.int64)
    always = len(features)
    placed = []  # (part, trigger, label, literals), weight
    for label, theta in compounds.items():
        for literals, value in theta.items():
            weight = round(value * FIXED_POINT)
            if not literals:
                constant[label] += weight
            elif weight:
                local = tuple((number[feature], there) for feature, there in literals)
                used = {Column(columns[feature]) for feature, _ in local}
                part = next(part for part, held in PART_COLUMNS.items() if used <= held)
                trigger = min(
                    (f for f, there in local if there), key=lambda f: (frequency[features[f]], f), default=always
                )
                placed.append(((int(part), trigger, label, local), weight))
    placed.sort()
    keys = np.array([part * (always + 1) + trigger for (part, trigger, _, _), _ in placed], np.int64)
    edges = np.arange(len(Part))[:, None] * (always + 1) + np.arange(always + 2)

    def failing_first(literal: tuple[int, bool]) -> tuple[bool, int, int]:
        feature, there = literal
        often = int(frequency[features[feature]])
        return not there, often if there else -often, feature

    others = [
        [2 * feature + there for feature, there in sorted(literals, key=failing_first) if feature != trigger]
        for (_, trigger, _, literals), _ in placed
    ]
    return Rules(
        features=np.array(features, FEATURE),
        constant=constant,
        triggers=np.searchsorted(keys, edges).astype(np.int32),
        label=np.array([label for (_, _, label, _), _ in placed], np.int32),
        weight=np.array([weight for _, weight in placed], np.int64),
        literals=np.cumsum([0, *(len(rest) for rest in others)]).astype(np.int32),
        literal=np.array([literal for rest in others for literal in rest], np.int32),
    )
