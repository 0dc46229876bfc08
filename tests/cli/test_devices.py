"""What commands say of devices."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import gpuparse.device
from gpuparse.cli.devices import chosen_device, chosen_devices
from gpuparse.device import Cuda
from gpuparse.errors import DeviceError

TWO_GPUS = Cuda(driver=12090, packages=12090, gpus=["Some GPU, 8.0 GiB", "Another, 16.0 GiB"])


def test_auto_says_which_gpu_it_took(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(gpuparse.device, "_find_cuda", lambda: TWO_GPUS)
    assert chosen_device("auto").name == "cuda:0"
    assert capsys.readouterr().err == "device: cuda:0 (Some GPU, 8.0 GiB)\n"


def test_who_names_devices_is_not_told_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gpuparse.device, "_find_cuda", lambda: TWO_GPUS)
    assert [device.name for device in chosen_devices("0,1")] == ["cuda:0", "cuda:1"]
    assert chosen_device("1").about == "Another, 16.0 GiB"
    assert capsys.readouterr().err == ""
    with pytest.raises(DeviceError, match="only training shares its work out"):
        chosen_device("0,1")


def test_auto_tells_a_terminal_that_it_is_the_cpu_and_a_pipe_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gpuparse.device, "_find_cuda", Cuda)
    chosen_devices("auto")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    chosen_devices("auto")
    assert capsys.readouterr().err == "device: cpu (the processor of this machine)\n"


@pytest.mark.parametrize("command", [["train", "--output", "x"], ["parse", "She slept."], ["bench", "learn"]])
def test_a_device_that_is_not_there_ends_a_command_before_it_begins(command: list[str], tmp_path: Path) -> None:
    code = "from gpuparse.cli.main import run; run()"
    arguments = [sys.executable, "-c", code, *command, "--device", "77"]
    run = subprocess.run(arguments, capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 2
    assert "gpuparse: There is no device cuda:77: " in run.stderr
    assert "Use the device cpu" in run.stderr
    assert not list(tmp_path.iterdir())
