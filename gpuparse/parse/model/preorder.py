"""The shape of trees from the order of their nodes.

In pre-order, each node before what is below it and the yes side before the no side, the yes child of an inner node is
the node after it; the no child comes after a leaf, and which inner node it belongs to is found as brackets are matched.
"""

from __future__ import annotations

import numpy as np

DEEPEST = int(np.iinfo(np.int16).max)


def children_in_preorder(inner: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The yes and the no child of each node, counted within its tree, -1 at a leaf; trees have so many nodes each.

    Raises ValueError where the nodes make no such trees.

    >>> yes, no = children_in_preorder(np.array([True, False, True, False, False, False]), np.array([5, 1]))
    >>> yes.tolist(), no.tolist()
    ([1, -1, 3, -1, -1, -1], [2, -1, 4, -1, -1, -1])
    """
    if (sizes < 1).any() or (sizes > len(inner)).any() or int(sizes.sum()) != len(inner):
        raise ValueError("a tree has an impossible number of nodes")
    ends = np.cumsum(sizes)
    place = np.arange(len(inner)) - np.repeat(ends - sizes, sizes)
    waiting = np.cumsum(np.where(inner, 1, -1))  # sides that are still to come after a node
    waiting += np.repeat(np.arange(len(sizes)), sizes)  # each tree before ended at -1
    if not (waiting[ends - 1] == -1).all() or np.count_nonzero(waiting < 0) != len(sizes):
        raise ValueError("the nodes of a tree are not those of one tree in pre-order")
    if (waiting > DEEPEST).any():
        raise ValueError("a tree is too deep")
    parents = np.flatnonzero(inner)
    ends_tree = np.zeros(len(inner), bool)
    ends_tree[ends - 1] = True
    after_leaves = np.flatnonzero(~inner & ~ends_tree) + 1
    yes, no = np.full(len(inner), -1, np.int32), np.full(len(inner), -1, np.int32)
    yes[parents] = place[parents] + 1
    no[_by_depth(parents, waiting[parents])] = place[_by_depth(after_leaves, waiting[after_leaves - 1] + 1)]
    return yes, no


def _by_depth(nodes: np.ndarray, waiting: np.ndarray) -> np.ndarray:
    """Nodes by how many sides wait after them; of those with as many waiting, a parent and a no child take turns."""
    return nodes[np.argsort(waiting.astype(np.int16), kind="stable")]  # 16 bits are sorted by counting
