"""Sums of weights by feature, X'w = S'(R'w): first by segment, R'w, which is cheap, then spread over the features of
the segments, S'(R'w), which is not.

Segments lie here and there in a matrix that no cache holds. So the ids of those that come next are fetched while the
ids of others are added.
"""

import numpy as np

from gpuparse.jit import kernel, spliced

from ....packing import difference, negative, positive
from ...index import index, offset
from ..prefetch import prefetch

IDS_AHEAD = 512  # ids that are on their way while others are added
LINE = 16  # ids in a cache line


@kernel
def accumulate(local, members, packed, sums, touched):
    """Add each member's packed weight to the sums of its segments; returns how many segments it lists in `touched`.

    Packed weights are never negative, so a segment whose sum is 0 has not been touched.
    """
    count = 0
    for m in members:
        weight = packed[index(m)]
        if weight == 0:
            continue
        for k in range(local.shape[1]):
            s = index(local[index(m), k])
            if s != 0:
                if sums[s] == 0:
                    touched[count] = s
                    count += 1
                sums[s] += weight
    return count


@kernel
def count_ids(touched, begins, ends):
    """How many feature ids the touched segments hold: how much work they are."""
    total = 0
    for s in touched:
        total += ends[s] - begins[s]
    return total


@kernel
def add_root(touched, sums, begins, ends, features, head, reach, histogram, packed):
    """Add the sums to a histogram (int32) for features f < head, and to a packed one (int64) for head <= f < reach.

    The sums stay as they are.
    """
    fetched = under_way = 0
    for s in touched:
        fetched, under_way = fetch_ahead(touched, begins, ends, features, fetched, under_way)
        under_way -= ends[s] - begins[s]
        weight = sums[s]
        signed = np.int32(difference(weight))
        middle = end_below(features, begins[s], ends[s], head)
        for j in range(offset(begins[s]), offset(middle)):
            histogram[index(features[j])] += signed
        for j in range(offset(middle), offset(end_below(features, middle, ends[s], reach))):
            packed[index(features[j])] += weight


@kernel
def add_signed(touched, sums, begins, ends, features, reach, sign, histogram):
    """Add sign * (positive - negative) to the features f < reach of a histogram (int32)."""
    fetched = under_way = 0
    for s in touched:
        fetched, under_way = fetch_ahead(touched, begins, ends, features, fetched, under_way)
        under_way -= ends[s] - begins[s]
        weight = np.int32(sign * difference(sums[s]))
        if weight != 0:
            for j in range(offset(begins[s]), offset(end_below(features, begins[s], ends[s], reach))):
                histogram[index(features[j])] += weight


@kernel
def move_sparse(touched, sums, begins, ends, features, reach, parent, histogram, support):
    """Move a small child's sums out of its parent's histogram; returns how many features it lists in `support`.

    A feature whose sum returns to 0 on the way is listed twice, which does no harm to a search for extremes. The sums
    by segment are zeroed.
    """
    count = 0
    fetched = under_way = 0
    for s in touched:
        fetched, under_way = fetch_ahead(touched, begins, ends, features, fetched, under_way)
        under_way -= ends[s] - begins[s]
        weight = np.int32(difference(sums[s]))
        sums[s] = 0
        if weight != 0:
            for j in range(offset(begins[s]), offset(end_below(features, begins[s], ends[s], reach))):
                f = features[j]
                if histogram[index(f)] == 0:
                    support[count] = f
                    count += 1
                histogram[index(f)] += weight
                parent[index(f)] -= weight
    return count


@kernel
def settle(packed, first, last, block, histogram, most, least):
    """Turn blocks first <= b < last of the root's packed histogram into a signed one and bounds of every later sum.

    In any node a feature's sum lies between minus its negative and its positive weight at the root:
    most[b] and least[b] are the greatest and smallest such sums in block b. The packed histogram is zeroed.
    """
    for b in range(first, last):
        high = np.int64(0)
        low = np.int64(0)
        for f in range(b * block, min((b + 1) * block, histogram.size)):
            plus = positive(packed[f])
            minus = negative(packed[f])
            packed[f] = 0
            histogram[f] = np.int32(plus - minus)
            high = max(high, plus)
            low = max(low, minus)
        most[b] = high
        least[b] = -low


@kernel
def pull(begins, holders, sums, first, last, block, histogram, most, least):
    """What add_root and settle do for blocks of rare features, read from the segments that hold each of them.

    The sums are by segment of the matrix, not of the sample. To read them here and there is cheaper than to add here
    and there to a histogram that no cache holds.
    """
    for b in range(first, last):
        high = np.int64(0)
        low = np.int64(0)
        for f in range(b * block, min((b + 1) * block, histogram.size)):
            total = np.int64(0)
            for at in range(offset(begins[f]), offset(begins[f + 1])):
                total += sums[index(holders[at])]
            histogram[f] = np.int32(difference(total))
            high = max(high, positive(total))
            low = max(low, negative(total))
        most[b] = high
        least[b] = -low


@spliced
def fetch_ahead(touched, begins, ends, features, fetched, under_way):
    """Fetch touched segments from number `fetched` on until enough ids are under way; returns both numbers updated."""
    while under_way < IDS_AHEAD and fetched < touched.size:
        s = touched[fetched]
        for at in range(begins[s], ends[s], LINE):
            prefetch(features, at)
        under_way += ends[s] - begins[s]
        fetched += 1
    return fetched, under_way


@spliced
def end_below(features, begin, end, limit):
    """The place in features[begin:end], which ascend, behind the last id below the limit.

    A loop up to a place known before takes two thirds of the time of one that checks every id.
    """
    if begin == end or features[end - 1] < limit:
        return end
    while begin < end:
        middle = (begin + end) >> 1
        if features[middle] < limit:
            begin = middle + 1
        else:
            end = middle
    return end
