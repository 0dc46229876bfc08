"""Where tests find data that is not part of the project; they skip, and say why, where it is absent."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("GPUPARSE_COMPILE", "wait")  # tests of the other choices make them themselves

SHARED = Path(__file__).resolve().parents[2] / "shared"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--device", default="", help="run the tests of tests/cuda on this GPU, such as 0")


def pytest_configure(config: pytest.Config) -> None:
    """Everything is compiled once, before workers start that would each compile it, and say so where a test listens."""
    if not hasattr(config, "workerinput"):
        subprocess.run([sys.executable, "-c", "from gpuparse.cli.main import run; run()", "warm-up"], check=False)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The CUDA kernels as they were assembled: registers, bytes of shared memory, bytes of spills."""
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    assembled = dict(value for r in reports for name, value in getattr(r, "user_properties", ()) if name == "assembled")
    if not assembled:
        return
    terminalreporter.section("CUDA kernels: registers, shared memory, spills")
    architectures = sorted(assembled, key=lambda name: int(name.removeprefix("sm_")))
    terminalreporter.line(f"{'':24}" + "".join(f"{name:>16}" for name in architectures))
    for kernel in assembled[architectures[0]]:
        sizes = ["{:>5}{:>7}{:>4}".format(*assembled[name][kernel]) for name in architectures]
        terminalreporter.line(f"{kernel:24}" + "".join(sizes))


def _folder(variable: str, default: Path) -> Path:
    folder = Path(os.environ.get(variable, default))
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there; set {variable} to run this test")
    return folder


@pytest.fixture(scope="session")
def gum() -> Path:
    """The GUM treebank, with its folders train and dev."""
    return _folder("GPUPARSE_GUM", SHARED / "data" / "gum")


@pytest.fixture(scope="session")
def known_examples() -> Path:
    """Trees with known training examples."""
    return Path(__file__).resolve().parent / "data" / "examples"
