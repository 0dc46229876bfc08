"""How functions are compiled: the only code that names Numba's flags.

A function is written once, as Python that Numba can compile, and gets one of these flavours. Numba is slow to import:
that happens only when a function is compiled.
"""

from gpuparse.jit.flavours import (
    Kernel,
    compile_meanwhile,
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
    "Kernel", "compile_meanwhile", "compiled", "eventual", "inlined", "intrinsic", "is_slow", "kernel", "spliced",
    "vectorised", "wait_until_compiled",
]  # fmt: skip
