"""Grows one tree on a sample, wave after wave of nodes: decides which to split, and by what.

The best split of a node is the least or the greatest entry of its histogram. Nodes never look at each other, so the
order in which they are split does not matter to the tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuparse.boost.objective import Objective
from gpuparse.boost.parameters import ROOT, Parameters, literal
from gpuparse.boost.tree import GrownTree

WAVE = 64  # nodes split at once, at most: each holds a histogram
LOWER_HALF = 0xFFFFFFFF


class Node:
    """A node while it grows."""

    __slots__ = ("children", "feature", "key", "negative", "number", "path", "positive")

    def __init__(self, number: int, positive: int, negative: int, key: int, path: tuple[Any, ...] | None) -> None:
        self.number = number  # as Growth counts them
        self.positive, self.negative = positive, negative  # weight of its examples, in units
        self.key = key  # of its compound feature
        self.path = path  # (feature above, path above), or None at the root
        self.feature = -1
        self.children: tuple[Node, Node] | None = None

    @property
    def total(self) -> int:
        """The sum of y w, minus the gradient."""
        return self.positive - self.negative

    def tested(self) -> set[int]:
        """The features on the path from the root."""
        found, path = set(), self.path
        while path is not None:
            found.add(path[0])
            path = path[1]
        return found


class Grower:
    """Grows a tree under an objective. `growth` holds the nodes' rows and histograms, and has planted the root."""

    def __init__(self, growth: Any, parameters: Parameters, objective: Objective, n_features: int) -> None:
        self._growth, self._parameters, self._objective = growth, parameters, objective
        self._n_features = n_features

    def grow(self, positive: int, negative: int, stumps: bool) -> Node:
        """The root of the grown tree, given the weight of its examples."""
        root = Node(0, positive, negative, ROOT, None)
        waiting = [root]
        while waiting:
            wave, waiting = waiting[-WAVE:], waiting[:-WAVE]
            chosen = list(zip(wave, self._best_splits(wave), strict=True))
            self._growth.release([node.number for node, feature in chosen if feature < 0])
            splits = [(node, feature) for node, feature in chosen if feature >= 0]
            if splits:
                waiting += self._split(splits, stumps)
        return root

    def _best_splits(self, wave: Sequence[Node]) -> list[int]:
        """For each node the feature to split it by, or -1: the histogram's extremes, and features that make a compound
        met before.
        """
        objective = self._objective
        floors = [objective.gain(node.total, self._theta(node.key)) + objective.margin for node in wave]
        known = [self._known(node) for node in wave]
        pairs = [(node, f) for node, features in zip(wave, known, strict=True) for f in features]
        sums = iter(self._entries(pairs))
        best = []
        for node, floor, features, others in zip(wave, floors, known, self._others(wave, floors, known), strict=True):
            candidates = [(self._split_gain(node, f, next(sums)), -f) for f in features]
            candidates += [(objective.gain(h, 0.0) + objective.gain(node.total - h, 0.0), -f) for f, h in others]
            gain, feature = max(candidates, default=(floor, 1))
            best.append(-feature if gain > floor else -1)
        return best

    def _others(
        self, wave: Sequence[Node], floors: Sequence[float], known: Sequence[list[int]]
    ) -> list[list[tuple[int, int]]]:
        """For each node (feature, sum) of the best among the features that make no compound met before."""
        objective = self._objective
        aside = known
        if objective.kind == "l2":
            aside = [sorted(node.tested().union(features)) for node, features in zip(wave, known, strict=True)]
        bounds = [objective.interesting(node.total, floor) for node, floor in zip(wave, floors, strict=True)]
        set_aside = [(node.number, f) for node, features in zip(wave, aside, strict=True) for f in features]
        extremes = self._growth.extremes(
            [node.number for node in wave], [low for low, _ in bounds], [high for _, high in bounds],
            [number for number, _ in set_aside], [f for _, f in set_aside],
        )  # fmt: skip
        found = [[(f, h), (g, k)] for f, h, g, k in extremes.tolist()]
        if objective.kind == "l2":
            # where the node's own parameter outweighs its gradient any split gains, and all of them may be equal
            for node, others, excluded in zip(wave, found, aside, strict=True):
                first = next((f for f in range(self._n_features) if f not in excluded), -1)
                if first >= 0 and self._theta(node.key) != 0.0:
                    others.append((first, self._entries([(node, first)])[0]))
        return [
            [(f, h) for f, h in others if f >= 0 and f not in excluded]
            for others, excluded in zip(found, aside, strict=True)
        ]

    def _entries(self, pairs: Sequence[tuple[Node, int]]) -> list[int]:
        """The sum of a node's histogram at a feature, for each pair."""
        if not pairs:
            return []
        return self._growth.entries([node.number for node, _ in pairs], [feature for _, feature in pairs]).tolist()

    def _split(self, splits: Sequence[tuple[Node, int]], last: bool) -> list[Node]:
        """Divide nodes; the children that may be split again."""
        parents = [node.number for node, _ in splits]
        first, weight = self._growth.split(parents, [feature for _, feature in splits])
        children = []
        for i, ((node, feature), packed) in enumerate(zip(splits, weight.tolist(), strict=True)):
            positive, negative = packed >> 32, packed & LOWER_HALF
            path = (feature, node.path)
            yes = Node(first + 2 * i, positive, negative, node.key ^ literal(feature, True), path)
            no = Node(
                first + 2 * i + 1, node.positive - positive, node.negative - negative,
                node.key ^ literal(feature, False), path,
            )  # fmt: skip
            node.feature, node.children = feature, (yes, no)
            children += [yes, no]
        wanted = [not last and self._may_split(child) for child in children]
        self._growth.descend(parents, first, wanted)
        return [child for child, may in zip(children, wanted, strict=True) if may]

    def _may_split(self, node: Node) -> bool:
        if self._objective.can_split(node.positive, node.negative, self._theta(node.key)):
            return True
        return bool(self._known(node))

    def _known(self, node: Node) -> list[int]:
        if self._objective.kind == "none":
            return []
        return sorted(self._parameters.extensions(node.key))

    def _theta(self, key: int) -> float:
        return self._parameters.theta(key)

    def _split_gain(self, node: Node, feature: int, h: int) -> float:
        with_feature = self._objective.gain(h, self._theta(node.key ^ literal(feature, True)))
        return with_feature + self._objective.gain(node.total - h, self._theta(node.key ^ literal(feature, False)))


def flatten(root: Node) -> GrownTree:
    """The tree as arrays in pre-order, its values still 0."""
    feature: list[int] = []
    yes: list[int] = []
    no: list[int] = []
    waiting: list[tuple[Node, list[int] | None, int]] = [(root, None, 0)]
    while waiting:
        node, children, parent = waiting.pop()
        if children is not None:
            children[parent] = len(feature)
        here = len(feature)
        feature.append(node.feature)
        yes.append(-1)
        no.append(-1)
        if node.children is not None:
            waiting.append((node.children[1], no, here))
            waiting.append((node.children[0], yes, here))
    return GrownTree.of(feature, yes, no, np.zeros(len(feature)))
