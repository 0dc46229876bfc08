"""Derivatives of the loss over groups of examples (of one leaf and one sign): one block per cell."""

from numba import cuda, int64

from ..kernel import THREADS, kernel
from .exact import times, units


@kernel(
    "int64[::1], int64[::1], int32[::1], float64[::1], float64, int64, int64, "
    "float64[::1], float64[::1], int64[::1], int64[::1]"
)
def _slopes(begin, end, group, factor, scale, first, last, importance, odds, weight, curvature):
    sums = cuda.shared.array(2, int64)
    for c in range(first + cuda.blockIdx.x, last, cuda.gridDim.x):
        by = factor[group[c]]
        if by < 0.0:
            continue
        if cuda.threadIdx.x < 2:
            sums[cuda.threadIdx.x] = 0
        cuda.syncthreads()
        own_w = int64(0)
        own_c = int64(0)
        for i in range(begin[c] + cuda.threadIdx.x, end[c], cuda.blockDim.x):
            o = times(odds[i], by)
            share = 1.0 / (1.0 + o)
            w = times(importance[i], share)
            own_w += units(w, scale)
            own_c += units(times(w, times(o, share)), scale)
        cuda.atomic.add(sums, 0, own_w)
        cuda.atomic.add(sums, 1, own_c)
        cuda.syncthreads()
        if cuda.threadIdx.x == 0:
            cuda.atomic.add(weight, group[c], sums[0])
            cuda.atomic.add(curvature, group[c], sums[1])
        cuda.syncthreads()


def slopes(begin, end, group, factor, scale, first, last, importance, odds, weight, curvature):
    """For cells first <= c < last, with the odds of group g = group[c] times factor[g]: the sums of w and of
    w (1 - w / importance) over the examples begin[c] <= i < end[c], in units, are added to weight[g] and curvature[g].

    A group whose factor is negative is left out.
    """
    cells = (last - first) * THREADS
    _slopes(cells, begin, end, group, factor, scale, first, last, importance, odds, weight, curvature)
