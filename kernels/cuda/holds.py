"""Does a segment hold a feature? Its ids ascend, so a binary search tells."""

from numba import cuda


@cuda.jit(device=True)
def holds(features, begin, end, feature):
    """Whether features[begin:end], ascending, holds the feature."""
    while end - begin > 1:
        middle = (begin + end) >> 1
        if features[middle] <= feature:
            begin = middle
        else:
            end = middle
    return end > begin and features[begin] == feature
