"""What `gpuparse train` does with files that are there already: nothing unasked, and it says what can be asked."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest

from gpuparse.errors import TrainingError
from gpuparse.parse.run_folder import begun_run
from gpuparse.storage import locked
from tests.cli.test_command import COMMAND, run
from tests.processes import start

QUICK = ("--max-words", "6", "--max-trees", "2", "--eta", "0.5", "--jobs", "1", "--no-tagger")


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("treebank") / "train.mrg"
    path.write_text(run("synth", "60").stdout)
    return path


def train(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, "train", *map(str, arguments), *QUICK]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)


def test_the_model_has_a_default_name_and_is_never_overwritten_unasked(treebank: Path, tmp_path: Path) -> None:
    assert train(tmp_path, treebank).returncode == 0
    model = tmp_path / "gpuparse.model"
    before = model.read_bytes()
    refused = train(tmp_path, treebank)
    assert (refused.returncode, "--overwrite" in refused.stderr, "--resume" in refused.stderr) == (2, True, True)
    assert model.read_bytes() == before
    assert train(tmp_path, treebank, "--overwrite").returncode == 0
    changed = train(tmp_path, treebank, "--resume", "--seed", "3", "--sample", "77")
    assert changed.returncode == 2
    assert "--seed was 0 and is now 3" in changed.stderr
    assert "--sample was 100000 and is now 77" in changed.stderr
    other = tmp_path / "other.mrg"
    other.write_text("".join(treebank.read_text().splitlines(keepends=True)[:-1]))
    assert "the treebank was 60 trees" in train(tmp_path, other, "--resume").stderr
    with locked(tmp_path / "gpuparse.model.training" / "lock"):
        busy = train(tmp_path, treebank, "--resume")
    assert (busy.returncode, "another gpuparse is training" in busy.stderr) == (1, True)


def test_where_nothing_can_be_learned_it_says_what_may_help(treebank: Path, tmp_path: Path) -> None:
    answer = train(tmp_path, treebank, "--min-lambda", "1e9")
    assert (answer.returncode, "down to a lambda of 1e+09" in answer.stderr, "--min-lambda" in answer.stderr) == (
        1,
        True,
        True,
    )
    assert train(tmp_path, treebank, "--min-lambda", "1", "--resume").returncode == 0


def test_there_must_be_something_to_resume(treebank: Path, tmp_path: Path) -> None:
    answer = train(tmp_path, treebank, "--resume")
    assert (answer.returncode, "there is no run to continue" in answer.stderr) == (2, True)
    assert os.listdir(tmp_path) == []


def test_a_training_folder_or_a_cache_of_somebody_else_is_left_alone(treebank: Path, tmp_path: Path) -> None:
    for folder, options in (("m.training", ("--output", "m", "--overwrite")), ("mine", ("--cache", "mine"))):
        (tmp_path / folder / "labels").mkdir(parents=True)
        (tmp_path / folder / "labels" / "thesis.jsonl").write_text("years of work")
        answer = train(tmp_path, treebank, *options)
        assert answer.returncode == 2, answer.stderr
        assert folder in answer.stderr
        assert (tmp_path / folder / "labels" / "thesis.jsonl").read_text() == "years of work"


def test_an_interruption_prints_the_very_command_that_continues(treebank: Path, tmp_path: Path) -> None:
    spaced = tmp_path / "my trees.mrg"
    spaced.write_text(treebank.read_text())
    options = ["--output", "it's.model", "--eta", "0.97", "--min-lambda", "0.05", "--no-tagger", "--jobs", "1"]
    process = start([*COMMAND, "train", str(spaced), *options], cwd=tmp_path, stderr=subprocess.PIPE)
    while process.poll() is None and not (tmp_path / "it's.model.training" / "log.jsonl").exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=120)[1]
    assert process.returncode == 130, said
    command = next(line for line in said.splitlines() if line.startswith("  ") and "--resume" in line)
    words = shlex.split(command)
    assert words[words.index("train") :] == ["train", "--resume", str(spaced), *options]
    shell = ["/bin/sh", "-c", f"exec {command}"]
    with start(shell, cwd=tmp_path, env={"PATH": os.defpath}, stderr=subprocess.PIPE) as pasted:
        assert pasted.stderr is not None
        lines = []
        for line in pasted.stderr:
            lines.append(line)
            if "labels: " in line:
                pasted.send_signal(signal.SIGINT)
    assert (pasted.returncode, "To continue" in "".join(lines)) == (130, True), lines
    unfinished = subprocess.run(
        [*COMMAND, "train", str(spaced), *options], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (unfinished.returncode, "unfinished" in unfinished.stderr) == (2, True)


def test_without_a_gpu_a_gpu_that_was_asked_for_is_an_error_that_names_the_cpu(tmp_path: Path) -> None:
    answer = train(tmp_path, "--device", "0")
    if answer.returncode == 0:
        pytest.skip("this machine has a GPU")
    assert (answer.returncode, "--device cpu" in answer.stderr) == (2, True)


def test_without_a_treebank_it_says_that_it_learns_from_a_synthetic_one(tmp_path: Path) -> None:
    answer = train(tmp_path, "--device", "cpu", "--max-seconds", "0")
    assert "NO TREEBANK WAS GIVEN" in answer.stderr


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"null", b"\xff", b"[" * 100_000, b'{"settings": 3}'])
def test_a_damaged_record_of_a_run_is_refused_with_its_name_and_the_way_out(tmp_path: Path, content: bytes) -> None:
    folder = tmp_path / "m.training"
    folder.mkdir()
    (folder / "run.json").write_bytes(content)
    with (
        pytest.raises(TrainingError, match=r"run\.json: .* Start again with --overwrite"),
        begun_run(tmp_path / "m", {}, resume=True),
    ):
        pass
    assert (folder / "run.json").read_bytes() == content


def test_options_nested_without_end_are_refused_with_the_file(tmp_path: Path) -> None:
    (tmp_path / "deep.toml").write_text("a = " + "[" * 100_000)
    for options in (("--config", "deep.toml"), ("--language", "deep.toml")):
        answer = train(tmp_path, *options)
        assert "deep.toml: " in answer.stderr
        assert "internal error" not in answer.stderr
