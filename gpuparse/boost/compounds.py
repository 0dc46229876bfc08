"""Compound features and their parameters as flat arrays, one compound feature after the other."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gpuparse.dtypes import REAL

Literals = tuple[tuple[int, bool], ...]  # (feature, is it there?), ascending, each feature once


class Compounds(NamedTuple):
    """The parameters of one label.

    >>> theta = {(): 0.5, ((3, False), (7, True)): -1.0}
    >>> Compounds.of(theta).literals.tolist(), Compounds.of(theta).to_dict() == theta
    ([6, 15], True)
    """

    starts: np.ndarray  # int64[compounds + 1]: where the literals of each begin
    literals: np.ndarray  # int64: 2 * feature + (is it there?), ascending within a compound feature
    value: np.ndarray  # REAL[compounds], none of them 0

    @classmethod
    def of(cls, theta: Mapping[Literals, float]) -> Compounds:
        """From what `to_dict` gives."""
        return cls(
            np.cumsum([0, *map(len, theta)]),
            np.array([2 * feature + there for literals in theta for feature, there in literals], np.int64),
            np.array([*theta.values()], REAL),
        )

    def to_dict(self) -> dict[Literals, float]:
        """For each compound feature its parameter."""
        pairs = list(zip((self.literals >> 1).tolist(), (self.literals & 1).astype(bool).tolist(), strict=True))
        spans = pairwise(self.starts.tolist())
        return {tuple(pairs[i:j]): value for (i, j), value in zip(spans, self.value.tolist(), strict=True)}


def sum_leaves(owners: np.ndarray, literals: np.ndarray, value: np.ndarray) -> Compounds:
    """The compound features of leaves, each with the sum of its leaves; a sum of 0 is left out.

    `literals[at]` is one of those of the leaf `owners[at]`, in any order and any number of times. Nothing can fall into
    a leaf that asks a feature both to be there and not: it has no compound feature.

    >>> sum_leaves(np.array([0, 1, 1]), np.array([15, 15, 15]), np.array([0.5, 1.0])).to_dict()
    {((7, True),): 1.5}
    """
    keys = np.unique((owners << 32) | literals)
    owners, literals = keys >> 32, keys & 0xFFFFFFFF
    contradictions = np.flatnonzero((np.diff(keys) == 1) & (literals[:-1] & 1 == 0))
    possible = np.ones(len(value), bool)
    possible[owners[contradictions]] = False
    leaves = np.flatnonzero(possible)
    starts = np.searchsorted(owners, np.arange(len(value) + 1))
    content, spans = literals.tobytes(), zip(starts[leaves].tolist(), starts[leaves + 1].tolist(), strict=True)
    numbers: dict[bytes, int] = {}  # of the compound features, as they are met
    size = literals.itemsize
    number = np.array([numbers.setdefault(content[i * size : j * size], len(numbers)) for i, j in spans], np.int64)
    first = np.empty(len(numbers), np.int64)
    first[number[::-1]] = leaves[::-1]
    total = np.bincount(number, weights=value[leaves], minlength=len(numbers))  # adds in the order of the leaves
    kept = np.flatnonzero(total)
    lengths = np.diff(starts)[first[kept]]
    return Compounds(np.cumsum([0, *lengths]), literals[ranges(starts[first[kept]], lengths)], total[kept])


def ranges(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The numbers from each start on, as many as its length says, one range after the other.

    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    shift = starts - (np.cumsum(lengths) - lengths)
    return np.repeat(shift, lengths) + np.arange(lengths.sum())
