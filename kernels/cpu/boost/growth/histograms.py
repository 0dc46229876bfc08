"""Histograms of nodes: for each feature the sum of y w over the node's examples that have it.

Only the smaller child of a split is summed; the larger is what is left of the parent. A small node lists the features
it touches, so that nothing but those is swept or cleared.
"""

from __future__ import annotations

import mmap
import threading
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .accumulate import accumulate
from .add_root import add_root
from .add_signed import add_signed
from .clear_listed import clear_listed
from .extremes import extremes
from .extremes_listed import extremes_listed
from .ids_of import ids_of
from .move_all import move_all
from .move_listed import move_listed
from .pull import pull
from .settle import settle

BLOCK = 256  # features that share a bound
SPARSE = 8  # a node lists its features if its segments hold fewer ids than 1/8 of the features
HEAD = 1 << 16  # frequent features: a second-level cache holds their sums, and no bound would rule them out
WORTH_PULLING = 0.5  # the part of the matrix a sample must hold before its rare features are summed by postings
BOUNDLESS = 2**31 - 1
LARGE_PAGE = 1 << 21
PIECES = 16  # of what threads share: they don't all take the same time, nor are all threads as fast
WORTH_MOVING = 1 << 19  # sums to add one by one before a second thread pays for being called
WORTH_SHARING = 1 << 17  # ids in a histogram before a second thread pays for merging


