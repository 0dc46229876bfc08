"""The examples of the leaves that may move, copied together leaf by leaf."""

from gpuparse.jit import kernel

from ..index import index, offset


@kernel
def collect(leaf, examples, start, stop, place, members):
    """Copy the examples start <= i < stop of leaves with place[leaf, y < 0] >= 0 there, one after the other."""
    signs, importance, state = examples
    example, member_importance, member_state = members
    for i in range(offset(start), offset(stop)):
        node = index(leaf[i])
        side = index(signs[i] <= 0)
        at = place[node, side]
        if at >= 0:
            place[node, side] = at + 1
            example[offset(at)] = i
            member_importance[offset(at)] = importance[i]
            member_state[offset(at)] = state[i]
