"""Leaves: which examples end in them, and how far to move each leaf's parameter (a line search on all examples).

The state of an example is its odds, exp(margin): its weight is bias / (1 + odds), and a step of the score only
multiplies the odds, so a line search needs no exponentials.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gpuparse.features.examples import Examples
from gpuparse.features.matrix import Matrix
from gpuparse.learn.options import Options
from gpuparse.learn.postings import Postings
from gpuparse.learn.team import Team
from gpuparse.learn.tree import GrownTree

STRETCH = 1 << 16  # examples summed in one go; fixed, so that sums do not depend on the number of threads
CELL = 1 << 14
LONGEST = 4.0  # a Newton step no longer than this
NEAR = 1e-3  # after a Newton step s the error is below s^2, since the third derivative never exceeds the second
FARTHEST = 64.0  # no parameter moves further in one tree
ROUNDS = 200


class Movers(NamedTuple):
    """The examples of the leaves that may move, by leaf, the positive before the negative, cut into cells."""

    leaves: np.ndarray  # int: the moving leaves
    member: np.ndarray  # int32: the examples
    bias: np.ndarray
    odds: np.ndarray
    begin: np.ndarray  # int64[cells]
    end: np.ndarray
    slot: np.ndarray  # int64[cells]: index into leaves
    sign: np.ndarray  # float64[cells]: y of the cell's examples


class Leaves:
    """The leaf sums of one label."""

    def __init__(
        self, examples: Examples, matrix: Matrix, postings: Postings, options: Options, kernels: Any, team: Team
    ) -> None:
        self._examples, self._matrix, self._postings, self._options = examples, matrix, postings, options
        self._kernels, self._team = kernels, team
        self._bits = np.zeros(len(matrix.starts) - 1, np.uint64)
        n = len(examples.rows)
        self._stretches = [(a, min(a + STRETCH, n)) for a in range(0, n, STRETCH)]

    def percolate(self, tree: GrownTree) -> np.ndarray:
        """The leaf of every example."""
        leaf = np.empty(len(self._examples.rows), np.int32)
        rows, (segments, starts, features, column) = self._examples.rows, self._matrix
        marks = (tree.feature, _bit_of_nodes(tree), *self._postings, self._bits)
        arrays = (segments, starts, features, column, tree.feature, tree.yes, tree.no, marks[1], self._bits, leaf)
        self._kernels.mark(*marks)
        self._team.share(lambda a, b: self._kernels.percolate(rows, a, b, *arrays), len(leaf), 1024)
        self._kernels.unmark(*marks)
        return leaf

    def sums(self, leaf: np.ndarray, odds: np.ndarray, nodes: int) -> tuple[np.ndarray, np.ndarray]:
        """For each node the sum of y w over its examples, and per stretch how many are positive and negative."""
        totals = np.zeros((len(self._stretches), nodes))
        counts = np.zeros((len(self._stretches), nodes, 2), np.int64)
        y, bias = self._examples.y, self._examples.bias
        self._each_stretch(lambda s, a, b: self._kernels.leaf_sums(leaf, y, bias, odds, a, b, totals[s], counts[s]))
        return totals.sum(axis=0), counts

    def movers(self, leaf: np.ndarray, odds: np.ndarray, counts: np.ndarray, leaves: np.ndarray) -> Movers:
        """The examples of the given leaves (ascending), gathered."""
        sizes = counts[:, leaves].sum(axis=0).reshape(-1)  # of each leaf the positive, then the negative
        ends = np.cumsum(sizes)
        before = np.cumsum(counts[:, leaves], axis=0) - counts[:, leaves]  # in earlier stretches
        place = np.full(counts.shape, -1, np.int64)
        place[:, leaves] = before + (ends - sizes).reshape(-1, 2)
        total = int(ends[-1]) if len(ends) else 0
        member, bias, moved = np.empty(total, np.int32), np.empty(total), np.empty(total)
        y, all_bias = self._examples.y, self._examples.bias
        self._each_stretch(
            lambda s, a, b: self._kernels.collect(leaf, y, all_bias, odds, a, b, place[s], member, bias, moved)
        )
        return Movers(leaves, member, bias, moved, *_cells(ends - sizes, ends))

    def steps(self, movers: Movers, theta: np.ndarray, lambda_: float) -> np.ndarray:
        """For each moving leaf the change of its parameter that minimises the risk over its examples, to 1e-6."""
        if self._options.penalty == "l1":
            return self._l1_steps(movers, theta, lambda_)
        return self._solve(movers, np.zeros(len(theta)), 2.0 * lambda_ * theta, 2.0 * lambda_, -FARTHEST, FARTHEST)

    def move(self, movers: Movers, steps: np.ndarray) -> float:
        """Step the gathered examples' odds; returns the change of the loss."""
        cell_steps = steps[movers.slot] * movers.sign
        loss = np.empty(len(cell_steps))
        begin, end, bias, odds = movers.begin, movers.end, movers.bias, movers.odds
        self._each_cell(lambda a, b: self._kernels.losses(begin, end, cell_steps, a, b, bias, odds, loss), len(loss))
        return float(_in_order(loss, np.zeros(len(loss), np.int64), 1)[0])

    def put_back(self, movers: Movers, odds: np.ndarray) -> None:
        """Make the step of the gathered examples count."""
        self._kernels.put_back(movers.member, movers.odds, odds)

    def slopes(self, movers: Movers, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """First and second derivative of each moving leaf's loss after the given steps."""
        factor = np.exp(steps[movers.slot] * movers.sign)
        weight, curvature = np.empty(len(factor)), np.empty(len(factor))
        begin, end, bias, odds = movers.begin, movers.end, movers.bias, movers.odds
        self._each_cell(
            lambda a, b: self._kernels.slopes(begin, end, factor, a, b, bias, odds, weight, curvature), len(factor)
        )
        n = len(movers.leaves)
        return _in_order(-movers.sign * weight, movers.slot, n), _in_order(curvature, movers.slot, n)

    def _l1_steps(self, movers: Movers, theta: np.ndarray, lambda_: float) -> np.ndarray:
        """|theta + step| has a kink where the parameter is zero: stay there, or search on the side that goes down."""
        slope, _ = self.slopes(movers, -theta)
        side = np.where(slope < -lambda_, 1.0, np.where(slope > lambda_, -1.0, 0.0))
        low = np.where(side > 0, -theta, -theta - FARTHEST)
        high = np.where(side < 0, -theta, -theta + FARTHEST)
        start = np.where(side * theta > 0, 0.0, -theta)
        moving = side != 0
        steps = self._solve(movers, start, lambda_ * side, 0.0, low, high, moving)
        return np.where(moving, steps, -theta)

    def _solve(
        self, movers: Movers, start: np.ndarray, constant: np.ndarray, growth: float, low: Any, high: Any,
        moving: np.ndarray | None = None,
    ) -> np.ndarray:  # fmt: skip
        """The root of slope(step) + constant + growth * step for each leaf: Newton inside a shrinking bracket."""
        step = start.copy()
        low, high = np.broadcast_to(low, step.shape).copy(), np.broadcast_to(high, step.shape).copy()
        open_ = np.ones(len(step), bool) if moving is None else moving.copy()
        for _ in range(ROUNDS):
            if not open_.any():
                break
            slope, curvature = self.slopes(_only(movers, open_), step)
            slope += constant + growth * step
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
        return step

    def _each_stretch(self, call: Callable[[int, int, int], object]) -> None:
        def stretches(first: int, last: int) -> None:
            for s in range(first, last):
                call(s, *self._stretches[s])

        self._team.share(stretches, len(self._stretches))

    def _each_cell(self, call: Callable[[int, int], object], cells: int) -> None:
        self._team.share(call, cells, 4)


def _bit_of_nodes(tree: GrownTree) -> np.ndarray:
    """Number the features of a tree: each node's bit, or -1 beyond 64 and at leaves."""
    bit = np.full(len(tree.feature), -1, np.int64)
    inner = np.flatnonzero(tree.feature >= 0)
    number = np.unique(tree.feature[inner], return_inverse=True)[1]
    bit[inner] = np.where(number < 64, number, -1)
    return bit


def _cells(begins: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Cut each (leaf, sign) into cells."""
    pieces = -(-(ends - begins) // CELL)
    owner = np.repeat(np.arange(len(begins)), pieces)
    piece = np.arange(len(owner)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    begin = begins[owner] + piece * CELL
    return begin, np.minimum(begin + CELL, ends[owner]), owner // 2, np.where(owner % 2 == 0, 1.0, -1.0)


def _only(movers: Movers, wanted: np.ndarray) -> Movers:
    """The cells of the wanted leaves."""
    cells = wanted[movers.slot]
    if cells.all():
        return movers
    return movers._replace(
        begin=movers.begin[cells], end=movers.end[cells], slot=movers.slot[cells], sign=movers.sign[cells]
    )


def _in_order(values: np.ndarray, slot: np.ndarray, n: int) -> np.ndarray:
    """Sums by slot, added one after the other."""
    return np.bincount(slot, weights=values, minlength=n)
