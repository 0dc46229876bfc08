"""Scores by rules: a group of threads a row, one thread a block of sixty-four rules; see kernels/cpu/score.py."""

import numpy as np
from numba import cuda

from .kernel import WARP, kernel

NOT_WANTED = np.iinfo(np.int64).min  # a score that is not to be computed
ONES = np.uint64(0xFFFFFFFFFFFFFFFF)
FOUR = np.uint64(15)


@cuda.jit(device=True)
def _run_of(run_eights, first, last, eight):
    """The run first <= r < last whose eights hold this one."""
    while last - first > 1:
        middle = (first + last) >> 1
        if run_eights[middle] <= eight:
            first = middle
        else:
            last = middle
    return first


@kernel(
    "uint64[:, ::1], uint8[::1], int32[::1], int32[::1], int32[::1], int32[::1], int32[::1], "
    "int64[:, ::1], int64[:, ::1]"
)
def _score(bits, parts, part_blocks, block_words, part_runs, run_eights, run_label, sums, scores):
    lane = cuda.grid(1) % WARP
    for row in range(cuda.grid(1) // WARP, parts.size, cuda.gridsize(1) // WARP):
        part = parts[row]
        for block in range(part_blocks[part] + lane, part_blocks[part + 1], WARP):
            firing = bits[row, block_words[block]] ^ ONES
            for word in range(block_words[block] + 1, block_words[block + 1]):
                firing &= bits[row, word]
            for eight in range(8 * block, 8 * block + 8):
                which = firing >> np.uint64(8 * (eight - 8 * block))
                weight = sums[2 * eight, which & FOUR] + sums[2 * eight + 1, which >> np.uint64(4) & FOUR]
                if weight != 0:
                    run = _run_of(run_eights, part_runs[part], part_runs[part + 1], eight)
                    if scores[row, run_label[run]] != NOT_WANTED:
                        cuda.atomic.add(scores, (row, run_label[run]), weight)


def score(bits, parts, part_blocks, block_words, part_runs, run_eights, run_label, sums, scores):
    """Add to `scores[row, label]` the weights of the part's rules that fire on each row; see kernels/cpu/score.py."""
    arguments = (bits, parts, part_blocks, block_words, part_runs, run_eights, run_label, sums, scores)
    _score(len(parts) * WARP, *arguments)
