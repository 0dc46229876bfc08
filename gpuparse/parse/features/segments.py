"""Segments: which inferences share a part, and the sorted features of that part, in compiled code.

Within a sentence an item has one number, so a run of frontier items is known by a 64-bit hash of its numbers. A table
from such keys to segments is all that it takes to share them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpuparse.dtypes import SEGMENT
from gpuparse.jit import compiled, kernel
from gpuparse.parse.features.groups import Column

_SENTENCE, _STATE, _LEFT, _RIGHT, _LEFT_CHILD, _RIGHT_CHILD, _CHILDREN, _HEAD, _TO_HEAD, _FROM_HEAD, _NON_HEAD = (
    int(column) for column in Column
)


@compiled
def mix(key, value):
    """A 64-bit hash of a hash and a number, which does not commute."""
    key = (key + np.uint64(1)) * np.uint64(0xD6E8FEB86659FD93) + np.uint64(value)
    key = (key ^ (key >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return key ^ (key >> np.uint64(29))


class Keys(NamedTuple):
    """What stands for the items of a frontier where segments are told apart.

    In training it is their numbers, since within a sentence an item has one; in a search, hashes of what they hold.
    """

    items: np.ndarray  # [items of the frontier]
    before: np.ndarray  # uint64[items + 1]: a hash of all items before each
    after: np.ndarray  # uint64[items + 1]: and of all from each on


@compiled
def run_key(column, keys, start, stop, extra):
    """The key of a run of frontier items."""
    key = mix(mix(np.uint64(0), column + 1), extra)
    for at in range(start, stop):
        key = mix(key, keys.items[at] + 1)
    return key


@compiled
def column_key(column, number, keys, size, run):
    """What decides the segment of a column: equal keys, equal features.

    `number` is that of the state, `size` the number of its frontier items.
    """
    left, right, head = run.left, run.right, run.head
    if column == _SENTENCE:
        return mix(mix(np.uint64(0), column + 1), 0)
    if column == _STATE:
        return mix(mix(np.uint64(0), column + 1), number)
    if column == _LEFT:
        return mix(mix(np.uint64(0), column + 1), keys.before[left])
    if column == _RIGHT:
        return mix(mix(np.uint64(0), column + 1), keys.after[right + 1])
    if column == _LEFT_CHILD:
        return run_key(column, keys, left, min(left + 4, size), 0)
    if column == _RIGHT_CHILD:
        return run_key(column, keys, max(right - 3, 0), right + 1, 0)
    if column == _CHILDREN:
        return run_key(column, keys, left, right + 1, 0)
    if column == _HEAD:
        return run_key(column, keys, max(head - 3, 0), min(head + 4, size), min(head, 3))
    if column == _TO_HEAD:
        return run_key(column, keys, left, head + 1, 0)
    if column == _FROM_HEAD:
        return run_key(column, keys, head, right + 1, 0)
    return run_key(column, keys, left, right + 1, head - left)


@compiled
def hash_ends(keys, size):
    """Write what stands for the items before and after each place of a frontier of this size."""
    keys.before[0] = 0
    for at in range(size):
        keys.before[at + 1] = mix(keys.before[at], keys.items[at] + 1)
    keys.after[size] = 0
    for at in range(size - 1, -1, -1):
        keys.after[at] = mix(keys.after[at + 1], keys.items[at] + 1)


class KeyTable(NamedTuple):
    """What a sentence has met so far, by key: an open-addressed hash table of a power of two of slots."""

    keys: np.ndarray  # uint64[slots]
    values: np.ndarray  # SEGMENT[slots]: -1 where a slot is free
    entries: np.ndarray  # int64[1]: how many slots are in use, at most half of them


def make_key_table(slots: int) -> KeyTable:
    """An empty table; `slots` is a power of two.

    >>> bool(has_room(make_key_table(8), 4)), bool(has_room(make_key_table(8), 5))
    (True, False)
    """
    return KeyTable(np.empty(slots, np.uint64), np.full(slots, -1, SEGMENT), np.zeros(1, np.int64))


def clear(table: KeyTable) -> None:
    """Forget everything."""
    table.values.fill(-1)
    table.entries[0] = 0


@compiled
def has_room(table, entries):
    """Whether there is room for so many more entries."""
    return 2 * (table.entries[0] + entries) <= len(table.keys)


@compiled
def find_slot(table, key):
    """The slot of a key, or the free slot where it belongs."""
    mask = len(table.keys) - 1
    slot = int(key >> np.uint64(16)) & mask
    while table.values[slot] >= 0 and table.keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@compiled
def enter(table, slot, key, value):
    """Put an entry into a free slot."""
    table.keys[slot] = key
    table.values[slot] = value
    table.entries[0] += 1


@kernel
def copy_table(table, larger):
    """Enter everything into a larger, empty table."""
    for at in range(len(table.keys)):
        if table.values[at] >= 0:
            enter(larger, find_slot(larger, table.keys[at]), table.keys[at], table.values[at])
