"""Reals as multiples of a unit: integer sums are the same in any order, for any number of threads, on any device."""

from __future__ import annotations

import math
from typing import NamedTuple

TOTAL_BITS = 61  # of a sum, so that no 64-bit integer overflows, rounding included
TERM_BITS = 50  # of one term, so that a double holds it to the last bit while it is rounded
FINEST = 2.0**1000  # units in 1; a double's exponent ends at 1023


class Magnitude(NamedTuple):
    """How large the terms of a sum can be."""

    total: float  # their absolute values add up to this, or less
    largest: float  # none is greater


def scale_for(terms: Magnitude) -> float:
    """Units in 1, a power of two, for a sum of such terms.

    >>> scale_for(Magnitude(1.0, 1.0)) == 2.0**49, scale_for(Magnitude(2.0**30, 1.0)) == 2.0**30
    (True, True)
    """
    bits = min(TOTAL_BITS - math.frexp(terms.total)[1], TERM_BITS - math.frexp(terms.largest)[1])
    return FINEST if bits > 1000 else math.ldexp(1.0, bits)
