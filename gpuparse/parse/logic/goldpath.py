"""A gold tree as the items of a state, in the order in which a strategy infers them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpuparse.dtypes import ITEM
from gpuparse.options import Strategy
from gpuparse.parse.logic.items import END, HEAD, START, TAG_SYMBOL
from gpuparse.parse.logic.vocabulary import Vocabulary
from gpuparse.trees import Tree, head_child


class GoldPath(NamedTuple):
    """A sentence and its gold items: first the terminals, then the others as they are inferred; TOP is the last."""

    terminals: np.ndarray  # ITEM[words, TERMINAL_COLUMNS]
    items: np.ndarray  # ITEM[items, ITEM_COLUMNS]
    labels: np.ndarray  # ITEM[items]: a number of the vocabulary's labels; -1 for terminals and labels never seen
    parents: np.ndarray  # ITEM[items]: the gold parent; -1 for TOP
    weight: float = 1.0  # what each of its states counts


def gold_path(tree: Tree, vocabulary: Vocabulary, strategy: Strategy, seed: object = 0) -> GoldPath:
    """The gold path of a prepared tree that has words. `seed` (anything numpy takes) decides the path of `bu` alone.

    >>> from gpuparse.parse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.trees import load_language, parse_tree
    >>> tree = parse_tree("(TOP (S (NP (NNP Ann)) (VP (VBZ sings))))")
    >>> vocabulary = build_vocabulary([tree], load_language())
    >>> path = gold_path(tree, vocabulary, Strategy.r2l)
    >>> [vocabulary.labels[label] for label in path.labels[2:]]
    ['VP', 'NP', 'S', 'TOP']
    """
    terminals = vocabulary.terminals(tree.tokens())
    parents_of = _parents(tree)
    order = _order(tree, parents_of, strategy, seed)
    words = [node for node, word in enumerate(tree.words) if word is not None]
    number = {node: item for item, node in enumerate([*words, *order])}
    items = [[int(terminals[at, TAG_SYMBOL]), at, at + 1, at, -1, -1, -1, -1] for at in range(len(words))]
    for node in order:
        children = list(tree.children(node))
        head = head_child(vocabulary.language, tree.labels[node], [tree.labels[child] for child in children])
        items.append(_item(vocabulary.symbol(tree.labels[node]), items, [number[child] for child in children], head))
    labels = [-1] * len(words) + [vocabulary.label(tree.labels[node]) for node in order]
    parents = [number[parents_of[node]] if node else -1 for node in number]
    return GoldPath(terminals, np.array(items, ITEM), np.array(labels, ITEM), np.array(parents, ITEM))


def _item(symbol: int, items: list[list[int]], children: list[int], head: int) -> list[int]:
    """The row of an item over these children."""
    first, middle, last = children[0], children[head], children[-1]
    only = first if len(children) == 1 else -1
    return [symbol, items[first][START], items[last][END], items[middle][HEAD], first, middle, last, only]


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
