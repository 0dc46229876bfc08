"""Every CUDA kernel becomes code for every kind of GPU: PTX by Numba, then ptxas, with no spills. No GPU is needed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

ARCHITECTURES = [(7, 5), (8, 0), (9, 0), (12, 0)]


class Size(NamedTuple):
    registers: int
    shared: int  # bytes a block
    spills: int  # bytes


@pytest.fixture(scope="module")
def ptxas() -> str:
    for name in ("cupy", "numba_cuda"):
        pytest.importorskip(name, reason=f"{name} is not installed: pip install 'gpuparse[cuda12]'")
    in_packages = [path for folder in sys.path for path in Path(folder).glob("nvidia/*/bin/ptxas")]
    path = str(in_packages[0]) if in_packages else shutil.which("ptxas")
    if not path:
        pytest.skip("ptxas is not installed: pip install nvidia-cuda-nvcc-cu12")
    return path


def to_ptx(kernel: Any, architecture: tuple[int, int], patch: pytest.MonkeyPatch) -> str:
    from numba import cuda
    from numba.core import sigutils

    dispatcher = import_module("numba.cuda.dispatcher")  # asks the GPU at hand what it is
    patch.setattr(dispatcher, "get_current_device", lambda: SimpleNamespace(compute_capability=architecture))
    types, _ = sigutils.normalize_signature(kernel.signature)
    return cuda.compile(kernel.function, types, device=False, abi="numba", cc=architecture, output="ptx")[0]


def assemble(ptxas: str, ptx: str, architecture: tuple[int, int], folder: Path) -> Size:
    source = folder / "kernel.ptx"
    source.write_text(ptx)
    arch = "-arch=sm_{}{}".format(*architecture)
    run = subprocess.run([ptxas, "-v", arch, "-o", folder / "kernel.cubin", source], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr

    def figure(pattern: str) -> int:
        return sum(int(number) for number in re.findall(pattern, run.stderr))

    spills = figure(r"(\d+) bytes spill stores") + figure(r"(\d+) bytes spill loads")
    return Size(figure(r"Used (\d+) registers"), figure(r"(\d+) bytes smem"), spills)


@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=lambda cc: "sm_{}{}".format(*cc))
def test_every_kernel_is_assembled_without_spills_and_rounds_as_the_cpu_does(
    ptxas: str, architecture: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record_property: Any
) -> None:
    kernels = import_module("gpuparse.kernels.cuda").KERNELS
    table = {}
    for kernel in kernels:
        ptx = to_ptx(kernel, architecture, monkeypatch)
        assert "fma.rn.f64" not in ptx, kernel.name
        table[kernel.name] = assemble(ptxas, ptx, architecture, tmp_path)
    record_property("assembled", ["sm_{}{}".format(*architecture), {name: tuple(size) for name, size in table.items()}])
    assert len(table) == len(kernels) >= 20
    assert not {name: size for name, size in table.items() if size.spills}
    assert max(size.registers for size in table.values()) <= 64  # four blocks of 256 threads at once
    assert max(size.shared for size in table.values()) <= 16384
