"""The features with the least and the greatest sum of many histograms.

A sum and its feature make one integer, the sum in its upper half: the least such integer has the least sum, and among
equal sums the lowest feature. The greatest sum is found in the same way, from minus the sums.
"""

import numpy as np
from numba import cuda, int64

from ...kernel import kernel
from ...memory import arrays, to_device, to_host

NO_SUM = np.iinfo(np.int64).max
FEATURES_PER_THREAD = 16  # per thread, where there are enough


@kernel("int32[::1], int64[::1], int64, int64[:, ::1]")
def _extremes(sums, place, reach, best):
    own = cuda.shared.array(2, int64)
    if cuda.threadIdx.x < 2:
        own[cuda.threadIdx.x] = NO_SUM
    cuda.syncthreads()
    node = cuda.blockIdx.y
    low = int64(NO_SUM)
    high = int64(NO_SUM)
    for f in range(cuda.grid(1), reach, cuda.gridsize(1)):
        h = int64(sums[place[node] + f])
        low = min(low, (h << 32) | f)
        high = min(high, ((-h) << 32) | f)
    cuda.atomic.min(own, 0, low)
    cuda.atomic.min(own, 1, high)
    cuda.syncthreads()
    if cuda.threadIdx.x < 2:
        cuda.atomic.min(best, (node, cuda.threadIdx.x), own[cuda.threadIdx.x])


def extremes(sums, place, reach, low, high):
    """For each histogram at `place`: the feature of the least sum <= low, the sum, and those of the greatest >= high.

    Feature -1 where there is none. All but `sums` are on the host.
    """
    best = arrays.full((len(place), 2), NO_SUM, np.int64)
    _extremes(-(-reach // FEATURES_PER_THREAD), sums, to_device(place), reach, best, across=len(place))
    keys = to_host(best)
    feature, least, most = keys & 0xFFFFFFFF, keys[:, 0] >> 32, -(keys[:, 1] >> 32)
    valid = (keys != NO_SUM) & np.stack([least <= low, most >= high], axis=1)
    feature = np.where(valid, feature, -1)
    return np.stack([feature[:, 0], least, feature[:, 1], most], axis=1)
