"""The examples of the leaves that may move, copied together leaf by leaf, in whatever order they come."""

from numba import cuda

from .kernel import kernel


@kernel(
    "int32[::1], int8[::1], float64[::1], float64[::1], int64, int64, int64[:, ::1], "
    "int32[::1], float64[::1], float64[::1]"
)
def _collect(leaf, y, bias, odds, start, stop, place, member, member_bias, member_odds):
    for i in range(start + cuda.grid(1), stop, cuda.gridsize(1)):
        node = leaf[i]
        side = 0 if y[i] > 0 else 1
        if place[node, side] >= 0:
            at = cuda.atomic.add(place, (node, side), 1)
            member[at] = i
            member_bias[at] = bias[i]
            member_odds[at] = odds[i]


def collect(leaf, y, bias, odds, start, stop, place, member, member_bias, member_odds):
    """Copy the examples start <= i < stop of leaves with place[leaf, y < 0] >= 0 to places from there on."""
    _collect(stop - start, leaf, y, bias, odds, start, stop, place, member, member_bias, member_odds)
