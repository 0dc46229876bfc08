"""The memory of searches in parallel: one array per quantity, whose first index is the slot of a search.

An *entry* is a partial parse: the entry it came from, and the inference that was added to it. Its state is not stored;
it is built again from the chain of its inferences when its turn comes.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from gpuparse.dtypes import ITEM
from gpuparse.parse.logic.items import ITEM_COLUMNS, TERMINAL_COLUMNS
from gpuparse.parse.logic.state import EXTENT_COLUMNS
from gpuparse.parse.search.atoms import BROUGHT


class Status(IntEnum):
    """Where a search is."""

    IDLE = 0  # the slot is free
    LIVE = 1  # looking for the best tree
    FALLBACK = 2  # the limit was met without a solution: finishing the partial parse at hand, greedily
    VARYING = 3  # the limit was met, and several trees are wanted: looking for variations of the best
    DONE = 4


REGISTERS = np.dtype(
    [
        (name, np.int64)
        for name in (
            "status",  # see Status
            "words",  # of the sentence
            "limit",  # of partial parses scored
            "scored",  # how many partial parses were scored
            "entries",  # how many there are; entry 0 is the initial state
            "agenda",  # how many entries wait on the agenda, in order
            "loose",  # how many entries wait behind those, in no order
            "popped",  # how many entries were taken off the agenda, the initial state among them
            "current",  # the entry whose state is at hand
            "next",  # the entry to follow next, -1: ask the agenda
            "first_candidate",  # of the state at hand, in the batch
            "candidates",  # of the state at hand
            "solutions",  # how many there are
            "compared",  # the solution that the agenda compares with, 0: none
            "greedy",  # the best solution when the first greedy descent ended, -1 before
            "dead_end",  # the cheapest state met that allows nothing, -1: none
            "complete",  # 1 as long as nothing that was set aside has been dropped unseen
            "sentence",  # a hash of the terminals
            "most",  # how many partial parses may be scored for variations; once it is at that, with those before
            "alternatives",  # how many alternatives there are
            "tried",  # how many of them were tried with the best tree as their guide; one more: they are in order
            "alternative",  # the one at hand, -1: none
            "guides",  # how many there are
            "guide",  # the one at hand
            "steps",  # how many steps are loaded
            "step",  # the next of them to make
            "before",  # how many entries there were before the variation at hand
        )
    ]
)  # the numbers that a search keeps


class Pool(NamedTuple):
    """The searches."""

    registers: np.ndarray  # REGISTERS[slots]
    terminals: np.ndarray  # ITEM[slots, words, TERMINAL_COLUMNS]
    parent: np.ndarray  # int32[slots, entries]
    label: np.ndarray  # int32[slots, entries]
    left: np.ndarray  # int32[slots, entries]: the first child, in the frontier of the parent's state
    right: np.ndarray  # int32[slots, entries]: the last
    score: np.ndarray  # int64[slots, entries]: of the inference, fixed point
    step_cost: np.ndarray  # float64[slots, entries]: its cost
    cost: np.ndarray  # float64[slots, entries]: of the partial parse; under max-min the greatest step
    ahead: np.ndarray  # int32[slots, entries]: the items of the frontier that the search has yet to come to
    signature: np.ndarray  # uint64[slots, entries]: of the set of items
    agenda: np.ndarray  # int32[slots, entries]: a heap, or under beam search a list, of entries
    solutions: np.ndarray  # int32[slots, k]: the best first
    profile: np.ndarray  # float64[slots, words + 1]: the cost that the best solution had with so many items ahead
    dropped: np.ndarray  # float64[slots]: the least cost of what was dropped unseen
    items: np.ndarray  # ITEM[slots, items, ITEM_COLUMNS]: of the state at hand, as all of a State
    extent: np.ndarray  # int64[slots, EXTENT_COLUMNS]
    content: np.ndarray  # uint64[slots, items]: a hash of what features see of an item: its label, span and head
    inside: np.ndarray  # uint64[slots, items]: a hash of that, and of what they see of its children
    frontier: np.ndarray  # ITEM[slots, words + 1]
    chain: np.ndarray  # int32[slots, items]: room for the inferences of an entry
    path: np.ndarray  # int32[slots, items + 1]: the entry that each item of the state at hand came about by; then -1
    sorted_costs: np.ndarray  # float64[slots, 2, items]: room for the costs of the inferences of two entries
    of_word: np.ndarray  # int32[slots, groups, words, BROUGHT]: the features that a word brings to a group
    chart: np.ndarray  # int32[slots, chart]: the entry with which each state was popped; -1: free
    alternatives: np.ndarray  # int32[slots, alternatives]: entries; see variation.py
    turn: np.ndarray  # int32[slots, alternatives]: after how many steps of the best tree each comes
    extra: np.ndarray  # float64[slots, alternatives]: what each adds to its cost, first estimated
    guides: np.ndarray  # int32[slots, guides]: entries that are trees
    guide_turn: np.ndarray  # int32[slots, guides]: after how many steps each leaves the best tree
    untried: np.ndarray  # int32[slots, guides]: the first alternative that was not tried with it
    steps: np.ndarray  # ITEM[slots, items, STEP_COLUMNS]: of a tree
    starts: np.ndarray  # int32[slots, words + 1]: where frontier items start


STEP_START, STEP_END, STEP_LABEL, STEP_COLUMNS = range(4)  # columns of steps: a labelled span
ALTERNATIVES, GUIDES = 6, 6  # for each tree of a list


def most_varied(limit: int, k: int) -> int:
    """How many partial parses may be scored for the variations that fill a list of k trees.

    >>> most_varied(1000, 1), most_varied(1000, 50)
    (0, 1000)
    """
    return 0 if k == 1 else limit


def make_pool(slots: int, words: int, labels: int, groups: int, limit: int, k: int, chart: bool) -> Pool:
    """An empty pool for sentences of at most so many words, and a model that looks at so many groups of items."""
    n_items = words + 2 * words * labels + 1
    entries = limit + n_items + most_varied(limit, k) + n_items + 1
    chart_size = 2 ** int(np.ceil(np.log2(2 * limit + 2))) if chart else 1
    return Pool(
        registers=np.zeros(slots, REGISTERS),
        terminals=np.zeros((slots, words, TERMINAL_COLUMNS), ITEM),
        parent=np.empty((slots, entries), np.int32),
        label=np.empty((slots, entries), np.int32),
        left=np.empty((slots, entries), np.int32),
        right=np.empty((slots, entries), np.int32),
        score=np.empty((slots, entries), np.int64),
        step_cost=np.empty((slots, entries), np.float64),
        cost=np.empty((slots, entries), np.float64),
        ahead=np.empty((slots, entries), np.int32),
        signature=np.empty((slots, entries), np.uint64),
        agenda=np.empty((slots, entries), np.int32),
        solutions=np.empty((slots, k), np.int32),
        profile=np.zeros((slots, words + 1), np.float64),
        dropped=np.empty(slots, np.float64),
        items=np.empty((slots, n_items, ITEM_COLUMNS), ITEM),
        extent=np.empty((slots, EXTENT_COLUMNS), np.int64),
        content=np.empty((slots, n_items), np.uint64),
        inside=np.empty((slots, n_items), np.uint64),
        frontier=np.empty((slots, words + 1), ITEM),
        chain=np.empty((slots, n_items), np.int32),
        path=np.empty((slots, n_items + 1), np.int32),
        sorted_costs=np.empty((slots, 2, n_items), np.float64),
        of_word=np.empty((slots, groups, words, BROUGHT), np.int32),
        chart=np.full((slots, chart_size), -1, np.int32),
        alternatives=np.empty((slots, ALTERNATIVES * k), np.int32),
        turn=np.empty((slots, ALTERNATIVES * k), np.int32),
        extra=np.empty((slots, ALTERNATIVES * k), np.float64),
        guides=np.empty((slots, GUIDES * k), np.int32),
        guide_turn=np.empty((slots, GUIDES * k), np.int32),
        untried=np.empty((slots, GUIDES * k), np.int32),
        steps=np.empty((slots, n_items, STEP_COLUMNS), ITEM),
        starts=np.empty((slots, words + 1), np.int32),
    )


def take_slot(pool: Pool, slot: int, terminals: np.ndarray, limit: int = 0) -> None:
    """Put a sentence into a slot, and reset its registers."""
    pool.terminals[slot, : len(terminals)] = terminals
    pool.registers[slot] = 0  # all of them
    registers = pool.registers[slot]
    registers["words"], registers["limit"] = len(terminals), limit
    registers["most"] = most_varied(limit, pool.solutions.shape[1])