def zeros_in_large_pages(length: int, dtype: type) -> np.ndarray:
    """Zeros, in 2 MB pages where the system grants them: scattered sums over megabytes spend their time on page tables.

    >>> zeros_in_large_pages(3, np.int32)
    array([0, 0, 0], dtype=int32)
    """
    memory = mmap.mmap(-1, (length * np.dtype(dtype).itemsize // LARGE_PAGE + 1) * LARGE_PAGE)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, dtype, length)


class Sample(NamedTuple):
    """The rows a tree grows on, with their segments numbered anew."""

    local: np.ndarray  # int32[n, K]: the rows' segments, by number in the sample; 0 is the empty one
    begins: np.ndarray  # int64[segments]: where a segment's features begin in the matrix
    ends: np.ndarray  # int64[segments]
    number: np.ndarray  # int32[segments of the matrix]: a segment's number in the sample, 0 if it is not there
    packed: np.ndarray  # int64[n]: positive weight in the upper half, negative in the lower


class Histogram(NamedTuple):
    """Sums by feature, and the list of features that may be non-zero, or None for all."""

    sums: np.ndarray
    listed: np.ndarray | None


class Histograms:
    """Makes and takes back the histograms of one label's nodes."""

    def __init__(self, matrix: Any, postings: Any, team: Any) -> None:
        self._features, self._postings, self._team = matrix.features, postings, team
        self.n_features = len(matrix.column)
        blocks = -(-self.n_features // BLOCK)
        self._most, self._least = np.zeros(blocks, np.int32), np.zeros(blocks, np.int32)
        self._reach = self.n_features
        self._packed = [zeros_in_large_pages(self.n_features, np.int64)]
        self._free: list[np.ndarray] = []
        self._scratch = threading.local()

    def root(self, sample: Sample) -> Histogram:
        """The histogram of all of a sample; also sets the bounds that every node of its tree will use."""
        self._reach = self.n_features
        touched, sums = self._accumulate(sample, np.arange(len(sample.packed), dtype=np.int32))
        ids = ids_of(touched, sample.begins, sample.ends)
        head = min(HEAD, self.n_features)
        pulls = ids > len(self._features) * WORTH_PULLING
        threads = self._worth(ids)
        self._packed += [zeros_in_large_pages(self.n_features, np.int64) for _ in range(threads - len(self._packed))]
        targets = [self._take() for _ in range(threads)]
        around = (sums, sample.begins, sample.ends, self._features, head, head if pulls else self.n_features)
        self._deal(lambda some, to: add_root(some, *around, *to), touched, [*zip(targets, self._packed, strict=False)])
        self._merge(targets, head)
        first = -(-head // BLOCK)
        self._most[:first], self._least[:first] = BOUNDLESS, -BOUNDLESS
        if pulls:
            self._pull(sums[sample.number], first, targets[0])
        else:
            rare = len(self._most) - first
            self._team.share(lambda a, b: self._settle(first + a, first + b, threads, targets[0]), rare)
        sums[: len(sample.begins)] = 0
        return Histogram(targets[0], None)

    def limit(self, root: Histogram, least_weight: float, known: int) -> None:
        """Forget the features that no node of the tree can be split by: beyond `known`, the last in a compound met
        before, with neither more positive nor more negative weight than least_weight in all of the sample.

        Features are numbered by frequency, so most of the light ones lie beyond the last heavy one.
        """
        heavy = np.flatnonzero(np.maximum(self._most, -self._least) > least_weight)
        reach = (int(heavy[-1]) + 1) * BLOCK if len(heavy) else 0
        self._reach = min(max(reach, known + 1), self.n_features)
        root.sums[self._reach :] = 0

    def split(
        self, sample: Sample, smaller: np.ndarray, parent: Histogram, wanted: bool, rest: bool, alone: bool
    ) -> Histogram | None:
        """Move the smaller child's part out of its parent's histogram, which becomes the larger child's.

        Returns the smaller child's histogram if it is wanted; without `rest` the parent's may be left as it is.
        `alone`: by the thread that calls, while others split other nodes; else the team shares the work.
        """
        touched, sums = self._accumulate(sample, smaller)
        ids = ids_of(touched, sample.begins, sample.ends)
        threads = 1 if alone else self._worth(ids)
        if not wanted:
            self._add(sample, touched, sums, threads, parent.sums, -1)
            return None
        child = self._take()
        if ids * SPARSE < self.n_features:
            listed = np.empty(ids, np.int32)
            around = (sample.begins, sample.ends, self._features, self._reach)
            count = move_listed(touched, sums, *around, parent.sums, child, listed)
            return Histogram(child, listed[:count])
        self._add(sample, touched, sums, threads, child, 1)
        if rest and alone:
            move_all(child, parent.sums, 0, self._reach, -1)
        elif rest:
            self._move(child, parent.sums, self._reach, -1)
        return Histogram(child, None)

    def extremes(self, histogram: Histogram, low: int, high: int) -> tuple[int, int, int, int]:
        """(feature, sum) of the least sum <= low and of the greatest >= high; feature -1 where there is none."""
        if histogram.listed is not None:
            return extremes_listed(histogram.sums, histogram.listed, low, high)
        sums, blocks = histogram.sums[: self._reach], -(-self._reach // BLOCK)
        return extremes(sums, BLOCK, self._most[:blocks], self._least[:blocks], low, high)

    def release(self, histogram: Histogram) -> None:
        """Take a histogram back, zeroed for the next."""
        if histogram.listed is None:
            histogram.sums[: self._reach] = 0
        else:
            clear_listed(histogram.sums, histogram.listed)
        self._free.append(histogram.sums)

    def _take(self) -> np.ndarray:
        try:
            return self._free.pop()
        except IndexError:
            return zeros_in_large_pages(self.n_features, np.int32)

    def _accumulate(self, sample: Sample, members: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The segments of the members, and the sums of packed weights by segment, in room that this thread keeps."""
        sums, touched = getattr(self._scratch, "room", (None, None))
        if sums is None or len(sums) < len(sample.begins):
            sums, touched = np.zeros(len(sample.begins), np.int64), np.empty(len(sample.begins), np.int32)
            self._scratch.room = sums, touched
        return touched[: accumulate(sample.local, members, sample.packed, sums, touched)], sums

    def _worth(self, ids: int) -> int:
        """How many threads so many ids are worth: one, or all, so that nobody is without a target."""
        return self._team.threads if ids >= WORTH_SHARING else 1

    def _deal(self, call: Callable[[np.ndarray, Any], object], touched: np.ndarray, targets: list[Any]) -> None:
        """call(segments, target) for pieces of the touched segments, as many side by side as there are targets.

        Whoever is free takes the next piece, and a target that nobody is adding to.
        """
        if len(targets) == 1:
            call(touched, targets[0])
            return
        free = list(targets)

        def piece(first: int, last: int) -> None:
            target = free.pop()
            call(touched[first:last], target)
            free.append(target)

        self._team.each(piece, pairwise(len(touched) * p // PIECES for p in range(PIECES + 1)))

    def _add(
        self, sample: Sample, touched: np.ndarray, sums: np.ndarray, threads: int, target: np.ndarray, sign: int
    ) -> None:
        """Add a node's sums by segment to a histogram, or take them away."""
        targets = [target, *(self._take() for _ in range(threads - 1))]
        around = (sums, sample.begins, sample.ends, self._features, self._reach, sign)
        self._deal(lambda some, to: add_signed(some, *around, to), touched, targets)
        self._merge(targets, self._reach)
        clear_listed(sums, touched)

    def _merge(self, targets: list[np.ndarray], reach: int) -> None:
        """Add what the other threads summed to the first."""
        for other in targets[1:]:
            self._move(other, targets[0], reach, 1)
            other[:reach] = 0
            self._free.append(other)

    def _move(self, source: np.ndarray, target: np.ndarray, reach: int, sign: int) -> None:
        self._team.share(lambda a, b: move_all(source, target, a, b, sign), reach, WORTH_MOVING)

    def _pull(self, sums: np.ndarray, first: int, histogram: np.ndarray) -> None:
        """The rest of the root's histogram, blocks from `first` on, in pieces of as many postings."""
        begins, blocks = self._postings.begins, len(self._most)
        edges = begins[np.minimum(np.arange(first, blocks + 1) * BLOCK, self.n_features)]
        parts = PIECES if self._team.threads > 1 else 1
        shares = [edges[0] + (edges[-1] - edges[0]) * p // parts for p in range(1, parts)]
        cuts = [first, *(first + np.searchsorted(edges, shares)), blocks]
        around = (BLOCK, histogram, self._most, self._least)
        self._team.each(pull, [(*self._postings, sums, a, b, *around) for a, b in pairwise(cuts)])

    def _settle(self, first: int, last: int, shares: int, histogram: np.ndarray) -> None:
        packed = self._packed[0]
        start, stop = first * BLOCK, min(last * BLOCK, self.n_features)
        for other in self._packed[1:shares]:
            move_all(other, packed, start, stop, 1)
            other[start:stop] = 0
        settle(packed, first, last, BLOCK, histogram, self._most, self._least)
