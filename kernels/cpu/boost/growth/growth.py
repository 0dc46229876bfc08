"""The nodes of a tree that grows on a sample, wave after wave: the rows in each, and its histogram.

The grower decides what to split; it asks about many nodes at once, so that a device need not be asked about each.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....contract import Children
from ....packing import difference
from .both_sums import PackedHistograms
from .divide import Room, partition
from .histograms import Histogram, Histograms
from .sample import SampleRows, gather
from .tuning import Tuning

USUAL_TUNING = Tuning()


class Growth:
    """Grows one tree after the other over a matrix; node 0 is the root, children are numbered as they come.

    >>> from gpuparse.boost.matrix import Matrix
    >>> from gpuparse.kernels import cpu
    >>> from gpuparse.kernels.packing import as_positive, negative, positive
    >>> from gpuparse.boost.postings import Postings
    >>> from gpuparse.boost.team import Team
    >>> segments, starts = np.array([[1], [2], [0]], np.int32), np.array([0, 0, 2, 3])
    >>> column, numbers = np.zeros(2, np.uint8), np.arange(2)
    >>> matrix = Matrix(segments, starts, np.array([0, 1, 0], np.int32), column, numbers)
    >>> growth = Growth(matrix, Postings.of(matrix, cpu), Team(1))
    >>> growth.plant(np.array([0, 1, 2], np.int32), np.array([as_positive(3), 5, 7]))
    >>> growth.extremes([0], [0], [0], [], []).tolist()  # feature 0 sums to 3 - 5, feature 1 to 3
    [[0, -2, 1, 3]]
    >>> children = growth.split([0], [0])
    >>> children.first, int(positive(children.weight[0])), int(negative(children.weight[0]))
    (1, 3, 5)
    """

    _sample: SampleRows  # of the tree that grows

    def __init__(
        self, matrix: Any, postings: Any, team: Any, both: bool = False, tuning: Tuning = USUAL_TUNING
    ) -> None:
        self._matrix, self._postings, self._team, self._tuning = matrix, postings, team, tuning
        self._both = both
        self._histograms = (PackedHistograms if both else Histograms)(matrix, postings, team, tuning)
        self._number = np.zeros(len(matrix.starts) - 1, np.int32)
        self._used = np.zeros(0, np.int32)
        self._rows: np.ndarray | None = None
        self._scratch = threading.local()

    def plant(self, rows: np.ndarray, packed: np.ndarray) -> None:
        """Begin a tree on these rows of the matrix with these packed weights: its root, and the root's histogram."""
        if rows is self._rows:  # all examples are sampled each time, and their segments have their numbers
            self._sample = self._sample._replace(packed=packed)
        else:
            self._sample = self._gather(rows, packed)
        self._members = np.arange(len(rows), dtype=np.int32)
        self._bounds = [(0, len(rows))]  # of each node, a stretch of the members
        self._open: dict[int, Histogram] = {0: self._histograms.root(self._sample)}

    def limit(self, least_weight: float, last_met: int) -> None:
        """Forget the features beyond `last_met` that have neither more positive nor more negative weight than this."""
        self._histograms.limit(self._open[0], least_weight, last_met)

    def entries(self, nodes: Sequence[int], features: Sequence[int]) -> np.ndarray:
        """The sum in nodes[i]'s histogram at features[i]."""
        sums = np.array([self._open[n].sums[f] for n, f in zip(nodes, features, strict=True)], np.int64)
        return difference(sums) if self._both else sums

    def extremes(
        self,
        nodes: Sequence[int],
        low: Sequence[int],
        high: Sequence[int],
        aside_nodes: Sequence[int],
        aside: Sequence[int],
    ) -> np.ndarray:
        """For each node: the feature of the least sum <= low, that sum, the feature of the greatest >= high, its sum.

        Feature -1 where there is none; ties go to the lowest. Features set aside for a node count as 0 there.
        """
        saved = [(self._open[node].sums, feature) for node, feature in zip(aside_nodes, aside, strict=True)]
        values = [sums[feature] for sums, feature in saved]
        for sums, feature in saved:
            sums[feature] = 0
        bounds = zip(nodes, low, high, strict=True)
        results = [self._histograms.extremes(self._open[node], *between) for node, *between in bounds]
        for (sums, feature), value in zip(saved, values, strict=True):
            sums[feature] = value
        return np.array(results, np.int64).reshape(-1, 4)

    def purest(self, nodes: Sequence[int], packed: Sequence[int]) -> np.ndarray:
        """For each node of this packed weight: the feature of its purest split, and the packed weight of the child with
        it; feature -1 where there is none.
        """
        assert isinstance(self._histograms, PackedHistograms), "these histograms keep no more than differences"
        totals = zip(nodes, packed, strict=True)
        best = [self._histograms.purest(self._open[node], total) for node, total in totals]
        return np.array(best, np.int64).reshape(-1, 2)

    def split(self, nodes: Sequence[int], features: Sequence[int]) -> Children:
        """Divide the rows of each node by its feature."""
        first = len(self._bounds)
        weight = np.zeros(len(nodes), np.int64)
        middle = [0] * len(nodes)

        def divide(i: int) -> None:
            start, stop = self._bounds[nodes[i]]
            count, weight[i] = self._divide(self._members[start:stop], features[i])
            middle[i] = start + count

        order = sorted(range(len(nodes)), key=lambda i: -self._size(nodes[i]))
        self._each(divide, [(i,) for i in order], sum(map(self._size, nodes)) >= self._tuning.rows_to_divide)
        for node, between in zip(nodes, middle, strict=True):
            start, stop = self._bounds[node]
            self._bounds += [(start, between), (between, stop)]
        return Children(first, weight)

    def descend(self, nodes: Sequence[int], first: int, splittable: Sequence[bool]) -> None:
        """Make the histograms of the splittable children out of those of the nodes they were split from.

        splittable[2 i] and splittable[2 i + 1] are about the children first + 2 i and first + 2 i + 1 of nodes[i].
        """
        jobs = []
        for i, node in enumerate(nodes):
            yes, no = first + 2 * i, first + 2 * i + 1
            smaller, larger = (yes, no) if self._size(yes) <= self._size(no) else (no, yes)
            jobs.append((node, smaller, larger, splittable[smaller - first], splittable[larger - first]))
        jobs.sort(key=lambda job: -self._size(job[1]))
        sizes = [self._size(job[1]) for job in jobs]
        shared = 0
        while shared < len(jobs) and self._is_shared(sizes[shared], sum(sizes[shared + 1 :])):
            self._hand_down(*jobs[shared], alone=False)
            shared += 1
        self._each(self._hand_down, jobs[shared:], sum(sizes[shared:]) >= self._tuning.rows_to_sum)

    def release(self, nodes: Sequence[int]) -> None:
        """These nodes will not be split: take back their histograms."""
        for node in nodes:
            self._histograms.release(self._open.pop(node))

    def _hand_down(self, node: int, smaller: int, larger: int, small: bool, large: bool, alone: bool = True) -> None:
        histogram = self._open.pop(node)
        if small or large:
            start, stop = self._bounds[smaller]
            members = self._members[start:stop]
            child = self._histograms.split(self._sample, members, histogram, small, large, alone)
            if child is not None:
                self._open[smaller] = child
        if large:
            self._open[larger] = histogram
        else:
            self._histograms.release(histogram)

    def _divide(self, members: np.ndarray, feature: int) -> tuple[int, int]:
        """Members with the feature first; how many, and their packed weight."""
        column, holders = int(self._matrix.column[feature]), self._postings.holding(feature)
        return partition(members, self._sample, self._matrix.features, feature, column, holders, self._room_of_thread())

    def _room_of_thread(self) -> Room:
        """Room for dividing: as many numbers as there are members, and a False for every segment of the sample."""
        room: Room | None = getattr(self._scratch, "room", None)
        if room is None or len(room.spare) < len(self._members) or len(room.marked) < len(self._sample.begins):
            room = Room(np.empty(len(self._members), np.int32), np.zeros(len(self._sample.begins), bool))
            self._scratch.room = room
        return room

    def _size(self, node: int) -> int:
        start, stop = self._bounds[node]
        return stop - start

    def _is_shared(self, size: int, others: int) -> bool:
        """Whether a child is so large that a thread would still be at it when the others had done all the rest."""
        return size >= self._tuning.large_child and 2 * size * (self._team.threads - 1) >= 3 * others

    def _each(self, call: Callable[..., object], arguments: Sequence[tuple[Any, ...]], worth: bool) -> None:
        """One call for each, by the team where it is worth waking."""
        if worth:
            self._team.each(call, arguments)
        else:
            for values in arguments:
                call(*values)

    def _gather(self, rows: np.ndarray, packed: np.ndarray) -> SampleRows:
        """Number the segments of the rows."""
        segments, starts = self._matrix.segments, self._matrix.starts
        local = np.empty((len(rows), segments.shape[1]), np.int32)
        used = np.empty(local.size + 1, np.int32)
        self._number[self._used] = 0
        count = gather(segments, rows, self._number, local, used)
        self._used = used[:count]
        self._rows = rows
        return SampleRows(local, starts[self._used], starts[self._used + 1], self._number, packed)
