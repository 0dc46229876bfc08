"""The state of a derivation, for compiled code: its items, its frontier, and how an inference changes them.

The gold walk, the search and the explanations all keep their states in this one form:

    terminals   the words of the sentence
    items       all items inferred so far, the terminals first; an item keeps its number
    frontier    the numbers of the items that have no parent yet, from left to right
    extent      how far each array is filled, and where the last inference was made
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpuparse.jit import compiled, inlined
from gpuparse.parse.logic.items import (
    END,
    FIRST,
    HEAD,
    HEAD_CHILD,
    LAST,
    ONLY,
    PUNCTUATION,
    START,
    SYMBOL,
    TAG_SYMBOL,
)

# Columns of a state's extent.
N_ITEMS = 0  # how many items there are
N_FRONTIER = 1  # how many of them have no parent
LAST_INFERRED = 2  # the frontier index of the item inferred last; -1 at the initial state
EXTENT_COLUMNS = 3


class State(NamedTuple):
    """A state. The arrays are views of somebody's memory; an inference changes them in place."""

    terminals: np.ndarray  # ITEM[words, TERMINAL_COLUMNS]
    items: np.ndarray  # ITEM[items, ITEM_COLUMNS]
    frontier: np.ndarray  # ITEM[words or more]
    extent: np.ndarray  # int64[EXTENT_COLUMNS]


class Run(NamedTuple):
    """A run of frontier items that become the children of a new item, and which of them is its head child."""

    left: int  # the frontier index of the first child
    right: int  # of the last
    head: int  # and of the head child


def make_state(terminals: np.ndarray, items: np.ndarray) -> State:
    """The initial state of a sentence whose terminals are the first of the items.

    >>> state = make_state(np.zeros((2, 5), np.int32), np.zeros((3, 8), np.int32))
    >>> state.frontier.tolist(), state.extent.tolist()
    ([0, 1], [2, 2, -1])
    """
    state = State(terminals, items, np.empty(len(terminals), items.dtype), np.empty(EXTENT_COLUMNS, np.int64))
    begin_frontier(state)
    return state


@compiled
def begin_frontier(state):
    """Go back to the initial state, whose frontier is the terminals."""
    n_words = len(state.terminals)
    for word in range(n_words):
        state.frontier[word] = word
    state.extent[N_ITEMS] = n_words
    state.extent[N_FRONTIER] = n_words
    state.extent[LAST_INFERRED] = -1


@compiled
def write_terminals(state):
    """Write the items that are terminals."""
    for word in range(len(state.terminals)):
        item = state.items[word]
        item[SYMBOL] = state.terminals[word, TAG_SYMBOL]
        item[START] = word
        item[END] = word + 1
        item[HEAD] = word
        item[FIRST] = item[HEAD_CHILD] = item[LAST] = item[ONLY] = -1


@compiled
def write_item(state, symbol, run):
    """Write a new item over a run of frontier items; returns its number. It is not in the frontier yet."""
    items, frontier = state.items, state.frontier
    number = state.extent[N_ITEMS]
    first, head, last = frontier[run.left], frontier[run.head], frontier[run.right]
    item = items[number]
    item[SYMBOL] = symbol
    item[START] = items[first, START]
    item[END] = items[last, END]
    item[HEAD] = items[head, HEAD]
    item[FIRST] = first
    item[HEAD_CHILD] = head
    item[LAST] = last
    item[ONLY] = first if run.left == run.right else -1
    return number


@compiled
def put_over(state, item, left, right):
    """Put the next item in the place of its children, the frontier items from `left` to `right`."""
    frontier, extent = state.frontier, state.extent
    frontier[left] = item
    for at in range(right + 1, extent[N_FRONTIER]):
        frontier[left + at - right] = frontier[at]
    extent[N_ITEMS] += 1
    extent[N_FRONTIER] -= right - left
    extent[LAST_INFERRED] = left


@compiled
def find_children(state, item):
    """The frontier indices of the first and the last child of an item that is written but not yet in the frontier."""
    left = 0
    while state.frontier[left] != state.items[item, FIRST]:
        left += 1
    right = left
    while state.frontier[right] != state.items[item, LAST]:
        right += 1
    return left, right


@inlined
def span_of(state, left, right):
    """The terminals below a run of frontier items: the first, and one past the last."""
    return state.items[state.frontier[left], START], state.items[state.frontier[right], END]


@inlined
def is_punctuation(state, at):
    """Whether a frontier item is punctuation."""
    item = state.frontier[at]
    return item < len(state.terminals) and state.terminals[item, PUNCTUATION] != 0
