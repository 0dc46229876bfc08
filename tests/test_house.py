"""The house rules that a program can check: who imports whom, and that every example in the documentation runs."""

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import gpuparse

PROJECT = Path(__file__).resolve().parents[1]
# Which parts of gpuparse each part may import. What all may import is in SHARED, and imports nothing but what is there.
SHARED = {"dtypes", "errors", "jit", "options", "printable", "sealed", "storage", "version"}
MAY_IMPORT = {
    **{name: set() for name in SHARED},
    "jit": {"practice"},  # in the process that compiles in the background, and nowhere else
    "kernels": set(),
    "device": {"kernels"},
    "boost": {"device", "kernels"},
    "trees": set(),
    "text": {"trees"},
    "words": set(),
    "tag": {"text", "trees", "words"},
    "evaluate": {"trees"},
    "pretrained": set(),
    "parse.logic": {"parse.properties", "trees", "words"},
    "parse.features": {"parse.logic", "parse.properties", "boost", "trees"},
    "parse.model": {"parse.features", "parse.logic", "parse.properties", "boost", "tag", "text", "trees", "words"},
    "parse.search": {"parse.model", "parse.features", "parse.logic", "parse.properties", "kernels", "trees"},
    "parse.explain": {
        "parse.search",
        "parse.model",
        "parse.features",
        "parse.logic",
        "parse.properties",
        "parse.overruling",
        "parse.parsed_tree",
        "boost",
        "trees",
    },
    # the modules beside those folders, which put them together: training, reading input, and handing trees over
    "parse": {"parse", "boost", "device", "evaluate", "integrations", "kernels", "tag", "text", "trees", "words"},
    "integrations": {"trees"},
    "api": {"parse", "device", "pretrained", "tag", "text", "trees"},
    "practice": {"api", "parse", "boost", "device", "pretrained", "trees"},
    "cli": {"api", "parse", "boost", "device", "evaluate", "practice", "pretrained", "tag", "text", "trees", "words"},
}
# What each part may reach, however many imports away. Said apart from the table: a part that is allowed one thing more
# there must not bring the parser into the learner, or one task into another.
MAY_REACH = {
    "kernels": {"errors", "jit", "storage"},
    "boost": {"device", "dtypes", "errors", "jit", "kernels", "options", "storage"},
    "trees": {"errors"},
    "text": {"errors", "trees"},
    "tag": {"errors", "jit", "options", "storage", "text", "trees"},
    "evaluate": {"errors", "options", "trees"},
    "pretrained": {"errors"},
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


def test_only_jit_and_the_cuda_kernels_know_how_numba_compiles() -> None:
    public = {"numba", "numba.config", "numba.cuda", "numba.types", "numba.extending"}
    flags = re.compile(r"\b(_nrt|no_cpython_wrapper|no_cfunc_wrapper|forceinline|error_model|py_func|njit)\b")
    for path in sources():
        if not within(path, "gpuparse/jit", "kernels/cuda"):
            assert {name for name in imports(path) if name.split(".")[0] == "numba"} <= public, path
            assert not flags.search(path.read_text(encoding="utf-8")), path


MOST_ARGUMENTS = 7  # more become a structure with names
NAME_EACH = {"gpuparse/api.py": "load", "gpuparse/cli": r"\w+_command"}  # functions that name options for the user


def names_each(path: Path, function: ast.FunctionDef) -> bool:
    """Whether a function may take more: one of NAME_EACH, or one of CUDA's kernels, which take arrays one by one."""
    if within(path, "kernels/cuda"):
        return any(ast.unparse(decorator).startswith("kernel(") for decorator in function.decorator_list)
    return any(within(path, place) and re.fullmatch(name, function.name) for place, name in NAME_EACH.items())


def test_many_arguments_are_a_structure() -> None:
    for path in sources():
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(function, ast.FunctionDef) or names_each(path, function):
                continue
            names = [argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)]
            assert len([name for name in names if name not in ("self", "cls")]) <= MOST_ARGUMENTS, (path, function.name)


def test_only_the_comparison_with_xgboost_imports_scipy() -> None:
    users = {path for path in sources() if "scipy" in {name.split(".")[0] for name in imports(path)}}
    assert users == {path for path in sources() if "xgboost" in imports(path)}  # which takes sparse tables only so


def test_the_program_uses_all_that_is_installed_with_it() -> None:
    dependencies = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["dependencies"]
    names = [name for path in sources() if not within(path, "gpuparse/cli/bench") for name in imports(path)]
    assert {dependency.split(">=")[0] for dependency in dependencies} <= {name.split(".")[0] for name in names}


def module_of(path: Path) -> str:
    """Its name when it is imported: kernels/ is installed as gpuparse.kernels."""
    parts = path.relative_to(PROJECT).with_suffix("").parts
    return ".".join(parts if parts[0] == "gpuparse" else ("gpuparse", *parts)).removesuffix(".__init__")


