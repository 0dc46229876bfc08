"""Leaves: which examples end in them, and how far to move each leaf's parameter (a line search on all examples)."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from gpuparse.boost.fixed_point import scale_for
from gpuparse.boost.loss import Loss, minimise
from gpuparse.boost.penalty import Penalty
from gpuparse.boost.task import Task
from gpuparse.boost.team import Team

STRETCH = 1 << 14  # examples before a second thread pays for being called


class Movers(NamedTuple):
    """The examples of the leaves that may move, by group: of each leaf the positive, then the negative."""

    leaves: np.ndarray  # int: the moving leaves
    member: np.ndarray  # int32: the examples, on the device as all that follows
    importance: np.ndarray
    state: np.ndarray  # of the loss
    begin: np.ndarray  # int64[cells]: a cell is a stretch of one group
    end: np.ndarray
    group: np.ndarray  # int32[cells]: 2 * index into leaves, + 1 for the negative


class Leaves:
    """The leaf sums of one task; the arrays of its examples are on the device."""

    def __init__(
        self, task: Task, loss: Loss, penalty: Penalty, kernels: Any, team: Team,
        total_importance: float, largest_importance: float,
    ) -> None:  # fmt: skip
        self._task, self._loss, self._penalty = task, loss, penalty
        self._kernels, self._team = kernels, team
        self._room = [kernels.arrays.empty(0, dtype) for dtype in (np.int32, np.float64, np.float64)]  # for movers
        self._total_importance, self._largest_importance = total_importance, largest_importance
        self._scale = scale_for(total_importance, largest_importance)

    def sums(self, leaf: np.ndarray, state: np.ndarray, nodes: int) -> tuple[np.ndarray, np.ndarray]:
        """For each node the sum of y w over its examples, and per share how many are positive and negative."""
        shares, arrays = self._shares(), self._kernels.arrays
        totals, counts = arrays.zeros((len(shares), nodes), np.int64), arrays.zeros((len(shares), nodes, 2), np.int64)
        arrays_of_all = (leaf, self._task.signs, self._task.importance, state, self._scale)
        self._team.each(
            self._loss.leaf_sums(self._kernels),
            [(*arrays_of_all, *share, totals[s], counts[s]) for s, share in enumerate(shares)],
        )
        return self._kernels.to_host(totals).sum(axis=0) / self._scale, self._kernels.to_host(counts)

    def movers(self, leaf: np.ndarray, state: np.ndarray, counts: np.ndarray, leaves: np.ndarray) -> Movers:
        """The examples of the given leaves (ascending), gathered, until the next tree."""
        sizes = counts[:, leaves].sum(axis=0).reshape(-1)  # of each leaf the positive, then the negative
        ends = np.cumsum(sizes)
        before = np.cumsum(counts[:, leaves], axis=0) - counts[:, leaves]  # in earlier shares
        place = np.full(counts.shape, -1, np.int64)
        place[:, leaves] = before + (ends - sizes).reshape(-1, 2)
        kernels, total = self._kernels, int(ends[-1]) if len(ends) else 0
        if total > len(self._room[0]):
            self._room = [kernels.arrays.empty(total, room.dtype) for room in self._room]
        gathered = [room[:total] for room in self._room]
        arrays_of_all, place = (leaf, self._task.signs, self._task.importance, state), kernels.to_device(place)
        self._team.each(
            kernels.collect, [(*arrays_of_all, *share, place[s], *gathered) for s, share in enumerate(self._shares())]
        )
        return Movers(leaves, *gathered, *map(kernels.to_device, _cells(ends - sizes, ends, kernels.CELL)))

    def steps(self, movers: Movers, theta: np.ndarray, lambda_: float) -> np.ndarray:
        """For each moving leaf the change of its parameter that minimises the risk over its examples, to 1e-6."""
        return self._penalty.steps(partial(self.slopes, movers), minimise, theta, lambda_)

    def move(self, movers: Movers, steps: np.ndarray) -> float:
        """Step the states of the gathered examples; returns the change of the loss."""
        kernels, step = self._kernels, _by_group(steps)
        most = self._loss.largest_change(float(np.abs(step).max(initial=0.0)))
        scale = scale_for(self._total_importance * most, self._largest_importance * most)
        shares = self._team.shares(len(movers.begin), 4)
        change = kernels.arrays.zeros((len(shares), 1), np.int64)
        cells = (movers.begin, movers.end, movers.group, *map(kernels.to_device, self._loss.move_arguments(step)))
        self._team.each(
            self._loss.move(kernels),
            [(*cells, scale, *share, movers.importance, movers.state, change[s]) for s, share in enumerate(shares)],
        )
        return float(kernels.to_host(change).sum()) / scale

    def put_back(self, movers: Movers, state: np.ndarray) -> None:
        """Make the step of the gathered examples count."""
        self._kernels.put_back(movers.member, movers.state, state)

    def slopes(self, movers: Movers, steps: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """First and second derivative of each wanted leaf's loss after these steps; 0 for the others."""
        kernels, factor = self._kernels, self._loss.slope_factor(_by_group(steps), np.repeat(wanted, 2))
        shares = self._team.shares(len(movers.begin), 4)
        sums = kernels.arrays.zeros((len(shares), 2, len(factor)), np.int64)
        cells = (movers.begin, movers.end, movers.group, kernels.to_device(factor), self._scale)
        self._team.each(
            self._loss.slopes(kernels),
            [
                (*cells, *share, movers.importance, movers.state, sums[s, 0], sums[s, 1])
                for s, share in enumerate(shares)
            ],
        )
        weight, curvature = kernels.to_host(sums).sum(axis=0).reshape(2, -1, 2)
        return (weight[:, 1] - weight[:, 0]) / self._scale, curvature.sum(axis=1) / self._scale

    def _shares(self) -> list[tuple[int, int]]:
        """The examples dealt out to the threads."""
        return self._team.shares(len(self._task.rows), STRETCH)


def _by_group(steps: np.ndarray) -> np.ndarray:
    """The change of the margin in each group: the step where y is +1, minus the step where it is -1."""
    return np.stack([steps, -steps], axis=1).reshape(-1)


def _cells(begins: np.ndarray, ends: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cut each group into cells of at most this length."""
    pieces = -(-(ends - begins) // length)
    group = np.repeat(np.arange(len(begins)), pieces)
    piece = np.arange(len(group)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    begin = begins[group] + piece * length
    return begin, np.minimum(begin + length, ends[group]), group.astype(np.int32)
