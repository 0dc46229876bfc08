"""How a kernel is declared and launched.

A kernel is a grid-stride loop (each of n threads takes every n-th turn), so that it is right for any number of
threads. Its signature is written down, so that tests can compile it for any GPU without having one.
"""

import threading
import warnings
from typing import Any

import numpy as np
from numba import cuda, types
from numba.core import sigutils

from .memory import SIMULATED, arrays, traffic

THREADS = 4 if SIMULATED else 256  # per block; a simulated thread is one of the operating system's
WARP = 2 if SIMULATED else 32  # threads that go through one row together
MOST_BLOCKS = 2 if SIMULATED else 4096  # along the first axis of a grid

KERNELS: list["CudaKernel"] = []
_one_at_a_time = threading.Lock()  # the simulator runs one kernel at a time


class CudaKernel:
    """A function that many threads of the device run."""

    def __init__(self, function: Any, signature: str, name: str | None = None) -> None:
        self.function, self.signature = function, f"void({signature})"
        self.name = name or f"{function.__module__.rsplit('.', 1)[-1]}.{function.__name__.lstrip('_')}"
        self._types = sigutils.normalize_signature(self.signature)[0]
        self._compiled = cuda.jit(function)
        KERNELS.append(self)

    def __call__(self, work: int, *arguments: Any, across: int = 1) -> None:
        """Launch `work` threads, or as many as there may be, times `across` blocks along the second axis."""
        if work == 0 or across == 0:
            return
        traffic.launches += 1
        grid = (min(-(-work // THREADS), MOST_BLOCKS), across)
        if SIMULATED:
            self._simulate(grid, arguments)
        else:
            stream = cuda.external_stream(arrays.cuda.get_current_stream().ptr)
            self._compiled[grid, THREADS, stream](*arguments)

    def _simulate(self, grid: tuple[int, int], arguments: tuple[Any, ...]) -> None:
        for argument, expected in zip(arguments, self._types, strict=True):
            _check(self.name, argument, expected)
        plain = [a.view(np.ndarray) if isinstance(a, np.ndarray) else a for a in arguments]
        with _one_at_a_time, warnings.catch_warnings():
            warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning)  # integers wrap, as on a device
            self._compiled[grid, THREADS](*plain)


def kernel(signature: str, name: str | None = None) -> Any:
    """Declare a kernel: the types of its arguments, as Numba writes them, and a name in place of the function's."""
    return lambda function: CudaKernel(function, signature, name)


def _check(name: str, argument: Any, expected: Any) -> None:
    """An argument of a launch has to be of the type that was compiled."""
    if isinstance(expected, types.Array):
        fits = (
            type(argument).__name__ == "DeviceArray"
            and argument.dtype == np.dtype(expected.dtype.name)
            and argument.ndim == expected.ndim
            and argument.flags.c_contiguous
        )
    else:
        kinds = {"int64": (int, np.int64), "uint64": (np.uint64,), "float64": (float, np.float64)}
        fits = type(argument) in kinds[expected.name]
    if not fits:
        actual = f"{argument.dtype}, {argument.ndim} axes" if isinstance(argument, np.ndarray) else type(argument)
        raise TypeError(f"{name}: an argument is declared as {expected}, not {type(argument).__name__} ({actual})")
