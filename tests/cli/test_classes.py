"""`gpuparse classes`: text of every kind in, a file of classes out."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from gpuparse.parse.model.file import load_model
from gpuparse.trees import strip, synthetic_treebank
from gpuparse.words import load_classes
from tests.cli.test_command import COMMAND, run
from tests.processes import start

TREES = list(synthetic_treebank(40))
SENTENCES = [strip(tree).tokens() for tree in TREES]
TAGGED = "".join(" ".join(f"{word}/{tag}" for word, tag in sentence) + "\n" for sentence in SENTENCES)
WORDS = "".join(" ".join(token.word for token in sentence) + "\n" for sentence in SENTENCES)
KINDS = {
    "b.mrg": ("auto", "".join(f"{tree}\n" for tree in TREES)),
    "a.tagged": ("auto", TAGGED),
    "a.tokens": ("tokens", WORDS),
    "a.txt": ("auto", WORDS),
    "b.txt": ("lines", WORDS),
}
FEW = ("--granularities", "6,3", "--min-count", "2")


@pytest.mark.parametrize("name", KINDS)
def test_the_same_words_give_the_same_classes_however_they_are_written(name: str, tmp_path: Path) -> None:
    outputs = []
    for file in ("trees", name):
        kind, content = KINDS.get(file, KINDS["b.mrg"])
        (tmp_path / file).write_text(content, encoding="utf-8")
        out = tmp_path / f"{file}.classes"
        made = run("classes", str(tmp_path / file), "--input", kind, "--output", str(out), *FEW)
        assert made.returncode == 0, made.stderr
        outputs.append(out.read_bytes())
    assert outputs[0] == outputs[1]


def test_a_list_stands_for_its_files(tmp_path: Path) -> None:
    (tmp_path / "a.tagged").write_text(TAGGED, encoding="utf-8")
    (tmp_path / "list.toml").write_text('[[source]]\nfiles = ["*.tagged"]\nweight = 0.5\n')
    for name in ("a.tagged", "list.toml"):
        made = run("classes", str(tmp_path / name), "--output", str(tmp_path / f"{name}.classes"), *FEW)
        assert made.returncode == 0, made.stderr
    assert (tmp_path / "a.tagged.classes").read_bytes() == (tmp_path / "list.toml.classes").read_bytes()


def test_it_prints_the_coarsest_classes_or_figures(tmp_path: Path) -> None:
    (tmp_path / "a.tagged").write_text(TAGGED, encoding="utf-8")
    arguments = ("classes", str(tmp_path / "a.tagged"), "--output", str(tmp_path / "a.classes"), *FEW)
    shown = run(*arguments).stdout.splitlines()
    assert len(shown) == 2 + 3
    classes = load_classes(tmp_path / "a.classes")
    assert shown[2].endswith(classes.name(1, 1))
    figures = json.loads(run(*arguments, "--json", "--overwrite").stdout)
    assert figures["words"] == len(classes.words)
    assert figures["granularities"] == [6, 3]
    assert figures["likelihoods"] == sorted(figures["likelihoods"])
    assert figures["tokens"] == len(TAGGED.split())


def test_a_file_that_is_there_is_replaced_only_if_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.tagged").write_text(TAGGED, encoding="utf-8")
    (tmp_path / "mine").write_text("precious")
    arguments = ("classes", str(tmp_path / "a.tagged"), "--output", str(tmp_path / "mine"), *FEW)
    refused = run(*arguments)
    assert (refused.returncode, "Add --overwrite" in refused.stderr) == (1, True)
    assert (tmp_path / "mine").read_text() == "precious"
    assert run(*arguments, "--overwrite").returncode == 0
    assert load_classes(tmp_path / "mine").granularities == (6, 3)


@pytest.mark.parametrize("granularities", ["", "3,6", "3,3", "9999", "5,1", "x", "1,,2", "-3"])
def test_granularities_that_can_not_be_are_told(granularities: str, tmp_path: Path) -> None:
    (tmp_path / "a.tagged").write_text(TAGGED, encoding="utf-8")
    answer = run(
        "classes", str(tmp_path / "a.tagged"), "--output", str(tmp_path / "c"), f"--granularities={granularities}"
    )
    assert answer.returncode == 2
    assert "from 2048 down to 2" in " ".join(answer.stderr.split())


def test_what_can_not_be_read_is_told(tmp_path: Path) -> None:
    out = str(tmp_path / "c")
    (tmp_path / "a.tagged").write_text("a/DT dog/NN\nbarks\n")
    (tmp_path / "bad.mrg").write_text("(S (NP (NN rain)))\n(S (NP))\n")
    (tmp_path / "bytes.txt").write_bytes(b"caf\xe9\n")
    for file, complaint in (
        ("a.tagged", "line 2: 'barks' has no tag"),
        ("bad.mrg", "line 2"),
        ("bytes.txt", "not UTF-8"),
        ("none.txt", "no such file"),
    ):
        answer = run("classes", str(tmp_path / file), "--output", out, *FEW)
        assert answer.returncode in (1, 2)
        assert complaint in answer.stderr, file
        assert not Path(out).exists()
    (tmp_path / "few.txt").write_text("Too few words.\n")
    assert "too few for 6 classes" in run("classes", str(tmp_path / "few.txt"), "--output", out, *FEW).stderr
    skipping = run("classes", str(tmp_path / "bad.mrg"), "--output", out, "--skip-bad", *FEW)
    assert "1 malformed trees left out" in skipping.stderr


def test_a_model_is_trained_with_classes_and_goes_on_only_with_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.mrg").write_text("".join(f"{tree}\n" for tree in synthetic_treebank(60)), encoding="utf-8")
    for name, granularities in (("one", "20,8"), ("other", "10,4")):
        out = str(tmp_path / name)
        made = run("classes", str(tmp_path / "a.mrg"), "--output", out, "--granularities", granularities)
        assert made.returncode == 0, made.stderr
    quick = ("--max-words", "6", "--max-trees", "2", "--eta", "0.5", "--jobs", "1", "--no-tagger")
    train = ("train", str(tmp_path / "a.mrg"), "--output", str(tmp_path / "m"), *quick)
    trained = run(*train, "--classes", str(tmp_path / "one"))
    assert trained.returncode == 0, trained.stderr
    classes = load_model(tmp_path / "m").vocabulary.classes
    assert classes is not None
    assert classes.digest == load_classes(tmp_path / "one").digest
    resumed = run(*train, "--classes", str(tmp_path / "one"), "--resume")
    assert resumed.returncode == 0, resumed.stderr
    for others in (("--classes", str(tmp_path / "other")), ()):
        refused = run(*train, *others, "--resume")
        assert (refused.returncode, "--classes was " in refused.stderr) == (2, True)
    wrong = run(*train, "--classes", str(tmp_path / "a.mrg"), "--overwrite")
    assert (wrong.returncode, "not a file of word classes" in wrong.stderr) == (1, True)


def test_it_can_be_interrupted_and_leaves_nothing(tmp_path: Path) -> None:
    lines = (f"w{number % 20011} v{number % 20021} u{number % 20023}\n" for number in range(250_000))
    (tmp_path / "a.txt").write_text("".join(lines))
    out = tmp_path / "c"
    command = [*COMMAND, "classes", str(tmp_path / "a.txt"), "--input", "tokens", "--output", str(out)]
    with start([*command, "--sweeps", "1000"], stderr=subprocess.PIPE) as process:
        time.sleep(6)
        process.send_signal(signal.SIGINT)
        _, message = process.communicate(timeout=60)
    assert (process.returncode, "interrupted" in message) == (130, True)
    assert not list(tmp_path.glob("c*"))
    assert not list(tmp_path.glob(".gpuparse*"))
