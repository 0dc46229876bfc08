"""Segments: which inferences share a part, and the sorted features of that part, in compiled code.

Within a sentence an item has one number, so a run of frontier items is known by a 64-bit hash of its numbers. A table
from such keys to segments is all that sharing takes.
"""

from __future__ import annotations

import numpy as np

from gpuparse.jit import compiled
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


@compiled
def run_key(column, frontier, start, stop, extra):
    """The key of a run of frontier items. Within a sentence an item has one number, so equal runs are the same run."""
    key = mix(mix(np.uint64(0), column + 1), extra)
    for at in range(start, stop):
        key = mix(key, frontier[at] + 1)
    return key


@compiled
def column_key(column, state, frontier, size, hashes, i, j, h):
    """What decides the segment of a column: equal keys, equal features."""
    if column == _SENTENCE:
        return mix(mix(np.uint64(0), column + 1), 0)
    if column == _STATE:
        return mix(mix(np.uint64(0), column + 1), state)
    if column == _LEFT:
        return mix(mix(np.uint64(0), column + 1), hashes[0, i])
    if column == _RIGHT:
        return mix(mix(np.uint64(0), column + 1), hashes[1, j + 1])
    if column == _LEFT_CHILD:
        return run_key(column, frontier, i, min(i + 4, size), 0)
    if column == _RIGHT_CHILD:
        return run_key(column, frontier, max(j - 3, 0), j + 1, 0)
    if column == _CHILDREN:
        return run_key(column, frontier, i, j + 1, 0)
    if column == _HEAD:
        return run_key(column, frontier, max(h - 3, 0), min(h + 4, size), min(h, 3))
    if column == _TO_HEAD:
        return run_key(column, frontier, i, h + 1, 0)
    if column == _FROM_HEAD:
        return run_key(column, frontier, h, j + 1, 0)
    return run_key(column, frontier, i, j + 1, h - i)


@compiled
def hash_ends(frontier, size, hashes):
    """`hashes[0, i]` stands for the items before i, `hashes[1, j]` for those from j on."""
    hashes[0, 0] = 0
    for at in range(size):
        hashes[0, at + 1] = mix(hashes[0, at], frontier[at] + 1)
    hashes[1, size] = 0
    for at in range(size - 1, -1, -1):
        hashes[1, at] = mix(hashes[1, at + 1], frontier[at] + 1)


@compiled
def find_slot(keys, values, key):
    """The slot of a key in the open-addressed table, or the free slot where it belongs."""
    mask = len(keys) - 1
    slot = int(key >> np.uint64(16)) & mask
    while values[slot] >= 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@compiled
def write_segment(emitted, buffer, seen, starts, features, filled):
    """Append the distinct features of the buffer as a new segment; its number, or 0 if it is empty."""
    segment = filled[3]
    at = filled[4]
    for k in range(emitted):
        feature = buffer[k]
        if seen[feature] != segment:
            seen[feature] = segment
            features[at] = feature
            at += 1
    if at == filled[4]:
        return 0
    filled[3] += 1
    filled[4] = at
    starts[segment + 1] = at
    return segment
