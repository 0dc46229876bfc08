"""Examples sent down trees, in passes, each to one of at most 64 exits: a leaf, or a node of a later pass.

An example that has the feature of a node does not come out on the node's `no` side: the feature closes the exits there.
Exits are numbered so that those of a node's `no` side come before those of its `yes` side. So an example comes out at
the first exit that none of its features closes. All that has to be looked at is one machine word per segment, its mark:
the exits that its features close. (This is QuickScorer's idea: Lucchese et al. 2015.)
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

import numpy as np

from gpuparse.boost.postings import Postings
from gpuparse.boost.team import Team
from gpuparse.boost.tree import GrownTree

EXITS = 64  # bits of a machine word
SHARE = 1024  # examples before a second thread pays for being called


class Pass(NamedTuple):
    """Some nodes of a tree, which an example goes through in one look at its segments."""

    closed: np.ndarray  # uint64[nodes]: the exits that the node's feature closes, as bits; 0: not a node of this pass
    below: np.ndarray  # uint64[nodes]: the exits below the node, if examples start from it; else 0
    exits: np.ndarray  # int32[EXITS]: the node that each exit leads to


def passes(tree: GrownTree) -> list[Pass]:
    """The passes of a tree, in order.

    >>> one, = passes(GrownTree.of([7, -1, 8, -1, -1], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], np.zeros(5)))
    >>> one.exits[:3].tolist(), one.closed.tolist(), one.below.tolist()
    ([4, 3, 1], [3, 0, 1, 0, 0], [7, 0, 0, 0, 0])
    """
    in_order = []
    waiting = [0] if tree.yes[0] >= 0 else []
    while waiting:
        starts, inner, waiting = _choose(tree, waiting)
        in_order.append(_number(tree, starts, inner))
    return in_order


def _choose(tree: GrownTree, waiting: list[int]) -> tuple[list[int], set[int], list[int]]:
    """Which of the waiting nodes a pass starts from, all nodes of the pass, and those that wait for a later one."""
    starts: list[int] = []
    inner: set[int] = set()
    later: list[int] = []
    exits = 0
    for start in waiting:
        if exits + 2 > EXITS:
            later.append(start)
            continue
        starts.append(start)
        exits += 1
        level = deque([start])  # level by level: most examples are above
        while level:
            node = level.popleft()
            if tree.yes[node] < 0:
                continue
            if exits == EXITS:
                later.append(node)
                continue
            inner.add(node)
            exits += 1
            level += (int(tree.yes[node]), int(tree.no[node]))
    return starts, inner, later


def _number(tree: GrownTree, starts: list[int], inner: set[int]) -> Pass:
    """Number the exits of a pass."""
    size = len(tree.feature)
    numbered = Pass(np.zeros(size, np.uint64), np.zeros(size, np.uint64), np.zeros(EXITS, np.int32))
    exits = 0

    def number(node: int) -> None:
        nonlocal exits
        if node not in inner:
            numbered.exits[exits] = node
            exits += 1
            return
        first = exits
        number(int(tree.no[node]))
        if tree.feature[node] >= 0:
            numbered.closed[node] = _bits(first, exits)
        number(int(tree.yes[node]))

    for start in starts:
        first = exits
        number(start)
        numbered.below[start] = _bits(first, exits)
    return numbered


def _bits(first: int, last: int) -> int:
    """The bits first <= b < last of a machine word."""
    return (1 << last) - (1 << first)


class Percolator:
    """Sends examples down one tree after the other; the segments of their rows, and all else, are on the device."""

    def __init__(self, segments: Any, marks: Any, postings: Postings, kernels: Any, team: Team) -> None:
        self._segments, self._marks = segments, marks  # uint64[segments of the matrix]: zero between two passes
        self._postings, self._kernels, self._team = postings, kernels, team
        self._leaf = kernels.arrays.empty(len(segments), np.int32)

    def percolate(self, tree: GrownTree) -> Any:
        """The leaf of every example, until the next tree. A feature below -1 is one that no row of the matrix has."""
        leaf = self._leaf
        leaf[:] = 0
        for one in passes(tree):
            self._send_down(tree.feature, one, leaf)
        return leaf

    def _send_down(self, feature: np.ndarray, one: Pass, leaf: Any) -> None:
        """Every example from where it is to where it comes out of a pass."""
        kernels = self._kernels
        feature, closed, below, exits = map(kernels.to_device, (feature, *one))
        begins, holders = self._postings
        kernels.mark(feature, closed, begins, holders, self._marks)
        self._team.share(
            lambda a, b: kernels.percolate(a, b, self._segments, self._marks, below, exits, leaf), len(leaf), SHARE
        )
        kernels.unmark(feature, closed, begins, holders, self._marks)
