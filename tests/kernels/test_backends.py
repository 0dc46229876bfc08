"""Both kinds of kernels offer the same operations, with the same arguments and defaults."""

from __future__ import annotations

import ast
import inspect
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from gpuparse.kernels import cpu

PROJECT = Path(__file__).resolve().parents[2]
OF_A_GPU_ALONE = {"KERNELS", "SIMULATED", "free_bytes", "traffic"}


@pytest.fixture(scope="module")
def cuda() -> ModuleType:
    for name in ("cupy", "numba_cuda"):
        pytest.importorskip(name, reason=f"{name} is not installed: pip install 'gpuparse[cuda12]'")
    return import_module("gpuparse.kernels.cuda")


def arguments(operation: Any) -> list[tuple[str, Any]]:
    return [(given.name, given.default) for given in inspect.signature(operation).parameters.values()]


def plain(operation: Any) -> Any:
    return getattr(operation, "function", operation)


def test_they_offer_the_same_names(cuda: ModuleType) -> None:
    assert set(cuda.__all__) - OF_A_GPU_ALONE == set(cpu.__all__)


@pytest.mark.parametrize("name", sorted(cpu.__all__))
def test_an_operation_takes_the_same_arguments_and_says_what_it_does(cuda: ModuleType, name: str) -> None:
    ours, theirs = (plain(getattr(kernels, name)) for kernels in (cpu, cuda))
    if inspect.isclass(ours):
        methods = {method for method in vars(ours) if not method.startswith("_")}
        assert {method for method in vars(theirs) if not method.startswith("_")} == methods
        for method in ("__init__", *methods):
            shared = arguments(getattr(theirs, method))
            assert arguments(getattr(ours, method))[: len(shared)] == shared, method
    elif inspect.isfunction(ours):
        assert arguments(ours) == arguments(theirs)
        assert inspect.getdoc(theirs)
    else:
        assert type(ours) is type(theirs)


def functions_of_arrays() -> set[str]:
    """Every x of `arrays.x` in the code that works with arrays of a device."""
    sources = [*(PROJECT / "kernels" / "cuda").rglob("*.py"), *(PROJECT / "gpuparse" / "boost").glob("*.py")]
    nodes = [node for path in sources for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    return {node.attr for node in attributes if ast.unparse(node.value).split(".")[-1] == "arrays"}


def test_cupy_has_every_function_that_is_asked_of_it() -> None:
    cupy = pytest.importorskip("cupy", reason="cupy is not installed: pip install 'gpuparse[cuda12]'")
    asked = functions_of_arrays()
    assert {"zeros", "empty", "cumsum", "sort", "flatnonzero"} <= asked
    assert not {name for name in asked if not hasattr(cupy, name)}
