"""The matrix of a training run: the CPU reads it where it is."""


def plan(matrix, working=0):
    """What of the matrix fits into the memory of the device; nothing to say here, where it has none of its own."""
    return ""


def hold(matrix, working=0):
    """The matrix of a training run, for as long as it lasts; `working` bytes are needed besides."""
    return matrix
