"""One histogram added to another, or taken from it, feature by feature."""

from gpuparse.jit import kernel


@kernel
def move_all(source, target, start, stop, sign):
    """target += sign * source over the features start <= f < stop."""
    taken, given = source[start:stop], target[start:stop]
    for f in range(taken.size):
        given[f] += sign * taken[f]
