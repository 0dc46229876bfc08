"""Grows one tree on a sample, wave after wave of nodes.

Nodes never look at each other, so the order in which they are split does not matter to the tree.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpuparse.boost.parameters import ROOT, literal
from gpuparse.boost.splitter import Node, Splitter
from gpuparse.boost.tree import GrownTree
from gpuparse.kernels import GrowthOps

WAVE = 64  # nodes split at once, at most: each holds a histogram


class Grower:
    """Grows a tree. `growth` holds the nodes' rows and histograms, and has planted the root."""

    def __init__(self, growth: GrowthOps, splitter: Splitter) -> None:
        self._growth, self._splitter = growth, splitter

    def grow(self, packed: int, stumps: bool) -> Node:
        """The root of the grown tree; `packed` is the weight of its examples."""
        root = Node(0, packed, ROOT, None)
        waiting = [root]
        while waiting:
            wave, waiting = waiting[-WAVE:], waiting[:-WAVE]
            choices = list(zip(wave, self._splitter.best_splits(wave), strict=True))
            self._growth.release([node.number for node, feature in choices if feature < 0])
            splits = [(node, feature) for node, feature in choices if feature >= 0]
            if splits:
                waiting += self._split(splits, stumps)
        return root

    def _split(self, splits: Sequence[tuple[Node, int]], last: bool) -> list[Node]:
        """Divide nodes; the children that may be split again."""
        parents = [node.number for node, _ in splits]
        first, weight = self._growth.split(parents, [feature for _, feature in splits])
        children: list[Node] = []
        for (node, feature), packed in zip(splits, weight.tolist(), strict=True):
            number, above = first + len(children), (feature, node.above)
            yes = Node(number, packed, node.key ^ literal(feature, True), above)
            no = Node(number + 1, node.packed - packed, node.key ^ literal(feature, False), above)
            node.feature, node.children = feature, (yes, no)
            children += [yes, no]
        splittable = [not last and self._splitter.may_split(child) for child in children]
        self._growth.descend(parents, first, splittable)
        return [child for child, may in zip(children, splittable, strict=True) if may]


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
