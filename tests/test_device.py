"""Which device, and why not."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numba
import pytest

import gpuparse.device
from gpuparse.device import Cuda, find_device, find_devices, list_devices, why_not
from gpuparse.errors import DeviceError

NO_GPU = Cuda(driver=12090, packages=12090, failure="cudaErrorNoDevice: no CUDA-capable device is detected")
TWO_GPUS = Cuda(driver=12090, packages=12090, gpus=["Some GPU, 8.0 GiB", "Another, 16.0 GiB"])


def pretend(monkeypatch: pytest.MonkeyPatch, cuda: Cuda) -> None:
    monkeypatch.setattr(gpuparse.device, "_find_cuda", lambda: cuda)


def test_the_cpu_is_always_there() -> None:
    device = find_device("cpu")
    assert device.name == "cpu"
    assert device.kernels.__name__ == "gpuparse.kernels.cpu"


def test_auto_takes_the_first_gpu_and_else_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, TWO_GPUS)
    assert (find_device("auto").name, find_device().about) == ("cuda:0", "Some GPU, 8.0 GiB")
    pretend(monkeypatch, NO_GPU)
    assert find_device("auto").name == "cpu"


CAUSES = {
    "no cupy": (Cuda(missing=["cupy"]), r"not installed \(cupy\): pip install 'gpuparse\[cuda12\]' \(or cuda13\)"),
    "cupy can't be imported": (Cuda(broken="libfoo.so.1: no such file"), r"libfoo.so.1.*--force-reinstall"),
    "no driver": (Cuda(driver=0, packages=12090), r"no NVIDIA driver: install it.*nvidia-smi"),
    "an old driver": (
        Cuda(driver=11040, packages=12090),
        r"the driver knows CUDA 11.4, and the packages are made for CUDA 12.9: install a newer driver",
    ),
    "packages that are too new": (Cuda(driver=12040, packages=13000), r"CUDA 12.4, .* CUDA 13.0.*gpuparse\[cuda12\]"),
    "no GPU": (NO_GPU, r"no CUDA-capable device.*CUDA_VISIBLE_DEVICES"),
}


@pytest.mark.parametrize("name", CAUSES)
@pytest.mark.parametrize("spec", ["0", "cuda:7", "0,1"])
def test_a_gpu_that_is_not_there_is_an_error_with_the_cause_and_the_way_out(
    name: str, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cuda, cause = CAUSES[name]
    pretend(monkeypatch, cuda)
    with pytest.raises(DeviceError, match=rf"There is no device cuda:.: .*{cause}.*\. Use the device cpu") as caught:
        find_devices(spec)
    assert caught.value.exit_code == 2
    assert [(report.name, report.usable) for report in list_devices()[:2]] == [("cpu", True), ("cuda", False)]
    assert list_devices()[1].about == why_not(cuda)


def test_device_three_of_one_is_an_error_that_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, TWO_GPUS._replace(gpus=["Some GPU, 8.0 GiB"]))
    with pytest.raises(DeviceError, match="There is no device cuda:3: this machine has 1, numbered from 0"):
        find_device("3")


def test_gpus_are_found_by_number_and_several_by_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, TWO_GPUS)
    assert [find_device(spec).name for spec in ("1", "cuda:1")] == ["cuda:1", "cuda:1"]
    assert [device.number for device in find_devices("1,0,1")] == [1, 0]
    assert [report.name for report in list_devices()[:3]] == ["cpu", "cuda:0", "cuda:1"]
    with pytest.raises(DeviceError, match="only training shares its work out"):
        find_device("0,1")


@pytest.mark.parametrize("spec", ["gpu", "cuda", "-1", "cuda:x", ""])
def test_what_is_no_device_is_an_error_that_says_what_is(spec: str) -> None:
    with pytest.raises(DeviceError, match="give auto, cpu"):
        find_device(spec)


@pytest.mark.parametrize("spec", ["0,cpu", "auto,0", "0,"])
def test_a_list_that_does_not_name_gpus_is_an_error(spec: str) -> None:
    with pytest.raises(DeviceError, match="give the numbers of GPUs, such as 0,1"):
        find_devices(spec)


def python(code: str) -> str:
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def test_the_simulator_is_a_device_of_its_own() -> None:
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed: pip install 'gpuparse[cuda12]'")
    code = "import numba; from gpuparse.device import find_device; print(find_device('sim').kernels.SIMULATED)"
    assert python(code) == "True"


def test_a_simulator_asked_for_too_late_is_an_error() -> None:
    pytest.importorskip("cupy", reason="cupy is not installed: pip install 'gpuparse[cuda12]'")
    code = """
import gpuparse.kernels.cuda
from gpuparse.device import find_device
from gpuparse.errors import DeviceError
try:
    find_device("sim").kernels
except DeviceError as error:
    print(error)
"""
    assert "set NUMBA_ENABLE_CUDASIM=1 before" in python(code)


def test_no_gpu_package_is_imported_with_gpuparse_nor_where_there_is_no_driver() -> None:
    code = """
import sys, gpuparse.parse.train, gpuparse.device
gpuparse.device._has_driver = lambda: False
gpuparse.device.find_device("auto").kernels
print({'cupy', 'numba.cuda'} & set(sys.modules))
"""
    assert python(code) == "set()"


class Fake:
    """Stands for modules of a GPU that is not there; notes what is taken into use."""

    def __init__(self) -> None:
        self.taken: list[str] = []
        self.made = 0
        self.cuda = self  # cupy.cuda, and Numba's

    def select_device(self, number: int) -> None:
        self.taken.append(f"numba {number}")

    def Device(self, number: int) -> FakeUse:  # CuPy's name
        return FakeUse(self, f"cupy {number}")

    def Stream(self, non_blocking: bool) -> FakeUse:  # CuPy's name
        self.made += 1
        return FakeUse(self, f"stream {self.made}")


class FakeUse:
    def __init__(self, fake: Fake, name: str) -> None:
        self.fake, self.name = fake, name

    def use(self) -> None:
        self.fake.taken.append(self.name)


def test_whoever_asks_for_an_operation_has_its_gpu_and_a_stream_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake()
    pretend(monkeypatch, TWO_GPUS)
    monkeypatch.setitem(sys.modules, "cupy", fake)
    monkeypatch.setitem(sys.modules, "numba.cuda", fake)
    monkeypatch.setattr(numba, "cuda", fake, raising=False)
    monkeypatch.setattr(gpuparse.device, "import_module", lambda name: SimpleNamespace(score=name))
    monkeypatch.setattr(gpuparse.device._GpuKernels, "_threads", threading.local())
    first, second = (device.kernels for device in find_devices("0,1"))

    def ask(*kernels: object) -> list[str]:
        fake.taken.clear()
        assert {each.score for each in kernels} == {"gpuparse.kernels.cuda"}
        return list(fake.taken)

    assert ask(first, first) == ["numba 0", "cupy 0", "stream 1"]
    assert ask(second) == ["numba 1", "cupy 1", "stream 2"]
    assert ask(first) == ["numba 0", "cupy 0", "stream 1"]
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(ask, second).result() == ["numba 1", "cupy 1", "stream 3"]
