"""Sums by segment spread over the features of the segments: S'(R'w), the half of a histogram that costs.

But for the root, operations take the sums of the touched segments and leave them zero for the next node. Ids ascend
within a segment, so where features beyond `reach` are of no interest it is left as soon as they begin.
"""

import numpy as np
from numba import njit

LOW = np.int64(0xFFFFFFFF)


@njit(cache=True, nogil=True)
def add_root(touched, sums, begins, ends, features, head, reach, histogram, packed):
    """Add the sums to a histogram (int32) for features f < head, and to a packed one (int64) for head <= f < reach.

    The sums stay as they are.
    """
    for s in touched:
        weight = sums[s]
        difference = np.int32((weight >> 32) - (weight & LOW))
        j = begins[s]
        end = ends[s]
        while j < end and features[j] < head:
            histogram[features[j]] += difference
            j += 1
        while j < end and features[j] < reach:
            packed[features[j]] += weight
            j += 1


@njit(cache=True, nogil=True)
def add_signed(touched, sums, begins, ends, features, reach, sign, histogram):
    """Add sign * (positive - negative) to the first `reach` features of a histogram (int32)."""
    for s in touched:
        weight = np.int32(sign * ((sums[s] >> 32) - (sums[s] & LOW)))
        sums[s] = 0
        if weight != 0:
            for j in range(begins[s], ends[s]):
                f = features[j]
                if f >= reach:
                    break
                histogram[f] += weight


@njit(cache=True, nogil=True)
def move_listed(touched, sums, begins, ends, features, reach, parent, histogram, listed):
    """Take from the parent's histogram and add to the child's; returns how many features it lists as touched.

    A feature whose sum returns to 0 on the way is listed again, which does no harm to a search for extremes.
    """
    count = 0
    for s in touched:
        weight = np.int32((sums[s] >> 32) - (sums[s] & LOW))
        sums[s] = 0
        if weight != 0:
            for j in range(begins[s], ends[s]):
                f = features[j]
                if f >= reach:
                    break
                if histogram[f] == 0:
                    listed[count] = f
                    count += 1
                histogram[f] += weight
                parent[f] -= weight
    return count


@njit(cache=True, nogil=True)
def move_all(source, target, start, stop, sign):
    """target += sign * source over the features start <= f < stop."""
    for f in range(start, stop):
        target[f] += sign * source[f]


@njit(cache=True, nogil=True)
def clear_listed(histogram, listed):
    """Zero the listed features."""
    for f in listed:
        histogram[f] = 0


@njit(cache=True, nogil=True)
def settle(packed, first, last, block, histogram, most, least):
    """Turn blocks first <= b < last of the root's packed histogram into a signed one and bounds of every later sum.

    In any node a feature's sum lies between minus its negative and its positive weight at the root:
    most[b] and least[b] are the greatest and smallest such sums in block b. The packed histogram is zeroed.
    """
    for b in range(first, last):
        high = np.int64(0)
        low = np.int64(0)
        for f in range(b * block, min((b + 1) * block, histogram.size)):
            positive = packed[f] >> 32
            negative = packed[f] & LOW
            packed[f] = 0
            histogram[f] = np.int32(positive - negative)
            high = max(high, positive)
            low = max(low, negative)
        most[b] = high
        least[b] = -low


@njit(cache=True, nogil=True)
def pull(begins, holders, sums, first, last, block, histogram, most, least):
    """What add_root and settle do, for blocks of rare features, from the segments that hold each of them.

    The sums are by segment of the matrix, not of the sample. To read them here and there is cheaper than to add here
    and there to a histogram that no cache holds.
    """
    for b in range(first, last):
        high = np.int64(0)
        low = np.int64(0)
        for f in range(b * block, min((b + 1) * block, histogram.size)):
            total = np.int64(0)
            for at in range(begins[f], begins[f + 1]):
                total += sums[holders[at]]
            histogram[f] = np.int32((total >> 32) - (total & LOW))
            high = max(high, total >> 32)
            low = max(low, total & LOW)
        most[b] = high
        least[b] = -low
