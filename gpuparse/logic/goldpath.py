"""A gold tree as the items of a state, in the order in which a strategy infers them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from gpuparse.dtypes import ITEM
from gpuparse.logic.headtable import HeadTable, head_index
from gpuparse.logic.items import END, FIRST, HEAD, HEAD_CHILD, ITEM_COLUMNS, LAST, ONLY, START, SYMBOL, TAG_SYMBOL
from gpuparse.logic.strategy import Strategy
from gpuparse.logic.vocabulary import Vocabulary
from gpuparse.trees import Tree


class GoldPath(NamedTuple):
    """A sentence and its gold items: first the terminals, then the others as they are inferred; TOP is the last."""

    terminals: np.ndarray  # ITEM[words, TERMINAL_COLUMNS]
    items: np.ndarray  # ITEM[items, ITEM_COLUMNS]
    labels: np.ndarray  # ITEM[items]: the label, as a number of the vocabulary's labels; -1 for terminals
    parents: np.ndarray  # ITEM[items]: the gold parent; -1 for TOP


def gold_path(tree: Tree, vocabulary: Vocabulary, heads: HeadTable, strategy: Strategy, seed: object = 0) -> GoldPath:
    """The gold path of a prepared tree. `seed` (anything numpy takes) decides the path of `bu` alone.

    >>> from gpuparse.logic.headtable import compile_heads
    >>> from gpuparse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.trees import load_language, parse_tree
    >>> tree = parse_tree("(TOP (S (NP (NNP Ann)) (VP (VBZ sings))))")
    >>> vocabulary = build_vocabulary([tree], load_language())
    >>> path = gold_path(tree, vocabulary, compile_heads(vocabulary), Strategy.r2l)
    >>> [vocabulary.labels[label] for label in path.labels[2:]]
    ['VP', 'NP', 'S', 'TOP']
    """
    terminals = vocabulary.terminals(tree.tokens())
    parents_of = _parents(tree)
    order = _order(tree, parents_of, strategy, seed)
    words = [node for node, word in enumerate(tree.words) if word is not None]
    number = {node: item for item, node in enumerate([*words, *order])}
    label_number = {label: at for at, label in enumerate(vocabulary.labels)}

    items = np.full((len(tree), ITEM_COLUMNS), -1, ITEM)
    labels = np.full(len(tree), -1, ITEM)
    parents = np.full(len(tree), -1, ITEM)
    items[: len(words), SYMBOL] = terminals[:, TAG_SYMBOL]
    items[: len(words), START] = items[: len(words), HEAD] = np.arange(len(words))
    items[: len(words), END] = np.arange(1, len(words) + 1)
    children = np.empty(len(tree), ITEM)
    for node, item in number.items():
        if node:
            parents[item] = number[parents_of[node]]
    for node in order:
        below = [number[child] for child in tree.children(node)]
        children[: len(below)] = below
        labels[number[node]] = label_number[tree.labels[node]]
        _fill_item(items, terminals, heads, vocabulary.label_symbols, number[node], labels, children, len(below))
    return GoldPath(terminals, items, labels, parents)


@njit(cache=True, nogil=True)
def _fill_item(items, terminals, heads, label_symbols, item, labels, children, n_children):
    head = children[head_index(heads, labels[item], items, terminals, children, 0, n_children - 1)]
    items[item, SYMBOL] = label_symbols[labels[item]]
    items[item, START] = items[children[0], START]
    items[item, END] = items[children[n_children - 1], END]
    items[item, HEAD] = items[head, HEAD]
    items[item, FIRST] = children[0]
    items[item, HEAD_CHILD] = head
    items[item, LAST] = children[n_children - 1]
    items[item, ONLY] = children[0] if n_children == 1 else -1


def _parents(tree: Tree) -> list[int]:
    parents = [-1] * len(tree)
    for node in range(len(tree)):
        for child in tree.children(node):
            parents[child] = node
    return parents


def _order(tree: Tree, parents: list[int], strategy: Strategy, seed: object) -> list[int]:
    """The non-terminals of a tree in the order in which the strategy infers them."""
    if strategy is Strategy.r2l:  # pre-order backwards: children before parents, from right to left
        return [node for node in reversed(range(len(tree))) if tree.words[node] is None]
    if strategy is Strategy.l2r:  # of two nodes the one that ends first; of two that end together the inner one
        nodes = [node for node in range(len(tree)) if tree.words[node] is None]
        return sorted(nodes, key=lambda node: (tree.ends[node], -node))
    random = np.random.default_rng(seed)  # type: ignore[arg-type]  # whatever numpy takes as a seed
    waiting = [sum(1 for child in tree.children(node) if tree.words[child] is None) for node in range(len(tree))]
    ready = [node for node in range(len(tree)) if tree.words[node] is None and waiting[node] == 0]
    order = []
    while ready:
        node = ready.pop(int(random.integers(len(ready))))
        order.append(node)
        parent = parents[node]
        if parent >= 0:
            waiting[parent] -= 1
            if waiting[parent] == 0:
                ready.append(parent)
    return order
