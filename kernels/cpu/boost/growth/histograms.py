"""Histograms of nodes: for each feature the sum of y w over the node's examples that have it.

Only the smaller child of a split is summed; the larger is what is left of the parent. Features are numbered by
frequency, and every histogram of a tree is laid out like this:

    feature    0                 frequent                  reach        n_features
               |                 |                         |            |
    sums       | s s s s s s s s | s s s s s s s s s s s s | 0 0 0 0 0 0|    int32, one per feature
               |                 |                         |            |
    most       |    boundless    |  +9   |  +4   |  +6   | ...          |    int32, one per block of features
    least      |   -boundless    |  -3   |  -7   |   0   | ...          |

                 frequent          rare                      light

- Frequent features are summed in a second-level cache; no bound would rule them out.
- Rare features come in blocks. `most` and `least` are bounds of the sums that a block can have in any node of the tree:
  its greatest positive weight at the root, and minus its greatest negative one. To know both, the root sums its rare
  features packed (kernels/packing.py) before it settles them into signed sums.
- Light features have so little weight that no node can be split by them; once that is known, nobody looks at them.

A small node has a support besides: a list of the features that may be non-zero, so that only those are searched and
cleared. Sums that nobody uses are all zero and wait for the next node.
"""

from __future__ import annotations

import mmap
import threading
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from gpuparse.jit import kernel

from .extremes import extremes, sparse_extremes
from .sample import SampleRows
from .sum import Bounds, Touched, accumulate, add_root, add_signed, count_ids, move_sparse, pull, settle
from .tuning import Tuning

BOUNDLESS = 2**31 - 1
LARGE_PAGE = 1 << 21  # bytes


