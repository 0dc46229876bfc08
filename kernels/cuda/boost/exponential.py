"""The exponential loss, importance x exp(-margin). The state of an example is exp(-margin); its weight is its loss.

In a line search one block goes through a cell. CUDA passes no named tuples, so kernels take arrays one by one.
"""

from numba import cuda, int64

from ..kernel import THREADS, kernel
from ..memory import arrays, to_host
from .draws import uniform
from .exact import times, units
from .leaf_summer import leaf_summer


@kernel("float64[::1], float64[::1], uint64, int64, int64, float64[::1]")
def _priorities(importance, state, key, start, stop, out):
    for i in range(start + cuda.grid(1), stop, cuda.gridsize(1)):
        out[i] = importance[i] * state[i] / uniform(key, i)


def priorities(importance, state, key, start, stop, out):
    """out[i] = w / u for the examples start <= i < stop, with w = importance x state and u = uniform(key, i)."""
    _priorities(stop - start, importance, state, key, start, stop, out)


def weigh(importance, state, kept, tau, weights):
    """weights[n] = the weight max(w, tau) of example kept[n]; returns the greatest."""
    if len(kept) == 0:
        return 0.0
    weights[:] = arrays.maximum(importance[kept] * state[kept], tau)
    return float(to_host(weights.max()))


@cuda.jit(device=True)
def _units(importance, state, scale):
    return units(times(importance, state), scale)


_leaf_sums = leaf_summer("exponential", _units)


def leaf_sums(leaf, examples, scale, start, stop, sums, counts):
    """Add y w, in units, to sums[leaf] and 1 to counts[leaf, y < 0], for the examples start <= i < stop."""
    _leaf_sums(stop - start, leaf, *examples, scale, start, stop, sums, counts)


@kernel("int64[::1], int64[::1], int32[::1], float64[::1], float64, float64[::1], float64[::1], int64[:, ::1]")
def _slopes(begin, end, side, factor, scale, importance, state, sums):
    total = cuda.shared.array(1, int64)
    for c in range(cuda.blockIdx.x, side.size, cuda.gridDim.x):
        by = factor[side[c]]
        if by < 0.0:
            continue
        if cuda.threadIdx.x == 0:
            total[0] = 0
        cuda.syncthreads()
        own = int64(0)
        for i in range(begin[c] + cuda.threadIdx.x, end[c], cuda.blockDim.x):
            own += units(times(importance[i], times(state[i], by)), scale)
        cuda.atomic.add(total, 0, own)
        cuda.syncthreads()
        if cuda.threadIdx.x < 2:
            cuda.atomic.add(sums, (cuda.threadIdx.x, side[c]), total[0])
        cuda.syncthreads()


def slopes(cells, factor, scale, members, sums):
    """For each cell, with the states of its side times the side's factor: add the sum of w over its members, in
    units, to both sums[0, side] and sums[1, side]. Both derivatives of this loss are w.

    A side whose factor is negative is left out.
    """
    _slopes(len(cells.side) * THREADS, *cells, factor, scale, members.importance, members.state, sums)


@kernel("int64[::1], int64[::1], int32[::1], float64[::1], float64, float64[::1], float64[::1], int64[::1]")
def _move(begin, end, side, factor, scale, importance, state, change):
    total = cuda.shared.array(1, int64)
    if cuda.threadIdx.x == 0:
        total[0] = 0
    cuda.syncthreads()
    own = int64(0)
    for c in range(cuda.blockIdx.x, side.size, cuda.gridDim.x):
        for i in range(begin[c] + cuda.threadIdx.x, end[c], cuda.blockDim.x):
            new = min(max(times(state[i], factor[side[c]]), 1e-300), 1e300)
            own += units(times(importance[i], new - state[i]), scale)
            state[i] = new
    cuda.atomic.add(total, 0, own)
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        cuda.atomic.add(change, 0, total[0])


def move(cells, step, factor, scale, members, change):
    """For each cell: multiply the states of its members by factor[side] = exp(-step[side]), and add the change of
    their loss, in units, to change[0].
    """
    _move(len(cells.side) * THREADS, *cells, factor, scale, members.importance, members.state, change)
