"""A later start is quick because of what it leaves out: that can be counted, and needs no clock."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gpuparse.cli.bench.start import SENTENCE, phases_of_start
from gpuparse.jit.store import Store
from tests.jit.test_compilation import TREE, run

MODULES_AT_THE_END = """
import sys
from gpuparse.cli.main import run
try:
    run()
finally:
    print(*sys.modules, file=sys.stderr)
"""
MOST_MODULES = 760  # 742 with Numba 0.68, NumPy 2.4 and typer 0.29, which takes pydantic along
MOST_OF_OURS = 138  # 136
LEFT_OUT = (
    "scipy",
    "rich",
    "nltk",
    "cupy",
    "xgboost",
    "multiprocessing",
    "numba.core.inline_closurecall",  # the rest of this list is what Numba imports to compile
    "numba.np.linalg",
    "numba.np.random.generator_methods",
    "numba.typed.typedlist",
    "gpuparse.practice",
    "gpuparse.evaluate",
    "gpuparse.parse.explain",
    "gpuparse.parse.train",
    "gpuparse.boost.learning",
    "gpuparse.words.induction",
    "gpuparse.cli.train",
    "gpuparse.cli.bench",
)


@pytest.fixture(scope="module")
def modules() -> list[str]:
    """What is imported at the end of a later start."""
    done = run([sys.executable, "-c", MODULES_AT_THE_END, "parse", SENTENCE], Store.here().root, "wait")
    assert done.stdout == TREE
    *messages, names = done.stderr.splitlines()
    assert not messages
    return names.split()


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_later_start_imports_nothing_that_it_can_do_without(modules: list[str], name: str) -> None:
    assert not [module for module in modules if module == name or module.startswith(f"{name}.")]


def test_a_later_start_imports_no_more_modules_than_it_used_to(modules: list[str]) -> None:
    assert len(modules) <= MOST_MODULES
    assert len([module for module in modules if module.startswith("gpuparse")]) <= MOST_OF_OURS


def test_the_phases_of_a_start_are_those_of_the_command_from_its_beginning_to_its_end(tmp_path: Path) -> None:
    (tmp_path / Store.here().key).symlink_to(Store.here().folder)  # what is compiled, and room for the bytecode
    phases = phases_of_start(str(tmp_path))
    assert list(phases) == [
        "python", "numpy", "typer", "our modules", "arguments", "model", "rules", "tags", "tree", "end of the process",
    ]  # fmt: skip
    assert min(phases.values()) >= 0
