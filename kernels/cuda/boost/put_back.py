"""Odds of collected examples returned to where they came from."""


def put_back(member, member_odds, odds):
    """odds[member] = member_odds."""
    odds[member] = member_odds
