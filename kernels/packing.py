"""Two weights in one 64-bit integer, so that one addition sums the positive and the negative weight apart.

     63            32 31             0
    +----------------+----------------+
    |    positive    |    negative    |
    +----------------+----------------+

Weights are whole numbers of units, and those of a sample add up to less than 2^31, so that no half runs over.

The functions take Python's integers and arrays of any device, and compiled code of the CPU calls them as they are; a
GPU compiles them for itself.
"""

from gpuparse.jit import spliced

HALF = 32  # bits
LOWER = 0xFFFFFFFF


@spliced
def as_positive(weight):
    """The weight of a positive example, packed.

    >>> as_positive(3) + as_positive(2) + as_negative(7) == (5 << 32) + 7
    True
    """
    return weight << HALF


@spliced
def as_negative(weight):
    """The weight of a negative example, packed."""
    return weight


@spliced
def positive(packed):
    """The sum of the positive weights.

    >>> positive((5 << 32) + 7), negative((5 << 32) + 7), difference((5 << 32) + 7)
    (5, 7, -2)
    """
    return packed >> HALF


@spliced
def negative(packed):
    """The sum of the negative weights."""
    return packed & LOWER


@spliced
def difference(packed):
    """The sum of the positive weights minus that of the negative ones: the sum of y w."""
    return (packed >> HALF) - (packed & LOWER)
