"""The loss of an example, as what learning needs of it: a state, a weight, a value, slopes, and a minimiser.

A loss says which operations of a device compute it, so that only the chosen one is ever compiled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

LONGEST = 4.0  # a Newton step is no longer than this
NEAR = 1e-3  # after a Newton step s the error is below s^2, since the third derivative never exceeds the second
FARTHEST = 64.0  # no parameter moves further in one tree
ROUNDS = 200  # of Newton's method, at most
LEFT_OUT = -1.0  # the factor of a group whose slopes are not asked for

Derivatives = tuple[np.ndarray, np.ndarray]  # the first and the second
Minimise = Callable[..., np.ndarray]


class Loss(Protocol):
    """A loss of the margin mu = y h(x). The state of an example is whatever makes a step of its margin cheap."""

    def initial_state(self, kernels: Any, n: int) -> Any:
        """The states of n examples whose score is 0, on the device."""

    def initial_value(self, total_importance: float) -> float:
        """The loss of examples whose score is 0."""

    def largest_change(self, step: float) -> float:
        """No example's loss changes by more than its importance times this when its margin moves by `step`."""

    def weigh(self, kernels: Any, *arguments: Any) -> float:
        """The weights of examples, minus the derivative of their loss; see kernels' `weigh`."""

    def priorities(self, kernels: Any, *arguments: Any) -> None:
        """Their weights over uniform draws; see kernels' `priorities`."""

    def leaf_sums(self, kernels: Any) -> Callable[..., None]:
        """The operation that adds up y w by leaf."""

    def slopes(self, kernels: Any) -> Callable[..., None]:
        """The operation that adds up first and second derivatives by group, after a step."""

    def slope_factor(self, step: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """What `slopes` is told of the step of each group; groups that are not wanted are left out."""

    def move(self, kernels: Any) -> Callable[..., None]:
        """The operation that moves states by a step and adds up the change of the loss."""

    def move_arguments(self, step: np.ndarray) -> Sequence[np.ndarray]:
        """What `move` is told of the step of each group."""


class Logistic:
    """importance x ln(1 + exp(-mu)). The state is the odds, exp(mu): a step of the margin multiplies them, so that a
    line search needs no exponentials; the weight is importance / (1 + odds).

    >>> round(Logistic().initial_value(1.0), 4), Logistic().largest_change(-0.5)
    (0.6931, 1.0)
    """

    def initial_state(self, kernels: Any, n: int) -> Any:
        """Odds of 1."""
        return kernels.arrays.ones(n)

    def initial_value(self, total_importance: float) -> float:
        """ln 2 each."""
        return math.log(2.0) * total_importance

    def largest_change(self, step: float) -> float:
        """The slope never exceeds 1; at least 1, so that small steps keep the scale of the loss."""
        return max(1.0, abs(step))

    def weigh(self, kernels: Any, *arguments: Any) -> float:
        """importance / (1 + odds)."""
        return float(kernels.weigh(*arguments))

    def priorities(self, kernels: Any, *arguments: Any) -> None:
        """The same, over uniform draws."""
        kernels.priorities(*arguments)

    def leaf_sums(self, kernels: Any) -> Callable[..., None]:
        """Of odds."""
        operation: Callable[..., None] = kernels.leaf_sums
        return operation

    def slopes(self, kernels: Any) -> Callable[..., None]:
        """Of odds."""
        operation: Callable[..., None] = kernels.slopes
        return operation

    def slope_factor(self, step: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """The odds are multiplied by exp(step)."""
        return np.where(wanted, np.exp(step), LEFT_OUT)

    def move(self, kernels: Any) -> Callable[..., None]:
        """Of odds."""
        operation: Callable[..., None] = kernels.losses
        return operation

    def move_arguments(self, step: np.ndarray) -> Sequence[np.ndarray]:
        """The step, and what it multiplies the odds by."""
        return step, np.exp(step)


LOGISTIC = Logistic()


def minimise(
    slopes: Callable[[np.ndarray, np.ndarray], Derivatives],
    start: np.ndarray,
    there: Derivatives,
    constant: np.ndarray,
    growth: float,
    low: np.ndarray,
    high: np.ndarray,
    moving: np.ndarray,
) -> np.ndarray:
    """For each leaf the root of slope(step) + constant + growth * step, to 1e-6: Newton inside a shrinking bracket.

    `there` are the derivatives of the loss at the start; leaves that are not moving stay there.

    >>> def slopes(step, wanted):  # of (step - 3)^2
    ...     return 2 * (step - 3), np.full(len(step), 2.0)
    >>> one = np.ones(1)
    >>> minimise(slopes, 0 * one, slopes(0 * one, one > 0), 0 * one, 0.0, -9 * one, 9 * one, one > 0).tolist()
    [3.0]
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
        slope, curvature = slopes(step, open_)
    return step
