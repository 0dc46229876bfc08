"""The examples of the leaves that may move, copied together leaf by leaf."""

from gpuparse.jit import kernel

from ..index import index, offset


@kernel
def collect(leaf, y, importance, odds, start, stop, place, member, member_importance, member_odds):
    """Copy the examples start <= i < stop of leaves with place[leaf, y < 0] >= 0 there, one after the other."""
    for i in range(offset(start), offset(stop)):
        node = index(leaf[i])
        side = index(y[i] <= 0)
        at = place[node, side]
        if at >= 0:
            place[node, side] = at + 1
            member[offset(at)] = i
            member_importance[offset(at)] = importance[i]
            member_odds[offset(at)] = odds[i]
