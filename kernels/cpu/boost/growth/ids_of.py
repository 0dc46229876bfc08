"""How much work the touched segments are."""

from gpuparse.jit import kernel


@kernel
def ids_of(touched, begins, ends):
    """How many feature ids the touched segments hold."""
    total = 0
    for s in touched:
        total += ends[s] - begins[s]
    return total
