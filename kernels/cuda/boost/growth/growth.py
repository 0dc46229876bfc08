"""The nodes of a tree that grows on a sample, wave after wave: the node of each row, and the nodes' histograms.

Every method is for a whole wave of nodes: a few launches, and at most one small copy back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....contract import Children
from ....packing import difference, negative, positive
from ...memory import arrays, to_device, to_host
from .divide import divide, list_rows
from .extremes import extremes
from .histograms import Slots
from .purest import purest
from .sample import gather
from .sum import sum_nodes, sum_root


class Growth:
    """Grows one tree after the other over a matrix; node 0 is the root, children are numbered as they come."""

    def __init__(self, matrix: Any, postings: Any, team: Any, both: bool = False) -> None:
        self._matrix, self._n_features, self._both = matrix, len(matrix.column), both
        self._slots = Slots(self._n_features, np.int64 if both else np.int32)
        self._sampled: Any = None

    def plant(self, rows: Any, packed: Any) -> None:
        """Begin a tree on these rows of the matrix with these packed weights: its root, and the root's histogram."""
        if rows is not self._sampled:
            self._sampled, self._rows = rows, gather(self._matrix, rows)
        self._packed = packed
        self._node_of = arrays.zeros(len(rows), np.int32)
        self._size = [len(rows)]
        self._root = arrays.zeros(self._n_features, np.int64)
        sum_root(self._rows, packed, self._root)
        self._slots.plant(self._n_features)
        self._slots.sums[: self._n_features] = self._root if self._both else difference(self._root)
        self._open = {0: 0}  # the slot of each node that may be split

    def limit(self, least_weight: float, last_met: int) -> None:
        """Forget the features beyond `last_met` that have neither more positive nor more negative weight than this."""
        heavy = arrays.maximum(positive(self._root), negative(self._root)) > least_weight
        ends = arrays.where(heavy, arrays.arange(1, self._n_features + 1), 0)
        reach = int(to_host(ends.max())) if self._n_features else 0
        self._slots.limit(min(max(reach, last_met + 1), self._n_features))

    def entries(self, nodes: Sequence[int], features: Sequence[int]) -> np.ndarray:
        """The sum in nodes[i]'s histogram at features[i]."""
        at = self._at(nodes) + np.array(features, np.int64)
        sums = to_host(self._slots.sums[to_device(at)])
        return difference(sums) if self._both else sums.astype(np.int64)

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
        slots = self._slots
        bounds = (np.array(low, np.int64), np.array(high, np.int64))
        if not aside:
            return self._extremes(nodes, *bounds)
        at = to_device(self._at(aside_nodes) + np.array(aside, np.int64))
        saved = slots.sums[at]
        slots.sums[at] = 0
        results = self._extremes(nodes, *bounds)
        slots.sums[at] = saved
        return results

    def _extremes(self, nodes: Sequence[int], low: np.ndarray, high: np.ndarray) -> np.ndarray:
        slots = self._slots
        sums = difference(slots.sums).astype(np.int32) if self._both else slots.sums
        return extremes(sums, self._at(nodes), slots.reach, low, high)

    def purest(self, nodes: Sequence[int], packed: Sequence[int]) -> np.ndarray:
        """For each node of this packed weight: the feature of its purest split, and the packed weight of the child with
        it; feature -1 where there is none.
        """
        assert self._both, "these histograms keep no more than differences"
        return purest(self._slots.sums, self._at(nodes), np.array(packed, np.int64), self._slots.reach)

    def split(self, nodes: Sequence[int], features: Sequence[int]) -> Children:
        """Divide the rows of each node by its feature."""
        first = len(self._size)
        sums = divide(self._node_of, list(nodes), features, self._rows, self._packed, first)
        for node, having in zip(nodes, sums[:, 1].tolist(), strict=True):
            self._size += [having, self._size[node] - having]
        return Children(first, sums[:, 0].copy())

    def descend(self, nodes: Sequence[int], first: int, splittable: Sequence[bool]) -> None:
        """Make the histograms of the splittable children out of those of the nodes they were split from.

        splittable[2 i] and splittable[2 i + 1] are about the children first + 2 i and first + 2 i + 1 of nodes[i].
        """
        jobs = []  # (smaller child, its slot or -1, the slot of the parent that becomes the larger's or -1)
        for i, node in enumerate(nodes):
            slot, yes, no = self._open.pop(node), first + 2 * i, first + 2 * i + 1
            smaller, larger = (yes, no) if self._size[yes] <= self._size[no] else (no, yes)
            if splittable[larger - first]:
                self._open[larger] = slot
            else:
                self._slots.release(slot)
            if splittable[smaller - first] or splittable[larger - first]:
                jobs.append((smaller, splittable[smaller - first], slot if splittable[larger - first] else -1))
        fresh = iter(self._slots.take(sum(small for _, small, _ in jobs)))
        plus = [next(fresh) if small else -1 for _, small, _ in jobs]
        self._open |= {smaller: slot for (smaller, small, _), slot in zip(jobs, plus, strict=True) if small}
        both = [j for j, (child, small, parent) in enumerate(jobs) if small and parent >= 0 and self._is_large(child)]
        minus = [-1 if j in both else parent for j, (_, _, parent) in enumerate(jobs)]
        self._sum([child for child, _, _ in jobs], plus, minus)
        self._slots.subtract([jobs[j][2] for j in both], [plus[j] for j in both])

    def release(self, nodes: Sequence[int]) -> None:
        """These nodes will not be split: take back their histograms."""
        for node in nodes:
            self._slots.release(self._open.pop(node))

    def _sum(self, nodes: list[int], plus: list[int], minus: list[int]) -> None:
        if not nodes:
            return
        sizes, slots = [self._size[node] for node in nodes], self._slots
        rows = list_rows(self._node_of, nodes, sizes, len(self._size))
        places = (to_device(slots.place(plus)), to_device(slots.place(minus)))
        sum_nodes(rows, *places, self._rows, self._packed, slots.reach, slots.sums)

    def _is_large(self, node: int) -> bool:
        """Whether going through all features once costs less than going through the node's rows."""
        return self._size[node] * len(self._rows.ids) > self._slots.reach * len(self._rows)

    def _at(self, nodes: Sequence[int]) -> np.ndarray:
        """Where the nodes' histograms begin."""
        return self._slots.place([self._open[node] for node in nodes])
