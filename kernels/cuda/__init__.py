"""The operations of the learner and the parser on a GPU, in Numba and CuPy: the twins of those in kernels/cpu."""

from .boost import (
    Growth,
    collect,
    hold,
    leaf_sums,
    losses,
    mark,
    percolate,
    plan,
    priorities,
    put_back,
    quantise,
    select,
    slopes,
    total,
    transpose,
    uniform,
    unmark,
    weigh,
)
from .kernel import KERNELS, THREADS
from .memory import SIMULATED, arrays, free_bytes, to_device, to_host, traffic, wait
from .score import score

COMPUTES_ON_HOST = False
BATCH = 256  # sentences searched in parallel: one call scores all their candidates
CELL = 8 * THREADS  # examples that one block of slopes and losses goes through

__all__ = [
    "BATCH",
    "CELL",
    "COMPUTES_ON_HOST",
    "KERNELS",
    "SIMULATED",
    "Growth",
    "arrays",
    "collect",
    "free_bytes",
    "hold",
    "leaf_sums",
    "losses",
    "mark",
    "percolate",
    "plan",
    "priorities",
    "put_back",
    "quantise",
    "score",
    "select",
    "slopes",
    "to_device",
    "to_host",
    "total",
    "traffic",
    "transpose",
    "uniform",
    "unmark",
    "wait",
    "weigh",
]
