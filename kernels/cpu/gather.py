"""The segments of the sampled rows, renumbered 1, 2, ... in order of first use so that accumulators stay small."""

from numba import njit


@njit(cache=True, nogil=True)
def gather(segments, rows, number, local, used):
    """local[n, k] = the new number of segments[rows[n], k], used[new] = old; returns how many.

    `number` (old -> new) must be all zero and is again on return; the empty segment stays 0.
    """
    used[0] = 0
    count = 1
    for n in range(rows.size):
        for k in range(segments.shape[1]):
            old = segments[rows[n], k]
            if old != 0 and number[old] == 0:
                number[old] = count
                used[count] = old
                count += 1
            local[n, k] = number[old]
    for new in range(count):
        number[used[new]] = 0
    return count
