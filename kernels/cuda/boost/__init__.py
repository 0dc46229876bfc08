"""The operations of the learner on a GPU, one file per operation: the twins of those in kernels/cpu/boost."""

from .collect import collect
from .growth import Growth
from .hold import hold, plan
from .leaf_sums import leaf_sums
from .losses import losses
from .mark import mark, unmark
from .percolate import percolate
from .priorities import priorities, uniform
from .put_back import put_back
from .quantise import quantise
from .select import select
from .slopes import slopes
from .total import total
from .transpose import transpose
from .weigh import weigh

__all__ = [
    "Growth",
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
    "select",
    "slopes",
    "total",
    "transpose",
    "uniform",
    "unmark",
    "weigh",
]
