"""Head rules compiled into arrays, so that the head child of every candidate can be found in compiled code.

A rule is a list of scans, each of which looks for some symbols, from one end; what no scan names falls to one more. So
a symbol's rank is the first scan that names it; the head is the child of the least rank, and among equals the one that
the scan meets first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpuparse.dtypes import ITEM
from gpuparse.jit import compiled
from gpuparse.parse.logic.items import SYMBOL
from gpuparse.parse.logic.state import is_punctuation
from gpuparse.parse.logic.vocabulary import Vocabulary


class HeadTable(NamedTuple):
    """The head rules of every label, in few arrays: each is seven numbers to pass at every call."""

    rank: np.ndarray  # ITEM[labels + 1, symbols]: the first scan that names the symbol; last, 1 for conjunctions
    from_left: np.ndarray  # uint8[labels, scans]: which end the scan starts from
    last: np.ndarray  # ITEM[labels]: a last child with this symbol is the head at once; -1 for none


def compile_heads(vocabulary: Vocabulary) -> HeadTable:
    """The head rules of the vocabulary's labels, over its symbols."""
    rules = [vocabulary.language.rule(label) for label in vocabulary.labels]
    n_scans = 1 + max(len(rule.scans) for rule in rules)
    rank = np.zeros((len(rules) + 1, vocabulary.other_symbol + 1), ITEM)
    rank[-1, [vocabulary.symbol(name) for name in vocabulary.language.conjunctions]] = 1
    from_left = np.zeros((len(rules), n_scans), np.uint8)
    last = np.full(len(rules), -1, ITEM)
    for label, rule in enumerate(rules):
        rank[label] = len(rule.scans)
        from_left[label, len(rule.scans)] = rule.fallback_from_left
        for number, scan in reversed(list(enumerate(rule.scans))):
            from_left[label, number] = scan.from_left
            rank[label, [vocabulary.symbol(name) for name in scan.labels]] = number
        if rule.last is not None:
            last[label] = vocabulary.symbol(rule.last)
    return HeadTable(rank, from_left, last)


@compiled
def _symbol(state, at):
    return state.items[state.frontier[at], SYMBOL]


@compiled
def head_index(heads, label, state, left, right):
    """The frontier index of the head child of an item with this label over the frontier items `left` to `right`."""
    if _symbol(state, right) == heads.last[label]:
        return _first_conjunct(heads, state, left, right)
    head, best = left, heads.from_left.shape[1]
    for at in range(left, right + 1):
        if is_punctuation(state, at):
            continue
        rank = heads.rank[label, _symbol(state, at)]
        if rank < best or (rank == best and not heads.from_left[label, rank]):
            head, best = at, rank
    return _first_conjunct(heads, state, left, head)


@compiled
def _first_conjunct(heads, state, left, head):
    """Of `A CC head` the nearest child before the conjunction that is no punctuation, if there is one."""
    if head - left < 2 or not heads.rank[-1, _symbol(state, head - 1)]:
        return head
    for at in range(head - 2, left - 1, -1):
        if not is_punctuation(state, at):
            return at
    return head
