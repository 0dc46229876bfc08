"""What a parameter costs: l1 leaves most parameters exactly zero, l2 makes all of them small.

A penalty knows the gain of a node under it (which decides splits), its size (which decides whether a tree is kept) and
the step that a leaf's parameter should make. In gains, weights and lambda are in units of the sample's fixed point.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Protocol

import numpy as np

from gpuparse.boost import options
from gpuparse.boost.loss import FARTHEST, Minimise, Search, Slopes


class GainRule(Protocol):
    """How much a node promises: the size of the gradient of the risk at its compound feature."""

    counts_parameters: bool  # whether the parameter that a compound has already changes its gain
    own_parameter_may_split: bool  # whether a node can gain by a split just because it has a parameter

    def gain(self, total: float, theta: float, strength: float) -> float:
        """G(f): `total` is the sum of y w over the examples with f, that is, minus its gradient; lambda is `strength`.

        `theta` is the parameter of f.
        """

    def threshold(self, strength: float) -> float:
        """A total that is no greater has no gain, where there is no parameter."""

    def least_weight(self, split_margin: float) -> float:
        """A feature with no more positive and no more negative weight than this, and no parameters, never splits.

        Where total >= 0 a split gains only if h < 0 or total - h < 0, and then at most |h| or |total - h| (twice that
        where there is no hinge); likewise where total < 0. One unit of slack.
        """


class PenaltyRule(GainRule, Protocol):
    """A penalty on the parameters of a risk."""

    def size(self, parameters: Iterable[float]) -> float:
        """What lambda multiplies, exactly rounded."""

    def change(self, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        """By how much each parameter's size changes."""

    def least_sum(self, lambda_: float) -> float:
        """A leaf without a parameter stays where the sum of its y w is no greater."""

    def steps(self, slopes: Slopes, minimise: Minimise, theta: np.ndarray, lambda_: float) -> np.ndarray:
        """For each leaf the change of its parameter theta that minimises the risk over its examples."""


class L1:
    """lambda |theta|: parameters stay exactly 0 until their gradient exceeds lambda.

    >>> L1().gain(25, 0.0, 10.0), L1().gain(5, 0.0, 10.0), L1().gain(25, -0.5, 10.0), L1().size([0.5, -0.25])
    (15.0, 0.0, 35.0, 0.75)
    """

    counts_parameters = True
    own_parameter_may_split = False

    def gain(self, total: float, theta: float, strength: float) -> float:
        """max(|g| - lambda, 0), or |g + lambda sign(theta)| where there is a parameter."""
        if theta == 0.0:
            return max(abs(total) - strength, 0.0)
        return abs(total - math.copysign(strength, theta))

    def threshold(self, strength: float) -> float:
        """The hinge."""
        return strength

    def least_weight(self, split_margin: float) -> float:
        """See GainRule."""
        return split_margin - 1.0

    def size(self, parameters: Iterable[float]) -> float:
        """The sum of |theta|."""
        return math.fsum(abs(theta) for theta in parameters)

    def change(self, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        """Of |theta|."""
        return np.abs(after) - np.abs(before)

    def least_sum(self, lambda_: float) -> float:
        """The kink at 0 holds what is not pulled by more than lambda."""
        return lambda_

    def steps(self, slopes: Slopes, minimise: Minimise, theta: np.ndarray, lambda_: float) -> np.ndarray:
        """|theta + step| has a kink where the parameter is zero: stay there, or search on the side that goes down."""
        slope, curvature = slopes(-theta, np.ones(len(theta), bool))
        side = np.where(slope < -lambda_, 1.0, np.where(slope > lambda_, -1.0, 0.0))
        low = np.where(side > 0, -theta, -theta - FARTHEST)
        high = np.where(side < 0, -theta, -theta + FARTHEST)
        moving, stays = side != 0, side * theta > 0  # on its side: the search starts where the parameter is
        start = np.where(stays, 0.0, -theta)
        if stays.any():
            slope, curvature = np.where(stays, slopes(start, stays), (slope, curvature))
        steps = minimise(slopes, Search(start, (slope, curvature), lambda_ * side, 0.0, low, high, moving))
        return np.where(moving, steps, -theta)


class L2:
    """lambda theta^2.

    >>> L2().gain(25, 0.5, 10.0), L2().size([0.5, -0.5])
    (15.0, 0.5)
    """

    counts_parameters = True
    own_parameter_may_split = True

    def gain(self, total: float, theta: float, strength: float) -> float:
        """|g + 2 lambda theta|."""
        return abs(total - 2.0 * strength * theta)

    def threshold(self, strength: float) -> float:
        """Every gradient counts."""
        return 0.0

    def least_weight(self, split_margin: float) -> float:
        """A node's own parameter may let any feature split it."""
        return -1.0

    def size(self, parameters: Iterable[float]) -> float:
        """The sum of theta^2."""
        return math.fsum(theta * theta for theta in parameters)

    def change(self, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        """Of theta^2."""
        return after**2 - before**2

    def least_sum(self, lambda_: float) -> float:
        """Any pull moves a parameter."""
        return 0.0

    def steps(self, slopes: Slopes, minimise: Minimise, theta: np.ndarray, lambda_: float) -> np.ndarray:
        """The root of slope + 2 lambda (theta + step)."""
        everywhere, start = np.ones(len(theta), bool), np.zeros(len(theta))
        low, high = np.full(len(theta), -FARTHEST), np.full(len(theta), FARTHEST)
        there = slopes(start, everywhere)
        return minimise(slopes, Search(start, there, 2.0 * lambda_ * theta, 2.0 * lambda_, low, high, everywhere))


class BareGradient:
    """The gain without a penalty: |g|, whatever the parameters.

    >>> BareGradient().gain(-25, 0.5, 10.0)
    25.0
    """

    counts_parameters = False
    own_parameter_may_split = False

    def gain(self, total: float, theta: float, strength: float) -> float:
        """|g|."""
        return float(abs(total))

    def threshold(self, strength: float) -> float:
        """Every gradient counts."""
        return 0.0

    def least_weight(self, split_margin: float) -> float:
        """See GainRule: without a hinge a split gains twice."""
        return split_margin / 2 - 1.0


PENALTIES: dict[str, PenaltyRule] = {options.Penalty.L1: L1(), options.Penalty.L2: L2()}


def gain_rule(penalty: str, gain: str) -> GainRule:
    """What the gain of a node is, by the names of the options.

    >>> type(gain_rule("l2", "unregularized")).__name__
    'BareGradient'
    """
    return PENALTIES[penalty] if gain == options.GainKind.REGULARIZED else BareGradient()
