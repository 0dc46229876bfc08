"""Logs and going on after a stop: cut short anywhere, or killed at any moment, the result is the same to the bit."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from gpuparse.boost import Attempt, History, Log, Options, Session, Task, Watcher
from gpuparse.boost import learn as learn_tasks
from gpuparse.errors import TrainingError
from gpuparse.kernels import cpu
from tests.boost.problems import problem
from tests.processes import start

OPTIONS = Options(sample=150, max_trees=25, min_lambda=0.0, split_margin=0.05)
CASE = problem(11, 400, 60, 3)
TASKS = dict.fromkeys(("NP", "VP", "X" * 300 + "/../.."), CASE.task)


class Listener(Watcher):
    """Calls a function with every tree."""

    def __init__(self, heard: Callable[[str, Attempt], object]) -> None:
        self.tree = heard  # type: ignore[method-assign]


class Asked(Mapping[str, Task]):
    """Tasks that are made by a function when they are asked for."""

    def __init__(self, make: Callable[[str], Task]) -> None:
        self.make = make

    def __getitem__(self, name: str) -> Task:
        return self.make(name)

    def __iter__(self) -> Iterator[str]:
        return iter(TASKS)

    def __len__(self) -> int:
        return len(TASKS)


def log_of(folder: Path) -> Path:
    return folder / "log.jsonl"


def learn(folder: Path, options: Options = OPTIONS, jobs: int = 1, tasks=TASKS, **more) -> dict[str, History]:
    return learn_tasks(CASE.matrix, tasks, options, [cpu], jobs, Session(log_of(folder), "data", **more))


def bits(histories: dict[str, History]) -> dict[str, list]:
    return {
        name: [{k: v for k, v in attempt.to_json().items() if k != "seconds"} for attempt in history.kept]
        for name, history in histories.items()
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list]:
    """What an undisturbed run learns."""
    return bits(learn(tmp_path_factory.mktemp("whole")))


def test_labels_differ_and_the_number_of_jobs_and_threads_changes_no_bit(whole, tmp_path: Path) -> None:
    assert whole["NP"] != whole["VP"]
    assert bits(learn(tmp_path / "jobs", jobs=3)) == whole
    assert bits(learn(tmp_path / "threads", replace(OPTIONS, threads=2), jobs=2)) == whole


def test_a_log_cut_at_any_byte_is_taken_up_again(whole, tmp_path: Path) -> None:
    learn(tmp_path)
    path = log_of(tmp_path)
    content = path.read_bytes()
    for cut in random.Random(0).sample(range(len(content)), 12):
        path.write_bytes(content[:cut])
        assert bits(learn(tmp_path)) == whole
        assert json.loads(path.read_bytes().splitlines()[0])["fingerprint"] == "data"


def test_a_finished_label_is_not_learned_again(whole, tmp_path: Path) -> None:
    learn(tmp_path)

    def never(name: str) -> Task:
        raise AssertionError(name)

    assert bits(learn(tmp_path, tasks=Asked(never))) == whole


def test_a_greater_budget_goes_on_from_a_smaller(whole, tmp_path: Path) -> None:
    short = learn(tmp_path, replace(OPTIONS, max_trees=7))
    assert all(len(history.kept) == 7 for history in short.values())
    assert bits(learn(tmp_path)) == whole


@pytest.mark.parametrize(
    ("options", "fingerprint", "named"),
    [(replace(OPTIONS, seed=1), "data", "options"), (OPTIONS, "other data", "fingerprint")],
)
def test_a_log_of_other_data_or_options_is_refused(tmp_path: Path, options, fingerprint: str, named: str) -> None:
    Log(log_of(tmp_path), OPTIONS, "data")
    with pytest.raises(TrainingError, match=named):
        Log(log_of(tmp_path), options, fingerprint)


def test_damage_in_the_middle_of_a_log_is_an_error_with_its_line(tmp_path: Path) -> None:
    learn(tmp_path, replace(OPTIONS, max_trees=3))
    path = log_of(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], b"{damaged\n", *lines[3:]]))
    with pytest.raises(TrainingError, match="line 3"):
        learn(tmp_path)


def test_a_stop_ends_each_label_after_its_tree_and_can_be_taken_up(whole, tmp_path: Path) -> None:
    stop = threading.Event()
    listener = Listener(lambda _, attempt: stop.set() if attempt.attempt == 4 else None)
    stopped = learn(tmp_path, watcher=listener, stop=stop)
    assert {history.end for history in stopped.values()} == {"stopped"}
    assert sorted(history.tried for history in stopped.values()) == [0, 0, 5]
    assert bits(learn(tmp_path)) == whole


def test_a_failure_in_one_label_is_told(tmp_path: Path) -> None:
    def task_of(name: str) -> Task:
        if name == "VP":
            raise TrainingError("no examples for VP")
        return CASE.task

    with pytest.raises(TrainingError, match="VP"):
        learn(tmp_path, jobs=2, tasks=Asked(task_of))


def test_every_attempt_is_a_line_that_can_be_plotted(tmp_path: Path) -> None:
    history = learn(tmp_path)["NP"]
    lines = [json.loads(line) for line in log_of(tmp_path).read_text().splitlines()]
    attempts = [line for line in lines if "attempt" in line and line["task"] == "NP"]
    assert len(attempts) == history.tried
    assert [line["attempt"] for line in attempts] == list(range(history.tried))
    assert {"lambda", "risk", "loss", "leaves", "nonzero", "seconds", "kept"} <= attempts[0].keys()


def test_a_process_killed_again_and_again_learns_the_same(whole, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    command = [sys.executable, "-m", "tests.boost.test_resume", str(tmp_path)]
    chance = random.Random(1)
    kills = 0
    for _ in range(60):
        process = start(command, env=environment, stdout=subprocess.PIPE)
        process.stdout.read(1)  # it has loaded and begins to learn
        time.sleep(chance.uniform(0.0, 0.15))
        process.send_signal(signal.SIGKILL)
        kills += process.wait() == -signal.SIGKILL
        process.stdout.close()
        if kills >= 4:
            break
    assert kills >= 3
    assert bits(learn(tmp_path)) == whole


def test_training_without_a_log_is_the_same(whole) -> None:
    assert bits(learn_tasks(CASE.matrix, TASKS, OPTIONS, [cpu])) == whole


def rewritten(lines: list[dict]) -> bytes:
    """A log of these lines whose checksums are right."""
    checksum, content = 0, b""
    for line in lines:
        body = json.dumps({name: value for name, value in line.items() if name != "checksum"})[:-1].encode()
        checksum = zlib.crc32(body, checksum)
        content += body + f', "checksum": "{checksum:08x}"}}\n'.encode()
    return content


@pytest.mark.parametrize("change", ["doubled", "lost", "swapped", "edited"])
def test_a_log_with_a_line_too_many_too_few_or_changed_is_refused_with_the_line(tmp_path: Path, change: str) -> None:
    learn(tmp_path, replace(OPTIONS, max_trees=4))
    path = log_of(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    changed = {
        "doubled": [*lines[:2], lines[1], *lines[2:]],
        "lost": [lines[0], *lines[2:]],
        "swapped": [lines[0], lines[2], lines[1], *lines[3:]],
        "edited": [lines[0], lines[1].replace(b'"seconds": ', b'"seconds": 1'), *lines[2:]],
    }[change]
    path.write_bytes(b"".join(changed))
    with pytest.raises(TrainingError, match=r"line [23]: .*checksum"):
        learn(tmp_path)
    assert path.read_bytes() == b"".join(changed)


@pytest.mark.parametrize(
    ("array", "value"),
    [*((array, value) for array in ("feature", "yes", "no") for value in (10**6, -7)), ("yes", 0), ("value", 10**6)],
)
def test_an_index_in_a_log_is_checked_even_where_the_checksums_are_right(
    tmp_path: Path, array: str, value: int
) -> None:
    learn(tmp_path, replace(OPTIONS, max_trees=2))
    path = log_of(tmp_path)
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    lines[1]["tree"][array][0] = value
    path.write_bytes(rewritten(lines))
    with pytest.raises(TrainingError, match=r"line 2|tests an unknown feature"):
        learn(tmp_path)


def test_an_attempt_that_is_lost_is_noticed_where_the_checksums_are_right(tmp_path: Path) -> None:
    learn(tmp_path, replace(OPTIONS, max_trees=3))
    path = log_of(tmp_path)
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    path.write_bytes(rewritten([lines[0], *lines[2:]]))
    with pytest.raises(TrainingError, match=r"line 2: .*attempt 1, where attempt 0 belongs"):
        learn(tmp_path)


def test_no_task_becomes_a_file_name(tmp_path: Path) -> None:
    learn(tmp_path, replace(OPTIONS, max_trees=1))
    assert [path.name for path in tmp_path.iterdir()] == ["log.jsonl"]


if __name__ == "__main__":
    print(".", end="", flush=True)
    learn(Path(sys.argv[1]), watcher=Listener(lambda *_: time.sleep(0.01)))
