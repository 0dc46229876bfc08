"""Leaves: which examples end in them, and how far to move each leaf's parameter (a line search on all examples)."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from gpuparse.boost.fixed_point import Magnitude, scale_for
from gpuparse.boost.loss import Loss
from gpuparse.boost.penalty import PenaltyRule
from gpuparse.boost.task import Task
from gpuparse.boost.team import Team
from gpuparse.kernels import Cells, Examples, Members

STRETCH = 1 << 14  # examples before a second thread pays for being called
CELLS_TO_SHARE = 4  # the same, in cells
LEFT_OUT = -1.0  # the factor of a side whose slopes are not asked for


class Movers(NamedTuple):
    """The examples of the leaves that may move, by side: of each leaf the positive ones, then the negative."""

    leaves: np.ndarray  # int: the moving leaves
    members: Members
    cells: Cells  # of the leaves by their places in `leaves`


class Leaves:
    """The leaf sums of one task; the arrays of its examples are on the device."""

    def __init__(
        self, task: Task, importance: Magnitude, loss: Loss, penalty: PenaltyRule, kernels: Any, team: Team
    ) -> None:
        self._task, self._loss, self._penalty = task, loss, penalty
        self._kernels, self._operations, self._team = kernels, loss.operations(kernels), team
        self._importance, self._scale = importance, scale_for(loss.weights(importance))
        self._room = Members(*(kernels.arrays.empty(0, dtype) for dtype in (np.int32, np.float64, np.float64)))

    def sums(self, leaf: np.ndarray, state: np.ndarray, nodes: int) -> tuple[np.ndarray, np.ndarray]:
        """For each node the sum of y w over its examples, and per share how many are positive and negative."""
        shares, arrays, examples = self._shares(), self._kernels.arrays, self._examples(state)
        totals, counts = arrays.zeros((len(shares), nodes), np.int64), arrays.zeros((len(shares), nodes, 2), np.int64)
        self._team.each(
            self._operations.leaf_sums,
            [(leaf, examples, self._scale, *share, totals[s], counts[s]) for s, share in enumerate(shares)],
        )
        return self._kernels.to_host(totals).sum(axis=0) / self._scale, self._kernels.to_host(counts)

    def movers(self, leaf: np.ndarray, state: np.ndarray, counts: np.ndarray, leaves: np.ndarray) -> Movers:
        """The examples of some leaves (ascending), gathered, until the next tree."""
        sizes = counts[:, leaves].sum(axis=0).reshape(-1)  # of each leaf the positive, then the negative
        ends = np.cumsum(sizes)
        before = np.cumsum(counts[:, leaves], axis=0) - counts[:, leaves]  # in earlier shares
        place = np.full(counts.shape, -1, np.int64)
        place[:, leaves] = before + (ends - sizes).reshape(-1, 2)
        kernels, total = self._kernels, int(ends[-1]) if len(ends) else 0
        if total > len(self._room.example):
            self._room = Members(*(kernels.arrays.empty(total, room.dtype) for room in self._room))
        members = Members(*(room[:total] for room in self._room))
        examples, place = self._examples(state), kernels.to_device(place)
        self._team.each(
            kernels.collect, [(leaf, examples, *share, place[s], members) for s, share in enumerate(self._shares())]
        )
        return Movers(leaves, members, Cells(*map(kernels.to_device, _cells(ends - sizes, ends, kernels.CELL))))

    def steps(self, movers: Movers, theta: np.ndarray, lambda_: float) -> np.ndarray:
        """For each moving leaf the change of its parameter that minimises the risk over its examples, to 1e-6."""
        line = self._loss.line(partial(self.slopes, movers), len(movers.leaves))
        return self._penalty.steps(line, self._loss.minimise, theta, lambda_)

    def move(self, movers: Movers, steps: np.ndarray) -> float:
        """Step the states of the gathered examples; returns the change of the loss."""
        kernels, step = self._kernels, _by_side(steps)
        scale = scale_for(self._loss.changes(self._importance, float(np.abs(step).max(initial=0.0))))
        shares = self._cell_shares(movers.cells)
        change = kernels.arrays.zeros((len(shares), 1), np.int64)
        step, factor = kernels.to_device(step), kernels.to_device(self._loss.factor(step))
        self._team.each(
            self._operations.move,
            [(cells, step, factor, scale, movers.members, change[s]) for s, cells in enumerate(shares)],
        )
        return float(kernels.to_host(change).sum()) / scale

    def put_back(self, movers: Movers, state: np.ndarray) -> None:
        """Make the step of the gathered examples count."""
        self._kernels.put_back(movers.members, state)

    def slopes(self, movers: Movers, steps: np.ndarray, moving: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """First and second derivative of the loss of each leaf of the mask after these steps; 0 for the others."""
        kernels = self._kernels
        factor = np.where(np.repeat(moving, 2), self._loss.factor(_by_side(steps)), LEFT_OUT)
        shares = self._cell_shares(movers.cells)
        sums = kernels.arrays.zeros((len(shares), 2, len(factor)), np.int64)
        factor = kernels.to_device(factor)
        self._team.each(
            self._operations.slopes,
            [(cells, factor, self._scale, movers.members, sums[s]) for s, cells in enumerate(shares)],
        )
        weight, curvature = kernels.to_host(sums).sum(axis=0).reshape(2, -1, 2)
        return (weight[:, 1] - weight[:, 0]) / self._scale, curvature.sum(axis=1) / self._scale

    def _examples(self, state: np.ndarray) -> Examples:
        return Examples(self._task.signs, self._task.importance, state)

    def _cell_shares(self, cells: Cells) -> list[Cells]:
        """The cells dealt out to the threads."""
        shares = self._team.shares(len(cells.side), CELLS_TO_SHARE)
        return [Cells(*(array[start:stop] for array in cells)) for start, stop in shares]

    def _shares(self) -> list[tuple[int, int]]:
        """The examples dealt out to the threads."""
        return self._team.shares(len(self._task.rows), STRETCH)


def _by_side(steps: np.ndarray) -> np.ndarray:
    """The change of the margin of each side: the step where y is +1, minus the step where it is -1."""
    return np.stack([steps, -steps], axis=1).reshape(-1)


def _cells(begins: np.ndarray, ends: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cut each side into cells of at most this length."""
    pieces = -(-(ends - begins) // length)
    side = np.repeat(np.arange(len(begins)), pieces)
    piece = np.arange(len(side)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    begin = begins[side] + piece * length
    return begin, np.minimum(begin + length, ends[side]), side.astype(np.int32)
