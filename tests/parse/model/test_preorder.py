"""The children of nodes in pre-order, against a plain walk, and what is no pre-order."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuparse.parse.model.preorder import DEEPEST, children_in_preorder

Shape = tuple["Shape", "Shape"] | None
SHAPES: st.SearchStrategy[Shape] = st.recursive(st.none(), lambda below: st.tuples(below, below), max_leaves=30)


def nodes_of(shape: Shape) -> list[bool]:
    """For each node in pre-order whether it is an inner one."""
    return [False] if shape is None else [True, *nodes_of(shape[0]), *nodes_of(shape[1])]


def plain_children(shape: Shape, first: int = 0) -> list[tuple[int, int]]:
    """For each node its children, found on the way down."""
    if shape is None:
        return [(-1, -1)]
    no = first + 1 + len(nodes_of(shape[0]))
    return [(first + 1, no), *plain_children(shape[0], first + 1), *plain_children(shape[1], no)]


@given(st.lists(SHAPES, max_size=6))
def test_the_children_are_those_of_a_plain_walk(shapes: list[Shape]) -> None:
    nodes = [nodes_of(shape) for shape in shapes]
    inner = np.array([inner for tree in nodes for inner in tree], bool)
    yes, no = children_in_preorder(inner, np.array([len(tree) for tree in nodes], np.int64))
    children = [pair for shape in shapes for pair in plain_children(shape)]
    assert list(zip(yes.tolist(), no.tolist(), strict=True)) == children


@given(st.lists(st.booleans(), max_size=12), st.lists(st.integers(0, 12), max_size=4))
def test_what_is_accepted_are_trees(inner: list[bool], sizes: list[int]) -> None:
    try:
        yes, no = children_in_preorder(np.array(inner, bool), np.array(sizes, np.int64))
    except ValueError:
        return
    starts = np.cumsum([0, *sizes])
    for start, end in pairwise(starts):
        below = [child for node in range(start, end) if inner[node] for child in (yes[node], no[node])]
        assert sorted(below) == list(range(1, end - start))


@pytest.mark.parametrize("inner", [[True], [False, False], [False, True, False], [True, False, False, False], []])
def test_what_is_no_tree_is_refused(inner: list[bool]) -> None:
    with pytest.raises(ValueError, match="nodes"):
        children_in_preorder(np.array(inner, bool), np.array([len(inner)]))


def test_the_deepest_tree_is_read_and_a_deeper_one_refused() -> None:
    for depth in (DEEPEST, DEEPEST + 1):
        inner = np.arange(2 * depth + 1) < depth
        if depth == DEEPEST:
            yes, no = children_in_preorder(inner, np.array([len(inner)]))
            assert (yes[depth - 1], no[depth - 1], no[0]) == (depth, depth + 1, 2 * depth)
        else:
            with pytest.raises(ValueError, match="deep"):
                children_in_preorder(inner, np.array([len(inner)]))
