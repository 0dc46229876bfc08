"""Logs and going on after a stop: cut short anywhere, or killed at any moment, the result is the same to the bit."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from gpuparse.boost import Ensemble, Log, Options, log_path, train_label, train_labels
from gpuparse.errors import TrainingError
from gpuparse.kernels import cpu
from tests.boost.problems import problem
from tests.processes import start

OPTIONS = Options(sample=150, max_trees=25, min_lambda=0.0, split_margin=0.05)
GIVEN = problem(11, 400, 60, 3)
LABELS = {"NP": 350, "VP": 350, "S|X/Y": 350}


def learn(folder: Path, options: Options = OPTIONS, jobs: int = 1, **more) -> dict[str, Ensemble]:
    return train_labels(LABELS, lambda label: GIVEN.examples, GIVEN.matrix, options, cpu, folder, "data", jobs, **more)


def bits(ensembles: dict[str, Ensemble]) -> dict[str, list]:
    return {
        label: [{k: v for k, v in attempt.to_json().items() if k != "seconds"} for attempt in ensemble.kept]
        for label, ensemble in ensembles.items()
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
    path = log_path(tmp_path, "NP")
    content = path.read_bytes()
    for cut in random.Random(0).sample(range(len(content)), 12):
        path.write_bytes(content[:cut])
        assert bits(learn(tmp_path)) == whole
        assert json.loads(path.read_bytes().splitlines()[0])["label"] == "NP"


def test_a_finished_label_is_not_learned_again(whole, tmp_path: Path) -> None:
    learn(tmp_path)

    def never(label: str):
        raise AssertionError(label)

    again = train_labels(LABELS, never, GIVEN.matrix, OPTIONS, cpu, tmp_path, "data")
    assert bits(again) == whole


def test_a_greater_budget_goes_on_from_a_smaller(whole, tmp_path: Path) -> None:
    short = learn(tmp_path, replace(OPTIONS, max_trees=7))
    assert all(len(ensemble.kept) == 7 for ensemble in short.values())
    assert bits(learn(tmp_path)) == whole


@pytest.mark.parametrize(
    ("options", "fingerprint", "named"),
    [(replace(OPTIONS, seed=1), "data", "options"), (OPTIONS, "other data", "fingerprint")],
)
def test_a_log_of_other_data_or_options_is_refused(tmp_path: Path, options, fingerprint: str, named: str) -> None:
    Log(tmp_path / "NP.jsonl", "NP", OPTIONS, "data")
    with pytest.raises(TrainingError, match=named):
        Log(tmp_path / "NP.jsonl", "NP", options, fingerprint)


def test_damage_in_the_middle_of_a_log_is_an_error_with_its_line(tmp_path: Path) -> None:
    learn(tmp_path, replace(OPTIONS, max_trees=3))
    path = log_path(tmp_path, "NP")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], b"{damaged\n", *lines[3:]]))
    with pytest.raises(TrainingError, match="line 3"):
        learn(tmp_path)


def test_a_stop_ends_each_label_after_its_tree_and_can_be_taken_up(whole, tmp_path: Path) -> None:
    stop = threading.Event()
    stopped = learn(tmp_path, on_tree=lambda label, attempt: stop.set() if attempt.attempt == 4 else None, stop=stop)
    assert {ensemble.end for ensemble in stopped.values()} == {"stopped"}
    assert sorted(ensemble.tried for ensemble in stopped.values()) == [0, 0, 5]
    assert bits(learn(tmp_path)) == whole


def test_a_failure_in_one_label_is_told(tmp_path: Path) -> None:
    def examples_of(label: str):
        if label == "VP":
            raise TrainingError("no examples for VP")
        return GIVEN.examples

    with pytest.raises(TrainingError, match="VP"):
        train_labels(LABELS, examples_of, GIVEN.matrix, OPTIONS, cpu, tmp_path, "data", jobs=2)


def test_every_attempt_is_a_line_that_can_be_plotted(tmp_path: Path) -> None:
    ensemble = learn(tmp_path)["NP"]
    lines = [json.loads(line) for line in log_path(tmp_path, "NP").read_text().splitlines()]
    attempts = [line for line in lines if "attempt" in line]
    assert len(attempts) == ensemble.tried
    assert [line["attempt"] for line in attempts] == list(range(ensemble.tried))
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
    ensemble = train_label("NP", GIVEN.examples, GIVEN.matrix, OPTIONS, cpu)
    assert bits({"NP": ensemble})["NP"] == whole["NP"]


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
    path = log_path(tmp_path, "NP")
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
    path = log_path(tmp_path, "NP")
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    lines[1]["tree"][array][0] = value
    path.write_bytes(rewritten(lines))
    with pytest.raises(TrainingError, match=r"line 2|tests a feature"):
        learn(tmp_path)


def test_an_attempt_that_is_lost_is_noticed_where_the_checksums_are_right(tmp_path: Path) -> None:
    learn(tmp_path, replace(OPTIONS, max_trees=3))
    path = log_path(tmp_path, "NP")
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    path.write_bytes(rewritten([lines[0], *lines[2:]]))
    with pytest.raises(TrainingError, match=r"line 2: .*attempt 1, where attempt 0 belongs"):
        learn(tmp_path)


def test_no_label_becomes_a_file_name(tmp_path: Path) -> None:
    labels = ["X" * 300, "a/../../b", "..", "np", "NP", "ä" * 200, "CON", ""]
    names = [log_path(tmp_path, label).name for label in labels]
    assert len({name.lower() for name in names}) == len(labels)
    assert all(len(name) < 60 and re.fullmatch(r"[A-Za-z0-9]*-[0-9a-f]{16}\.jsonl", name) for name in names)


if __name__ == "__main__":
    print(".", end="", flush=True)
    learn(Path(sys.argv[1]), on_tree=lambda label, attempt: time.sleep(0.01))
