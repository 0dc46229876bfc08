"""Which feature splits a node: what a splitter is, and the one of 2007, which looks for the greatest gain.

A node f is split by the feature a that maximises G(f and a) + G(f and not a). With h the sum of y w over the examples
of f that have a, that is G(h) + G(total - h), convex in h. So a histogram need keep no more than one signed sum per
feature, and the best split is its least or its greatest entry. Only features that turn f into a compound which has a
parameter already have gains of their own, and are looked at one by one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from gpuparse.boost.options import Options
from gpuparse.boost.parameters import Parameters, literal
from gpuparse.boost.penalty import GainRule, gain_rule
from gpuparse.kernels import GrowthOps, packing


class Node:
    """A node while it grows."""

    __slots__ = ("above", "children", "feature", "key", "number", "packed")

    def __init__(self, number: int, packed: int, key: int, above: tuple[Any, ...] | None) -> None:
        self.number = number  # as Growth counts them
        self.packed = packed  # weight of its examples, in units: see kernels/packing.py
        self.key = key  # of its compound feature
        self.above = above  # (the feature of its parent, what is above its parent), or None at the root
        self.feature = -1
        self.children: tuple[Node, Node] | None = None

    @property
    def positive(self) -> int:
        """The weight of its positive examples."""
        return packing.positive(self.packed)

    @property
    def negative(self) -> int:
        """The weight of its negative examples."""
        return packing.negative(self.packed)

    @property
    def total(self) -> int:
        """The sum of y w, minus the gradient."""
        return packing.difference(self.packed)

    def tested(self) -> set[int]:
        """The features of the nodes above."""
        features, above = set(), self.above
        while above is not None:
            features.add(above[0])
            above = above[1]
        return features


class Ground(NamedTuple):
    """What a splitter works on: a tree that is about to grow."""

    growth: GrowthOps  # has planted the root
    parameters: Parameters
    n_features: int
    lambda_: float
    scale: float  # units in a weight of 1


class Splitter(Protocol):
    """Finds the best splits of nodes."""

    NEEDS_BOTH: bool  # whether histograms must keep the positive and the negative sums, not only their differences

    def __init__(self, ground: Ground, options: Options) -> None: ...

    def best_splits(self, wave: Sequence[Node]) -> list[int]:
        """For each node the feature to split it by, or -1."""

    def may_split(self, node: Node) -> bool:
        """Whether a node is worth a histogram."""


class Gain(NamedTuple):
    """The gain under one lambda, in units of the sample.

    >>> gain = Gain(gain_rule("l1", "regularized"), 10.0, 1.0)
    >>> gain.of(25, 0.0), gain.of(5, 0.0), gain.of(25, -0.5)
    (15.0, 0.0, 35.0)
    """

    rule: GainRule
    strength: float  # lambda
    split_margin: float  # by how much a split must raise the sum of gains

    @classmethod
    def under(cls, options: Options, lambda_: float, scale: float) -> Gain:
        """The gain at a lambda, for a sample whose weights were multiplied by scale."""
        strength = lambda_ * scale
        return cls(gain_rule(options.penalty, options.gain), strength, options.split_margin * strength)

    def of(self, total: int, theta: float) -> float:
        """G of a compound feature, where total is the sum of y w over its examples and theta its parameter."""
        return self.rule.gain(total, theta, self.strength)

    def can_split(self, positive: int, negative: int, theta: float) -> bool:
        """Whether even a perfect split, all positive weight against all negative, would gain enough."""
        best = self.of(positive, 0.0) + self.of(negative, 0.0)
        return best > self.of(positive - negative, theta) + self.split_margin

    def least_weight(self) -> float:
        """A feature with no more positive and no more negative weight than this, and no parameters, never splits."""
        return self.rule.least_weight(self.split_margin)

    def interesting(self, total: int, floor: float) -> tuple[int, int]:
        """(low, high): a feature without parameters whose sum h has low < h < high can't have a gain above the floor.

        With hinge(x) = max(|x| - threshold, 0), V(h) = hinge(h) + hinge(total - h) is symmetric about total / 2, and
        for h >= max(total, 0) it is max(0, h - min(total, 0) - threshold, 2 h - total - 2 threshold).
        One unit of slack on each side makes up for rounding; the exact gain decides later.
        """
        threshold = self.rule.threshold(self.strength)
        high = min(floor + min(total, 0) + threshold, (floor + total) / 2 + threshold)
        return math.ceil(total - high) + 1, math.floor(high) - 1


class GainSplitter:
    """Splits a node where the sum of gains rises most."""

    NEEDS_BOTH = False

    def __init__(self, ground: Ground, options: Options) -> None:
        self._growth, self._parameters, self._n_features = ground.growth, ground.parameters, ground.n_features
        self._gain = Gain.under(options, ground.lambda_, ground.scale)
        self._growth.limit(self._gain.least_weight(), self._parameters.last_feature)

    def best_splits(self, wave: Sequence[Node]) -> list[int]:
        """For each node the feature to split it by, or -1."""
        gain = self._gain
        floors = [gain.of(node.total, self._theta(node.key)) + gain.split_margin for node in wave]
        partners = [self._partners(node) for node in wave]
        pairs = [(node, f) for node, features in zip(wave, partners, strict=True) for f in features]
        sums = iter(self._entries(pairs))
        others = self._others(wave, floors, partners)
        best = []
        for node, floor, features, rest in zip(wave, floors, partners, others, strict=True):
            candidates = [(self._split_gain(node, f, next(sums)), -f) for f in features]
            candidates += [(gain.of(h, 0.0) + gain.of(node.total - h, 0.0), -f) for f, h in rest]
            most, feature = max(candidates, default=(floor, 1))
            best.append(-feature if most > floor else -1)
        return best

    def may_split(self, node: Node) -> bool:
        """Whether a node is worth a histogram."""
        if self._gain.can_split(node.positive, node.negative, self._theta(node.key)):
            return True
        return bool(self._partners(node))

    def _others(
        self, wave: Sequence[Node], floors: Sequence[float], partners: Sequence[list[int]]
    ) -> list[list[tuple[int, int]]]:
        """For each node (feature, sum) of the best among the features that make no compound with a parameter."""
        gain = self._gain
        aside = partners
        if gain.rule.own_parameter_may_split:
            aside = [sorted(node.tested().union(features)) for node, features in zip(wave, partners, strict=True)]
        bounds = [gain.interesting(node.total, floor) for node, floor in zip(wave, floors, strict=True)]
        nodes, lows, highs = [node.number for node in wave], [low for low, _ in bounds], [high for _, high in bounds]
        aside_nodes = [node.number for node, features in zip(wave, aside, strict=True) for _ in features]
        extremes = self._growth.extremes(nodes, lows, highs, aside_nodes, [f for features in aside for f in features])
        best = [[(f, h), (g, k)] for f, h, g, k in extremes.tolist()]
        if gain.rule.own_parameter_may_split:
            # where the node's own parameter outweighs its gradient any split gains, and all of them may be equal
            for node, others, excluded in zip(wave, best, aside, strict=True):
                first = next((f for f in range(self._n_features) if f not in excluded), -1)
                if first >= 0 and self._theta(node.key) != 0.0:
                    others.append((first, self._entries([(node, first)])[0]))
        return [
            [(f, h) for f, h in others if f >= 0 and f not in excluded]
            for others, excluded in zip(best, aside, strict=True)
        ]

    def _entries(self, pairs: Sequence[tuple[Node, int]]) -> list[int]:
        """The sum of a node's histogram at a feature, for each pair."""
        if not pairs:
            return []
        return self._growth.entries([node.number for node, _ in pairs], [feature for _, feature in pairs]).tolist()

    def _partners(self, node: Node) -> list[int]:
        """The features that may turn the node's compound into one with a parameter."""
        return sorted(self._parameters.extensions(node.key)) if self._gain.rule.counts_parameters else []

    def _theta(self, key: int) -> float:
        return self._parameters.theta(key)

    def _split_gain(self, node: Node, feature: int, h: int) -> float:
        with_feature = self._gain.of(h, self._theta(node.key ^ literal(feature, True)))
        return with_feature + self._gain.of(node.total - h, self._theta(node.key ^ literal(feature, False)))
