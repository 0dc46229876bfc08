"""The change of the loss when the scores of groups of examples take a step: one block per cell."""

from numba import cuda, int64

from ..kernel import THREADS, kernel
from .exact import times, units
from .logarithm import logarithm


@kernel(
    "int64[::1], int64[::1], int32[::1], float64[::1], float64[::1], float64, int64, int64, "
    "float64[::1], float64[::1], int64[::1]"
)
def _losses(begin, end, group, step, factor, scale, first, last, importance, odds, change):
    sums = cuda.shared.array(1, int64)
    if cuda.threadIdx.x == 0:
        sums[0] = 0
    cuda.syncthreads()
    own = int64(0)
    for c in range(first + cuda.blockIdx.x, last, cuda.gridDim.x):
        by = step[group[c]]
        for i in range(begin[c] + cuda.threadIdx.x, end[c], cuda.blockDim.x):
            new = min(max(times(odds[i], factor[group[c]]), 1e-300), 1e300)
            own += units(times(importance[i], logarithm((1.0 + new) / (1.0 + odds[i])) - by), scale)
            odds[i] = new
    cuda.atomic.add(sums, 0, own)
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        cuda.atomic.add(change, 0, sums[0])


def losses(begin, end, group, step, factor, scale, first, last, importance, odds, change):
    """For cells first <= c < last of group g = group[c]: multiply the odds of the examples begin[c] <= i < end[c] by
    factor[g] = exp(step[g]), and add the change of their loss, in units, to change[0].
    """
    cells = (last - first) * THREADS
    _losses(cells, begin, end, group, step, factor, scale, first, last, importance, odds, change)
