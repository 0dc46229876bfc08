"""`gpuparse examples` as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TREEBANK = "( (S (NP (NNP Ann)) (VP (VBZ sings) (NP (NNS hymns))) (. .)))\n( (. .))\n( (NP (NN rain)))\n"


def run(*arguments: str | Path, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("gpuparse")), "examples", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, encoding="utf-8", check=False)


def without_features(example: dict[str, Any]) -> str:
    return json.dumps({key: value for key, value in example.items() if key != "features"}, sort_keys=True)


@pytest.mark.parametrize("strategy", ["r2l", "l2r"])
def test_known_examples_are_printed_exactly(known_examples: Path, strategy: str) -> None:
    answer = run(known_examples / "trees", "--strategy", strategy, "--features")
    printed = {without_features(example): example for example in map(json.loads, answer.stdout.splitlines())}
    expected = [json.loads(line) for line in (known_examples / f"{strategy}.jsonl").read_text().splitlines()]
    assert len(answer.stdout.splitlines()) == len(printed) == len(expected)
    for case in expected:
        features = printed[without_features(case)]["features"]
        assert features == case.get("features", features)
        assert len(features) == case["n_features"]
    assert "1 gold items can't be inferred" in answer.stderr
    assert answer.returncode == 0


def test_one_sentence_is_printed_as_it_is_among_the_others() -> None:
    everything = run("-", stdin=TREEBANK).stdout.splitlines()
    assert {json.loads(line)["sentence"] for line in everything} == {0, 2}  # sentence 1 has no word left
    alone = run("-", "--sentence", "2", stdin=TREEBANK).stdout.splitlines()
    assert alone == [line for line in everything if json.loads(line)["sentence"] == 2]
    assert run("-", "--sentence", "1", stdin=TREEBANK).stdout == ""


def test_an_example_has_the_promised_keys() -> None:
    (first, *_) = run("-", "--features", "--strategy", "bu", "--seed", "3", stdin=TREEBANK).stdout.splitlines()
    place = ["sentence", "state", "label", "start", "end", "children", "head"]
    keys = [*place, "correct", "bias", "n_features", "features"]
    assert list(json.loads(first)) == keys


def test_long_sentences_and_wide_items_can_be_left_out() -> None:
    examples = [json.loads(line) for line in run("-", "--max-words", "1", stdin=TREEBANK).stdout.splitlines()]
    assert {(example["sentence"], example["label"]) for example in examples} == {(1, "NP"), (1, "TOP")}
    narrow = run("-", "--max-children", "1", stdin=TREEBANK)
    assert all(first == last for first, last in (json.loads(line)["children"] for line in narrow.stdout.splitlines()))
    assert "2 gold items can't be inferred" in narrow.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sentence", "3"], "there is no sentence 3: the treebank has 3, counted from 0"),
        (["--max-children", "0"], "max-children"),
        (["--strategy", "sideways"], "sideways"),
    ],
)
def test_wrong_usage_is_told_in_words(arguments: list[str], message: str) -> None:
    answer = run("-", *arguments, stdin=TREEBANK)
    assert message in answer.stderr
    assert answer.returncode == 2


def test_a_treebank_without_words_is_told_in_words() -> None:
    answer = run("-", stdin="( (. .))")
    assert "no sentence is left to learn from" in answer.stderr
    assert answer.returncode == 1
