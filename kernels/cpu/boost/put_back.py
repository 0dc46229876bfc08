"""Odds of collected examples returned to where they came from."""

from gpuparse.jit import kernel

from ..index import index


@kernel
def put_back(member, member_odds, odds):
    """odds[member] = member_odds."""
    for n in range(member.size):
        odds[index(member[n])] = member_odds[n]
