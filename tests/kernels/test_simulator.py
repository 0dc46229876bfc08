"""The tests of tests/cuda in Numba's simulator, which takes a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]


def test_kernels_training_and_parsing_are_the_same_in_the_simulator() -> None:
    pytest.importorskip("numba_cuda", reason="numba-cuda is not installed: pip install 'gpuparse[cuda12]'")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", "tests/cuda"]
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    run = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stdout + run.stderr
