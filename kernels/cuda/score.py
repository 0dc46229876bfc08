"""Scores by rules: one warp per row, one thread per block of rules; kernels/cpu/score.py says what a row is."""

import numpy as np
from numba import cuda

from .kernel import WARP, kernel

LOWEST = np.uint64(1)


@kernel("uint64[:, ::1], int32[::1], int64[::1], int64[:, ::1]")
def _score(fires, labels, weights, scores):
    lane = cuda.grid(1) % WARP
    for row in range(cuda.grid(1) // WARP, fires.shape[0], cuda.gridsize(1) // WARP):
        for block in range(lane, fires.shape[1], WARP):
            firing = fires[row, block]
            rule = 64 * block
            while firing != 0:
                if firing & LOWEST:
                    cuda.atomic.add(scores, (row, labels[rule]), weights[rule])
                firing >>= LOWEST
                rule += 1


def score(fires, labels, weights, scores):
    """Add to `scores[row, label]` the weights of the rules that fire on each row; see kernels/cpu/score.py."""
    _score(len(fires) * WARP, fires, labels, weights, scores)
