"""Head rules compiled into arrays, so that the head child of every candidate can be found in compiled code.

A rule is a list of steps, each a set of symbols and an end to scan from; what no step names falls to one more step. So
a symbol's rank is the first step that names it; the head is the child of the least rank, and among equals the one that
the step's scan meets first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpuparse.dtypes import ITEM
from gpuparse.jit import compiled
from gpuparse.parse.logic.items import PUNCTUATION, SYMBOL
from gpuparse.parse.logic.vocabulary import Vocabulary


class HeadTable(NamedTuple):
    """The head rules of every label. One array less is seven numbers less to hand over at every call."""

    rank: np.ndarray  # ITEM[labels + 1, symbols]: the first step that names the symbol; last, 1 for conjunctions
    from_left: np.ndarray  # uint8[labels, steps]: which end the step's scan starts from
    last: np.ndarray  # ITEM[labels]: a last child with this symbol is the head at once; -1 for none


def compile_heads(vocabulary: Vocabulary) -> HeadTable:
    """The head rules of the vocabulary's labels, over its symbols."""
    rules = [vocabulary.language.rule(label) for label in vocabulary.labels]
    n_steps = 1 + max(len(rule.steps) for rule in rules)
    rank = np.zeros((len(rules) + 1, vocabulary.other_symbol + 1), ITEM)
    rank[-1, [vocabulary.symbol(name) for name in vocabulary.language.conjunctions]] = 1
    from_left = np.zeros((len(rules), n_steps), np.uint8)
    last = np.full(len(rules), -1, ITEM)
    for label, rule in enumerate(rules):
        rank[label] = len(rule.steps)
        from_left[label, len(rule.steps)] = rule.fallback_from_left
        for number, step in reversed(list(enumerate(rule.steps))):
            from_left[label, number] = step.from_left
            rank[label, [vocabulary.symbol(name) for name in step.labels]] = number
        if rule.last is not None:
            last[label] = vocabulary.symbol(rule.last)
    return HeadTable(rank, from_left, last)


@compiled
def _is_punctuation(terminals, item):
    return item < terminals.shape[0] and terminals[item, PUNCTUATION] != 0


@compiled
def head_index(heads, label, items, terminals, frontier, i, j):
    """The frontier index of the head child of an item with this label over `frontier[i..j]`."""
    if items[frontier[j], SYMBOL] == heads.last[label]:
        return _first_conjunct(heads, items, terminals, frontier, i, j)
    head, best = i, heads.from_left.shape[1]
    for at in range(i, j + 1):
        item = frontier[at]
        if _is_punctuation(terminals, item):
            continue
        rank = heads.rank[label, items[item, SYMBOL]]
        if rank < best or (rank == best and not heads.from_left[label, rank]):
            head, best = at, rank
    return _first_conjunct(heads, items, terminals, frontier, i, head)


@compiled
def _first_conjunct(heads, items, terminals, frontier, i, head):
    """Of `A CC head` the nearest child before the conjunction that is no punctuation, if there is one."""
    if head - i < 2 or not heads.rank[-1, items[frontier[head - 1], SYMBOL]]:
        return head
    for at in range(head - 2, i - 1, -1):
        if not _is_punctuation(terminals, frontier[at]):
            return at
    return head
