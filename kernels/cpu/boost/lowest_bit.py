"""The lowest set bit of a word, by the processor's own instruction."""

from gpuparse.jit import intrinsic


def _make(_, word):
    from llvmlite import ir
    from numba import types

    def generate(_context, builder, _signature, arguments):
        return builder.cttz(arguments[0], ir.IntType(1)(0))

    return types.uint64(word), generate


@intrinsic(_make)
def lowest_bit(word):
    """The number of the lowest bit of a word (uint64) that is set; 64 if none is."""
    return (int(word) & -int(word)).bit_length() - 1 if word else 64
