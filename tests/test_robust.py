"""A full disk, places that can't be written, interruptions: told with path and cause; what was there stays whole."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_command import COMMAND, run
from tests.processes import start

QUICK = ("--eta", "0.5", "--min-lambda", "1", "--sample", "2000", "--max-words", "8", "--jobs", "1")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="a limit on the size of files stands for a full disk")


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("treebank") / "train.mrg"
    path.write_text(run("synth", "60").stdout)
    return path


@pytest.fixture(scope="module")
def undisturbed(treebank: Path) -> bytes:
    """The model that training ends with if nobody stops it."""
    path = treebank.with_name("whole.model")
    answer = run("train", treebank, "--output", path, *QUICK)
    assert answer.returncode == 0, answer.stderr
    return path.read_bytes()


def limited(*arguments: str | Path, most_bytes: int) -> subprocess.CompletedProcess[str]:
    """Run the command on a disk that takes no file of more than so many bytes."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        preexec_fn=limit,
        check=False,
    )


@LINUX
def test_a_disk_too_full_for_the_model_leaves_the_old_one(treebank: Path, undisturbed: bytes, tmp_path: Path) -> None:
    out = tmp_path / "model"
    out.write_bytes(b"old")
    answer = limited("train", treebank, "--output", out, "--overwrite", *QUICK, most_bytes=len(undisturbed) - 1)
    assert answer.returncode == 1
    assert f"{out}: the model can't be written: File too large." in answer.stderr
    assert "Traceback" not in answer.stderr
    assert out.read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["model", "model.training"]
    assert run("train", treebank, "--output", out, "--resume", *QUICK).returncode == 0
    assert out.read_bytes() == undisturbed


@LINUX
def test_a_disk_too_full_for_the_logs_is_told_and_resumed(treebank: Path, undisturbed: bytes, tmp_path: Path) -> None:
    out = tmp_path / "model"
    answer = limited("train", treebank, "--output", out, *QUICK, most_bytes=700)
    assert answer.returncode == 1
    assert "the log of training can't be written" in answer.stderr
    assert str(tmp_path / "model.training" / "log.jsonl") in answer.stderr
    assert "Traceback" not in answer.stderr
    assert not out.exists()
    assert run("train", treebank, "--output", out, "--resume", *QUICK).returncode == 0
    assert out.read_bytes() == undisturbed


def test_a_model_that_could_not_be_written_is_told_before_training(treebank: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for out, cause in ((tmp_path, "not a file"), (tmp_path / "file" / "model", "is not a folder")):
        answer = run("train", treebank, "--output", out, *QUICK)
        assert answer.returncode == 1
        assert str(out) in answer.stderr
        assert cause in answer.stderr
        assert "labels" not in answer.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write into a folder that is read-only")
def test_a_folder_that_is_read_only_is_told(treebank: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    for arguments in (["train", treebank, "--output", tmp_path / "m"], ["parse", "Go on.", "--output", tmp_path / "p"]):
        answer = run(*arguments)
        assert (answer.returncode, "Permission denied" in answer.stderr) == (1, True)
        assert str(tmp_path) in answer.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    "arguments", [("prepare", "TREEBANK"), ("parse", "She saw the man."), ("eval", "TREEBANK", "TREEBANK"), ("models",)]
)
def test_a_full_standard_output_is_told_in_words(treebank: Path, arguments: tuple[str, ...]) -> None:
    command = [*COMMAND, *(str(treebank) if argument == "TREEBANK" else argument for argument in arguments)]
    with open("/dev/full", "w") as full:
        answer = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (answer.returncode, answer.stderr) == (1, "gpuparse: No space left on device\n")


@pytest.mark.parametrize(
    ("stage", "how"),
    [("tagger", signal.SIGINT), ("features", signal.SIGKILL), ("calibration", signal.SIGTERM)],
)
def test_training_stopped_in_any_stage_goes_on_to_the_same_model(
    treebank: Path, undisturbed: bytes, tmp_path: Path, stage: str, how: signal.Signals
) -> None:
    out = tmp_path / "model"
    out.write_bytes(b"old")
    command = [*COMMAND, "train", str(treebank), "--output", str(out), "--overwrite", *QUICK]
    with start(command, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        said = next((line for line in process.stderr if stage in line), "")
        assert said, "the stage was not met"
        process.send_signal(how)
        rest = process.stderr.read()
    assert process.returncode == (-9 if how == signal.SIGKILL else 130), rest
    assert "Traceback" not in rest
    assert out.read_bytes() == b"old"
    assert run("train", treebank, "--output", out, "--resume", *QUICK).returncode == 0
    assert out.read_bytes() == undisturbed


@pytest.mark.parametrize("command", ["parse", "inspect"])
def test_a_damaged_model_is_refused_in_words(undisturbed: bytes, tmp_path: Path, command: str) -> None:
    path = tmp_path / "damaged.model"
    path.write_bytes(undisturbed[:-1] + bytes([undisturbed[-1] ^ 1]))
    answer = run(command, path, stdin="The dog sleeps.\n")
    assert (answer.returncode, answer.stdout) == (1, "")
    assert answer.stderr == (
        f"gpuparse: {path}: this model is damaged: its checksum is wrong. Copy it again, or train it again.\n"
    )


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"\x00" * 100, b"(" * 5000, b"x" * 30_000])
def test_any_bytes_on_the_standard_input_give_trees_or_an_error_in_words(content: bytes) -> None:
    answer = subprocess.run([*COMMAND, "parse"], input=content, capture_output=True, check=False, timeout=120)
    assert answer.returncode in (0, 1)
    assert b"Traceback" not in answer.stderr
    assert b"internal" not in answer.stderr
    assert bool(answer.stdout) == (answer.returncode == 0)
