"""The matrix of atomic features: one row per distinct (state, i, j, head), each the union of shared segments.

It is the product X = R S of two binary sparse matrices. R has a fixed number K of entries a row and is kept as a dense
table of segment numbers; S is a CSR matrix from segments to features. Inferences that agree in a part (the sentence,
the left context, the children ...) share that part's segment, so S is many times smaller than X.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Matrix(NamedTuple):
    """Rows, segments and features."""

    segments: np.ndarray  # int32[rows, K]: row r is the union of these segments; segment 0 is always the empty one
    starts: np.ndarray  # int64[n_segments + 1]: segment s holds features[starts[s]:starts[s + 1]]
    features: np.ndarray  # int32: ascending within a segment; numbered by frequency, 0 the most frequent
    column: np.ndarray  # uint8[n_features]: in which of the K columns a feature lives

    def row(self, row: int) -> np.ndarray:
        """The features of a row, ascending."""
        segments = self.segments[row]
        return np.sort(np.concatenate([self.features[self.starts[s] : self.starts[s + 1]] for s in segments]))

    def row_length(self, row: int) -> int:
        """How many features a row has."""
        segments = self.segments[row]
        return int((self.starts[segments + 1] - self.starts[segments]).sum())

    def nonzeros(self) -> int:
        """How many entries the rows would have if no segment were shared."""
        lengths = np.diff(self.starts)
        return sum(int(lengths[column].sum()) for column in self.segments.T)

    def bytes(self) -> int:
        """What the arrays take."""
        return sum(array.nbytes for array in self)
