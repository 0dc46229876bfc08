"""The sparse binary matrix that is learned from, as the product X = R S of two binary sparse matrices.

    R   rows x segments      the same number K of entries in every row, so that its row pointers need not be stored
    S   segments x features  in CSR: `starts` are its row pointers, `features` its column indices

A row is the union of its K segments, and rows that agree in a column share its segment, so S may be many times
smaller than X. A plain CSR matrix is the case K = 1. This is what a device holds: R as a table of segment numbers, S in
CSR, and S transposed (see postings.py).

Inside, features are numbered by frequency, the most frequent 0; `numbers` leads back to the caller's feature ids, which
are all that ensembles speak of.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from gpuparse.dtypes import COLUMN, FEATURE, OFFSET, SEGMENT
from gpuparse.errors import MatrixError
from gpuparse.jit import kernel

_SORTED_AT_ONCE = 2**14  # features: their keys fit in the processor's cache
_EMPTY = 255  # stands for the column of a segment without features


class Csr(NamedTuple):
    """A plain sparse binary matrix: row r has the features indices[indptr[r]:indptr[r + 1]]."""

    indptr: np.ndarray  # int64[rows + 1]
    indices: np.ndarray  # FEATURE, ascending within a row
    shape: tuple[int, int]


class Matrix(NamedTuple):
    """Rows, segments and features.

    >>> matrix = Matrix.from_csr((np.array([0, 2, 3]), np.array([7, 4, 7]), 10))
    >>> matrix.numbers.tolist(), matrix.row(0).tolist(), matrix.to_csr().indices.tolist()
    ([7, 4], [0, 1], [4, 7, 7])
    """

    segments: np.ndarray  # SEGMENT[rows, K]: row r is the union of these segments; segment 0 is always the empty one
    starts: np.ndarray  # OFFSET[n_segments + 1]: segment s holds features[starts[s]:starts[s + 1]]
    features: np.ndarray  # FEATURE: ascending within a segment
    column: np.ndarray  # COLUMN[n_features]: in which of the K columns a feature lives
    numbers: np.ndarray  # FEATURE[n_features]: the caller's id of each feature

    @classmethod
    def from_csr(cls, table: Any) -> Matrix:
        """From SciPy's or CuPy's CSR matrix or array, a Csr, or three things: in SciPy's order (data, indices,
        indptr), or since all data must be 1 (indptr, indices, number of features).

        >>> Matrix.from_csr((np.ones(3), np.array([7, 4, 7]), np.array([0, 2, 3]))).to_csr().shape
        (2, 8)
        """
        indptr, indices, n_features = _components(table)
        _check_pointers(indptr, indices.size, "indptr")
        if n_features > np.iinfo(FEATURE).max or len(indptr) > np.iinfo(SEGMENT).max:
            raise MatrixError("there may be 2^31 - 2 rows and 2^31 - 1 features, at most")
        _check_features(indices, n_features)
        n_rows = len(indptr) - 1
        segments = np.arange(1, n_rows + 1, dtype=SEGMENT).reshape(-1, 1)
        starts = np.concatenate([[0], indptr]).astype(OFFSET)
        return cls.from_segments(segments, starts, indices.astype(FEATURE), np.zeros(n_features, COLUMN))

    @classmethod
    def from_segments(
        cls, segments: np.ndarray, starts: np.ndarray, features: np.ndarray, column: np.ndarray, threads: int = 1
    ) -> Matrix:
        """From R, the pointers and indices of S, and the column of each of the caller's features.

        Every segment in column k of R may hold features of column k alone. The array `features` is taken over, where it
        is of the type FEATURE: its ids are replaced in place.

        >>> segments, starts = np.array([[1, 2], [1, 0]], np.int32), np.array([0, 0, 1, 3])
        >>> matrix = Matrix.from_segments(segments, starts, np.array([5, 3, 4], np.int32), np.array([0, 0, 0, 1, 0, 0]))
        Traceback (most recent call last):
            ...
        gpuparse.errors.MatrixError: a segment holds features of two columns, 0 and 1
        """
        _check_pointers(starts, len(features), "starts")
        if starts[1:2].any() or len(starts) < 2:
            raise MatrixError("segment 0 must be the empty one")
        if column.ndim != 1 or column.dtype.kind not in "iu":
            raise MatrixError(f"columns of features must be integers along one axis, not {_kind(column)}")
        _check_features(features, len(column))
        if segments.ndim != 2 or segments.dtype.kind not in "iu":
            raise MatrixError(f"segments of rows must be integers along two axes, not {_kind(segments)}")
        if not 1 <= segments.shape[1] < _EMPTY:
            raise MatrixError(f"rows have from 1 to {_EMPTY - 1} segments, all as many")
        if len(column) and (column.min() < 0 or column.max() >= segments.shape[1]):
            raise MatrixError(f"the column of a feature is outside 0 .. {segments.shape[1] - 1}")
        if segments.size and (segments.min() < 0 or segments.max() >= len(starts) - 1):
            raise MatrixError(f"a row has a segment outside 0 .. {len(starts) - 2}")
        segments, starts = segments.astype(SEGMENT, copy=False), starts.astype(OFFSET, copy=False)
        features = np.require(features, FEATURE, "W")
        counts = np.zeros(len(column), np.int64)
        _count(features, counts)
        numbers = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)].astype(FEATURE)
        rank = np.empty(len(column), FEATURE)
        rank[numbers] = np.arange(len(numbers), dtype=FEATURE)
        cuts = [(len(starts) - 1) * thread // threads for thread in range(threads + 1)]
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda cut: _renumber(features, starts, rank, *cut), pairwise(cuts)))
        matrix = cls(segments, starts, features, column[numbers].astype(COLUMN), numbers)
        matrix._check_segments()
        return matrix

    def _check_segments(self) -> None:
        """That no segment holds a feature twice, or features of two columns, or stands in another column."""
        of_segment = np.empty(len(self.starts) - 1, COLUMN)
        twice, mixed, misplaced = _find_flaw(*self[:4], of_segment)
        if twice >= 0:
            raise MatrixError(f"a segment, or row, holds the feature {self.numbers[twice]} twice")
        if mixed >= 0:
            held = self.column[self.features[self.starts[mixed] : self.starts[mixed + 1]]]
            raise MatrixError(f"a segment holds features of two columns, {held.min()} and {held.max()}")
        if misplaced >= 0:
            raise MatrixError(f"row {misplaced} has a segment in a column that is not its features'")

    def to_csr(self) -> Csr:
        """The plain matrix, in the caller's feature ids, up to the last that occurs. No segment is shared there, so it
        may be much larger.
        """
        lengths = np.diff(self.starts)[self.segments]
        indptr = np.concatenate([[0], np.cumsum(lengths.sum(axis=1))])
        indices = np.empty(int(indptr[-1]), FEATURE)
        for row in range(len(self.segments)):
            indices[indptr[row] : indptr[row + 1]] = np.sort(self.numbers[self.row(row)])
        return Csr(indptr, indices, (len(self.segments), int(self.numbers.max(initial=-1)) + 1))

    def row(self, row: int) -> np.ndarray:
        """The features of a row, ascending, by their inner numbers."""
        segments = self.segments[row]
        return np.sort(np.concatenate([self.features[self.starts[s] : self.starts[s + 1]] for s in segments]))

    def row_length(self, row: int) -> int:
        """How many features a row has."""
        segments = self.segments[row]
        return int((self.starts[segments + 1] - self.starts[segments]).sum())

    def rank(self, features: np.ndarray) -> np.ndarray:
        """The inner number of each of the caller's features, -1 where no row has it.

        >>> Matrix.from_csr((np.array([0, 2, 3]), np.array([7, 4, 7]), 10)).rank(np.array([4, 5, 7])).tolist()
        [1, -1, 0]
        """
        if len(self.numbers) == 0:
            return np.full(len(features), -1, FEATURE)
        order = np.argsort(self.numbers)
        place = np.minimum(np.searchsorted(self.numbers, features, sorter=order), len(order) - 1)
        rank = order[place].astype(FEATURE)
        return np.where(self.numbers[rank] == features, rank, -1).astype(FEATURE)

    def only(self, rows: np.ndarray) -> tuple[Matrix, np.ndarray]:
        """The matrix of these rows alone, without the segments and features that they lack, and the features it has.

        Features keep their order.

        >>> matrix = Matrix.from_csr((np.array([0, 2, 3, 4]), np.array([7, 4, 7, 1]), 10))
        >>> excerpt, features = matrix.only(np.array([1, 2]))
        >>> excerpt.numbers.tolist(), matrix.numbers.tolist(), features.tolist()
        ([7, 1], [7, 1, 4], [0, 1])
        """
        used, local = np.unique(np.append(0, self.segments[rows].ravel()), return_inverse=True)
        lengths = np.diff(self.starts)[used]
        places = np.repeat(self.starts[used] - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())
        held, features = np.unique(self.features[places], return_inverse=True)
        excerpt = Matrix(
            segments=local[1:].reshape(len(rows), -1).astype(SEGMENT),
            starts=np.concatenate([[0], np.cumsum(lengths)]).astype(OFFSET),
            features=features.astype(FEATURE),
            column=self.column[held],
            numbers=self.numbers[held],
        )
        return excerpt, held

    def nonzeros(self) -> int:
        """How many entries the rows would have if no segment were shared."""
        lengths = np.diff(self.starts)
        return sum(int(lengths[column].sum()) for column in self.segments.T)

    def bytes(self) -> int:
        """What the arrays take."""
        return sum(array.nbytes for array in self)


def _components(table: Any) -> tuple[np.ndarray, np.ndarray, int]:
    """The pointers, the indices and the number of features of a CSR matrix, wherever it is."""
    data: Any = None
    n_features: Any = None
    if isinstance(table, tuple) and not isinstance(table, Csr):
        if len(table) != 3:
            raise MatrixError(f"a CSR matrix is made of three things, not {len(table)}")
        if np.ndim(_at_hand(table[2])) == 1:
            data, indices, indptr = map(_at_hand, table)
        else:
            indptr, indices, n_features = map(_at_hand, table)
    elif getattr(table, "format", "csr") != "csr" or not hasattr(table, "indptr") or not hasattr(table, "indices"):
        kind = getattr(table, "format", type(table).__name__)
        raise MatrixError(f"the matrix is of the kind {kind}, not CSR: convert it, for example by tocsr()")
    else:
        indptr, indices, data = (_at_hand(getattr(table, name, None)) for name in ("indptr", "indices", "data"))
        n_rows, n_features = getattr(table, "shape", (np.size(indptr) - 1, None))
        if n_rows != np.size(indptr) - 1:
            raise MatrixError(f"the matrix has {n_rows} rows by its shape, and {np.size(indptr) - 1} by its indptr")
    indptr, indices = np.asarray(indptr), np.asarray(indices)
    if data is not None and (np.shape(data) != indices.shape or not (np.asarray(data) == 1).all()):
        raise MatrixError("the matrix is binary: every entry that is stored must be 1, and each index has one")
    if n_features is None:
        n_features = indices.max(initial=-1) + 1 if indices.dtype.kind in "iu" else 0
    if np.ndim(n_features) or int(n_features) != n_features or n_features < 0:
        raise MatrixError(f"the number of features must be a whole number, not {n_features}")
    return indptr, indices, int(n_features)


def _at_hand(array: Any) -> Any:
    """An array of the host; CuPy's are copied from their device."""
    return array.get() if hasattr(array, "get") else array


