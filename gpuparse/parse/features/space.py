"""The space of atomic features: their numbers, by arithmetic, and their names in words.

The number of the feature "group J has an item whose P is X" is `base[J, P] + X`; no table of features exists. After
those of a counted group come 32 length features, `len(J)=0..15` and `len(J)>0..15`.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from gpuparse.dtypes import FEATURE
from gpuparse.parse.features.groups import COLUMN_STARTS, COUNTED, GROUP_TABLE, GROUPS, GROUPS_BY_COLUMN
from gpuparse.parse.logic.vocabulary import Vocabulary
from gpuparse.parse.properties import PROPERTIES

LENGTHS = 16  # lengths 0 .. 15 are told apart
LENGTH = len(PROPERTIES)  # the column of `base` that stands for the lengths


class Numbering(NamedTuple):
    """What compiled code needs to compute and number the features of an inference."""

    groups: np.ndarray  # GROUP_TABLE
    order: np.ndarray  # GROUPS_BY_COLUMN
    column_starts: np.ndarray  # COLUMN_STARTS
    base: np.ndarray  # FEATURE[groups, LENGTH + 1]: where the values of each property begin, and last the lengths
    symbols: int  # symbols from this one on were never seen in training


class FeatureSpace:
    """All atomic features over a vocabulary.

    >>> from gpuparse.parse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.trees import load_language, parse_trees
    >>> space = FeatureSpace(build_vocabulary(parse_trees("(TOP (NP (NNP Ann)))"), load_language()))
    >>> space.name(0), space.name(space.size - 1)
    ('first1.label=NNP', 'len(words(afterhead))>15')
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        sizes = np.zeros((len(GROUPS), LENGTH + 1), np.int64)
        sizes[:, :LENGTH] = [len(values) for values in vocabulary.values]
        sizes[:, LENGTH] = 2 * LENGTHS * GROUP_TABLE[:, COUNTED]
        ends = np.cumsum(sizes.ravel())
        self.size = int(ends[-1])
        self.base = (ends - sizes.ravel()).reshape(sizes.shape).astype(FEATURE)

    def numbering(self) -> Numbering:
        """The numbering, for compiled code."""
        return Numbering(GROUP_TABLE, GROUPS_BY_COLUMN, COLUMN_STARTS, self.base, len(self.vocabulary.symbols))

    def place(self, features: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The group, the property and the value of each feature."""
        flat = self.base.ravel()
        at = np.searchsorted(flat, features, side="right") - 1
        return at // (LENGTH + 1), at % (LENGTH + 1), features - flat[at]

    @cached_property
    def columns(self) -> np.ndarray:
        """The segment column of each group."""
        return np.array([group.column for group in GROUPS], np.uint8)

    def name(self, feature: int) -> str:
        """A feature in words."""
        group, prop, value = (int(part[0]) for part in self.place(np.array([feature])))
        if prop == LENGTH:
            sign = "=" if value < LENGTHS else ">"
            return f"len({GROUPS[group].name}){sign}{value % LENGTHS}"
        return f"{GROUPS[group].name}.{PROPERTIES[prop].name}={self.vocabulary.values[prop][value]}"
