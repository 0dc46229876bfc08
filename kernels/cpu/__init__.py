"""The operations of the learner and the parser on the CPU, in Numba; kernels/cuda holds twins of the same names."""

import numpy

from .collect import collect
from .growth import Growth
from .hold import hold, plan, to_device, to_host, wait
from .leaf_sums import leaf_sums
from .losses import losses
from .mark import mark, unmark
from .percolate import percolate
from .priorities import priorities, uniform
from .put_back import put_back
from .quantise import quantise
from .score import score
from .select import select
from .slopes import slopes
from .total import total
from .transpose import transpose
from .weigh import weigh

arrays = numpy  # the module that makes arrays for this device
BATCH = 1  # sentences searched side by side: rounds stay in compiled code, and the caches like few
CELL = 1 << 14  # examples that slopes and losses go through in a row

__all__ = [
    "BATCH",
    "CELL",
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
