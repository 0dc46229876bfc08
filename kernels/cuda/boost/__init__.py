"""The operations of the learner on a GPU: one file per operation, and one per loss for those that depend on it."""

from . import exponential, logistic
from .collect import collect
from .draws import uniform
from .growth import Growth
from .hold import hold, plan
from .mark import mark, unmark
from .percolate import percolate
from .put_back import put_back
from .quantise import quantise
from .select import select
from .total import total
from .transpose import transpose

__all__ = [
    "Growth",
    "collect",
    "exponential",
    "hold",
    "logistic",
    "mark",
    "percolate",
    "plan",
    "put_back",
    "quantise",
    "select",
    "total",
    "transpose",
    "uniform",
    "unmark",
]
