"""The loss of an example, as what learning needs of it: a state, a weight, a value, slopes, and a minimiser.

A loss is two things: arithmetic on a device (kernels.logistic, kernels.exponential), of which only the chosen loss's is
ever compiled, and what the host must know to use it, which is here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from gpuparse.boost.fixed_point import Magnitude
from gpuparse.boost.options import LossKind
from gpuparse.kernels import BoostOps, LossOps

LONGEST_STEP = 4.0  # of Newton's method
NEAR = 1e-3  # after a Newton step s the error is below s^2, since the third derivative never exceeds the second
FARTHEST = 64.0  # no parameter moves further in one tree
NEWTON_STEPS = 200  # at most

Derivatives = tuple[np.ndarray, np.ndarray]  # the first and the second
Slopes = Callable[[np.ndarray, np.ndarray], Derivatives]  # of each leaf's loss after a step, for the leaves of a mask


class Search(NamedTuple):
    """Where to look, along one line per leaf, for the root of slope(step) + constant + growth * step."""

    start: np.ndarray
    there: Derivatives  # of the loss, at the start
    constant: np.ndarray
    growth: float
    low: np.ndarray  # the root lies between these
    high: np.ndarray
    moving: np.ndarray  # bool: the other leaves stay at the start


Minimise = Callable[[Slopes, Search], np.ndarray]


class Loss(Protocol):
    """A loss of the margin mu = y h(x). The state of an example is whatever makes a step of its margin cheap."""

    def operations(self, kernels: BoostOps) -> LossOps:
        """What a device computes of it."""

    def initial_state(self, kernels: BoostOps, n: int) -> Any:
        """The states of n examples whose score is 0, on the device."""

    def initial_value(self, total_importance: float) -> float:
        """The loss of examples whose score is 0."""

    def factor(self, step: np.ndarray) -> np.ndarray:
        """What steps of the margin multiply states by; not negative."""

    def weights(self, importance: Magnitude) -> Magnitude:
        """How large the weights of examples can be while the risk falls, given their importances."""

    def changes(self, importance: Magnitude, step: float) -> Magnitude:
        """How much the losses of examples can change when their margins move by no more than `step`."""

    def line(self, slopes: Slopes, leaves: int) -> Slopes:
        """The slopes along the lines of so many leaves, computed by the device as seldom as this loss permits."""

    def minimise(self, slopes: Slopes, search: Search) -> np.ndarray:
        """The least point of each line, to 1e-6."""


class Logistic:
    """importance x ln(1 + exp(-mu)). The state is the odds, exp(mu): a step of the margin multiplies them, so that a
    line search needs no exponentials; the weight is importance / (1 + odds).

    >>> round(Logistic().initial_value(1.0), 4), Logistic().changes(Magnitude(3.0, 1.0), 0.5)
    (0.6931, Magnitude(total=3.0, largest=1.0))
    """

    def operations(self, kernels: BoostOps) -> LossOps:
        """Of odds."""
        return kernels.logistic

    def initial_state(self, kernels: BoostOps, n: int) -> Any:
        """Odds of 1."""
        return kernels.arrays.ones(n)

    def initial_value(self, total_importance: float) -> float:
        """ln 2 each."""
        return math.log(2.0) * total_importance

    def factor(self, step: np.ndarray) -> np.ndarray:
        """Odds grow with the margin."""
        return np.exp(step)

    def weights(self, importance: Magnitude) -> Magnitude:
        """A weight never exceeds the importance."""
        return importance

    def changes(self, importance: Magnitude, step: float) -> Magnitude:
        """The slope never exceeds 1; at least 1, so that small steps keep the scale of the loss."""
        most = max(1.0, step)
        return Magnitude(importance.total * most, importance.largest * most)

    def line(self, slopes: Slopes, leaves: int) -> Slopes:
        """Every step needs the odds of all examples."""
        return slopes

    def minimise(self, slopes: Slopes, search: Search) -> np.ndarray:
        """By Newton's method."""
        return newton(slopes, search)


