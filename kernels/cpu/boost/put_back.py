"""States of collected examples returned to where they came from."""

from gpuparse.jit import kernel

from ..index import index


@kernel
def put_back(members, state):
    """state[members.example] = members.state."""
    example, moved = members.example, members.state
    for n in range(example.size):
        state[index(example[n])] = moved[n]
