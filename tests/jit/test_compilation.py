"""Compilation as people meet it: the first tree at once, in the background everything else, and then no more of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import pytest

from gpuparse.jit import background, store, telling
from gpuparse.jit.store import Store
from gpuparse.kernels import cpu
from gpuparse.options import Method, SearchOptions, Strategy
from gpuparse.parse.search import parser as parser_module
from gpuparse.parse.search import rounds
from gpuparse.parse.search.parser import Parser
from gpuparse.storage import locked
from gpuparse.tag import lattice, train_tagger
from gpuparse.trees import Tree, synthetic_treebank
from tests.cli.test_command import COMMAND
from tests.small_model import small_model

SENTENCE = "She left."
TREE = "(TOP (S (NP (PRP She)) (VP (VBD left)) (. .)))\n"
COUNT = """
import json, sys
from collections import Counter
from numba.core import event
from gpuparse import practice
from gpuparse.jit import telling

class Names(event.Listener):
    def on_start(self, event):
        function = event.data["dispatcher"].py_func
        names[f"{function.__module__}.{function.__qualname__}"] += 1
    def on_end(self, event):
        pass

names, counts, counted = Counter(), [0], {}
event.register("numba:compile", Names())
with telling.told_to(counts.append):
    for task in sys.argv[1:]:
        getattr(practice, f"practise_{task}")()
        counted[task] = counts[-1]
ours = {name: count for name, count in names.items() if name.startswith("gpuparse.") and "lambda" not in name}
texts = [name for name in names if name.startswith("numba.cpython.unicode")]
print(json.dumps([counted, {name: count for name, count in ours.items() if count > 1}, texts]))
"""
# Functions that are compiled for several types of arguments; each time costs everybody a moment at the first start.
SEVERAL = {
    "gpuparse.kernels.cpu.boost.growth.histograms.clear": 2,
    "gpuparse.parse.features.runs.set_cuts": 2,
    "gpuparse.parse.features.segments.column_key": 2,
    "gpuparse.parse.features.segments.hash_ends": 2,
    "gpuparse.parse.features.segments.mix": 3,
    "gpuparse.parse.features.segments.run_key": 2,
    "gpuparse.parse.logic.strategy.find_heads": 2,
    "gpuparse.parse.search.expansion._add_columns": 2,
}


def environment(cache: Path, compilation: str) -> dict[str, str]:
    return os.environ | {"GPUPARSE_CACHE": str(cache), "GPUPARSE_COMPILE": compilation}


def run(arguments: list[str], cache: Path, compilation: str) -> subprocess.CompletedProcess[str]:
    variables, nothing = environment(cache, compilation), subprocess.DEVNULL
    return subprocess.run(arguments, env=variables, capture_output=True, text=True, check=True, stdin=nothing)


@pytest.fixture(scope="module")
def cold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cold")


@pytest.fixture(scope="module")
def first(cold: Path) -> subprocess.CompletedProcess[str]:
    """The very first parse; the process that it leaves in the background is done when this returns."""
    done = run([*COMMAND, "parse", SENTENCE], cold, "background")
    assert not any(cold.glob("*/parse.ready")), "the first tree waited until everything was compiled"
    while not any(cold.glob("*/parse.ready")):
        assert not any(cold.glob("*/parse.failed")), next(cold.glob("*/parse.failed")).read_text()
        time.sleep(0.1)
    return done


def test_the_first_tree_comes_before_anything_is_compiled(first: subprocess.CompletedProcess[str]) -> None:
    assert first.stdout == TREE
    assert first.stderr == (
        "gpuparse: compiling for this machine in the background, once; until that is done, parsing is slow\n"
    )


def test_later_starts_compile_nothing_and_say_nothing(first: subprocess.CompletedProcess[str], cold: Path) -> None:
    later = run([*COMMAND, "parse", SENTENCE], cold, "background")
    assert (later.stdout, later.stderr) == (TREE, "")


def test_about_as_many_functions_are_compiled_as_the_user_is_told_and_hardly_any_twice(
    first: subprocess.CompletedProcess[str], cold: Path, tmp_path: Path
) -> None:
    counts = {"parse": int(next(cold.glob("*/parse.compiled")).read_text())}
    for tasks in (["explaining"], ["plain_training", "thinned_training"]):
        answer = run([sys.executable, "-c", COUNT, *tasks], cold, "wait").stdout
        counted, several, texts = json.loads(answer)
        counts |= counted
        assert {name: count for name, count in several.items() if count > SEVERAL.get(name, 1)} == {}
        assert not texts, "an assignment of slices brings them along, which takes two seconds to compile"
    names = {"explain": "explaining", "training": "plain_training", "thinned training": "thinned_training"}
    expected = {names.get(task, task): number for task, number in telling.FUNCTIONS.items()}
    assert counts == pytest.approx(expected, rel=0.1)  # another Numba may count otherwise
    warm = run([*COMMAND, "warm-up"], cold, "background")
    assert "functions" not in warm.stderr
    quick = ["--min-lambda", "5", "--device", "cpu"]
    trained = run([*COMMAND, "train", "--output", str(tmp_path / "model"), *quick], cold, "background")
    assert "compil" not in trained.stderr


WITHOUT_PRIVATE_WAYS = """
import sys
import numba
private = {name: sys.modules[name] for name in ("numba.core.event", "numba.core.cpu")}
sys.modules.update(dict.fromkeys(private))  # so that we can't import them
from gpuparse.jit import compiled, inlined, kernel, numba_side
sys.modules.update(private)  # Numba itself needs them
import numpy as np
from gpuparse.kernels.cpu.boost.lowest_bit import lowest_bit

@compiled
def twice(number):
    return 2 * number

@inlined
def first(numbers):
    return numbers[0]

