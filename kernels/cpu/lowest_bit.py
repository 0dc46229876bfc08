"""Which bit of a word is the lowest that is set: an instruction of its own. Not an operation."""

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic


@intrinsic
def lowest_bit(_, word):
    """The number of the lowest bit of a word (uint64) that is set; 64 if none is."""

    def generate(_context, builder, _signature, arguments):
        return builder.cttz(arguments[0], ir.IntType(1)(0))

    return types.uint64(word), generate
