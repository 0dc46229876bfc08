"""Weights of a node's examples summed by segment: R'w, the cheap half of a histogram X'w = S'(R'w)."""

from gpuparse.jit import kernel

from ...index import index


@kernel
def accumulate(local, members, packed, sums, touched):
    """Add each member's packed weight to the sums of its segments; returns how many segments it lists in `touched`.

    Packed weights only grow, so a segment whose sum is 0 has not been touched.
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
