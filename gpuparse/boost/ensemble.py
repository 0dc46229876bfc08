"""The ensemble of one task as flat arrays: its trees one after the other, in the caller's feature ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuparse.boost.compounds import Compounds, Literals, sum_leaves
from gpuparse.dtypes import FEATURE, REAL

if TYPE_CHECKING:
    from gpuparse.boost.matrix import Matrix
    from gpuparse.boost.tree import GrownTree


@dataclass(frozen=True)
class Ensemble:
    """Decision trees, in the order in which they were built.

    >>> from gpuparse.boost import GrownTree
    >>> stump = GrownTree.of([7, -1, -1], [1, -1, -1], [2, -1, -1], [0.0, 0.5, 0.0])
    >>> ensemble = Ensemble.of([stump], [0.1])
    >>> ensemble.trees_at(0.1), ensemble.compounds(0.1)
    (1, {((7, True),): 0.5})
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
            return np.concatenate([np.empty(0, dtype), *(getattr(tree, name) for tree in trees)]).astype(dtype)

        feature = join("feature", FEATURE)
        if numbers is not None and len(numbers):
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
        from gpuparse.boost.tree import GrownTree  # parsing needs rules, not trees

        for tree in range(self.trees_at(lambda_)):
            nodes = slice(self.starts[tree], self.starts[tree + 1])
            yield GrownTree(self.feature[nodes], self.yes[nodes], self.no[nodes], self.value[nodes])

    def predict(self, matrix: Matrix, lambda_: float = 0.0, kernels: Any = None) -> np.ndarray:
        """h(x) of every row of a matrix, computed on a device, by default the CPU; the same on all of them.

        >>> from gpuparse.boost import GrownTree, Matrix
        >>> stump = GrownTree.of([7, -1, -1], [1, -1, -1], [2, -1, -1], [0.0, 0.5, -1.0])
        >>> matrix = Matrix.from_csr((np.array([0, 1, 1]), np.array([7]), 10))
        >>> Ensemble.of([stump], [0.1]).predict(matrix).tolist()
        [0.5, -1.0]
        """
        from gpuparse.boost.path import Workplace  # parsing needs none of it
        from gpuparse.boost.percolation import Percolator

        if kernels is None:
            from gpuparse.device import find_device

            kernels = find_device("cpu").kernels
        place = Workplace.on(matrix, kernels)
        percolator = Percolator(place.matrix.segments, place.marks, place.postings, kernels, place.team)
        scores = np.zeros(len(matrix.segments))
        for tree in self.trees(lambda_):
            rank = np.where(tree.feature < 0, -1, matrix.rank(tree.feature))
            lacking = (tree.feature >= 0) & (rank < 0)
            tree = tree._replace(feature=np.where(lacking, -2, rank).astype(FEATURE))
            scores += tree.value[kernels.to_host(percolator.percolate(tree))]
        return scores

    def compounds(self, lambda_: float = 0.0) -> dict[Literals, float]:
        """The parameters: each compound feature with the sum of its leaves; zeros are left out.

        >>> from gpuparse.boost import GrownTree
        >>> twice = GrownTree.of([7, 7, -1, -1, -1], [1, 2, -1, -1, -1], [4, 3, -1, -1, -1], [0, 0, 0.5, 9.0, 0])
        >>> Ensemble.of([twice], [0.1]).compounds()  # nothing falls into the leaf "7 and not 7"
        {((7, True),): 0.5}
        """
        return self.parameters(lambda_).to_dict()

    def parameters(self, lambda_: float = 0.0) -> Compounds:
        """The same as flat arrays."""
        trees = self.trees_at(lambda_)
        starts = self.starts[: trees + 1]
        nodes = slice(0, int(starts[-1]))
        feature, value = self.feature[nodes].astype(np.int64), self.value[nodes]
        root = np.repeat(starts[:-1], np.diff(starts))
        inner = np.flatnonzero(feature >= 0)
        parent = np.full(len(feature), -1)
        literal = np.empty(len(feature), np.int64)  # of the step from the parent
        for children, there in ((self.yes, 1), (self.no, 0)):
            child = root[inner] + children[inner]
            parent[child], literal[child] = inner, 2 * feature[inner] + there
        leaves = np.flatnonzero((feature < 0) & (value != 0.0))
        owners, literals = _walk_up(leaves, parent, literal)
        return sum_leaves(owners, literals, value[leaves])


def _walk_up(leaves: np.ndarray, parent: np.ndarray, literal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For every step from a leaf up to its root the number of the leaf, and the step's literal; all leaves at once."""
    owners, literals = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    owner, node = np.arange(len(leaves)), leaves
    while len(node):
        below = parent[node] >= 0
        owner, node = owner[below], node[below]
        owners.append(owner)
        literals.append(literal[node])
        node = parent[node]
    return np.concatenate(owners), np.concatenate(literals)
