"""A node's examples divided by one feature, in place, each side in its old order."""

import numpy as np
from numba import njit

from .holds import holds

SEARCH = 16  # looking a segment up costs about as much as marking and clearing so many


@njit(cache=True, nogil=True)
def partition(members, spare, local, column, begins, ends, features, feature, holders, number, marked, packed):
    """Members with the feature first; returns how many, and the sum of their packed weights.

    Many members: mark the sample's segments among the feature's holders (`number`: old -> number in the sample), then
    look at the marks. Few: search each segment. `spare` is scratch, `marked` is all False before and after.
    """
    marking = members.size * SEARCH > holders.size
    if marking:
        for s in holders:
            marked[number[s]] = True
        marked[0] = False
    yes = 0
    no = 0
    weight = np.int64(0)
    last = -1
    answer = False
    for m in members:
        s = local[m, column]
        if marking:
            answer = marked[s]
        elif s != last:
            answer = holds(features, begins[s], ends[s], feature)
            last = s
        if answer:
            members[yes] = m
            yes += 1
            weight += packed[m]
        else:
            spare[no] = m
            no += 1
    members[yes:] = spare[:no]
    if marking:
        for s in holders:
            marked[number[s]] = False
    return yes, weight
