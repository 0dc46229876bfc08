"""A node's examples divided by one feature, in place, each side in its old order."""

import numpy as np

from gpuparse.jit import kernel

from ...index import index
from ..prefetch import prefetch
from .holds import holds

SEARCH = 8  # looking a segment up costs about as much as marking and clearing so many
AHEAD = 8  # members whose segments are on their way while others are searched


@kernel
def partition(members, spare, local, column, begins, ends, features, feature, holders, number, marked, packed):
    """Members with the feature first; returns how many, and the sum of their packed weights.

    Many members: mark the sample's segments among the feature's holders (`number`: old -> number in the sample), then
    look at the marks. Few: search each segment. `spare` is scratch, `marked` is all False before and after.
    """
    marking = members.size * SEARCH > holders.size
    if marking:
        for s in holders:
            marked[index(number[index(s)])] = True
        marked[0] = False
    yes = 0
    last = index(0)
    answer = False
    for n in range(members.size):
        if not marking and n + AHEAD < members.size:
            coming = index(local[index(members[n + AHEAD]), column])
            prefetch(features, (begins[coming] + ends[coming]) >> 1)
        m = members[n]
        s = index(local[index(m), column])
        if marking:
            answer = marked[s]
        elif s != last:
            answer = holds(features, begins[s], ends[s], feature)
            last = s
        spare[n - yes] = m  # both are written, without a branch: what is wrong is written over
        members[yes] = m
        yes += answer
    members[yes:] = spare[: members.size - yes]
    weight = np.int64(0)
    for m in members[:yes]:
        weight += packed[index(m)]
    if marking:
        for s in holders:
            marked[index(number[index(s)])] = False
    return yes, weight
