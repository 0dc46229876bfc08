"""Histograms of nodes: for each feature the sum of y w over the node's examples that have it.

Only the smaller child of a split is summed; the larger is what is left of the parent. A small node lists the features
it touches, so that nothing but those is swept or cleared.
"""

from __future__ import annotations

import mmap
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from gpuparse.features.matrix import Matrix
from gpuparse.learn.postings import Postings
from gpuparse.learn.sample import Sample
from gpuparse.learn.team import Team

BLOCK = 256  # features that share a bound
SPARSE = 8  # a node lists its features if its segments hold fewer ids than 1/8 of the features
HEAD = 1 << 16  # frequent features: a second-level cache holds their sums, and no bound would rule them out
WORTH_PULLING = 0.5  # the part of the matrix a sample must hold before its rare features are summed by postings
BOUNDLESS = 2**31 - 1
LARGE_PAGE = 1 << 21
PIECES = 16  # of the postings, when threads share them: they don't all take the same time
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


class Histogram(NamedTuple):
    """Sums by feature, and the list of features that may be non-zero, or None for all."""

    sums: np.ndarray
    listed: np.ndarray | None


class Histograms:
    """Makes and takes back the histograms of one label's nodes."""

    def __init__(self, matrix: Matrix, postings: Postings, kernels: Any, team: Team) -> None:
        self._features, self._postings, self._kernels, self._team = matrix.features, postings, kernels, team
        self.n_features = len(matrix.column)
        blocks = -(-self.n_features // BLOCK)
        self._most, self._least = np.zeros(blocks, np.int32), np.zeros(blocks, np.int32)
        self._reach = self.n_features
        self._packed = [zeros_in_large_pages(self.n_features, np.int64)]
        self._free: list[np.ndarray] = []
        self._sums = np.zeros(0, np.int64)
        self._touched = np.zeros(0, np.int32)

    def root(self, sample: Sample) -> Histogram:
        """The histogram of all of a sample; also sets the bounds that every node of its tree will use."""
        self._reach = self.n_features
        touched, ids = self._accumulate(sample, np.arange(len(sample.kept), dtype=np.int32))
        head = min(HEAD, self.n_features)
        pulls = ids > len(self._features) * WORTH_PULLING
        shares = self._shares(touched, ids)
        self._packed += [zeros_in_large_pages(self.n_features, np.int64) for _ in shares[len(self._packed) :]]
        targets = [self._take() for _ in shares]
        around = (self._sums, sample.begins, sample.ends, self._features, head, head if pulls else self.n_features)
        self._team.each(
            self._kernels.add_root,
            [
                (share, *around, target, packed)
                for share, target, packed in zip(shares, targets, self._packed, strict=False)
            ],
        )
        self._merge(targets, head)
        self._bound(sample, -(-head // BLOCK), len(shares), pulls, targets[0])
        self._sums[: len(sample.begins)] = 0
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
        self, sample: Sample, smaller: np.ndarray, parent: Histogram, wanted: bool, rest: bool
    ) -> Histogram | None:
        """Move the smaller child's part out of its parent's histogram, which becomes the larger child's.

        Returns the smaller child's histogram if it is wanted; without `rest` the parent's may be left as it is.
        """
        touched, ids = self._accumulate(sample, smaller)
        around = (sample.begins, sample.ends, self._features, self._reach)
        if not wanted:
            self._add(sample, touched, ids, parent.sums, -1)
            return None
        sums = self._take()
        if ids * SPARSE < self.n_features:
            listed = np.empty(ids, np.int32)
            count = self._kernels.move_listed(touched, self._sums, *around, parent.sums, sums, listed)
            return Histogram(sums, listed[:count])
        self._add(sample, touched, ids, sums, 1)
        if rest:
            self._move(sums, parent.sums, self._reach, -1)
        return Histogram(sums, None)

    def extremes(self, histogram: Histogram, low: int, high: int) -> tuple[int, int, int, int]:
        """(feature, sum) of the least sum <= low and of the greatest >= high; feature -1 where there is none."""
        if histogram.listed is not None:
            return self._kernels.extremes_listed(histogram.sums, histogram.listed, low, high)
        sums, blocks = histogram.sums[: self._reach], -(-self._reach // BLOCK)
        return self._kernels.extremes(sums, BLOCK, self._most[:blocks], self._least[:blocks], low, high)

    def release(self, histogram: Histogram) -> None:
        """Take a histogram back, zeroed for the next."""
        if histogram.listed is None:
            histogram.sums[: self._reach] = 0
        else:
            self._kernels.clear_listed(histogram.sums, histogram.listed)
        self._free.append(histogram.sums)

    def _take(self) -> np.ndarray:
        return self._free.pop() if self._free else zeros_in_large_pages(self.n_features, np.int32)

    def _accumulate(self, sample: Sample, members: np.ndarray) -> tuple[np.ndarray, int]:
        if len(self._sums) < len(sample.begins):
            self._sums = np.zeros(len(sample.begins), np.int64)
            self._touched = np.empty(len(sample.begins), np.int32)
        count = self._kernels.accumulate(sample.local, members, sample.packed, self._sums, self._touched)
        touched = self._touched[:count]
        return touched, self._kernels.ids_of(touched, sample.begins, sample.ends)

    def _shares(self, touched: np.ndarray, ids: int) -> list[np.ndarray]:
        """The touched segments dealt out to the threads; long and short ones come mixed, so as many to each will do."""
        parts = min(self._team.threads, 1 + ids // WORTH_SHARING)
        cuts = [len(touched) * p // parts for p in range(parts + 1)]
        return [touched[a:b] for a, b in pairwise(cuts)]

    def _add(self, sample: Sample, touched: np.ndarray, ids: int, sums: np.ndarray, sign: int) -> None:
        """Add the node's part to the sums, or take it away."""
        shares = self._shares(touched, ids)
        targets = [sums, *(self._take() for _ in shares[1:])]
        around = (self._sums, sample.begins, sample.ends, self._features, self._reach, sign)
        arguments = [(share, *around, target) for share, target in zip(shares, targets, strict=True)]
        self._team.each(self._kernels.add_signed, arguments)
        self._merge(targets, self._reach)

    def _merge(self, targets: list[np.ndarray], reach: int) -> None:
        """Add what the other threads summed to the first."""
        for other in targets[1:]:
            self._move(other, targets[0], reach, 1)
            other[:reach] = 0
            self._free.append(other)

    def _move(self, source: np.ndarray, target: np.ndarray, reach: int, sign: int) -> None:
        self._team.share(lambda a, b: self._kernels.move_all(source, target, a, b, sign), reach, WORTH_MOVING)

    def _bound(self, sample: Sample, first: int, shares: int, pulls: bool, histogram: np.ndarray) -> None:
        """Bounds of every block, and the root's sums of the rare features, in blocks from `first` on."""
        self._most[:first], self._least[:first] = BOUNDLESS, -BOUNDLESS
        if first == len(self._most):
            return
        if pulls:
            self._pull(sample, first, histogram)
        else:
            rare = len(self._most) - first
            self._team.share(lambda a, b: self._settle(first + a, first + b, shares, histogram), rare)

    def _pull(self, sample: Sample, first: int, histogram: np.ndarray) -> None:
        """The rest of the root's histogram, blocks from `first` on, in pieces of as many postings."""
        begins, blocks = self._postings.begins, len(self._most)
        edges = begins[np.minimum(np.arange(first, blocks + 1) * BLOCK, self.n_features)]
        parts = PIECES if self._team.threads > 1 else 1
        shares = [edges[0] + (edges[-1] - edges[0]) * p // parts for p in range(1, parts)]
        cuts = [first, *(first + np.searchsorted(edges, shares)), blocks]
        around = (BLOCK, histogram, self._most, self._least)
        sums = self._sums[sample.number]
        arguments = [(*self._postings, sums, a, b, *around) for a, b in pairwise(cuts)]
        self._team.each(self._kernels.pull, arguments)

    def _settle(self, first: int, last: int, shares: int, histogram: np.ndarray) -> None:
        packed = self._packed[0]
        start, stop = first * BLOCK, min(last * BLOCK, self.n_features)
        for other in self._packed[1:shares]:
            self._kernels.move_all(other, packed, start, stop, 1)
            other[start:stop] = 0
        self._kernels.settle(packed, first, last, BLOCK, histogram, self._most, self._least)
