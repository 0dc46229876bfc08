"""The segments of the sampled rows, renumbered 1, 2, ... in order of first use so that accumulators stay small."""

from gpuparse.jit import kernel

from ...index import index


@kernel
def gather(segments, rows, number, local, used):
    """local[n, k] = the new number of segments[rows[n], k], used[new] = old, number[old] = new; returns how many.

    `number` must be all zero; the empty segment stays 0.
    """
    used[0] = 0
    count = 1
    for n in range(rows.size):
        row = index(rows[n])
        for k in range(segments.shape[1]):
            old = segments[row, k]
            new = number[index(old)]
            if new == 0 and old != 0:
                new = count
                number[index(old)] = new
                used[index(new)] = old
                count += 1
            local[n, k] = new
    return count
