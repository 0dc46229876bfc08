"""The examples of a node divided by one feature, in place, each side in its old order."""

from typing import NamedTuple

import numpy as np

from gpuparse.jit import kernel, spliced

from ...index import index
from ..prefetch import prefetch

SEARCH_COST = 8  # looking a segment up costs about as much as marking and clearing so many
MEMBERS_AHEAD = 8  # members whose segments are on their way while others are searched


class Room(NamedTuple):
    """Scratch of a thread that divides nodes."""

    spare: np.ndarray  # int32: as many as the node has members, or more
    marked: np.ndarray  # bool[segments of the sample], all False between two divisions


@kernel
def partition(members, sample, features, feature, column, holders, room):
    """Members with the feature first; returns how many, and the sum of their packed weights.

    Many members: mark the sample's segments among the feature's holders, then read the marks. Few: search each segment.
    """
    local, begins, ends, number, packed = sample
    spare, marked = room
    marking = members.size * SEARCH_COST > holders.size
    if marking:
        for s in holders:
            marked[index(number[index(s)])] = True
        marked[0] = False
    yes = 0
    last = index(0)
    answer = False
    for n in range(members.size):
        if not marking and n + MEMBERS_AHEAD < members.size:
            coming = index(local[index(members[n + MEMBERS_AHEAD]), column])
            prefetch(features, (begins[coming] + ends[coming]) >> 1)
        m = members[n]
        s = index(local[index(m), column])
        if marking:
            answer = marked[s]
        elif s != last:
            answer = holds(features, begins[s], ends[s], feature)
            last = s
        spare[n - yes] = m  # written to both sides, without a branch: the wrong one is overwritten by the next member
        members[yes] = m
        yes += answer
    for n in range(members.size - yes):  # a loop: Numba compiles the assignment of a slice for two seconds
        members[yes + n] = spare[n]
    weight = np.int64(0)
    for m in members[:yes]:
        weight += packed[index(m)]
    if marking:
        for s in holders:
            marked[index(number[index(s)])] = False
    return yes, weight


@spliced
def holds(features, begin, end, feature):
    """Whether features[begin:end], ascending, holds the feature: a binary search without branches."""
    size = end - begin
    if size == 0:
        return False
    while size > 1:
        half = size >> 1
        begin += half if features[begin + half] <= feature else 0
        size -= half
    return features[begin] == feature
