"""Gains of nodes, in the units of the sample's fixed point: what decides a split."""

from __future__ import annotations

import math
from typing import NamedTuple

from gpuparse.boost.options import Options


class Objective(NamedTuple):
    """The gain under one lambda.

    >>> l1 = Objective("l1", 10.0, 1.0)
    >>> l1.gain(25, 0.0), l1.gain(5, 0.0), l1.gain(25, -0.5)
    (15.0, 0.0, 35.0)
    """

    kind: str  # "l1", "l2", or "none" for the unregularized gain
    penalty: float  # lambda, in units
    margin: float  # by how much a split must gain, in units

    @classmethod
    def under(cls, options: Options, lambda_: float, scale: float) -> Objective:
        """The objective at a lambda, for a sample whose weights were multiplied by scale."""
        kind = options.penalty if options.gain == "regularized" else "none"
        return cls(kind, lambda_ * scale, options.split_margin * (lambda_ * scale))

    def gain(self, total: int, theta: float) -> float:
        """G(f), where total is the sum of y w over the examples with f, that is, minus its gradient."""
        if self.kind == "none":
            return float(abs(total))
        if self.kind == "l2":
            return abs(total - 2.0 * self.penalty * theta)
        if theta == 0.0:
            return max(abs(total) - self.penalty, 0.0)
        return abs(total - math.copysign(self.penalty, theta))

    def can_split(self, positive: int, negative: int, theta: float) -> bool:
        """Whether even a perfect split, all positive weight against all negative, would gain enough."""
        best = self.gain(positive, 0.0) + self.gain(negative, 0.0)
        return best > self.gain(positive - negative, theta) + self.margin

    def least_weight(self) -> float:
        """A feature with no more positive and no more negative weight than this, and no parameters, never splits.

        Where total >= 0 a split gains only if h < 0 or total - h < 0, and then at most |h| or |total - h| (twice that
        where there is no hinge); likewise where total < 0. A node's own l2 parameter upsets this. One unit of slack.
        """
        if self.kind == "l2":
            return -1.0
        return (self.margin if self.kind == "l1" else self.margin / 2) - 1.0

    def interesting(self, total: int, floor: float) -> tuple[int, int]:
        """(low, high): a feature without parameters whose sum h has low < h < high can't have a gain above the floor.

        With hinge(x) = max(|x| - penalty, 0), V(h) = hinge(h) + hinge(total - h) is symmetric about total / 2, and for
        h >= max(total, 0) it is max(0, h - min(total, 0) - penalty, 2 h - total - 2 penalty).
        One unit of slack on each side leaves rounding no say; the exact gain decides later.
        """
        penalty = self.penalty if self.kind == "l1" else 0.0
        high = min(floor + min(total, 0) + penalty, (floor + total) / 2 + penalty)
        return math.ceil(total - high) + 1, math.floor(high) - 1
