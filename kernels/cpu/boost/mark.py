"""One word per segment: the exits of a pass that its features close. Set before percolation, cleared after it."""

from gpuparse.jit import kernel

from ..index import index, offset

NEIGHBOURS = 10  # zeroing so many neighbouring marks takes as long as finding and zeroing one


@kernel
def mark(feature, closed, begins, holders, marks):
    """Close the exits closed[node] (0: none) in the marks of all segments that hold the node's feature."""
    for node in range(feature.size):
        if closed[node] != 0:
            for at in range(offset(begins[feature[node]]), offset(begins[feature[node] + 1])):
                marks[index(holders[at])] |= closed[node]


@kernel
def unmark(feature, closed, begins, holders, marks):
    """Zero the marks that `mark` set: one by one, or all of them where that is less work."""
    marked = 0
    for node in range(feature.size):
        if closed[node] != 0:
            marked += begins[feature[node] + 1] - begins[feature[node]]
    if marked * NEIGHBOURS > marks.size:
        marks[:] = 0
        return
    for node in range(feature.size):
        if closed[node] != 0:
            for at in range(offset(begins[feature[node]]), offset(begins[feature[node] + 1])):
                marks[index(holders[at])] = 0
