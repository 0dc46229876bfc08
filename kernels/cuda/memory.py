"""Arrays on the device: the module that makes them, and copies between host and device, which are counted."""

from typing import Any

import numpy as np
from numba import cuda

from .simulated import DeviceArray, DeviceArrays, mend_simulator

SIMULATED = "simulator" in cuda.jit.__module__

if SIMULATED:
    mend_simulator()
    arrays: Any = DeviceArrays()
else:
    import cupy

    arrays = cupy


class Traffic:
    """What was copied between host and device, and how many kernels were launched, by all threads together."""

    def __init__(self) -> None:
        self.to_device = self.to_host = 0  # bytes
        self.waits = 0  # for the device: one per copy to the host
        self.launches = 0  # of our own kernels

    def since(self, before: dict[str, int]) -> dict[str, int]:
        """What was added since a copy of vars(traffic) was taken."""
        return {name: count - before[name] for name, count in vars(self).items()}


traffic = Traffic()


def to_device(array):
    """An array of the host, for the device."""
    traffic.to_device += array.nbytes
    return np.array(array).view(DeviceArray) if SIMULATED else arrays.asarray(array)


def to_host(array):
    """An array of the device, for Python to read. The host waits until the device has computed it."""
    traffic.to_host += array.nbytes
    traffic.waits += 1
    return np.array(array.view(np.ndarray)) if SIMULATED else array.get()  # synchronize!


def wait():
    """Return when the device has done all that it was asked for."""
    if not SIMULATED:
        arrays.cuda.get_current_stream().synchronize()  # synchronize!


def free_bytes() -> int:
    """How much memory of the device is free; a simulated one has plenty."""
    if SIMULATED:
        return 1 << 34
    free, _ = arrays.cuda.Device().mem_info
    pool = arrays.get_default_memory_pool()
    return int(free + pool.free_bytes())
