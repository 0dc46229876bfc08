"""Which device computes, and its operations.

The one place outside kernels/cuda that imports numba.cuda or cupy. That they can be imported does not mean that there
is a GPU, so both are checked, and errors say what is missing.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple, cast

from gpuparse.errors import DeviceError
from gpuparse.kernels import Kernels, MemoryOps

CPU = "cpu"
SIMULATOR = "sim"
INSTALL = "pip install 'gpuparse[cuda12]' (or cuda13)"


@dataclass(frozen=True)
class Device:
    """A device that can compute."""

    name: str  # cpu, sim or cuda:N
    about: str = ""
    number: int | None = None  # of a GPU

    @cached_property
    def kernels(self) -> Kernels:
        """The operations of this device."""
        if self.name == CPU:
            return cast(Kernels, import_module("gpuparse.kernels.cpu"))
        if self.name == SIMULATOR:
            return _simulated_kernels()
        assert self.number is not None
        return cast(Kernels, _GpuKernels(self.number))


class _GpuKernels:
    """The operations on one GPU; asking for one makes the GPU current in the thread, with a stream of its own."""

    _threads = threading.local()  # of each thread: its current GPU, and its streams

    def __init__(self, number: int) -> None:
        from numba import config

        config.CUDA_ARRAY_INTERFACE_SYNC = 0  # kernels and CuPy share the thread's stream, so they need not synchronise
        config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # small nodes have small grids
        self._number, self._module = number, import_module("gpuparse.kernels.cuda")

    def __getattr__(self, name: str) -> Any:
        if getattr(self._threads, "at_hand", None) != self._number:
            self._take_over()
        return getattr(self._module, name)

    def _take_over(self) -> None:
        import cupy
        from numba import cuda

        cuda.select_device(self._number)
        cupy.cuda.Device(self._number).use()
        streams = self._threads.__dict__.setdefault("streams", {})
        if self._number not in streams:
            streams[self._number] = cupy.cuda.Stream(non_blocking=True)
        streams[self._number].use()
        self._threads.at_hand = self._number


def _simulated_kernels() -> Kernels:
    """CUDA's operations in Numba's simulator, which has to be asked for before Numba's CUDA part is imported."""
    from numba import config

    if "numba.cuda" not in sys.modules:
        config.ENABLE_CUDASIM = 1
    kernels = import_module("gpuparse.kernels.cuda")
    if not kernels.SIMULATED:
        raise DeviceError("CUDA is in use already, so it can't be simulated: set NUMBA_ENABLE_CUDASIM=1 before.")
    return cast(Kernels, kernels)


@dataclass(frozen=True)
class DeviceReport:
    """A device, whether it can be used, and what it is or why it can't."""

    name: str
    usable: bool
    about: str

    def as_json(self) -> dict[str, Any]:
        """The report by name, for programs."""
        return {"device": self.name, "usable": self.usable, "about": self.about}


def find_device(spec: str = "auto") -> Device:
    """The device that `auto`, `cpu`, `0`, `cuda:0` or `sim` stands for.

    `auto` is the first usable GPU, else the CPU. Any other device that can't be used is an error.

    >>> find_device("cpu").name
    'cpu'
    """
    devices = find_devices(spec)
    if len(devices) > 1:
        raise DeviceError(
            f"{spec!r} are several devices, and only training shares its work out over several: give one."
        )
    return devices[0]


def find_devices(spec: str = "auto") -> list[Device]:
    """The devices that a list such as `0,1` stands for; a single word is read by find_device.

    >>> [device.name for device in find_devices("cpu")]
    ['cpu']
    """
    if spec == "auto":
        gpus = _find_cuda().gpus
        return [Device("cuda:0", gpus[0], 0) if gpus else Device(CPU, "the processor of this machine")]
    names = [re.sub(r"^cuda:", "", name.strip()) for name in spec.split(",")]
    if len(names) > 1 and not all(re.fullmatch("[0-9]+", name) for name in names):
        raise DeviceError(f"{spec!r} is no list of devices: give the numbers of GPUs, such as 0,1.")
    return [_named(name, spec) for name in dict.fromkeys(names)]


def _named(name: str, spec: str) -> Device:
    if name == CPU:
        return Device(CPU, "the processor of this machine")
    if name == SIMULATOR:
        if find_spec("numba_cuda") is None:
            raise DeviceError(f"The simulator needs numba-cuda, which is not installed: {INSTALL} installs it.")
        return Device(SIMULATOR, "a GPU simulated on the CPU, for tests")
    if not re.fullmatch("[0-9]+", name):
        raise DeviceError(f"{spec!r} is no device: give auto, cpu, the number of a GPU such as 0 or cuda:0, or sim.")
    cuda, number = _find_cuda(), int(name)
    if number < len(cuda.gpus):
        return Device(f"cuda:{number}", cuda.gpus[number], number)
    cause = why_not(cuda) or f"this machine has {len(cuda.gpus)}, numbered from 0"
    raise DeviceError(
        f"There is no device cuda:{number}: {cause}. Use the device cpu (--device cpu), or auto for what is there."
    )


