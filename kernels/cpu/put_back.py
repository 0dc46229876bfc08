"""Odds of collected examples returned to where they came from."""

from numba import njit

from .index import index


@njit(cache=True, nogil=True)
def put_back(member, member_odds, odds):
    """odds[member] = member_odds."""
    for n in range(member.size):
        odds[index(member[n])] = member_odds[n]
