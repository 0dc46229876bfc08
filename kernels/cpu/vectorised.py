"""How kernels that divide are compiled. Not an operation.

Numba looks at every divisor for a zero, and that look keeps a loop from becoming vector instructions.
"""

from numba import njit

vectorised = njit(cache=True, nogil=True, error_model="numpy")
