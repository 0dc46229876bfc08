"""Commands as people run them, at a terminal: what is written to stdout gets there, wherever that is."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
import typer

from gpuparse.cli.main import app
from gpuparse.cli.progress import Progress
from gpuparse.cli.training_display import TrainingDisplay
from gpuparse.trees import synthetic_treebank
from tests.cli.terminal import CONTROL, Stream, Typist, run_with_streams
from tests.cli.test_command import COMMAND
from tests.cli.test_parse import SAW

PROJECT = Path(__file__).resolve().parents[2]
PLACES = [
    (stdout, stderr)
    for stdout in (Stream.FILE, Stream.PIPE, Stream.TERMINAL)
    for stderr in (Stream.TERMINAL, Stream.PIPE)
]


@pytest.mark.parametrize(("stdout", "stderr"), PLACES)
def test_trees_go_to_stdout_wherever_it_and_stderr_are(stdout: Stream, stderr: Stream) -> None:
    ran = run_with_streams([*COMMAND, "parse", "She saw the man.", "She saw the man."], stdout, stderr)
    assert (ran.stdout.decode(), ran.code) == (SAW * 2, 0)


STEADY = [  # commands that print the same whenever they run
    ["explain", "She left."],
    ["parse", "She left.", "--json"],
    ["tag", "She left.", "--json"],
    ["models"],
    ["devices"],
    ["inspect", "english", "--label", "PP", "--top", "3"],
    ["synth", "20"],
    ["prepare", "treebank.mrg"],
    ["examples", "treebank.mrg", "--sentence", "1"],
    ["eval", "treebank.mrg", "treebank.mrg", "--per-sentence"],
    ["classes", "treebank.mrg", "--granularities", "6,3", "--output", "some.classes", "--overwrite"],
    ["warm-up"],  # prints nothing
]
MEASURING = [  # commands whose figures are times
    ["train", "treebank.mrg", "--max-trees", "1", "--no-tagger", "--overwrite", "--json"],
    ["bench", "read", "treebank.mrg", "--json"],
    ["bench", "tag", "treebank.mrg", "--json"],
    ["bench", "parse", "treebank.mrg", "--limit", "500", "--json"],
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "treebank.mrg").write_text("".join(f"{tree}\n" for tree in synthetic_treebank(20)), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("command", STEADY, ids=" ".join)
def test_the_bytes_on_stdout_are_the_same_wherever_it_and_stderr_are(command: list[str], folder: Path) -> None:
    answers = [run_with_streams([*COMMAND, *command], *place, folder=folder) for place in PLACES]
    assert {(ran.stdout, ran.code) for ran in answers} == {(answers[0].stdout, 0)}
    assert bool(answers[0].stdout) == (command != ["warm-up"])
    assert b"\x1b" not in answers[0].stdout


@pytest.mark.parametrize("command", MEASURING, ids=" ".join)
@pytest.mark.parametrize("stdout", [Stream.FILE, Stream.PIPE, Stream.TERMINAL])
def test_figures_go_to_stdout_while_a_terminal_shows_the_progress(
    command: list[str], stdout: Stream, folder: Path
) -> None:
    ran = run_with_streams([*COMMAND, *command], stdout, folder=folder)
    assert ran.code == 0, ran.messages
    assert json.loads(ran.stdout)
    assert b"\x1b" not in ran.stdout


def test_no_command_is_forgotten_here() -> None:
    tested = {command[0] for command in (*STEADY, *MEASURING)}
    assert tested == set(typer.main.get_command(app).commands)


def test_nothing_on_a_terminal_that_stdout_and_stderr_share_tears_a_tree() -> None:
    ran = run_with_streams([*COMMAND, "parse", "She saw the man.", "She saw the man."], stderr=Stream.SAME)
    assert SAW * 2 in ran.stdout.decode()
    assert b"\x1b" not in ran.stdout


def test_each_sentence_that_is_typed_is_answered_before_the_next() -> None:
    with Typist([*COMMAND, "parse"]) as person:
        person.wait_for(lambda new: b"ends the input\r\n" in new)
        for _ in range(2):
            person.type(b"She saw the man.\n")
            shown = person.wait_for(lambda new: SAW.strip().encode() in new)
            assert shown.replace(b"\r", b"").endswith(b"She saw the man.\n" + SAW.encode())
        person.type(b"She saw the man.\x04\x04")  # no line break: the first Ctrl-D hands the words over
        person.wait_for(lambda new: SAW.strip().encode() in new)
        person.type(b"\x04")
        assert person.process.wait(60) == 0


DEMO = str(PROJECT / "scripts" / "demo")


@pytest.mark.demo
@pytest.mark.parametrize(
    ("command", "stdout"),
    [([DEMO], Stream.TERMINAL), (["sh", "-c", '"$0" & wait $!', DEMO], Stream.PIPE)],
    ids=["at a terminal", "in the background"],
)
def test_the_demo_runs_anywhere_shows_all_and_keeps_the_page_that_it_names(
    command: list[str], stdout: Stream, tmp_path: Path
) -> None:
    folder = tmp_path / "some where"
    folder.mkdir()
    stderr = Stream.SAME if stdout is Stream.TERMINAL else Stream.PIPE
    ran = run_with_streams(command, stdout, stderr, folder, {"TMPDIR": str(tmp_path)}, seconds=800)
    shown = CONTROL.sub(b"", ran.stdout).decode()
    assert ran.code == 0, shown
    assert "Number of Valid sentence  =    300" in shown
    assert float(re.findall(r"Bracketing FMeasure +=  ([\d.]+)", shown)[0]) > 80
    reasons = shown.partition("VP₄")[2].partition("   (")[0].splitlines()
    assert 5 < len(reasons) < 12
    assert "more conditions" not in shown
    page = Path(shown.rstrip().rpartition(": ")[2])
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert page.parent.parent == tmp_path
    assert not list(folder.iterdir())


def test_a_command_without_a_file_shows_no_count_that_a_pipe_to_the_same_terminal_would_run_into() -> None:
    ran = run_with_streams([*COMMAND, "explain", "She left."], Stream.PIPE)
    assert b"sentence" not in ran.stderr


def test_each_sentence_that_is_typed_is_explained_before_the_next() -> None:
    with Typist([*COMMAND, "explain", "--rules", "0", "--rivals", "0"]) as person:
        person.wait_for(lambda new: b"ends the input\r\n" in new)
        for word in ("left", "came"):
            person.type(f"She {word}.\n".encode())
            person.wait_for(lambda new, word=word: f"head “{word}”, step 1".encode() in new)
        person.type(b"\x04")
        assert person.process.wait(60) == 0


@pytest.mark.parametrize("command", ["parse english", "prepare"])
def test_a_folder_says_how_many_files_were_read_and_ignored(command: str, tmp_path: Path) -> None:
    (tmp_path / "wsj").mkdir()
    for name in ("a.mrg", "b.mrg", "notes.txt"):
        (tmp_path / "wsj" / name).write_text("(S (NP (PRP She)) (VP (VBD left)))\n")
    ran = run_with_streams([*COMMAND, *command.split(), "wsj"], Stream.PIPE, Stream.PIPE, folder=tmp_path)
    assert len(ran.stdout.splitlines()) == 2
    assert "gpuparse: wsj: 2 files read, 1 ignored" in ran.messages


@pytest.mark.parametrize("command", ["train --max-trees 1 --no-tagger --device cpu", "bench read", "bench features"])
def test_work_on_a_treebank_says_it_of_its_folders_too(command: str, folder: Path) -> None:
    (folder / "wsj").mkdir()
    (folder / "treebank.mrg").rename(folder / "wsj" / "a.mrg")
    (folder / "wsj" / "notes.txt").touch()
    ran = run_with_streams([*COMMAND, *command.split(), "wsj"], Stream.PIPE, Stream.PIPE, folder=folder)
    assert "gpuparse: wsj: 1 file read, 1 ignored" in ran.messages


def test_a_benchmark_shows_a_bar(folder: Path) -> None:
    many = (folder / "treebank.mrg").read_text() * 2000
    (folder / "treebank.mrg").write_text(many)
    ran = run_with_streams([*COMMAND, "bench", "read", "treebank.mrg", "--json"], Stream.FILE, folder=folder)
    assert re.search(r"\d+ %  .*\d of 6 measurements", ran.messages)


def test_training_off_a_terminal_says_now_and_then_how_far_a_stage_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with TrainingDisplay(0.1) as display:
        display.stage("features", 2)
        display.step()
        assert "1 of 2" not in capsys.readouterr().err
        monkeypatch.setattr("gpuparse.cli.training_display.BETWEEN_REPORTS", 0.0)
        display.reading(lambda: 0.5)
        display.step()
    assert re.search(r"s  reading  1, \d+ s left\n", capsys.readouterr().err)


@pytest.mark.parametrize("command", [["prepare", "treebank.mrg"], ["examples", "treebank.mrg", "--sentence", "1"]])
def test_work_on_files_shows_the_share_done_the_rate_and_the_time_left_on_a_terminal_alone(
    command: list[str], tmp_path: Path
) -> None:
    treebank = "".join(f"{tree}\n" for tree in synthetic_treebank(20)) * 1000
    (tmp_path / "treebank.mrg").write_text(treebank, encoding="utf-8")
    shown = run_with_streams([*COMMAND, *command], Stream.FILE, folder=tmp_path)
    assert re.search(r"\d+ %  +\d+ s left  [\d,]+ trees  [\d,]+ per second", shown.messages)
    elsewhere = run_with_streams([*COMMAND, *command], Stream.FILE, Stream.PIPE, folder=tmp_path)
    assert (elsewhere.stdout, elsewhere.stderr) == (shown.stdout, b"")


def test_where_stderr_is_no_terminal_there_is_a_line_per_minute(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = iter(range(0, 100_000, 10))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(now)))
    with Progress("sentence", total=50) as progress:
        for _ in range(50):
            progress.advance()
    lines = capsys.readouterr().err.splitlines()
    assert 3 < len(lines) < 50
    assert all(line.startswith("gpuparse: ") and "per second" in line for line in lines)


@pytest.mark.parametrize("command", [["prepare"], ["parse", "--input", "trees"]])
def test_control_characters_of_words_reach_a_pipe_as_they_are_and_never_a_terminal(
    command: list[str], tmp_path: Path
) -> None:
    treebank = tmp_path / "hostile.mrg"
    treebank.write_text("(S (NP (NN a\x1b]0;title\x07b\x9bc)))\n")
    piped = run_with_streams([*COMMAND, *command, treebank], Stream.PIPE, Stream.PIPE)
    assert "a\x1b]0;title\x07b\x9bc" in piped.stdout.decode()
    shown = run_with_streams([*COMMAND, *command, treebank], Stream.TERMINAL, Stream.PIPE)
    assert "a\\x1b]0;title\\x07b\\x9bc" in shown.stdout.decode()
    assert not {"\x1b", "\x07", "\x9b"} & set(shown.stdout.decode())