def list_devices() -> list[DeviceReport]:
    """What can compute on this machine and what can't, the CPU first.

    >>> list_devices()[0].name
    'cpu'
    """
    cuda = _find_cuda()
    reports = [DeviceReport(CPU, True, "the processor of this machine")]
    reports += [DeviceReport(f"cuda:{n}", True, gpu) for n, gpu in enumerate(cuda.gpus)]
    if not cuda.gpus:
        reports.append(DeviceReport("cuda", False, why_not(cuda)))
    simulates = find_spec("numba_cuda") is not None
    about = "a GPU simulated on the CPU, for tests" if simulates else f"needs numba-cuda: {INSTALL} installs it"
    return [*reports, DeviceReport(SIMULATOR, simulates, about)]


def bandwidth(kernels: MemoryOps, size: int = 1 << 28) -> float:
    """Bytes per second that the device reads and writes when it copies `size` of them.

    >>> from gpuparse.kernels import cpu
    >>> bandwidth(cpu, 1 << 20) > 0
    True
    """
    import time

    source = kernels.arrays.zeros(size // 8)
    target = kernels.arrays.empty(size // 8)
    seconds = []
    for _ in range(5):
        kernels.wait()
        start = time.perf_counter()
        target[:] = source
        kernels.wait()
        seconds.append(time.perf_counter() - start)
    return 2 * size / min(seconds)


class Cuda(NamedTuple):
    """What there is of CUDA on this machine."""

    missing: Sequence[str] = ()  # packages that are not installed
    broken: str = ""  # why an installed package can't be imported
    driver: int = 0  # the version of CUDA that the driver supports, as 1000 * major + 10 * minor; 0: no driver
    packages: int = 0  # the version of CUDA that the packages were made for
    failure: str = ""  # the error of CUDA when asked for devices
    gpus: Sequence[str] = ()  # names and memory


def why_not(cuda: Cuda) -> str:
    """Why no GPU can be used, and what to do about it; empty if one can.

    >>> why_not(Cuda(missing=["cupy"]))
    "the packages for CUDA are not installed (cupy): pip install 'gpuparse[cuda12]' (or cuda13) installs them"
    """
    if cuda.gpus:
        return ""
    if cuda.missing:
        return f"the packages for CUDA are not installed ({', '.join(cuda.missing)}): {INSTALL} installs them"
    if cuda.broken:
        return f"a package for CUDA is installed but can't be imported ({cuda.broken}): {INSTALL} --force-reinstall"
    if cuda.driver == 0:
        return "there is no NVIDIA driver: install it, or if it is, see whether nvidia-smi finds it"
    if cuda.driver // 1000 < cuda.packages // 1000:
        return (
            f"the driver knows CUDA {_version(cuda.driver)}, and the packages are made for CUDA "
            f"{_version(cuda.packages)}: install a newer driver, or packages for CUDA {cuda.driver // 1000}"
            + (" (pip uninstall cupy-cuda13x, then pip install 'gpuparse[cuda12]')" if cuda.driver >= 12000 else "")
        )
    return (
        f"CUDA shows no GPU ({cuda.failure or 'none counted'}): is there one in this machine, and does "
        "CUDA_VISIBLE_DEVICES hide it?"
    )


def _version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


def _has_driver() -> bool:
    """Whether the driver's library is installed."""
    import ctypes

    try:
        ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return False
    return True


def _find_cuda() -> Cuda:
    """Look for CUDA: the packages, the driver, the GPUs."""
    missing = [name for name, module in (("cupy", "cupy"), ("numba-cuda", "numba_cuda")) if find_spec(module) is None]
    if missing:
        return Cuda(missing)
    if not _has_driver():
        return Cuda()  # known without importing anything
    try:
        import cupy
    except ImportError as error:
        return Cuda(broken=str(error).strip().splitlines()[-1])
    runtime = cupy.cuda.runtime
    driver, packages = runtime.driverGetVersion(), runtime.runtimeGetVersion()
    try:
        gpus = [runtime.getDeviceProperties(n) for n in range(runtime.getDeviceCount())]
    except runtime.CUDARuntimeError as error:
        return Cuda(driver=driver, packages=packages, failure=str(error))
    names = [f"{gpu['name'].decode()}, {gpu['totalGlobalMem'] / 2**30:.1f} GiB" for gpu in gpus]
    return Cuda(driver=driver, packages=packages, gpus=names)
