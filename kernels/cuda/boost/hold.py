"""The matrix on the device: all of it, or, where it is larger than the memory, one piece of its ids at a time."""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .. import memory
from ..memory import to_device

LEAST_PIECE = 1 << 26  # bytes: to ask for smaller pieces takes longer than to copy them


class Streamed:
    """Ids that stay on the host; `starts` says where each segment's begin. Pieces of them are copied when needed."""

    def __init__(self, ids: np.ndarray, starts: np.ndarray, piece_bytes: int) -> None:
        self.ids, self.starts = ids, starts
        begins = np.arange(0, len(ids), max(piece_bytes // ids.itemsize, 1))
        cuts = np.searchsorted(starts, begins, side="right") - 1
        self.cuts = np.unique([0, *cuts.tolist(), len(starts) - 1]).tolist()

    def __len__(self) -> int:
        return len(self.ids)

    def list(self, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The lists of these features one after the other, and where each begins and the last ends."""
        lists = [self.ids[self.starts[f] : self.starts[f + 1]] for f in features]
        return np.concatenate([np.empty(0, np.int32), *lists]), np.cumsum([0, *map(len, lists)])


class Piece(NamedTuple):
    """The ids of segments first <= s < last; those of s are at starts[s] - base."""

    first: int
    last: int
    base: int
    ids: Any


def pieces(ids: Any, segments: int) -> Any:
    """The pieces of the ids, one after the other; there is one where all of them are on the device."""
    if not isinstance(ids, Streamed):
        yield Piece(0, segments, 0, ids)
        return
    for first, last in pairwise(ids.cuts):
        base, end = int(ids.starts[first]), int(ids.starts[last])
        yield Piece(first, last, base, to_device(ids.ids[base:end]))


class _Need(NamedTuple):
    """How many bytes a matrix takes."""

    table: int  # for what has to be there all the time
    ids: int  # for the ids and the postings


def _need(matrix: Any) -> _Need:
    segments = len(matrix.starts) - 1
    marks, postings = 8 * segments, 8 * (len(matrix.column) + 1)
    table = matrix.segments.nbytes + matrix.starts.nbytes + matrix.column.nbytes + marks + postings
    return _Need(table, 2 * matrix.features.nbytes)


def _piece_bytes(matrix: Any, working: int) -> int:
    """How large a piece of the ids may be; 0 where all of them fit."""
    need, free = _need(matrix), memory.free_bytes()
    if need.table + need.ids + working <= free:
        return 0
    room = (free - need.table - working) // 2  # for the piece in use, and the one before, which is released later
    if room < min(LEAST_PIECE, matrix.features.nbytes):
        raise MemoryError(
            f"{_size(need.table + working)} have to be in its memory at once, of which {_size(free)} are free"
        )
    return min(room, matrix.features.nbytes)


def plan(matrix: Any, working: int = 0) -> str:
    """How much of the matrix fits, in words; learning needs `working` bytes besides. Copies nothing."""
    need, piece = _need(matrix), _piece_bytes(matrix, working)
    text = f"matrix {_size(need.table + need.ids)}, device {_size(memory.free_bytes())} free"
    if piece == 0:
        return f"{text}: resident"
    return f"{text}: streamed in {len(Streamed(matrix.features, matrix.starts, piece).cuts) - 1} pieces"


def hold(matrix: Any, working: int = 0) -> Any:
    """The matrix on the device, for as long as it is referred to; learning needs `working` bytes besides."""
    piece = _piece_bytes(matrix, working)
    features = Streamed(matrix.features, matrix.starts, piece) if piece else to_device(matrix.features)
    segments, starts, column = (to_device(a) for a in (matrix.segments, matrix.starts, matrix.column))
    return matrix._replace(segments=segments, starts=starts, features=features, column=column)


def _size(amount: int) -> str:
    return f"{amount / 2**30:.1f} GiB" if amount >= 2**30 else f"{amount / 2**20:.1f} MiB"
