"""One word per segment: the exits of a pass that its features close. Set before percolation, cleared after it."""

from gpuparse.jit import kernel

from ..index import index, offset

NEIGHBOURS = 10  # zeroing so many neighbouring words takes as long as finding and zeroing one


@kernel
def mark(feature, closed, begins, holders, words):
    """Close the exits closed[node] (0: none) in the words of all segments that hold the node's feature."""
    for node in range(feature.size):
        if closed[node] != 0:
            for at in range(offset(begins[feature[node]]), offset(begins[feature[node] + 1])):
                words[index(holders[at])] |= closed[node]


@kernel
def unmark(feature, closed, begins, holders, words):
    """Zero the words that `mark` set: one by one, or all of them where that is less work."""
    marked = 0
    for node in range(feature.size):
        if closed[node] != 0:
            marked += begins[feature[node] + 1] - begins[feature[node]]
    if marked * NEIGHBOURS > words.size:
        words[:] = 0
        return
    for node in range(feature.size):
        if closed[node] != 0:
            for at in range(offset(begins[feature[node]]), offset(begins[feature[node] + 1])):
                words[index(holders[at])] = 0
