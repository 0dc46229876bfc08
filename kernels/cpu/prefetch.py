"""Memory asked for before it is needed: rows lie here and there in a matrix that no cache holds."""

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

_BYTE_POINTER, _INT = ir.IntType(8).as_pointer(), ir.IntType(32)
_TO_READ, _NEAR, _DATA = _INT(0), _INT(3), _INT(1)


@intrinsic
def prefetch(_, array, place):
    """Begin to fetch the cache line of array[place], whatever the place: what can't be fetched is let be."""

    def generate(context, builder, signature, arguments):
        address = builder.gep(context.make_array(signature.args[0])(context, builder, arguments[0]).data, arguments[1:])
        kind = ir.FunctionType(ir.VoidType(), [_BYTE_POINTER, _INT, _INT, _INT])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [_BYTE_POINTER], kind)
        builder.call(fetch, [builder.bitcast(address, _BYTE_POINTER), _TO_READ, _NEAR, _DATA])
        return context.get_dummy_value()

    return types.void(array, place), generate
