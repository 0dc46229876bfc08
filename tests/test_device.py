"""Which device, and why not."""

from __future__ import annotations

import pytest

import gpuparse.device
from gpuparse.device import find_device, list_devices
from gpuparse.errors import DeviceError


@pytest.mark.parametrize("spec", ["auto", "cpu"])
def test_the_cpu_is_always_there(spec: str) -> None:
    device = find_device(spec)
    assert device.name == "cpu"
    assert device.kernels.__name__ == "gpuparse.kernels.cpu"


@pytest.mark.parametrize("spec", ["0", "cuda:0", "cuda:7"])
def test_a_gpu_that_is_not_there_is_an_error_with_the_cause_and_the_way_out(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpuparse.device, "_find_gpus", lambda: ([], "CUDA finds no device"))
    with pytest.raises(
        DeviceError, match=r"There is no device cuda:.: CUDA finds no device. Use --device cpu"
    ) as caught:
        find_device(spec)
    assert caught.value.exit_code == 2


def test_a_gpu_that_is_there_is_reported_but_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpuparse.device, "_find_gpus", lambda: (["Some GPU"], ""))
    assert [(report.name, report.usable) for report in list_devices()] == [("cpu", True), ("cuda:0", False)]
    with pytest.raises(DeviceError, match="computes on the CPU only"):
        find_device("cuda:0")
    with pytest.raises(DeviceError, match="this machine has 1"):
        find_device("1")


@pytest.mark.parametrize("spec", ["gpu", "cuda", "-1", "cuda:x", ""])
def test_what_is_no_device_is_an_error_that_says_what_is(spec: str) -> None:
    with pytest.raises(DeviceError, match="give auto, cpu"):
        find_device(spec)