def _kind(array: np.ndarray) -> str:
    return f"{array.dtype} along {array.ndim}"


def _check_features(features: np.ndarray, n_features: int) -> None:
    if features.ndim != 1 or (len(features) and features.dtype.kind not in "iu"):
        raise MatrixError(f"feature ids must be integers along one axis, not {_kind(features)}")
    if len(features) and (features.min() < 0 or features.max() >= n_features):
        raise MatrixError(f"a feature is outside 0 .. {n_features - 1}")


def _check_pointers(pointers: np.ndarray, end: int, name: str) -> None:
    if pointers.ndim != 1 or len(pointers) == 0 or pointers.dtype.kind not in "iu":
        raise MatrixError(f"{name} must be integers along one axis, at least one of them")
    if pointers[0] != 0 or pointers[-1] != end:
        raise MatrixError(f"{name} must begin with 0 and end with the number of entries, {end}")
    if (pointers[1:] < pointers[:-1]).any():
        raise MatrixError(f"{name} must never fall")


@kernel
def _count(features: np.ndarray, counts: np.ndarray) -> None:
    """Add to `counts` how many segments have each feature."""
    for feature in features:
        counts[feature] += 1


@kernel
def _find_flaw(
    segments: np.ndarray, starts: np.ndarray, features: np.ndarray, column: np.ndarray, of_segment: np.ndarray
) -> tuple[int, int, int]:
    """(a feature that a segment holds twice, a segment of two columns, a row with a segment in a wrong column), or -1.

    Fills `of_segment` with the column of each segment.
    """
    for segment in range(len(of_segment)):
        of_segment[segment] = _EMPTY
        for at in range(starts[segment], starts[segment + 1]):
            if at > starts[segment] and features[at] == features[at - 1]:
                return features[at], -1, -1
            if at > starts[segment] and column[features[at]] != of_segment[segment]:
                return -1, segment, -1
            of_segment[segment] = column[features[at]]
    for row in range(segments.shape[0]):
        for place in range(segments.shape[1]):
            held = of_segment[segments[row, place]]
            if held not in (place, _EMPTY):
                return -1, -1, row
    return -1, -1, -1


def _renumber(features: np.ndarray, starts: np.ndarray, rank: np.ndarray, first: int, end: int) -> None:
    """Replace every feature of the segments from `first` to before `end` by its rank, and put each segment in order.

    Many segments are sorted at once, by (segment, rank) in one number: numpy has vector instructions for that.

    >>> features, rank = np.array([2, 0, 1, 0], np.int32), np.array([0, 2, 1], np.int32)
    >>> _renumber(features, np.array([0, 1, 4]), rank, 0, 2)
    >>> features.tolist()
    [1, 0, 0, 2]
    """
    while first < end:
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + _SORTED_AT_ONCE, side="right")) - 1)
        last = min(last, end)
        stretch = features[starts[first] : starts[last]]
        segment = np.repeat(np.arange(last - first), np.diff(starts[first : last + 1]))
        keys = segment << 32 | rank[stretch]
        keys.sort()
        stretch[:] = keys & 0xFFFFFFFF
        first = last
