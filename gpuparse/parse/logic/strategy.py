"""Logics: which inferences a state allows, and which child is the head of each.

A strategy decides by the place of the item inferred last: see `LAST_INFERRED`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpuparse.jit import compiled
from gpuparse.options import Strategy
from gpuparse.parse.logic.headtable import HeadTable, compile_heads, head_index
from gpuparse.parse.logic.items import ONLY, SYMBOL
from gpuparse.parse.logic.state import LAST_INFERRED, N_FRONTIER, Run, is_punctuation, put_over, write_item
from gpuparse.parse.logic.vocabulary import Vocabulary

_R2L, _L2R = int(Strategy.r2l), int(Strategy.l2r)
NO_HEAD = -1  # stands for the head child of a label that is not allowed


class Logic(NamedTuple):
    """What decides which inferences a state allows, for compiled code."""

    strategy: int
    max_children: int
    label_symbols: np.ndarray  # ITEM[labels]: the symbol of each label; TOP is the last
    heads: HeadTable


def make_logic(vocabulary: Vocabulary, strategy: Strategy, max_children: int) -> Logic:
    """The logic of a vocabulary's labels."""
    return Logic(int(strategy), max_children, vocabulary.label_symbols, compile_heads(vocabulary))


class Inference(NamedTuple):
    """What is inferred at a state: a label, and the run of frontier items that become the children of the new item."""

    label: int
    left: int  # the frontier index of the first child
    right: int  # and of the last


@compiled
def allows_children(logic, state, left, right):
    """Whether a new item may have the frontier items from `left` to `right` as children, whatever its label."""
    last = state.extent[LAST_INFERRED]
    if last >= 0 and ((logic.strategy == _R2L and left > last) or (logic.strategy == _L2R and right < last)):
        return False
    return not is_punctuation(state, left) and not is_punctuation(state, right)


@compiled
def in_unary_chain(items, item, symbol):
    """Whether the unary chain that ends in this item carries the symbol already."""
    while item >= 0:
        if items[item, SYMBOL] == symbol:
            return True
        item = items[item, ONLY]
    return False


@compiled
def allows_label(logic, state, label, left, right):
    """Whether the label may be inferred over these frontier items, given that the children are allowed."""
    if label == len(logic.label_symbols) - 1:  # TOP
        return state.extent[N_FRONTIER] == 1
    return left != right or not in_unary_chain(state.items, state.frontier[left], logic.label_symbols[label])


@compiled
def find_heads(logic, state, left, right, heads):
    """Write the head child, counted from `left`, of every label that is allowed over a run, and NO_HEAD elsewhere.

    Returns the heads in use, as bits.
    """
    used = 0
    for label in range(len(heads)):
        heads[label] = NO_HEAD
        if allows_label(logic, state, label, left, right):
            heads[label] = 0 if left == right else head_index(logic.heads, label, state, left, right) - left
            used |= 1 << heads[label]
    return used


@compiled
def infer(logic, state, label, left, right):
    """Infer a label over a run of frontier items; returns the number of the new item."""
    run = Run(left, right, head_index(logic.heads, label, state, left, right))
    item = write_item(state, logic.label_symbols[label], run)
    put_over(state, item, left, right)
    return item


@compiled
def items_ahead(strategy, size, left, right):
    """How many of a frontier's `size` items are still ahead once a new item stands over those from `left` to `right`.

    >>> [items_ahead(int(strategy), 5, 1, 2) for strategy in Strategy]
    [1, 2, 3]
    """
    if strategy == _R2L:
        return left
    if strategy == _L2R:
        return size - 1 - right
    return size - 1 - (right - left)
