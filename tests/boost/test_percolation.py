"""A tree in passes leads every example to the leaf where a walk down the tree leads it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuparse.boost import GrownTree
from gpuparse.boost.percolation import EXITS, Pass, passes

FEATURES = 40


def random_tree(seed: int, inner: int, straight: float) -> GrownTree:
    """A tree with so many inner nodes; the straighter, the more often the last node is split again."""
    rng = np.random.default_rng(seed)
    feature, yes, no = [-1], [-1], [-1]
    leaves = [0]
    for _ in range(inner):
        node = leaves.pop(-1 if rng.random() < straight else int(rng.integers(len(leaves))))
        feature[node], yes[node], no[node] = int(rng.integers(FEATURES)), len(feature), len(feature) + 1
        leaves += [len(feature), len(feature) + 1]
        feature, yes, no = [*feature, -1, -1], [*yes, -1, -1], [*no, -1, -1]
    return GrownTree.of(feature, yes, no, np.zeros(len(feature)))


def walk(tree: GrownTree, has: np.ndarray) -> int:
    node = 0
    while tree.feature[node] >= 0:
        node = int((tree.yes if has[tree.feature[node]] else tree.no)[node])
    return node


def send_down(tree: GrownTree, one: Pass, has: np.ndarray, node: int) -> int:
    """What percolation does with one example."""
    still = int(one.below[node])
    if still == 0:
        return node
    for closed, feature in zip(one.closed.tolist(), tree.feature, strict=True):
        still &= ~closed if closed and has[feature] else ~0
    return int(one.exits[(still & -still).bit_length() - 1])


@given(st.integers(0, 10**6), st.integers(0, 200), st.sampled_from([0.0, 0.5, 1.0]))
@settings(max_examples=60, deadline=None)
def test_passes_lead_where_a_walk_leads(seed: int, inner: int, straight: float) -> None:
    tree = random_tree(seed, inner, straight)
    in_order = passes(tree)
    for has in np.random.default_rng(seed).random((20, FEATURES)) < 0.3:
        node = 0
        for one in in_order:
            node = send_down(tree, one, has, node)
        assert node == walk(tree, has)


@pytest.mark.parametrize("straight", [0.0, 1.0])
@pytest.mark.parametrize(("inner", "expected"), [(0, 0), (1, 1), (EXITS - 1, 1), (EXITS, 2)])
def test_a_pass_has_as_many_exits_as_a_word_has_bits(inner: int, expected: int, straight: float) -> None:
    assert len(passes(random_tree(0, inner, straight))) == expected
