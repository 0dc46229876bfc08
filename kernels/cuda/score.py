"""Scores by rules: one warp per row, one thread per eight of rules; kernels/cpu/score.py draws the layout."""

import numpy as np
from numba import cuda

from ..contract import NO_SCORE
from .kernel import WARP, kernel

ONES = np.uint64(0xFFFFFFFFFFFFFFFF)
FOUR = np.uint64(15)


@cuda.jit(device=True)
def _holding(starts, first, last, place):
    """The stretch first <= s < last, each from starts[s] to starts[s + 1], that holds this place."""
    while last - first > 1:
        middle = (first + last) >> 1
        if starts[middle] <= place:
            first = middle
        else:
            last = middle
    return first


@kernel(
    "uint64[:, ::1], uint8[::1], int32[::1], int32[::1], int32[::1], int32[::1], int32[::1], int32[::1], int32[::1], "
    "int64[:, ::1], int64[:, ::1]"
)
def _score(bits, parts, part_groups, group_blocks, group_words, part_runs, run_eights, run_label, eights, sums, scores):
    lane = cuda.grid(1) % WARP
    for row in range(cuda.grid(1) // WARP, parts.size, cuda.gridsize(1) // WARP):
        part = parts[row]
        first_run, last_run = part_runs[part], part_runs[part + 1]
        for at in range(run_eights[first_run] + lane, run_eights[last_run], WARP):
            label = run_label[_holding(run_eights, first_run, last_run, at)]
            if scores[row, label] == NO_SCORE:
                continue
            block = eights[at] >> 3
            group = _holding(group_blocks, part_groups[part], part_groups[part + 1], block)
            blocks = group_blocks[group + 1] - group_blocks[group]
            word = group_words[group] + block - group_blocks[group]
            firing = bits[row, word] ^ ONES
            for met in range(word + blocks, group_words[group + 1], blocks):
                firing &= bits[row, met]
            which = firing >> np.uint64(8 * (eights[at] & 7))
            weight = sums[2 * at, which & FOUR] + sums[2 * at + 1, which >> np.uint64(4) & FOUR]
            if weight != 0:
                cuda.atomic.add(scores, (row, label), weight)


def score(bits, parts, part_groups, group_blocks, group_words, part_runs, run_eights, run_label, eights, sums, scores):
    """Add to `scores[row, label]` the weights of the part's rules that fire on each row; see kernels/cpu/score.py."""
    layout = (part_groups, group_blocks, group_words, part_runs, run_eights, run_label, eights, sums)
    _score(len(parts) * WARP, bits, parts, *layout, scores)
