"""Histograms of nodes: for each feature the sum of y w over the node's examples that have it.

Only the smaller child of a split is summed; the larger is what is left of the parent. Features are numbered by
frequency, and every histogram of a tree is laid out like this:

    feature    0                 head                      reach        n_features
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
from .sum import accumulate, add_root, add_signed, count_ids, move_sparse, pull, settle
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
    """Makes and takes back the histograms of one label's nodes."""

    def __init__(self, matrix: Any, postings: Any, team: Any, tuning: Tuning) -> None:
        self._features, self._postings, self._team, self._tuning = matrix.features, postings, team, tuning
        self.n_features = len(matrix.column)
        blocks = -(-self.n_features // tuning.block)
        self._most, self._least = np.zeros(blocks, np.int32), np.zeros(blocks, np.int32)
        self._reach = self.n_features
        self._packed = [zeros_in_large_pages(self.n_features, np.int64)]
        self._free: list[np.ndarray] = []
        self._scratch = threading.local()

    def root(self, sample: SampleRows) -> Histogram:
        """The histogram of all of a sample; also sets the bounds that every node of its tree will use."""
        self._reach = self.n_features
        touched, sums = self._accumulate(sample, np.arange(len(sample.packed), dtype=np.int32))
        ids = count_ids(touched, sample.begins, sample.ends)
        head = min(self._tuning.head, self.n_features)
        pulls = ids > len(self._features) * self._tuning.pull_share
        threads = self._worth(ids)
        self._packed += [zeros_in_large_pages(self.n_features, np.int64) for _ in range(threads - len(self._packed))]
        targets = [self._take() for _ in range(threads)]
        around = (sums, sample.begins, sample.ends, self._features, head, head if pulls else self.n_features)
        self._deal(lambda some, to: add_root(some, *around, *to), touched, [*zip(targets, self._packed, strict=False)])
        self._merge(targets, head)
        first = -(-head // self._tuning.block)
        self._most[:first], self._least[:first] = BOUNDLESS, -BOUNDLESS
        if pulls:
            self._pull(sums[sample.number], first, targets[0])
        else:
            rare = len(self._most) - first
            self._team.share(lambda a, b: self._settle(first + a, first + b, threads, targets[0]), rare)
        sums[: len(sample.begins)] = 0
        return Histogram(targets[0], None)

    def limit(self, root: Histogram, least_weight: float, known: int) -> None:
        """Forget the light features: beyond `known`, the last in a compound met before, with neither more positive nor
        more negative weight than least_weight in all of the sample.

        Features are numbered by frequency, so most of the light ones lie beyond the last heavy one.
        """
        heavy = np.flatnonzero(np.maximum(self._most, -self._least) > least_weight)
        reach = (int(heavy[-1]) + 1) * self._tuning.block if len(heavy) else 0
        self._reach = min(max(reach, known + 1), self.n_features)
        root.sums[self._reach :] = 0

    def split(
        self, sample: SampleRows, smaller: np.ndarray, parent: Histogram, keep: bool, rest: bool, alone: bool
    ) -> Histogram | None:
        """Move the smaller child's part out of its parent's histogram, which becomes the larger child's.

        Returns the smaller child's histogram if it is to be kept; without `rest` the parent's may be left as it is.
        `alone`: by the calling thread, while others split other nodes; otherwise the team shares the work.
        """
        touched, sums = self._accumulate(sample, smaller)
        ids = count_ids(touched, sample.begins, sample.ends)
        threads = 1 if alone else self._worth(ids)
        if not keep:
            self._add(sample, touched, sums, threads, parent.sums, -1)
            return None
        child = self._take()
        if ids * self._tuning.sparse < self.n_features:
            support = np.empty(ids, np.int32)
            around = (sample.begins, sample.ends, self._features, self._reach)
            count = move_sparse(touched, sums, *around, parent.sums, child, support)
            return Histogram(child, support[:count])
        self._add(sample, touched, sums, threads, child, 1)
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
        return extremes(sums, block, self._most[:blocks], self._least[:blocks], low, high)

    def release(self, histogram: Histogram) -> None:
        """Take a histogram back, zeroed for the next."""
        if histogram.support is None:
            histogram.sums[: self._reach] = 0
        else:
            clear(histogram.sums, histogram.support)
        self._free.append(histogram.sums)

    def _take(self) -> np.ndarray:
        try:
            return self._free.pop()
        except IndexError:
            return zeros_in_large_pages(self.n_features, np.int32)

    def _accumulate(self, sample: SampleRows, members: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The segments of the members, and the sums of packed weights by segment, in room that this thread keeps."""
        room = getattr(self._scratch, "room", None)
        if room is None or len(room[0]) < len(sample.begins):
            room = np.zeros(len(sample.begins), np.int64), np.empty(len(sample.begins), np.int32)
            self._scratch.room = room
        sums, touched = room
        return touched[: accumulate(sample.local, members, sample.packed, sums, touched)], sums

    def _worth(self, ids: int) -> int:
        """How many threads so many ids are worth: one, or all, so that each has a target."""
        return self._team.threads if ids >= self._tuning.ids_to_share else 1

    def _deal(self, call: Callable[[np.ndarray, Any], object], touched: np.ndarray, targets: list[Any]) -> None:
        """call(segments, target) for pieces of the touched segments, as many in parallel as there are targets.

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

        pieces = self._tuning.pieces
        self._team.each(piece, pairwise(len(touched) * p // pieces for p in range(pieces + 1)))

    def _add(
        self, sample: SampleRows, touched: np.ndarray, sums: np.ndarray, threads: int, target: np.ndarray, sign: int
    ) -> None:
        """Add a node's sums by segment to a histogram, or take them away."""
        targets = [target, *(self._take() for _ in range(threads - 1))]
        around = (sums, sample.begins, sample.ends, self._features, self._reach, sign)
        self._deal(lambda some, to: add_signed(some, *around, to), touched, targets)
        self._merge(targets, self._reach)
        clear(sums, touched)

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
        begins, blocks, block = self._postings.begins, len(self._most), self._tuning.block
        edges = begins[np.minimum(np.arange(first, blocks + 1) * block, self.n_features)]
        parts = self._tuning.pieces if self._team.threads > 1 else 1
        shares = [edges[0] + (edges[-1] - edges[0]) * p // parts for p in range(1, parts)]
        cuts = [first, *(first + np.searchsorted(edges, shares)), blocks]
        around = (block, histogram, self._most, self._least)
        self._team.each(pull, [(*self._postings, sums, a, b, *around) for a, b in pairwise(cuts)])

    def _settle(self, first: int, last: int, shares: int, histogram: np.ndarray) -> None:
        packed, block = self._packed[0], self._tuning.block
        start, stop = first * block, min(last * block, self.n_features)
        for other in self._packed[1:shares]:
            add(other, packed, start, stop, 1)
            other[start:stop] = 0
        settle(packed, first, last, block, histogram, self._most, self._least)
