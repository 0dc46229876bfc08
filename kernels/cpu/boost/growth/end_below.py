"""Where the ids of a segment that are of interest end: they ascend, so a binary search tells.

A loop up to a place known before takes two thirds of the time of one that looks at every id for whether to go on.
"""

from gpuparse.jit import spliced


@spliced
def end_below(features, begin, end, limit):
    """The place in features[begin:end] behind the last id below the limit."""
    if begin == end or features[end - 1] < limit:
        return end
    while begin < end:
        middle = (begin + end) >> 1
        if features[middle] < limit:
            begin = middle + 1
        else:
            end = middle
    return end
