"""`gpuparse bench tag`, through the command."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from gpuparse.cli.bench import app
from gpuparse.trees import synthetic_treebank
from gpuparse.words import ClassOptions, save_classes
from gpuparse.words.induction import induce_classes


def test_the_benchmark_learns_from_one_treebank_and_tags_another(tmp_path: Path) -> None:
    for name, seed in (("train.mrg", 1), ("test.mrg", 2)):
        (tmp_path / name).write_text("\n".join(map(str, synthetic_treebank(100, seed=seed))))
    run = CliRunner().invoke(app, ["tag", str(tmp_path / "train.mrg"), "--test", str(tmp_path / "test.mrg"), "--json"])
    assert run.exit_code == 0, run.output
    figures = json.loads(run.stdout)
    assert figures["accuracy_known"] > figures["accuracy"] > figures["accuracy_unknown"] > 50
    assert figures["tokens_per_cpu_second"] > 0


def test_word_classes_are_features_and_words_new_to_the_treebank_are_told_apart(tmp_path: Path) -> None:
    treebank, classes = tmp_path / "train.mrg", tmp_path / "a.classes"
    treebank.write_text("\n".join(map(str, synthetic_treebank(100, seed=1))))
    text = [[token.word for token in tree.tokens()] for tree in synthetic_treebank(300, seed=2)]
    save_classes(induce_classes(text, ClassOptions(granularities=(16, 4))).classes, classes)
    more = tmp_path / "more.tagged"
    more.write_text("Zyx/NNP sleeps/VBZ\n" * 9)
    arguments = ["tag", str(treebank), "--test", str(more), "--tagged", str(more), "--json"]
    figures = []
    for options in ([], ["--classes", str(classes)]):
        run = CliRunner().invoke(app, [*arguments, *options])
        assert run.exit_code == 0, run.output
        figures.append(json.loads(run.stdout))
    without, with_classes = figures
    assert with_classes["features"] > without["features"]
    assert without["not_in_treebank"] >= 50
    assert without["unknown"] == 0
    assert without["accuracy_not_in_treebank"] == 100
