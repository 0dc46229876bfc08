"""Leaves: which examples end in them, and how far to move each leaf's parameter (a line search on all examples).

The state of an example is its odds, exp(margin): its weight is importance / (1 + odds), and a step of the score only
multiplies the odds, so a line search needs no exponentials.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gpuparse.boost.fixed_point import scale_for
from gpuparse.boost.matrix import Matrix
from gpuparse.boost.options import Options
from gpuparse.boost.passes import Pass, passes
from gpuparse.boost.postings import Postings
from gpuparse.boost.task import Task
from gpuparse.boost.team import Team
from gpuparse.boost.tree import GrownTree

STRETCH = 1 << 14  # examples before a second thread pays for being called
LONGEST = 4.0  # a Newton step no longer than this
NEAR = 1e-3  # after a Newton step s the error is below s^2, since the third derivative never exceeds the second
FARTHEST = 64.0  # no parameter moves further in one tree
ROUNDS = 200
LEFT_OUT = -1.0  # the factor of a group that slopes need not look at


class Movers(NamedTuple):
    """The examples of the leaves that may move, by group: of each leaf the positive, then the negative."""

    leaves: np.ndarray  # int: the moving leaves
    member: np.ndarray  # int32: the examples, on the device as all that follows
    importance: np.ndarray
    odds: np.ndarray
    begin: np.ndarray  # int64[cells]: a cell is a stretch of one group
    end: np.ndarray
    group: np.ndarray  # int32[cells]: 2 * index into leaves, + 1 for the negative


class Leaves:
    """The leaf sums of one label; the arrays of its examples and of the matrix are on the device."""

    def __init__(
        self, examples: Task, matrix: Matrix, postings: Postings, options: Options, kernels: Any, team: Team,
        total_importance: float, largest_importance: float,
    ) -> None:  # fmt: skip
        self._examples, self._postings, self._options = examples, postings, options
        self._kernels, self._team = kernels, team
        self._segments = kernels.arrays.take(matrix.segments, examples.rows, axis=0)
        self._words = kernels.arrays.zeros(len(matrix.starts) - 1, np.uint64)
        self._leaf = kernels.arrays.empty(len(examples.rows), np.int32)
        self._room = [kernels.arrays.empty(0, dtype) for dtype in (np.int32, np.float64, np.float64)]  # for movers
        self._total_importance, self._largest_importance = total_importance, largest_importance
        self._scale = scale_for(total_importance, largest_importance)

    def percolate(self, tree: GrownTree) -> np.ndarray:
        """The leaf of every example, until the next tree."""
        leaf = self._leaf
        leaf[:] = 0
        for one in passes(tree):
            self._send_down(tree.feature, one, leaf)
        return leaf

    def _send_down(self, feature: np.ndarray, one: Pass, leaf: np.ndarray) -> None:
        """Every example from where it is to where it comes out of a pass."""
        kernels = self._kernels
        feature, closed, below, exits = map(kernels.to_device, (feature, *one))
        marks = (feature, closed, *self._postings, self._words)
        kernels.mark(*marks)
        given = (self._segments, self._words, below, exits, leaf)
        self._team.share(lambda a, b: kernels.percolate(a, b, *given), len(leaf), 1024)
        kernels.unmark(*marks)

    def sums(self, leaf: np.ndarray, odds: np.ndarray, nodes: int) -> tuple[np.ndarray, np.ndarray]:
        """For each node the sum of y w over its examples, and per share how many are positive and negative."""
        shares, arrays = self._shares(), self._kernels.arrays
        totals, counts = arrays.zeros((len(shares), nodes), np.int64), arrays.zeros((len(shares), nodes, 2), np.int64)
        y, importance = self._examples.signs, self._examples.importance
        self._team.each(
            self._kernels.leaf_sums,
            [(leaf, y, importance, odds, self._scale, *share, totals[s], counts[s]) for s, share in enumerate(shares)],
        )
        return self._kernels.to_host(totals).sum(axis=0) / self._scale, self._kernels.to_host(counts)

    def movers(self, leaf: np.ndarray, odds: np.ndarray, counts: np.ndarray, leaves: np.ndarray) -> Movers:
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
        given, place = (leaf, self._examples.signs, self._examples.importance, odds), kernels.to_device(place)
        self._team.each(
            kernels.collect, [(*given, *share, place[s], *gathered) for s, share in enumerate(self._shares())]
        )
        return Movers(leaves, *gathered, *map(kernels.to_device, _cells(ends - sizes, ends, kernels.CELL)))

    def steps(self, movers: Movers, theta: np.ndarray, lambda_: float) -> np.ndarray:
        """For each moving leaf the change of its parameter that minimises the risk over its examples, to 1e-6."""
        if self._options.penalty == "l1":
            return self._l1_steps(movers, theta, lambda_)
        everywhere, start = np.ones(len(theta), bool), np.zeros(len(theta))
        low, high = np.full(len(theta), -FARTHEST), np.full(len(theta), FARTHEST)
        there = self.slopes(movers, start, everywhere)
        return self._solve(movers, start, there, 2.0 * lambda_ * theta, 2.0 * lambda_, low, high, everywhere)

    def move(self, movers: Movers, steps: np.ndarray) -> float:
        """Step the gathered examples' odds; returns the change of the loss."""
        kernels, step = self._kernels, _by_group(steps)
        longest = max(
            1.0, float(np.abs(step).max(initial=0.0))
        )  # no loss changes by more than the importance times this
        scale = scale_for(self._total_importance * longest, self._largest_importance * longest)
        shares = self._team.shares(len(movers.begin), 4)
        change = kernels.arrays.zeros((len(shares), 1), np.int64)
        given = (
            movers.begin,
            movers.end,
            movers.group,
            kernels.to_device(step),
            kernels.to_device(np.exp(step)),
            scale,
        )
        self._team.each(
            kernels.losses,
            [(*given, *share, movers.importance, movers.odds, change[s]) for s, share in enumerate(shares)],
        )
        return float(kernels.to_host(change).sum()) / scale

    def put_back(self, movers: Movers, odds: np.ndarray) -> None:
        """Make the step of the gathered examples count."""
        self._kernels.put_back(movers.member, movers.odds, odds)

    def slopes(self, movers: Movers, steps: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """First and second derivative of each wanted leaf's loss after the given steps; 0 for the others."""
        kernels, factor = self._kernels, np.where(np.repeat(wanted, 2), np.exp(_by_group(steps)), LEFT_OUT)
        shares = self._team.shares(len(movers.begin), 4)
        sums = kernels.arrays.zeros((len(shares), 2, len(factor)), np.int64)
        given = (movers.begin, movers.end, movers.group, kernels.to_device(factor), self._scale)
        self._team.each(
            kernels.slopes,
            [
                (*given, *share, movers.importance, movers.odds, sums[s, 0], sums[s, 1])
                for s, share in enumerate(shares)
            ],
        )
        weight, curvature = kernels.to_host(sums).sum(axis=0).reshape(2, -1, 2)
        return (weight[:, 1] - weight[:, 0]) / self._scale, curvature.sum(axis=1) / self._scale

    def _l1_steps(self, movers: Movers, theta: np.ndarray, lambda_: float) -> np.ndarray:
        """|theta + step| has a kink where the parameter is zero: stay there, or search on the side that goes down."""
        slope, curvature = self.slopes(movers, -theta, np.ones(len(theta), bool))
        side = np.where(slope < -lambda_, 1.0, np.where(slope > lambda_, -1.0, 0.0))
        low = np.where(side > 0, -theta, -theta - FARTHEST)
        high = np.where(side < 0, -theta, -theta + FARTHEST)
        moving, stays = side != 0, side * theta > 0  # on its side: the search starts where the parameter is
        start = np.where(stays, 0.0, -theta)
        if stays.any():
            slope, curvature = np.where(stays, self.slopes(movers, start, stays), (slope, curvature))
        steps = self._solve(movers, start, (slope, curvature), lambda_ * side, 0.0, low, high, moving)
        return np.where(moving, steps, -theta)

    def _solve(
        self, movers: Movers, start: np.ndarray, there: tuple[np.ndarray, np.ndarray], constant: np.ndarray,
        growth: float, low: np.ndarray, high: np.ndarray, moving: np.ndarray,
    ) -> np.ndarray:  # fmt: skip
        """The root of slope(step) + constant + growth * step for each leaf: Newton inside a shrinking bracket.

        `there` are the derivatives of the loss at the start.
        """
        step, open_ = start.copy(), moving.copy()
        slope, curvature = there
        for _ in range(ROUNDS):
            slope = slope + (constant + growth * step)
            low, high = np.where(slope < 0, step, low), np.where(slope > 0, step, high)
            with np.errstate(divide="ignore", invalid="ignore"):
                newton = np.where(slope == 0, 0.0, -slope / (curvature + growth))
            usable = np.abs(newton) <= LONGEST
            new = np.where(usable, step + newton, step - np.copysign(LONGEST, slope))
            outside = (new < low) | (new > high)
            new = np.where(outside, (low + high) / 2, new)
            done = (usable & ~outside & (np.abs(newton) <= NEAR)) | (high - low <= NEAR * NEAR)
            step = np.where(open_, new, step)
            open_ &= ~done
            if not open_.any():
                break
            slope, curvature = self.slopes(movers, step, open_)
        return step

    def _shares(self) -> list[tuple[int, int]]:
        """The examples dealt out to the threads."""
        return self._team.shares(len(self._examples.rows), STRETCH)


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
