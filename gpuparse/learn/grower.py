"""Grows one tree on a sample. The best split of a node is the least or the greatest entry of its histogram."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuparse.features.matrix import Matrix
from gpuparse.learn.histogram import Histogram, Histograms
from gpuparse.learn.objective import Objective
from gpuparse.learn.parameters import ROOT, Parameters, literal
from gpuparse.learn.postings import Postings
from gpuparse.learn.sample import Sample
from gpuparse.learn.tree import GrownTree


class Node:
    """A node while it grows: examples members[start:stop] of the sample."""

    __slots__ = ("children", "feature", "histogram", "key", "negative", "path", "positive", "start", "stop")

    def __init__(
        self, start: int, stop: int, positive: int, negative: int, key: int, path: tuple[Any, ...] | None
    ) -> None:
        self.start, self.stop = start, stop
        self.positive, self.negative = positive, negative  # weight of its examples, in units
        self.key = key  # of its compound feature
        self.path = path  # (feature above, path above), or None at the root
        self.histogram: Histogram | None = None
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
    """Grows a tree under an objective, given the root's histogram, which it uses up."""

    def __init__(
        self, matrix: Matrix, postings: Postings, sample: Sample, parameters: Parameters, objective: Objective,
        histograms: Histograms, kernels: Any,
    ) -> None:  # fmt: skip
        self._matrix, self._postings = matrix, postings
        self._sample, self._parameters = sample, parameters
        self._objective, self._histograms, self._kernels = objective, histograms, kernels
        self.members = np.arange(len(sample.kept), dtype=np.int32)
        self._spare = np.empty_like(self.members)
        self._marked = np.zeros(len(sample.begins), bool)

    def grow(self, histogram: Histogram, stumps: bool) -> Node:
        """The root of the grown tree; a node's examples are a stretch of self.members."""
        root = Node(0, len(self.members), self._sample.positive, self._sample.negative, ROOT, None)
        root.histogram = histogram
        waiting = [root]
        while waiting:
            node = waiting.pop()
            feature = self._best_split(node)
            if feature >= 0:
                waiting += self._split(node, feature, last=stumps)
            elif node.histogram is not None:
                self._histograms.release(node.histogram)
                node.histogram = None
        return root

    def _best_split(self, node: Node) -> int:
        """The feature to split by, or -1. Histogram's extremes, and any feature that makes a compound met before."""
        objective, histogram = self._objective, node.histogram
        if histogram is None:
            return -1
        floor = objective.gain(node.total, self._theta(node.key)) + objective.margin
        known = self._known(node)
        candidates = [(self._split_gain(node, f, int(histogram.sums[f])), -f) for f in known]
        candidates += self._unknown_candidates(node, floor, known)
        gain, feature = max(candidates, default=(floor, 1))
        return -feature if gain > floor else -1

    def _unknown_candidates(self, node: Node, floor: float, known: list[int]) -> list[tuple[float, int]]:
        """(gain, -feature) of the best among the features that make no compound met before, if above the floor."""
        objective, histogram = self._objective, node.histogram
        assert histogram is not None
        aside = sorted(node.tested().union(known)) if objective.kind == "l2" else known
        saved = histogram.sums[aside]
        histogram.sums[aside] = 0  # a sum of 0 gains nothing
        f, h, g, k = self._histograms.extremes(histogram, *objective.interesting(node.total, floor))
        histogram.sums[aside] = saved
        pairs = [(f, h), (g, k)]
        if objective.kind == "l2" and self._theta(node.key) != 0.0:
            # where the node's own parameter outweighs its gradient any split gains, and all of them may be equal
            first = next((f for f in range(self._histograms.n_features) if f not in aside), -1)
            pairs.append((first, int(histogram.sums[first]) if first >= 0 else 0))
        return [
            (objective.gain(h, 0.0) + objective.gain(node.total - h, 0.0), -f)
            for f, h in pairs
            if f >= 0 and f not in aside
        ]

    def _split(self, node: Node, feature: int, last: bool) -> list[Node]:
        """Divide a node; the children that may be split again, the smaller last so that it is next."""
        members = self.members[node.start : node.stop]
        sample = self._sample
        column = int(self._matrix.column[feature])
        count, packed = self._kernels.partition(
            members, self._spare, sample.local, column, sample.begins, sample.ends, self._matrix.features, feature,
            self._postings.holding(feature), sample.number, self._marked, sample.packed,
        )  # fmt: skip
        middle = node.start + count
        positive, negative = packed >> 32, packed & 0xFFFFFFFF
        path = (feature, node.path)
        yes = Node(node.start, middle, positive, negative, node.key ^ literal(feature, True), path)
        no = Node(
            middle, node.stop, node.positive - positive, node.negative - negative,
            node.key ^ literal(feature, False), path,
        )  # fmt: skip
        node.feature, node.children = feature, (yes, no)
        return self._hand_down(node, yes, no, last)

    def _hand_down(self, node: Node, yes: Node, no: Node, last: bool) -> list[Node]:
        """Give the children that may split their histograms."""
        smaller, larger = (yes, no) if yes.stop - yes.start <= no.stop - no.start else (no, yes)
        histogram, node.histogram = node.histogram, None
        assert histogram is not None
        small, large = (not last and self._may_split(child) for child in (smaller, larger))
        if small or large:
            members = self.members[smaller.start : smaller.stop]
            smaller.histogram = self._histograms.split(self._sample, members, histogram, small, large)
        if large:
            larger.histogram = histogram
        else:
            self._histograms.release(histogram)
        return [child for child, may in ((larger, large), (smaller, small)) if may]

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


def flatten(root: Node) -> tuple[GrownTree, list[Node]]:
    """The tree as arrays in pre-order, its values still 0, and its nodes in the same order."""
    feature: list[int] = []
    yes: list[int] = []
    no: list[int] = []
    nodes: list[Node] = []
    waiting: list[tuple[Node, list[int] | None, int]] = [(root, None, 0)]
    while waiting:
        node, children, parent = waiting.pop()
        if children is not None:
            children[parent] = len(nodes)
        here = len(nodes)
        nodes.append(node)
        feature.append(node.feature)
        yes.append(-1)
        no.append(-1)
        if node.children is not None:
            waiting.append((node.children[1], no, here))
            waiting.append((node.children[0], yes, here))
    return GrownTree.of(feature, yes, no, np.zeros(len(nodes))), nodes
