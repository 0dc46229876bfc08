"""Tests on a GPU (pytest --device 0), or in Numba's simulator, where tests/kernels/test_simulator.py starts them."""

from __future__ import annotations

import os
from typing import Any

import pytest

from gpuparse.device import find_device

SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Without a device there is nothing to collect here."""
    return None if SIMULATED or config.getoption("--device") else True


@pytest.fixture(scope="session")
def cuda(pytestconfig: pytest.Config) -> Any:
    """The kernels of the device."""
    return find_device(pytestconfig.getoption("--device") or "sim").kernels
