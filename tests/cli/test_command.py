"""The command as a user runs it: a process of its own, with its output, its messages and its exit code."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gpuparse.version import VERSION
from tests.processes import start

COMMAND = [str(Path(sys.executable).with_name("gpuparse"))]
GOLD = "(TOP (S (NP (DT the) (NN rain)) (VP (VBZ falls)) (. .)))\n(TOP (S (NP (NNP Ann)) (VP (VBZ sings)) (. .)))\n"
TEST = "(TOP (S (NP (DT the)) (NP (NN rain)) (VP (VBZ falls)) (. .)))\n(())\n"


def run(*arguments: str | Path, stdin: str | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **environment},
        check=False,
    )


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.mrg"
    path.write_text(GOLD)
    return path


@pytest.fixture
def test(tmp_path: Path) -> Path:
    path = tmp_path / "test.mrg"
    path.write_text(TEST)
    return path


def test_help_comes_in_less_than_half_a_second_and_names_the_commands() -> None:
    times = []  # of the processor, so that other work on the machine does not count
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        answer = run("--help")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert all(name in answer.stdout for name in ("prepare", "eval", "synth", "devices", "bench"))
    assert min(times) < 0.5


def test_help_imports_nothing_heavy() -> None:
    program = "import sys, gpuparse.cli.main; print([m for m in ('numpy', 'numba', 'scipy') if m in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_version_is_printed() -> None:
    answer = run("--version")
    assert (answer.stdout, answer.returncode) == (f"gpuparse {VERSION}\n", 0)


def test_shell_completion_knows_the_commands() -> None:
    answer = run(_GPUPARSE_COMPLETE="complete_bash", COMP_WORDS="gpuparse pre", COMP_CWORD="1")
    assert answer.stdout.split() == ["prepare"]


def test_synth_prints_trees_that_depend_on_the_seed_alone() -> None:
    first, again, other = run("synth", "5"), run("synth", "5"), run("synth", "5", "--seed", "1")
    assert len(first.stdout.splitlines()) == 5
    assert first.stdout == again.stdout != other.stdout


def test_prepare_reads_stdin_and_prints_one_tree_a_line() -> None:
    text = "( (S (NP-SBJ (PRP He))\n (VP (VBD woke) (PRT (RP up))) (. .)))\n( (. .))\n(X (S (N long) (N one) (N b)))"
    answer = run("prepare", "-", "--max-words", "3", stdin=text)
    assert answer.stdout.splitlines() == [
        "(TOP (S (NP (PRP He)) (VP (VBD woke) (ADVP (RP up)))))",
        "(())",
        "(TOP (X (S (N long) (N one) (N b))))",
    ]
    assert answer.stderr == ""
    assert len(run("prepare", "-", "--max-words", "2", stdin=text).stdout.splitlines()) == 1


def test_prepare_draws_a_tree() -> None:
    answer = run("prepare", "-", "--format", "drawn", stdin="(S (NN rain) (VB falls))")
    lines = answer.stdout.splitlines()
    assert [line.split()[-1] for line in lines if line] == ["S", "rain", "falls"]


def test_a_malformed_tree_is_named_by_file_and_line_or_skipped(tmp_path: Path) -> None:
    path = tmp_path / "bad.mrg"
    path.write_text("(S (N good))\n(S (N bad)\n(S (N good))\n")
    answer = run("prepare", path)
    assert answer.returncode == 1
    assert f"{path}, line 2" in answer.stderr
    assert "Traceback" not in answer.stderr
    skipping = run("prepare", path, "--skip-bad")
    assert (len(skipping.stdout.splitlines()), skipping.returncode) == (2, 0)
    assert "1 malformed" in skipping.stderr


def test_eval_prints_evalbs_figures_its_rules_and_what_was_not_scored(gold: Path, test: Path) -> None:
    answer = run("eval", gold, test, "--per-sentence")
    assert "   1    4    0   66.67  50.00     2      3    4      0      3     3   100.00" in answer.stdout
    assert "Bracketing Recall         =  66.67" in answer.stdout
    assert "Rules: COLLINS.prm's rules" in answer.stdout
    assert "TEST, skipped: sentence 2: the test tree has no words" in answer.stdout
    assert "\x1b" not in answer.stdout
    assert answer.returncode == 0


def test_eval_warns_of_sentences_that_could_not_be_scored(gold: Path, test: Path) -> None:
    warning = "1 of 2 sentences could not be scored and is in no figure; sentence 2: the test tree has no words"
    assert run("eval", gold, test).stderr == f"gpuparse: WARNING: {test}: {warning}\n"
    answer = run("eval", gold, test, "--json")
    assert warning in answer.stderr
    assert json.loads(answer.stdout)["warning"] == warning
    silent = run("eval", gold, gold, "--json")
    assert (silent.stderr, json.loads(silent.stdout)["warning"]) == ("", None)


def test_eval_by_tokens_scores_sentences_whose_punctuation_was_tagged_otherwise(gold: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.mrg"
    other.write_text(GOLD.replace("(. .)", "(NN .)", 1).replace("(NNP Ann)", "(, Ann)"))
    answer = json.loads(run("eval", gold, other, "--json").stdout)
    assert (answer["errors"], "--by-tokens" in answer["warning"]) == (2, True)
    by_tokens = run("eval", gold, other, "--json", "--by-tokens")
    answer = json.loads(by_tokens.stdout)
    assert (answer["errors"], answer["f1"], answer["tagging_accuracy"]) == (0, 100, 80)
    assert "scored by tokens" in answer["rules"]
    assert by_tokens.stderr == ""


def test_eval_json_has_the_promised_keys(gold: Path, test: Path) -> None:
    answer = json.loads(run("eval", "-", test, "--json", "--per-sentence", stdin=GOLD).stdout)
    totals = {"sentences", "errors", "skipped", "valid", "recall", "precision", "f1", "complete_match"}
    totals |= {"average_crossing", "no_crossing", "two_or_less_crossing", "tagging_accuracy"}
    assert totals <= set(answer)
    assert totals <= set(answer["max40"])
    assert (answer["recall"], answer["precision"], answer["f1"]) == (66.67, 50.0, 57.14)
    assert answer["by_label"]["NP"]["gold"] == 1
    assert answer["by_length"]["0-10"]["valid"] == 1
    assert answer["per_sentence"][0] == {
        "id": 1,
        "length": 4,
        "status": 0,
        "recall": 66.67,
        "precision": 50.0,
        "matched": 2,
        "gold": 3,
        "test": 4,
        "crossing": 0,
        "words": 3,
        "correct_tags": 3,
        "tag_accuracy": 100.0,
    }
    assert answer["per_sentence"][1]["status"] == 2


def test_eval_takes_a_parameter_file_and_leaves_out_long_sentences(gold: Path, test: Path, tmp_path: Path) -> None:
    rules = tmp_path / "mine.prm"
    rules.write_text("LABELED 0\nDELETE_LABEL TOP\nDELETE_LABEL .\n")
    answer = json.loads(run("eval", gold, test, "--params", rules, "--max-words", "2", "--json").stdout)
    assert str(rules) in answer["rules"]
    assert (answer["sentences"], answer["skipped"]) == (1, 1)
    rules.write_text("LABELED 0\nLABELLED 1\n")
    wrong = run("eval", gold, test, "--params", rules)
    assert wrong.returncode == 1
    assert f"{rules}, line 2: unknown key 'LABELLED'" in wrong.stderr


def test_eval_compares_two_parsers(gold: Path, test: Path) -> None:
    answer = json.loads(run("eval", gold, gold, "--compare", test, "--trials", "500", "--json").stdout)
    assert answer["compare"]["recall"]["difference"] == 33.33
    assert answer["compare"]["recall"]["p"] == 1  # one sentence: swapped or not, the difference is as great
    assert [sentence["id"] for sentence in answer["compare"]["not_scored"]] == [2]
    assert "OTHER, skipped: sentence 2" in run("eval", gold, gold, "--compare", test, "--trials", "5").stdout


def test_bench_read_prints_its_figures_as_json(gold: Path) -> None:
    figures = json.loads(run("bench", "read", gold, "--json").stdout)
    assert figures["tokens"] == 7
    assert {"tokens_per_second", "ratio_to_findall"} <= set(figures)


def test_devices_names_the_cpu() -> None:
    assert json.loads(run("devices", "--json").stdout)[0] == {
        "device": "cpu",
        "usable": True,
        "about": "the processor of this machine",
    }


def test_no_escape_sequence_of_a_file_or_its_name_reaches_the_terminal(tmp_path: Path) -> None:
    bad = tmp_path / "bad\x1b[2J.mrg"
    bad.write_text("(S \x1b[31m")
    tree = tmp_path / "tree\x1b[2J.mrg"
    tree.write_text("(S (N\x1b[2JP (NN rain)))\n")
    for arguments in (["prepare", bad], ["eval", tmp_path / "no\x1b[2Jne", bad], ["eval", tree, tree]):
        answer = run(*arguments)
        assert "\x1b" not in answer.stdout + answer.stderr
        assert "\\x1b[2J" in answer.stdout + answer.stderr


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        (["eval", "nowhere.mrg", "nowhere.mrg"], 2, "nowhere.mrg: no such file or folder"),
        (["eval", "-", "-"], 2, "Only one of the treebanks"),
        (["synth", "many"], 2, "'N'"),
        (["sing"], 2, "sing"),
        (["prepare", "-", "--language", "nowhere.toml"], 1, "nowhere.toml"),
    ],
)
def test_wrong_usage_is_told_in_words(arguments: list[str], exit_code: int, message: str) -> None:
    answer = run(*arguments, stdin="", NO_COLOR="1")
    assert answer.returncode == exit_code
    assert message in answer.stderr
    assert "Traceback" not in answer.stderr
    assert "\x1b" not in answer.stderr
    assert answer.stdout == ""


def test_a_reader_that_stops_early_is_no_failure() -> None:
    with start([*COMMAND, "synth", "5000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_told_in_words() -> None:
    with open("/dev/full", "w") as full:
        answer = subprocess.run([*COMMAND, "synth", "5"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert answer.returncode == 1
    assert answer.stderr == "gpuparse: No space left on device\n"


def test_an_interrupted_command_exits_with_130() -> None:
    with start([*COMMAND, "synth", "100000000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()  # it is at work
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in messages


def test_a_fault_of_ours_is_owned_up_to_without_a_traceback_unless_wanted() -> None:
    program = (
        "import sys, gpuparse.trees.synthetic as s, gpuparse.cli.main as m\n"
        "s.synthetic_treebank = None\nsys.argv = ['gpuparse', 'synth', '3']\nm.run()"
    )
    for is_asked in (False, True):
        environment = {**os.environ, "GPUPARSE_TRACEBACK": "1" if is_asked else ""}
        answer = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False
        )
        assert answer.returncode == 1
        assert "internal error: TypeError" in answer.stderr
        assert ("Traceback" in answer.stderr) == is_asked