class Exponential:
    """importance x exp(-mu), the loss of AdaBoost. The state is exp(-mu), and the weight of an example is its loss.

    Along a line the loss is P exp(-step) + N exp(step), where P and N are the weights of the positive and the negative
    examples of the leaf: once they are known, no step needs the device. While the risk falls no sum of weights exceeds
    what it was at first, the sum of the importances; but one example's weight may become as large as that.

    >>> line = Exponential().line(lambda step, moving: (np.array([-3.0]), np.array([5.0])), 1)  # P = 4, N = 1
    >>> [slope.round(9).tolist() for slope in line(np.array([math.log(2.0)]), np.ones(1, bool))]
    [[0.0], [4.0]]
    """

    def operations(self, kernels: BoostOps) -> LossOps:
        """Of exp(-mu)."""
        return kernels.exponential

    def initial_state(self, kernels: BoostOps, n: int) -> Any:
        """exp(0)."""
        return kernels.arrays.ones(n)

    def initial_value(self, total_importance: float) -> float:
        """1 each."""
        return total_importance

    def factor(self, step: np.ndarray) -> np.ndarray:
        """The loss falls as the margin grows."""
        return np.exp(-step)

    def weights(self, importance: Magnitude) -> Magnitude:
        """All of the risk may come to rest on one example."""
        return Magnitude(importance.total, importance.total)

    def changes(self, importance: Magnitude, step: float) -> Magnitude:
        """Neither before nor after the step is there more loss than at first."""
        return Magnitude(2.0 * importance.total, importance.total)

    def line(self, slopes: Slopes, leaves: int) -> Slopes:
        """In closed form."""
        slope, curvature = slopes(np.zeros(leaves), np.ones(leaves, bool))
        positive, negative = (curvature - slope) / 2, (curvature + slope) / 2

        def along(step: np.ndarray, moving: np.ndarray) -> Derivatives:
            falling, rising = positive * np.exp(-step), negative * np.exp(step)
            return rising - falling, rising + falling

        return along

    def minimise(self, slopes: Slopes, search: Search) -> np.ndarray:
        """By Newton's method."""
        return newton(slopes, search)


LOSSES: dict[str, Loss] = {LossKind.LOGISTIC: Logistic(), LossKind.EXPONENTIAL: Exponential()}


def newton(slopes: Slopes, search: Search) -> np.ndarray:
    """The roots of a search, to 1e-6: Newton's method inside a shrinking bracket.

    >>> def slopes(step, moving):  # of (step - 3)^2
    ...     return 2 * (step - 3), np.full(len(step), 2.0)
    >>> one = np.ones(1)
    >>> newton(slopes, Search(0 * one, slopes(0 * one, one > 0), 0 * one, 0.0, -9 * one, 9 * one, one > 0)).tolist()
    [3.0]
    """
    step, moving, low, high = search.start.copy(), search.moving.copy(), search.low, search.high
    slope, curvature = search.there
    for _ in range(NEWTON_STEPS):
        slope = slope + (search.constant + search.growth * step)
        low, high = np.where(slope < 0, step, low), np.where(slope > 0, step, high)
        with np.errstate(divide="ignore", invalid="ignore"):
            length = np.where(slope == 0, 0.0, -slope / (curvature + search.growth))
        usable = np.abs(length) <= LONGEST_STEP
        new = np.where(usable, step + length, step - np.copysign(LONGEST_STEP, slope))
        outside = (new < low) | (new > high)
        new = np.where(outside, (low + high) / 2, new)
        done = (usable & ~outside & (np.abs(length) <= NEAR)) | (high - low <= NEAR * NEAR)
        step = np.where(moving, new, step)
        moving &= ~done
        if not moving.any():
            break
        slope, curvature = slopes(step, moving)
    return step
