"""How functions are compiled, and by whom: the only code that names Numba's flags.

A function is written once, as Python that Numba can compile, and is given one of these flavours. None of them imports
Numba, which takes its time: what compiles a function does.
"""

from gpuparse.jit.flavours import (
    Kernel,
    compiled,
    eventual,
    inlined,
    intrinsic,
    is_slow,
    kernel,
    spliced,
    vectorised,
    wait_until_compiled,
)  # fmt: skip

__all__ = [
    "Kernel", "compiled", "eventual", "inlined", "intrinsic", "is_slow", "kernel", "spliced", "vectorised",
    "wait_until_compiled",
]  # fmt: skip
