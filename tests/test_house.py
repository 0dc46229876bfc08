"""The house rules that a program can check: who imports whom, and that every example in the documentation runs."""

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import gpuparse

PROJECT = Path(__file__).resolve().parents[1]
# Which packages each may import, besides those that all may: what it is given stands before it.
SHARED = {"dtypes", "errors", "jit", "options", "printable", "storage", "version"}
MAY_IMPORT = {
    "jit": {"practice"},  # by the process that compiles in the background
    "trees": set(),
    "text": {"trees"},
    "tag": {"text", "trees"},
    "boost": {"device", "kernels"},
    "evaluate": {"trees"},
    "pretrained": set(),
    "parse.logic": {"parse.properties", "trees"},
    "parse.features": {"parse.logic", "parse.properties", "boost", "trees"},
    "parse.model": {"parse.features", "parse.logic", "boost", "tag", "text", "trees"},
    "parse.search": {"parse.model", "parse.features", "parse.logic", "parse.properties", "kernels", "trees"},
    "parse.explain": {
        *("parse.search", "parse.model", "parse.features", "parse.logic", "parse.properties", "parse.input"),
        *("boost", "trees"),
    },
    "kernels": set(),
}


def sources() -> list[Path]:
    return sorted(path for folder in ("gpuparse", "kernels") for path in (PROJECT / folder).rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def within(path: Path, *places: str) -> bool:
    return any(path.is_relative_to(PROJECT / place) for place in places)


def test_only_the_command_line_imports_typer_and_rich() -> None:
    for path in sources():
        if not within(path, "gpuparse/cli"):
            assert not {"typer", "rich"} & {name.split(".")[0] for name in imports(path)}, path


def test_only_the_home_of_progress_makes_a_live_display_and_it_leaves_stdout_alone() -> None:
    home = PROJECT / "gpuparse/cli/progress.py"
    for path in sources():
        live = {name for name in imports(path) if name.startswith(("rich.live", "rich.progress.", "rich.status"))}
        assert not live or path == home, path
        assert ".status(" not in path.read_text(encoding="utf-8"), f"{path}: Console.status is a live display"
    calls = [node for node in ast.walk(ast.parse(home.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    displays = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Live"]
    (options,) = [{keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords} for call in displays]
    assert options["redirect_stdout"] == "False"


def test_only_the_cuda_kernels_and_the_device_import_cuda() -> None:
    for path in sources():
        if not within(path, "kernels/cuda", "gpuparse/device.py"):
            names = list(imports(path))
            assert not any(name.split(".")[0] in ("cupy", "numba_cuda") for name in names), path
            assert not any(name.startswith("numba.cuda") for name in names), path


def test_only_the_device_names_a_backend() -> None:
    backends = tuple(f"gpuparse.kernels.{path.parent.name}" for path in (PROJECT / "kernels").glob("*/__init__.py"))
    for path in sources():
        if not within(path, "kernels", "gpuparse/device.py"):
            assert not any(name.startswith(backends) for name in imports(path)), path


def test_only_the_comparison_with_xgboost_imports_scipy() -> None:
    users = {path for path in sources() if "scipy" in {name.split(".")[0] for name in imports(path)}}
    assert users == {path for path in sources() if "xgboost" in imports(path)}  # which takes sparse tables only so


def test_the_program_uses_all_that_is_installed_with_it() -> None:
    dependencies = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["dependencies"]
    names = [name for path in sources() if not within(path, "gpuparse/cli/bench") for name in imports(path)]
    assert {dependency.split(">=")[0] for dependency in dependencies} <= {name.split(".")[0] for name in names}


def home(module: str) -> str:
    """The package of gpuparse that a module belongs to, as MAY_IMPORT names them."""
    names = module.split(".")[1:]
    return ".".join(names[: 2 if names[:1] == ["parse"] else 1])


def modules_of(package: str) -> list[Path]:
    folder = PROJECT / ("kernels" if package == "kernels" else "gpuparse/" + package.replace(".", "/"))
    return sorted(folder.rglob("*.py"))


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_a_package_imports_only_what_it_may(package: str) -> None:
    for path in modules_of(package):
        used = {home(name) for name in imports(path) if name.startswith("gpuparse.")} - {package, "parse"}
        assert used - SHARED <= MAY_IMPORT[package], path


def test_the_learner_knows_nothing_of_language_even_through_others() -> None:
    program = "import sys, pkgutil, importlib, gpuparse.boost as b\n" + (
        "for m in pkgutil.iter_modules(b.__path__): importlib.import_module('gpuparse.boost.' + m.name)\n"
        "print(sorted(m for m in sys.modules if m.startswith('gpuparse.')))"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    packages = {home(name) for name in ast.literal_eval(answer.stdout)}
    assert packages <= {"boost", "device", "kernels", *SHARED} - {"options"}


def test_every_file_that_holds_something_says_what() -> None:
    for path in sources():
        text = path.read_text(encoding="utf-8")
        assert not text.strip() or ast.get_docstring(ast.parse(text)), path


def test_every_package_is_listed_for_installation() -> None:
    listed = tomllib.loads((PROJECT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    found = {".".join(path.parent.relative_to(PROJECT).parts) for path in sources() if path.name == "__init__.py"}
    assert {f"gpuparse.{name}" if name.startswith("kernels") else name for name in found} == set(listed)


def test_every_test_has_a_time_limit(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.pluginmanager.hasplugin("timeout")
    assert 0 < float(pytestconfig.getini("timeout")) <= 900


def test_every_test_that_sends_a_signal_starts_a_process_that_heeds_it() -> None:
    for path in (PROJECT / "tests").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert ".send_signal(" not in text or "subprocess.Popen(" not in text or path == Path(__file__), path


KERNELS = [path.relative_to(PROJECT).with_suffix("") for path in sources() if within(path, "kernels")]
MODULES = [
    *sorted(module.name for module in pkgutil.walk_packages(gpuparse.__path__, "gpuparse.")),
    *(".".join(["gpuparse", *path.parts]).removesuffix(".__init__") for path in KERNELS),
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_the_documentation_are_right(name: str) -> None:
    if name.startswith("gpuparse.kernels.cuda"):
        pytest.importorskip("numba_cuda", reason="numba-cuda is not installed: pip install 'gpuparse[cuda12]'")
        pytest.importorskip("cupy", reason="cupy is not installed: pip install 'gpuparse[cuda12]'")
    assert doctest.testmod(importlib.import_module(name)).failed == 0
