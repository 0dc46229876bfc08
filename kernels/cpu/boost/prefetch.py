"""Memory asked for before it is needed: rows lie here and there in a matrix that no cache holds."""

from gpuparse.jit import intrinsic


def _make(_, array, place):
    from llvmlite import ir
    from numba import types

    byte_pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
    to_read, near, data = number(0), number(3), number(1)

    def generate(context, builder, signature, arguments):
        address = builder.gep(context.make_array(signature.args[0])(context, builder, arguments[0]).data, arguments[1:])
        kind = ir.FunctionType(ir.VoidType(), [byte_pointer, number, number, number])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [byte_pointer], kind)
        builder.call(fetch, [builder.bitcast(address, byte_pointer), to_read, near, data])
        return context.get_dummy_value()

    return types.void(array, place), generate


@intrinsic(_make)
def prefetch(array, place):
    """Begin to fetch the cache line of array[place]. Any place will do: one that can't be read is ignored."""
