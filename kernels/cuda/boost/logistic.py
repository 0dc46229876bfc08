"""The logistic loss, importance x ln(1 + exp(-margin)). The state of an example is its odds, exp(margin).

In a line search one block goes through a cell. CUDA passes no named tuples, so kernels take arrays one by one.
"""

from numba import cuda, int64

from ..kernel import THREADS, kernel
from ..memory import arrays, to_host
from .draws import uniform
from .exact import times, units
from .leaf_summer import leaf_summer
from .logarithm import logarithm


@kernel("float64[::1], float64[::1], uint64, int64, int64, float64[::1]")
def _priorities(importance, odds, key, start, stop, out):
    for i in range(start + cuda.grid(1), stop, cuda.gridsize(1)):
        out[i] = importance[i] / (1.0 + odds[i]) / uniform(key, i)


def priorities(importance, state, key, start, stop, out):
    """out[i] = w / u for the examples start <= i < stop, with w = importance / (1 + odds) and u = uniform(key, i)."""
    _priorities(stop - start, importance, state, key, start, stop, out)


def weigh(importance, state, kept, tau, weights):
    """weights[n] = the weight max(w, tau) of example kept[n]; returns the greatest."""
    if len(kept) == 0:
        return 0.0
    weights[:] = arrays.maximum(importance[kept] / (1.0 + state[kept]), tau)
    return float(to_host(weights.max()))


@cuda.jit(device=True)
def _units(importance, odds, scale):
    return units(importance / (1.0 + odds), scale)


_leaf_sums = leaf_summer("logistic", _units)


def leaf_sums(leaf, examples, scale, start, stop, sums, counts):
    """Add y w, in units, to sums[leaf] and 1 to counts[leaf, y < 0], for the examples start <= i < stop."""
    _leaf_sums(stop - start, leaf, *examples, scale, start, stop, sums, counts)


@kernel(
    "int64[::1], int64[::1], int32[::1], float64[::1], float64, float64[::1], float64[::1], int64[:, ::1]",
)
def _slopes(begin, end, side, factor, scale, importance, odds, sums):
    own = cuda.shared.array(2, int64)
    for c in range(cuda.blockIdx.x, side.size, cuda.gridDim.x):
        by = factor[side[c]]
        if by < 0.0:
            continue
        if cuda.threadIdx.x < 2:
            own[cuda.threadIdx.x] = 0
        cuda.syncthreads()
        own_w = int64(0)
        own_c = int64(0)
        for i in range(begin[c] + cuda.threadIdx.x, end[c], cuda.blockDim.x):
            o = times(odds[i], by)
            share = 1.0 / (1.0 + o)
            w = times(importance[i], share)
            own_w += units(w, scale)
            own_c += units(times(w, times(o, share)), scale)
        cuda.atomic.add(own, 0, own_w)
        cuda.atomic.add(own, 1, own_c)
        cuda.syncthreads()
        if cuda.threadIdx.x < 2:
            cuda.atomic.add(sums, (cuda.threadIdx.x, side[c]), own[cuda.threadIdx.x])
        cuda.syncthreads()


def slopes(cells, factor, scale, members, sums):
    """For each cell, with the odds of its side times the side's factor: add the sums of w and of
    w (1 - w / importance) over its members, in units, to sums[0, side] and sums[1, side].

    A side whose factor is negative is left out.
    """
    _slopes(len(cells.side) * THREADS, *cells, factor, scale, members.importance, members.state, sums)


@kernel(
    "int64[::1], int64[::1], int32[::1], float64[::1], float64[::1], float64, float64[::1], float64[::1], int64[::1]"
)
def _move(begin, end, side, step, factor, scale, importance, odds, change):
    total = cuda.shared.array(1, int64)
    if cuda.threadIdx.x == 0:
        total[0] = 0
    cuda.syncthreads()
    own = int64(0)
    for c in range(cuda.blockIdx.x, side.size, cuda.gridDim.x):
        by = step[side[c]]
        for i in range(begin[c] + cuda.threadIdx.x, end[c], cuda.blockDim.x):
            new = min(max(times(odds[i], factor[side[c]]), 1e-300), 1e300)
            own += units(times(importance[i], logarithm((1.0 + new) / (1.0 + odds[i])) - by), scale)
            odds[i] = new
    cuda.atomic.add(total, 0, own)
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        cuda.atomic.add(change, 0, total[0])


def move(cells, step, factor, scale, members, change):
    """For each cell: multiply the odds of its members by factor[side] = exp(step[side]), and add the change of their
    loss, in units, to change[0].
    """
    _move(len(cells.side) * THREADS, *cells, step, factor, scale, members.importance, members.state, change)
