"""The matrix's segments by feature, once for all tasks: splitting and percolation look only where a feature is."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gpuparse.boost.matrix import Matrix
from gpuparse.boost.team import Team


class Postings(NamedTuple):
    """Segments that hold each feature."""

    begins: np.ndarray  # int64[n_features + 1]
    holders: np.ndarray  # int32: holders[begins[f]:begins[f + 1]] are the segments with feature f

    @classmethod
    def of(cls, matrix: Matrix, kernels: Any, team: Team | None = None) -> Postings:
        """The postings of a matrix, made by a team; they take as much memory as its features.

        >>> from gpuparse.kernels import cpu
        >>> matrix = Matrix.from_csr((np.array([0, 2, 3]), np.array([0, 1, 0]), 2))
        >>> Postings.of(matrix, cpu).holding(0)
        array([1, 2], dtype=int32)
        """
        return cls(*kernels.transpose(matrix.starts, matrix.features, len(matrix.column), team or Team(1)))

    def holding(self, feature: int) -> np.ndarray:
        """The segments that hold a feature."""
        return self.holders[self.begins[feature] : self.begins[feature + 1]]
