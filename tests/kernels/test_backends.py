"""Every backend found in kernels/ keeps the contract: it has the names, the arguments and the defaults."""

from __future__ import annotations

import ast
import inspect
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, get_type_hints

import pytest

from gpuparse.kernels import contract
from gpuparse.kernels.contract import BoostOps, GrowthOps, HostScoreOps, Kernels, LossOps

PROJECT = Path(__file__).resolve().parents[2]
BACKENDS = sorted(path.parent.name for path in (PROJECT / "kernels").glob("*/__init__.py"))
PACKAGES = {"cuda": ("cupy", "numba_cuda")}  # that a backend needs besides ours


@pytest.fixture(scope="module", params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> ModuleType:
    for name in PACKAGES.get(request.param, ()):
        pytest.importorskip(name, reason=f"{name} is not installed: pip install 'gpuparse[cuda12]'")
    return import_module(f"gpuparse.kernels.{request.param}")


def operations(protocol: type) -> dict[str, Any]:
    """The functions of a protocol and of those it extends, by name."""
    parents = [parent for parent in protocol.__mro__ if Protocol in parent.__bases__]
    members = {name: member for parent in reversed(parents) for name, member in vars(parent).items()}
    return {name: member for name, member in members.items() if inspect.isfunction(member) and name[0] != "_"}


def arguments(operation: Any) -> list[tuple[str, Any]]:
    parameters = inspect.signature(operation).parameters.values()
    return [(parameter.name, parameter.default) for parameter in parameters if parameter.name != "self"]


def assert_keeps(promise: Any, operation: Any) -> None:
    """The operation takes what was promised; what else it takes has a default."""
    promised, taken = arguments(promise), arguments(getattr(operation, "function", operation))
    assert taken[: len(promised)] == promised
    assert all(default is not inspect.Parameter.empty for _, default in taken[len(promised) :])
    assert inspect.getdoc(getattr(operation, "function", operation))


def test_both_backends_are_found() -> None:
    assert {"cpu", "cuda"} <= set(BACKENDS)


@pytest.mark.parametrize("name", operations(Kernels))
def test_an_operation_takes_the_arguments_of_the_contract_and_says_what_it_does(backend: ModuleType, name: str) -> None:
    assert name in backend.__all__
    assert_keeps(operations(Kernels)[name], getattr(backend, name))


LOSSES = [name for name, kind in get_type_hints(BoostOps).items() if kind is LossOps]


@pytest.mark.parametrize("name", operations(LossOps))
@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_has_the_operations_of_the_contract(backend: ModuleType, loss: str, name: str) -> None:
    assert_keeps(operations(LossOps)[name], getattr(getattr(backend, loss), name))


@pytest.mark.parametrize("name", operations(GrowthOps))
def test_growth_has_the_methods_of_the_contract(backend: ModuleType, name: str) -> None:
    assert_keeps(operations(GrowthOps)[name], getattr(backend.Growth, name))


def test_growth_has_no_other_methods_that_somebody_might_rely_on(backend: ModuleType) -> None:
    assert {name for name in vars(backend.Growth) if name[0] != "_"} == set(operations(GrowthOps))


def test_constants_are_of_the_type_that_the_contract_says(backend: ModuleType) -> None:
    constants = get_type_hints(Kernels)
    assert {"BATCH", "CELL", "COMPUTES_ON_HOST", "arrays"} <= set(constants) <= set(backend.__all__)
    for name, kind in constants.items():
        assert kind in (Any, LossOps) or type(getattr(backend, name)) is kind, name


def test_a_backend_that_computes_on_the_host_hands_its_row_scorer_over(backend: ModuleType) -> None:
    assert ("score_rows" in backend.__all__) == backend.COMPUTES_ON_HOST
    if backend.COMPUTES_ON_HOST:
        assert_keeps(operations(HostScoreOps)["score_rows"], backend.score_rows)


def test_mypy_is_told_of_every_backend() -> None:
    nodes = ast.walk(ast.parse(Path(contract.__file__).read_text(encoding="utf-8")))
    siblings = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.level == 1]
    assert sorted(name.name for node in siblings for name in node.names) == BACKENDS


def functions_of_arrays() -> set[str]:
    """Every x of `arrays.x` in the code that works with arrays of a device."""
    sources = [*(PROJECT / "kernels" / "cuda").rglob("*.py"), *(PROJECT / "gpuparse" / "boost").rglob("*.py")]
    nodes = [node for path in sources for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    return {node.attr for node in attributes if ast.unparse(node.value).split(".")[-1] == "arrays"}


def test_cupy_has_every_function_that_is_asked_of_it() -> None:
    cupy = pytest.importorskip("cupy", reason="cupy is not installed: pip install 'gpuparse[cuda12]'")
    names = functions_of_arrays()
    assert {"zeros", "empty", "cumsum", "sort", "flatnonzero", "take"} <= names
    assert not {name for name in names if not hasattr(cupy, name)}
