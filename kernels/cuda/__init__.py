"""The operations of the learner and the parser on a GPU, in Numba and CuPy: the twins of those in kernels/cpu."""

from .boost import (
    Growth,
    collect,
    exponential,
    hold,
    logistic,
    mark,
    percolate,
    plan,
    put_back,
    quantise,
    select,
    total,
    transpose,
    uniform,
    unmark,
)
from .kernel import KERNELS, THREADS
from .memory import SIMULATED, arrays, free_bytes, to_device, to_host, traffic, wait
from .score import score

COMPUTES_ON_HOST = False
BATCH = 256  # sentences searched in parallel: one call scores all their candidates
CELL = 8 * THREADS  # members in a cell, which one block goes through

__all__ = [
    "BATCH",
    "CELL",
    "COMPUTES_ON_HOST",
    "KERNELS",
    "SIMULATED",
    "Growth",
    "arrays",
    "collect",
    "exponential",
    "free_bytes",
    "hold",
    "logistic",
    "mark",
    "percolate",
    "plan",
    "put_back",
    "quantise",
    "score",
    "select",
    "to_device",
    "to_host",
    "total",
    "traffic",
    "transpose",
    "uniform",
    "unmark",
    "wait",
]
