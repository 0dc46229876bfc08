"""Arrays where this device can use them; on the CPU they are there already."""


def to_device(array):
    """An array of the host, for the device."""
    return array


def to_host(array):
    """An array of the device, for Python to look at."""
    return array


def wait():
    """Until the device has done all that it was asked for."""


def plan(matrix, working=0):
    """What of the matrix fits into the memory, for a device that has its own; `working` bytes are needed besides."""
    return ""


def hold(matrix, working=0):
    """The matrix of a training run, for as long as it lasts; `working` bytes are needed besides."""
    return matrix
