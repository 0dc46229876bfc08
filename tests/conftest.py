"""Where tests find data that is not part of the project; they skip, and say why, where it is absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


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
def conformance() -> Path:
    """Cases with known answers."""
    return _folder("GPUPARSE_CONFORMANCE", SHARED / "conformance")
