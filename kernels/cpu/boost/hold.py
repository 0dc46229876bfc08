"""The matrix of a training run: the CPU reads it where it is."""


def plan(matrix, working=0):
    """How much of the matrix fits into the memory of the device, which here is that of the host: all of it."""
    return ""


def hold(matrix, working=0):
    """The matrix as it is; what learning needs besides does not matter here."""
    return matrix
