"""Does a segment hold a feature? Its ids ascend, so a branch-free binary search tells."""

from gpuparse.jit import spliced


@spliced
def holds(features, begin, end, feature):
    """Whether features[begin:end], ascending, holds the feature."""
    size = end - begin
    if size == 0:
        return False
    while size > 1:
        half = size >> 1
        begin += half if features[begin + half] <= feature else 0
        size -= half
    return features[begin] == feature
