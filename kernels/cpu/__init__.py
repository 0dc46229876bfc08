"""The operations of the learner and the parser on the CPU, in Numba; kernels/contract.py says what each does."""

import numpy

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
from .memory import to_device, to_host, wait
from .score import score, score_rows

arrays = numpy  # the module that makes arrays for this device
COMPUTES_ON_HOST = True
BATCH = 1  # sentences searched in parallel: rounds stay in compiled code, and the caches like few
CELL = 1 << 14  # examples that slopes and losses go through without a break

__all__ = [
    "BATCH",
    "CELL",
    "COMPUTES_ON_HOST",
    "Growth",
    "arrays",
    "collect",
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
    "score_rows",
    "select",
    "slopes",
    "to_device",
    "to_host",
    "total",
    "transpose",
    "uniform",
    "unmark",
    "wait",
    "weigh",
]
