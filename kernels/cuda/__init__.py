"""The operations of the learner and the parser on a GPU, in Numba and CuPy: the twins of those in kernels/cpu."""

from .collect import collect
from .growth import Growth
from .hold import hold, plan
from .kernel import KERNELS, THREADS
from .leaf_sums import leaf_sums
from .losses import losses
from .mark import mark, unmark
from .memory import SIMULATED, arrays, free_bytes, to_device, to_host, traffic, wait
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

BATCH = 256  # sentences searched side by side: one call scores all their candidates
CELL = 8 * THREADS  # examples of a block in slopes and losses

__all__ = [
    "BATCH",
    "CELL",
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