FILES = {module_of(path): path for path in sources()}


def home(module: str) -> str:
    """The part of gpuparse that a module belongs to: a folder or a module of gpuparse/, or one of gpuparse/parse/.

    The options of all parts are one part, plain data that imports nothing else.
    """
    names = module.split(".")[1:]
    if names[-1:] == ["options"]:
        return "options"
    return ".".join(names[: 2 if names[:1] == ["parse"] else 1])


def test_only_what_hands_a_tree_over_imports_an_integration() -> None:
    users = {path for path in sources() if any(name.startswith("gpuparse.integrations.") for name in imports(path))}
    assert users == {PROJECT / "gpuparse/parse/parsed_tree.py"}  # on demand: see to_nltk


def imported(module: str) -> set[str]:
    """The modules of ours that a module imports, wherever in it; but for types alone does not count."""
    path = FILES[module]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = []
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            names += [source, *(f"{source}.{name.name}" for name in node.names)]
    return {name for name in names if name in FILES}


def imports_of(part: str) -> set[str]:
    """The parts that a part imports."""
    modules = [module for module in FILES if home(module) == part]
    return {home(name) for module in modules for name in imported(module)} - {part, ""}


PARTS = sorted({home(module) for module in FILES} - {"", "parse"})


def rule_of(part: str) -> str:
    """The row of MAY_IMPORT that holds for a part; every folder has its own."""
    is_folder = (PROJECT / "gpuparse" / part.replace(".", "/")).is_dir()
    return part if part in MAY_IMPORT or is_folder else part.split(".")[0]


@pytest.mark.parametrize("part", PARTS)
def test_a_part_imports_only_what_it_may(part: str) -> None:
    allowed = MAY_IMPORT[rule_of(part)] | SHARED
    assert not {name for name in imports_of(part) if not {name, name.split(".")[0]} & allowed}


def test_imports_go_one_way() -> None:
    """No part reaches itself. The compiler's background process practises everything, which is no dependency."""
    before = {part: imports_of(part) - ({"practice"} if part == "jit" else set()) for part in PARTS}
    while before:
        ready = [part for part, needed in before.items() if not needed & before.keys()]
        assert ready, f"these import each other: {before}"
        before = {part: needed for part, needed in before.items() if part not in ready}


@pytest.mark.parametrize("part", MAY_REACH)
def test_a_part_reaches_only_what_it_may_even_through_others(part: str) -> None:
    reached, waiting = set(), {part}
    while waiting:
        reached |= waiting
        waiting = {name for each in waiting for name in imports_of(each)} - reached - {"practice"}
    assert reached - {part} <= MAY_REACH[part]


def test_the_learner_knows_nothing_of_language_even_through_others() -> None:
    program = "import sys, pkgutil, importlib, gpuparse.boost as b\n" + (
        "for m in pkgutil.iter_modules(b.__path__): importlib.import_module('gpuparse.boost.' + m.name)\n"
        "print(sorted(m for m in sys.modules if m.startswith('gpuparse.')))"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    modules = ast.literal_eval(answer.stdout)
    assert {home(name) for name in modules} <= MAY_REACH["boost"] | {"boost", "version"}
    assert "gpuparse.options" not in modules  # only its own


def names_defined(path: Path) -> set[str]:
    """The classes, the types and the constants of a file, but not the constants that are private to it."""
    nodes = list(ast.parse(path.read_text(encoding="utf-8")).body)
    nodes += [child for node in nodes if isinstance(node, (ast.If, ast.Try)) for child in [*node.body, *node.orelse]]
    names = {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    for node in nodes:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        assigned = {name.id for target in targets if target for name in ast.walk(target) if isinstance(name, ast.Name)}
        names |= {name for name in assigned if name[0].isupper()}
    return names


@pytest.mark.parametrize("backend", sorted(path.parent.name for path in (PROJECT / "kernels").glob("*/__init__.py")))
def test_a_name_is_defined_once(backend: str) -> None:
    """Backends are twins: what they offer has the same names in all of them, so each is taken with the rest alone."""
    others = [path.parent for path in (PROJECT / "kernels").glob("*/__init__.py") if path.parent.name != backend]
    files = [path for path in sources() if not any(path.is_relative_to(other) for other in others)]
    count = Counter(name for path in files for name in names_defined(path))
    assert not {name for name, times in count.items() if times > 1}


def test_every_file_that_holds_something_says_what() -> None:
    for path in sources():
        text = path.read_text(encoding="utf-8")
        assert not text.strip() or ast.get_docstring(ast.parse(text)), path


def test_every_package_is_listed_for_installation() -> None:
    packages = tomllib.loads((PROJECT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    folders = {".".join(path.parent.relative_to(PROJECT).parts) for path in sources() if path.name == "__init__.py"}
    assert {f"gpuparse.{name}" if name.startswith("kernels") else name for name in folders} == set(packages)


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
