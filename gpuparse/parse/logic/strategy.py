"""Strategies: which inferences a state allows.

A state is its frontier, and `last`, the frontier index of the item inferred last (-1 at the initial state).
"""

from __future__ import annotations

from gpuparse.jit import compiled
from gpuparse.options import Strategy
from gpuparse.parse.logic.items import ONLY, PUNCTUATION, SYMBOL

_R2L, _L2R = int(Strategy.r2l), int(Strategy.l2r)


@compiled
def allows_children(strategy, last, items, terminals, frontier, i, j):
    """Whether a new item may have the children `frontier[i..j]`, whatever its label."""
    if last >= 0 and ((strategy == _R2L and i > last) or (strategy == _L2R and j < last)):
        return False
    n_words = terminals.shape[0]
    first, final = frontier[i], frontier[j]
    if first < n_words and terminals[first, PUNCTUATION]:
        return False
    return not (final < n_words and terminals[final, PUNCTUATION])


@compiled
def in_unary_chain(items, item, symbol):
    """Whether the unary chain that ends in this item carries the symbol already."""
    while item >= 0:
        if items[item, SYMBOL] == symbol:
            return True
        item = items[item, ONLY]
    return False


@compiled
def allows_label(label, n_labels, label_symbols, items, frontier, size, i, j):
    """Whether the label may be inferred over `frontier[i..j]`, given that the children are allowed."""
    if label == n_labels - 1:  # TOP
        return size == 1
    return i != j or not in_unary_chain(items, frontier[i], label_symbols[label])


@compiled
def items_ahead(strategy, size, i, j):
    """How many of a frontier's `size` items are still ahead once a new item stands over `frontier[i..j]`.

    >>> [items_ahead(int(strategy), 5, 1, 2) for strategy in Strategy]
    [1, 2, 3]
    """
    if strategy == _R2L:
        return i
    if strategy == _L2R:
        return size - 1 - j
    return size - 1 - (j - i)
