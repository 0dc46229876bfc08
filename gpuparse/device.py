"""Which device computes, and the module with its operations.

The one place outside kernels/cuda that imports numba.cuda or cupy: it knows "it imports" from "there is a device".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from gpuparse.errors import DeviceError

CPU = "cpu"
SIMULATOR = "sim"
CPU_ONLY = "this version of gpuparse computes on the CPU only"


@dataclass(frozen=True)
class Device:
    """A device that can compute."""

    name: str

    @property
    def kernels(self) -> ModuleType:
        """The module with the operations of this device."""
        return import_module("gpuparse.kernels.cpu")


@dataclass(frozen=True)
class DeviceReport:
    """A device, whether it can be used, and what it is or why it can't."""

    name: str
    usable: bool
    about: str

    def as_json(self) -> dict[str, Any]:
        """The report by names."""
        return {"device": self.name, "usable": self.usable, "about": self.about}


def find_device(spec: str = "auto") -> Device:
    """The device that `auto`, `cpu`, `0`, `cuda:0` or `sim` stands for.

    `auto` is the first usable GPU, else the CPU. Any other that is not there is an error.

    >>> find_device("cpu").name
    'cpu'
    """
    if spec in ("auto", CPU):
        return Device(CPU)
    if spec == SIMULATOR:
        raise DeviceError(f"The simulator runs CUDA kernels, and {CPU_ONLY}. Use --device cpu.")
    number = re.fullmatch(r"(?:cuda:)?([0-9]+)", spec)
    if not number:
        raise DeviceError(f"{spec!r} is no device: give auto, cpu, the number of a GPU such as 0 or cuda:0, or sim.")
    gpus, cause = _find_gpus()
    if int(number[1]) < len(gpus):
        raise DeviceError(f"cuda:{number[1]} ({gpus[int(number[1])]}) is there, but {CPU_ONLY}. Use --device cpu.")
    raise DeviceError(
        f"There is no device cuda:{number[1]}: {cause or _count(gpus)}. Use --device cpu, or auto for what is there."
    )


def list_devices() -> list[DeviceReport]:
    """What there is to compute on, the CPU first.

    >>> list_devices()[0].name
    'cpu'
    """
    gpus, cause = _find_gpus()
    reports = [DeviceReport(CPU, True, "the processor of this machine")]
    reports += [DeviceReport(f"cuda:{n}", False, f"{gpu}; {CPU_ONLY}") for n, gpu in enumerate(gpus)]
    if cause:
        reports.append(DeviceReport("cuda", False, cause))
    return reports


def _count(gpus: list[str]) -> str:
    return f"this machine has {len(gpus)}, numbered from 0"


def _find_gpus() -> tuple[list[str], str]:
    """The names of the GPUs that CUDA shows; where there is none, the cause."""
    missing = [name for name in ("cupy", "numba_cuda") if find_spec(name) is None]
    if missing:
        extras = "pip install 'gpuparse[cuda12]' (or cuda13)"
        return [], f"the packages for CUDA are not installed ({', '.join(missing)}); {extras} installs them"
    try:
        import cupy
    except ImportError as error:
        return [], f"cupy is installed but can't be imported ({error})"
    try:
        count = cupy.cuda.runtime.getDeviceCount()
        return [cupy.cuda.runtime.getDeviceProperties(n)["name"].decode() for n in range(count)], ""
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return [], f"CUDA finds no device ({error}); is the driver installed, and a GPU in this machine?"
