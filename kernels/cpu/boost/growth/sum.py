"""Sums of weights by feature, X'w = S'(R'w): first by segment, R'w, which is cheap, then spread over the features of
the segments, S'(R'w), which is not.

Segments lie here and there in a matrix that no cache holds. So the ids of those that come next are fetched while the
ids of others are added.
"""

from typing import NamedTuple

import numpy as np

from gpuparse.jit import kernel, spliced

from ....packing import difference, negative, positive
from ...index import index, offset
from ..prefetch import prefetch

IDS_AHEAD = 512  # ids that are on their way while others are added
IDS_IN_LINE = 16  # of the cache


class Touched(NamedTuple):
    """The segments of a node's members, and the packed weights of all members that have each."""

    segments: np.ndarray  # int32: by their number in the sample
    sums: np.ndarray  # int64[segments of the sample]: 0 where a segment is not touched
    begins: np.ndarray  # int64[segments of the sample]: where a segment's features begin in the matrix
    ends: np.ndarray  # int64[segments of the sample]


class Bounds(NamedTuple):
    """Between what the sums of a block of features lie in every node of a tree: see histograms.py."""

    block: int  # features in a block
    most: np.ndarray  # int32[blocks]
    least: np.ndarray  # int32[blocks]


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
def count_ids(touched):
    """How many feature ids the touched segments hold: how much work they are."""
    begins, ends = touched.begins, touched.ends
    total = 0
    for s in touched.segments:
        total += ends[s] - begins[s]
    return total


@kernel
def add_root(touched, features, frequent, reach, histogram, packed):
    """Add the sums to a histogram (int32) for features f < frequent, to a packed one (int64) for frequent <= f < reach.

    The sums stay as they are.
    """
    segments, sums, begins, ends = touched
    fetched = under_way = 0
    for s in segments:
        fetched, under_way = fetch_ahead(segments, begins, ends, features, fetched, under_way)
        under_way -= ends[s] - begins[s]
        weight = sums[s]
        signed = np.int32(difference(weight))
        middle = end_below(features, begins[s], ends[s], frequent)
        for j in range(offset(begins[s]), offset(middle)):
            histogram[index(features[j])] += signed
        for j in range(offset(middle), offset(end_below(features, middle, ends[s], reach))):
            packed[index(features[j])] += weight


@kernel
def add_signed(touched, features, reach, sign, histogram):
    """Add sign * (positive - negative) to the features f < reach of a histogram (int32)."""
    segments, sums, begins, ends = touched
    fetched = under_way = 0
    for s in segments:
        fetched, under_way = fetch_ahead(segments, begins, ends, features, fetched, under_way)
        under_way -= ends[s] - begins[s]
        weight = np.int32(sign * difference(sums[s]))
        if weight != 0:
            for j in range(offset(begins[s]), offset(end_below(features, begins[s], ends[s], reach))):
                histogram[index(features[j])] += weight


@kernel
def add_packed(touched, features, reach, sign, histogram):
    """Add sign times the packed sums to the features f < reach of a histogram that keeps both sums (int64)."""
    segments, sums, begins, ends = touched
    fetched = under_way = 0
    for s in segments:
        fetched, under_way = fetch_ahead(segments, begins, ends, features, fetched, under_way)
        under_way -= ends[s] - begins[s]
        weight = sign * sums[s]
        for j in range(offset(begins[s]), offset(end_below(features, begins[s], ends[s], reach))):
            histogram[index(features[j])] += weight


@kernel
def move_sparse(touched, features, reach, parent, histogram, support):
    """Move a small child's sums out of its parent's histogram; returns how many features it lists in `support`.

    A feature whose sum returns to 0 on the way is listed twice, which does no harm to a search for extremes. The sums
    by segment are zeroed.
    """
    count = 0
    segments, sums, begins, ends = touched
    fetched = under_way = 0
    for s in segments:
        fetched, under_way = fetch_ahead(segments, begins, ends, features, fetched, under_way)
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
def settle(packed, first, last, histogram, bounds):
    """Turn blocks first <= b < last of the root's packed histogram into a signed one and bounds of every later sum.

    In any node a feature's sum lies between minus its negative and its positive weight at the root:
    most[b] and least[b] are the greatest and smallest such sums in block b. The packed histogram is zeroed.
    """
    block, most, least = bounds
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
def pull(postings, sums, first, last, histogram, bounds):
    """What add_root and settle do for blocks of rare features, read from the segments that hold each of them.

    The sums are by segment of the matrix, not of the sample. To read them here and there is cheaper than to add here
    and there to a histogram that no cache holds.
    """
    begins, holders = postings
    block, most, least = bounds
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
def fetch_ahead(segments, begins, ends, features, fetched, under_way):
    """Fetch segments from number `fetched` on until enough ids are under way; returns both numbers updated."""
    while under_way < IDS_AHEAD and fetched < segments.size:
        s = segments[fetched]
        for at in range(begins[s], ends[s], IDS_IN_LINE):
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
