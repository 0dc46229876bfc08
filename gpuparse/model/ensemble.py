"""The ensemble of one label as flat arrays: its trees one after the other, features as numbers in the feature space."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gpuparse.dtypes import FEATURE, REAL
from gpuparse.learn import GrownTree

Literals = tuple[tuple[int, bool], ...]  # (feature, is it there?), ascending, each feature once


@dataclass(frozen=True)
class Ensemble:
    """Decision trees, in the order in which they were built.

    >>> stump = GrownTree.of([7, -1, -1], [1, -1, -1], [2, -1, -1], [0.0, 0.5, 0.0])
    >>> ensemble = Ensemble.of([stump], [0.1])
    >>> ensemble.score({7}), ensemble.score(set()), ensemble.compounds(0.1)
    (0.5, 0.0, {((7, True),): 0.5})
    """

    starts: np.ndarray  # int64[trees + 1]: where each tree's nodes begin
    feature: np.ndarray  # FEATURE[nodes]: what an inner node tests, -1 at a leaf
    yes: np.ndarray  # int32[nodes]: the child of those that have it, counted within the tree
    no: np.ndarray  # int32[nodes]
    value: np.ndarray  # REAL[nodes]: what a leaf adds to the score
    lambdas: np.ndarray  # REAL[trees]: the penalty each tree was built under, never rising

    @classmethod
    def of(cls, trees: Sequence[GrownTree], lambdas: Sequence[float], numbers: np.ndarray | None = None) -> Ensemble:
        """From grown trees; `numbers` gives the feature of each column of the matrix they were grown on."""

        def join(name: str, dtype: type) -> np.ndarray:
            parts = [getattr(tree, name) for tree in trees]
            return np.concatenate([np.empty(0, dtype), *parts]).astype(dtype)

        feature = join("feature", FEATURE)
        if numbers is not None and len(feature):
            feature = np.where(feature < 0, -1, numbers[feature]).astype(FEATURE)
        starts = np.cumsum([0, *(len(tree.feature) for tree in trees)])
        return cls(
            starts, feature, join("yes", np.int32), join("no", np.int32), join("value", REAL), np.array(lambdas, REAL)
        )

    def trees_at(self, lambda_: float) -> int:
        """How many trees the model at this lambda has: those built under one that is no less."""
        return int(np.count_nonzero(self.lambdas >= lambda_))

    def trees(self, lambda_: float = 0.0) -> Iterator[GrownTree]:
        """The trees of the model at this lambda."""
        for tree in range(self.trees_at(lambda_)):
            nodes = slice(self.starts[tree], self.starts[tree + 1])
            yield GrownTree(self.feature[nodes], self.yes[nodes], self.no[nodes], self.value[nodes])

    def score(self, features: set[int], lambda_: float = 0.0) -> float:
        """h(x) of an inference with these features: the sum of the leaves it falls in."""
        total = 0.0
        for tree in self.trees(lambda_):
            node = 0
            while tree.feature[node] >= 0:
                node = (tree.yes if int(tree.feature[node]) in features else tree.no)[node]
            total += float(tree.value[node])
        return total

    def compounds(self, lambda_: float = 0.0) -> dict[Literals, float]:
        """The parameters: each compound feature with the sum of its leaves; zeros are left out.

        >>> twice = GrownTree.of([7, 7, -1, -1, -1], [1, 2, -1, -1, -1], [4, 3, -1, -1, -1], [0, 0, 0.5, 9.0, 0])
        >>> Ensemble.of([twice], [0.1]).compounds()  # nothing falls into the leaf "7 and not 7"
        {((7, True),): 0.5}
        """
        theta: dict[Literals, float] = {}
        for tree in self.trees(lambda_):
            for leaf, path in tree.paths().items():
                literals = tuple(sorted(set(path)))
                possible = len({feature for feature, _ in literals}) == len(literals)
                if tree.value[leaf] != 0.0 and possible:
                    theta[literals] = theta.get(literals, 0.0) + float(tree.value[leaf])
        return {literals: value for literals, value in theta.items() if value != 0.0}