@kernel
def work(numbers):
    return twice(first(numbers)) + lowest_bit(np.uint64(8))

assert numba_side.private is None
print(work(np.array([20, 1])), work.compiled().signatures)
"""


def test_where_numba_has_no_private_ways_the_public_ones_do(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(WITHOUT_PRIVATE_WAYS)  # a file, where Numba can find the source
    answer = run([sys.executable, str(tmp_path / "program.py")], tmp_path / "cache", "wait")
    assert answer.stdout.startswith("43 [(Array(int64")


def searches(strategy: Strategy, trees: Sequence[Tree]) -> Iterator[object]:
    """What every way to search says of some sentences, to the last bit."""
    model = small_model(40, strategy, max_trees=4)
    parser = Parser(model.vocabulary, model.rules(), strategy, 3, cpu)
    for method, max_min in product(Method, (False, True)):
        options = SearchOptions(method, max_min, limit=600, k=2)
        for result in parser.parse([tree.tokens()[:5] for tree in trees], options):
            yield [(str(parse.tree), parse.cost.hex()) for parse in result.parses], result.outcome, result.scored


@pytest.mark.parametrize("strategy", Strategy)
def test_python_and_machine_code_find_the_same_trees_at_the_same_cost(
    strategy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    trees = list(synthetic_treebank(3, 7))
    compiled = list(searches(strategy, trees))
    for function in (rounds.make_search(cpu.score_rows), parser_module._begin):
        monkeypatch.setattr(function, "_called", function.interpreted)
    assert list(searches(strategy, trees)) == compiled


def test_python_and_machine_code_give_the_same_tags(monkeypatch: pytest.MonkeyPatch) -> None:
    tagger = train_tagger([tree.tokens() for tree in synthetic_treebank(60)])
    sentences = [[token.word for token in tree.tokens()] for tree in synthetic_treebank(20, 7)]
    compiled = list(tagger.tag_many(sentences))
    monkeypatch.setattr(lattice.tag_sentences, "_called", lattice.tag_sentences.interpreted)
    assert list(tagger.tag_many(sentences)) == compiled


def test_a_changed_line_anywhere_is_a_new_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "callee.py"
    source.write_text("NUMBER = 3\n")
    monkeypatch.setattr(store, "_files", lambda package: iter([source]))
    before = store._key()
    times = source.stat()
    source.write_text("NUMBER = 5\n")
    os.utime(source, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert store._key() != before


def test_where_nothing_can_be_written_a_temporary_folder_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GPUPARSE_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", "/dev/null/nobody")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(store.tempfile, "tempdir", None)
    assert store._root("").parent == tmp_path
    assert store._root("").stat().st_mode & 0o077 == 0


def test_a_named_folder_that_cannot_be_written_serves_if_it_is_filled_and_is_left_alone_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    named = tmp_path / "named"
    (named / "key").mkdir(parents=True)
    monkeypatch.setattr(store.os, "access", lambda path, _: Path(path) != named)  # as for any user but root
    monkeypatch.setenv("GPUPARSE_CACHE", str(named))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    assert store._root("key") == named
    assert capsys.readouterr().err == ""
    assert store._root("another") == tmp_path / "home" / "gpuparse"
    assert "GPUPARSE_CACHE is " in capsys.readouterr().err


def test_a_cache_that_cannot_be_used_breaks_no_parse(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "gpuparse").symlink_to(Store.here().root)  # the user's cache folder, where all is compiled
    told = environment(tmp_path / "file" / "within", "background") | {"XDG_CACHE_HOME": str(tmp_path)}
    command = [*COMMAND, "parse", SENTENCE]
    done = subprocess.run(command, env=told, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    assert done.stdout == TREE
    assert done.stderr.startswith("gpuparse: GPUPARSE_CACHE is ")
    assert len(done.stderr.splitlines()) == 1


def test_a_compilation_that_is_killed_is_begun_anew_and_ends_no_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "BETWEEN_LOOKS", 0.0)
    compilation = background.Background(store.Store(tmp_path, Store.here().key))
    compilation._store.folder.mkdir()
    with locked(compilation._file("lock")):  # another program compiles ...
        assert not compilation.is_ready()
        first = compilation._process
        assert first is not None
        assert first.wait(60) == 0
        assert not compilation.is_ready()
        assert compilation._process is first
    assert not compilation.is_ready()  # ... and was killed
    second = compilation._process
    assert second is not None
    assert second is not first
    second.kill()
    second.wait()
    compilation.wait()
    assert not compilation.is_ready()
    assert "compilation failed (its process ended with -9): parsing stays slow" in capsys.readouterr().err


def test_threads_that_ask_at_once_start_one_compilation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []

    class Slow:
        def __init__(self, *command: object, **options: object) -> None:
            time.sleep(0.1)
            started.append(command)

        def poll(self) -> None:
            """It goes on."""

    monkeypatch.setattr(subprocess, "Popen", Slow)
    compilation = background.Background(store.Store(tmp_path, Store.here().key))
    threads = [threading.Thread(target=compilation.is_ready) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(started) == 1


def test_functions_first_called_by_several_threads_are_kept_in_the_folder_of_the_cache(tmp_path: Path) -> None:
    told = environment(tmp_path, "wait")
    command = [*COMMAND, "parse", "--jobs", "3", SENTENCE, SENTENCE, SENTENCE]
    done = subprocess.run(command, env=told, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    assert done.stdout == 3 * TREE
    again = subprocess.run(command, env=told, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    assert (again.stdout, again.stderr) == (3 * TREE, "")


def test_a_temporary_folder_that_others_can_write_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(store.tempfile, "tempdir", None)
    usual = store._temporary_root()
    usual.chmod(0o777)
    assert store._temporary_root() != usual
