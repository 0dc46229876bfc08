"""A grown tree as flat arrays, nodes in pre-order: what the model, the log and percolation use."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class GrownTree(NamedTuple):
    """A decision tree; node 0 is the root.

    >>> stump = GrownTree.of([7, -1, -1], [1, -1, -1], [2, -1, -1], [0.0, 0.5, 0.0])
    >>> stump.leaves()
    2
    >>> stump.conjunctions()
    {1: ((7, True),), 2: ((7, False),)}
    """

    feature: np.ndarray  # int32: what an inner node tests, -1 at a leaf
    yes: np.ndarray  # int32: the child of those that have the feature, -1 at a leaf
    no: np.ndarray  # int32: the child of the others
    value: np.ndarray  # float64: what a leaf adds to the score

    @classmethod
    def of(cls, feature: Any, yes: Any, no: Any, value: Any) -> GrownTree:
        """From anything like arrays."""
        return cls(
            np.array(feature, np.int32), np.array(yes, np.int32), np.array(no, np.int32), np.array(value, np.float64)
        )

    def leaves(self) -> int:
        """How many leaves."""
        return int(np.count_nonzero(self.feature < 0))

    def conjunctions(self) -> dict[int, tuple[tuple[int, bool], ...]]:
        """For each leaf its compound feature: the literals (feature, is it there?) from the root down."""
        compounds = {}
        stack: list[tuple[int, tuple[tuple[int, bool], ...]]] = [(0, ())]
        while stack:
            node, literals = stack.pop()
            feature = int(self.feature[node])
            if feature < 0:
                compounds[node] = literals
            else:
                stack.append((int(self.no[node]), (*literals, (feature, False))))
                stack.append((int(self.yes[node]), (*literals, (feature, True))))
        return compounds

    def to_json(self) -> dict[str, list[Any]]:
        """Lists under the names of the arrays.

        >>> GrownTree.of([-1], [-1], [-1], [0.25]).to_json()["value"]
        [0.25]
        """
        return {name: array.tolist() for name, array in self._asdict().items()}


def check_tree(tree: GrownTree, most_value: float) -> None:
    """Raise ValueError where the arrays are no tree: each node but the root is the child of one node before it.

    >>> check_tree(GrownTree.of([7, -1, -1], [0, -1, -1], [2, -1, -1], [0.0, 0.5, 0.0]), 1.0)
    Traceback (most recent call last):
        ...
    ValueError: a node of a tree has a child that is not after it
    """
    feature, yes, no, value = tree
    size = len(feature)
    if size == 0 or any(array.shape != (size,) for array in tree):
        raise ValueError("the arrays of a tree are not of one length")
    inner = np.flatnonzero(feature >= 0)
    if (feature < -1).any() or (yes[feature < 0] != -1).any() or (no[feature < 0] != -1).any():
        raise ValueError("a leaf of a tree has a feature or children")
    children = np.concatenate([yes[inner], no[inner]])
    if (children <= np.tile(inner, 2)).any() or (children >= size).any():
        raise ValueError("a node of a tree has a child that is not after it")
    if not np.array_equal(np.bincount(children, minlength=size), np.arange(size) > 0):
        raise ValueError("a node of a tree has two parents, or none")
    if not (np.abs(value) <= most_value).all():
        raise ValueError("a value of a tree is out of range")
