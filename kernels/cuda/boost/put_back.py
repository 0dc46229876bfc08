"""States of collected examples returned to where they came from."""


def put_back(members, state):
    """state[members.example] = members.state."""
    state[members.example] = members.state