def zeros_in_large_pages(length: int, dtype: type) -> np.ndarray:
    """Zeros, in 2 MB pages where the system grants them: scattered sums over megabytes spend their time on page tables.

    >>> zeros_in_large_pages(3, np.int32)
    array([0, 0, 0], dtype=int32)
    """
    memory = mmap.mmap(-1, (length * np.dtype(dtype).itemsize // LARGE_PAGE + 1) * LARGE_PAGE)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, dtype, length)


@kernel
def clear(histogram, support):
    """Zero the features of the support."""
    for f in support:
        histogram[f] = 0


@kernel
def add(source, target, start, stop, sign):
    """target += sign * source over the features start <= f < stop."""
    terms, sums = source[start:stop], target[start:stop]
    for f in range(terms.size):
        sums[f] += sign * terms[f]


class Histogram(NamedTuple):
    """Sums by feature, and the features that may be non-zero, or None for all."""

    sums: np.ndarray  # int32[n_features]
    support: np.ndarray | None  # int32


class Histograms:
    """Makes and takes back the histograms of one task's nodes."""

    dtype: type = np.int32

    def __init__(self, matrix: Any, postings: Any, team: Any, tuning: Tuning) -> None:
        self._features, self._postings, self._team, self._tuning = matrix.features, postings, team, tuning
        self.n_features = len(matrix.column)
        blocks = -(-self.n_features // tuning.block)
        self._bounds = Bounds(tuning.block, np.zeros(blocks, np.int32), np.zeros(blocks, np.int32))
        self._reach = self.n_features
        self._packed: list[np.ndarray] = []  # of each thread, for the root
        self._free: list[np.ndarray] = []
        self._scratch = threading.local()

    def root(self, sample: SampleRows) -> Histogram:
        """The histogram of all of a sample; also sets the bounds that every node of its tree will use."""
        self._reach = self.n_features
        touched = self._accumulate(sample, np.arange(len(sample.packed), dtype=np.int32))
        ids = count_ids(touched)
        frequent = min(self._tuning.frequent, self.n_features)
        pulls = ids > len(self._features) * self._tuning.pull_share
        threads = self._worth(ids)
        self._packed += [zeros_in_large_pages(self.n_features, np.int64) for _ in range(threads - len(self._packed))]
        targets = [self._take() for _ in range(threads)]
        reach = frequent if pulls else self.n_features
        self._deal(
            lambda some, to: add_root(some, self._features, frequent, reach, *to),
            touched,
            [*zip(targets, self._packed, strict=False)],
        )
        self._merge(targets, frequent)
        first = -(-frequent // self._tuning.block)
        self._bounds.most[:first], self._bounds.least[:first] = BOUNDLESS, -BOUNDLESS
        if pulls:
            self._pull(touched.sums[sample.number], first, targets[0])
        else:
            rare = len(self._bounds.most) - first
            self._team.share(lambda a, b: self._settle(first + a, first + b, threads, targets[0]), rare)
        touched.sums[: len(sample.begins)] = 0
        return Histogram(targets[0], None)

    def limit(self, root: Histogram, least_weight: float, last_met: int) -> None:
        """Forget the light features: beyond `last_met`, the last in a compound met before, with neither more positive
        nor more negative weight than least_weight in all of the sample.

        Features are numbered by frequency, so most of the light ones lie beyond the last heavy one.
        """
        heavy = np.flatnonzero(np.maximum(self._bounds.most, -self._bounds.least) > least_weight)
        reach = (int(heavy[-1]) + 1) * self._tuning.block if len(heavy) else 0
        self._reach = min(max(reach, last_met + 1), self.n_features)
        root.sums[self._reach :] = 0

    def split(
        self, sample: SampleRows, smaller: np.ndarray, parent: Histogram, keep: bool, rest: bool, alone: bool
    ) -> Histogram | None:
        """Move the smaller child's part out of its parent's histogram, which becomes the larger child's.

        Returns the smaller child's histogram if it is to be kept; without `rest` the parent's may be left as it is.
        `alone`: by the calling thread, while others split other nodes; otherwise the team shares the work.
        """
        touched = self._accumulate(sample, smaller)
        ids = count_ids(touched)
        threads = 1 if alone else self._worth(ids)
        if not keep:
            self._add(touched, threads, parent.sums, -1)
            return None
        child = self._take()
        if self._is_sparse(ids):
            support = np.empty(ids, np.int32)
            count = move_sparse(touched, self._features, self._reach, parent.sums, child, support)
            return Histogram(child, support[:count])
        self._add(touched, threads, child, 1)
        if rest and alone:
            add(child, parent.sums, 0, self._reach, -1)
        elif rest:
            self._move(child, parent.sums, self._reach, -1)
        return Histogram(child, None)

    def extremes(self, histogram: Histogram, low: int, high: int) -> tuple[int, int, int, int]:
        """(feature, sum) of the least sum <= low and of the greatest >= high; feature -1 where there is none."""
        if histogram.support is not None:
            return sparse_extremes(histogram.sums, histogram.support, low, high)
        block = self._tuning.block
        sums, blocks = histogram.sums[: self._reach], -(-self._reach // block)
        return extremes(sums, block, self._bounds.most[:blocks], self._bounds.least[:blocks], low, high)

    def release(self, histogram: Histogram) -> None:
        """Take a histogram back, zeroed for the next."""
        if histogram.support is None:
            histogram.sums[: self._reach] = 0
        else:
            clear(histogram.sums, histogram.support)
        self._free.append(histogram.sums)

    def _is_sparse(self, ids: int) -> bool:
        """Whether a node's segments hold so few ids that it is better to list its features."""
        return ids * self._tuning.sparse < self.n_features

    def _take(self) -> np.ndarray:
        try:
            return self._free.pop()
        except IndexError:
            return zeros_in_large_pages(self.n_features, self.dtype)

    def _accumulate(self, sample: SampleRows, members: np.ndarray) -> Touched:
        """The segments of the members, and the sums of packed weights by segment, in room that this thread keeps."""
        room = getattr(self._scratch, "room", None)
        if room is None or len(room[0]) < len(sample.begins):
            room = np.zeros(len(sample.begins), np.int64), np.empty(len(sample.begins), np.int32)
            self._scratch.room = room
        sums, segments = room
        count = accumulate(sample.local, members, sample.packed, sums, segments)
        return Touched(segments[:count], sums, sample.begins, sample.ends)

    def _worth(self, ids: int) -> int:
        """How many threads so many ids are worth: one, or all, so that each has a target."""
        return self._team.threads if ids >= self._tuning.ids_to_share else 1

    def _deal(self, call: Callable[[Touched, Any], object], touched: Touched, targets: list[Any]) -> None:
        """call(segments, target) for pieces of the touched segments, as many in parallel as there are targets.

        Whoever is free takes the next piece, and a target that nobody is adding to.
        """
        if len(targets) == 1:
            call(touched, targets[0])
            return
        free = list(targets)
        segments = touched.segments

        def piece(first: int, last: int) -> None:
            target = free.pop()
            call(touched._replace(segments=segments[first:last]), target)
            free.append(target)

        pieces = self._tuning.pieces
        self._team.each(piece, pairwise(len(segments) * p // pieces for p in range(pieces + 1)))

    def _add_piece(self, touched: Touched, sign: int, target: np.ndarray) -> None:
        add_signed(touched, self._features, self._reach, sign, target)

    def _add(self, touched: Touched, threads: int, target: np.ndarray, sign: int) -> None:
        """Add a node's sums by segment to a histogram, or take them away."""
        targets = [target, *(self._take() for _ in range(threads - 1))]
        self._deal(lambda some, to: self._add_piece(some, sign, to), touched, targets)
        self._merge(targets, self._reach)
        clear(touched.sums, touched.segments)

    def _merge(self, targets: list[np.ndarray], reach: int) -> None:
        """Add what the other threads summed to the first."""
        for other in targets[1:]:
            self._move(other, targets[0], reach, 1)
            other[:reach] = 0
            self._free.append(other)

    def _move(self, source: np.ndarray, target: np.ndarray, reach: int, sign: int) -> None:
        self._team.share(lambda a, b: add(source, target, a, b, sign), reach, self._tuning.sums_to_move)

    def _pull(self, sums: np.ndarray, first: int, histogram: np.ndarray) -> None:
        """The rest of the root's histogram, blocks from `first` on, in pieces of about as many postings each."""
        begins, blocks, block = self._postings.begins, len(self._bounds.most), self._tuning.block
        edges = begins[np.minimum(np.arange(first, blocks + 1) * block, self.n_features)]
        pieces = self._tuning.pieces if self._team.threads > 1 else 1
        shares = [edges[0] + (edges[-1] - edges[0]) * p // pieces for p in range(1, pieces)]
        cuts = [first, *(first + np.searchsorted(edges, shares)), blocks]
        self._team.each(pull, [(self._postings, sums, a, b, histogram, self._bounds) for a, b in pairwise(cuts)])

    def _settle(self, first: int, last: int, shares: int, histogram: np.ndarray) -> None:
        packed, block = self._packed[0], self._tuning.block
        start, stop = first * block, min(last * block, self.n_features)
        for other in self._packed[1:shares]:
            add(other, packed, start, stop, 1)
            other[start:stop] = 0
        settle(packed, first, last, histogram, self._bounds)
