"""The operations of the learner and the parser on the CPU, in Numba; kernels/contract.py says what each does."""

import numpy

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
from .memory import to_device, to_host, wait
from .score import score, score_rows

arrays = numpy  # the module that makes arrays for this device
COMPUTES_ON_HOST = True
BATCH = 1  # sentences searched in parallel: rounds stay in compiled code, and the caches like few
CELL = 1 << 14  # members in a cell, which a thread goes through without a break

__all__ = [
    "BATCH",
    "CELL",
    "COMPUTES_ON_HOST",
    "Growth",
    "arrays",
    "collect",
    "exponential",
    "hold",
    "logistic",
    "mark",
    "percolate",
    "plan",
    "put_back",
    "quantise",
    "score",
    "score_rows",
    "select",
    "to_device",
    "to_host",
    "total",
    "transpose",
    "uniform",
    "unmark",
    "wait",
]
