"""`gpuparse inspect`: what it tells of a model, for people and for programs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gpuparse.boost import GrownTree
from gpuparse.boost.ensemble import Ensemble
from gpuparse.cli.inspect import inspect_command
from gpuparse.errors import ModelError, UsageError
from gpuparse.parse.model.file import save_model
from gpuparse.parse.model.words import in_words
from tests.small_model import small_model


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    path = tmp_path / "small.model"
    save_model(small_model(), path)
    return path


def run_json(capsys: pytest.CaptureFixture[str], path: Path, label: str | None = None, **options: object) -> dict:
    inspect_command(path, label, as_json=True, **options)  # type: ignore[arg-type]  # options of several types
    return json.loads(capsys.readouterr().out)


def test_the_sizes_are_those_of_the_ensembles(model_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = run_json(capsys, model_file)
    assert figures["file_bytes"] == model_file.stat().st_size
    noun_phrase = next(label for label in figures["labels"] if label["label"] == "NP")
    ensemble = small_model().ensembles["NP"]
    assert noun_phrase["trees"] == len(list(ensemble.trees(0.1))) > 0
    assert noun_phrase["leaves"] == sum(tree.leaves() for tree in ensemble.trees(0.1))
    assert noun_phrase["compounds"] == len(ensemble.compounds(0.1))
    assert noun_phrase["positive_examples"] == small_model().configuration["positive_examples"]["NP"]
    assert [point["lambda"] for point in figures["curve"]] == [0.4, 0.1]


def test_the_rules_of_a_label_are_its_heaviest(model_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = small_model()
    rules = run_json(capsys, model_file, "NP", top=7)["rules"]
    named = {
        in_words(literals, model.space): weight for literals, weight in model.ensembles["NP"].compounds(0.1).items()
    }
    heaviest = sorted(map(abs, named.values()), reverse=True)[:7]
    assert list(rules) == ["NP"]
    assert [abs(rule["weight"]) for rule in rules["NP"]] == heaviest
    assert all(named[rule["rule"]] == rule["weight"] for rule in rules["NP"])


def test_a_greater_lambda_shows_a_smaller_model(model_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trees = [sum(x["trees"] for x in run_json(capsys, model_file, lambda_=at)["labels"]) for at in (0.1, 1.0, 1e6)]
    assert trees[0] > trees[1] > trees[2] == 0


def test_the_overview_names_every_label_and_the_curve(model_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inspect_command(model_file)
    lines = capsys.readouterr().out.splitlines()
    starts = {line.split()[0] for line in lines if line}
    assert starts >= set(small_model().vocabulary.labels)
    assert any(line.startswith("0.1 ") and line.endswith("87.50    █ *") for line in lines)
    assert "The heaviest rules of NP" in lines


def test_a_rule_is_a_line_of_weight_and_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = small_model()
    number = {model.space.name(feature): feature for feature in range(model.space.size)}
    tested = [number["first1.headtag=DT"], number["len(children)>3"]]
    tree = GrownTree.of([tested[0], tested[1], -1, -1, -1], [1, 2, -1, -1, -1], [4, 3, -1, -1, -1], [0, 0, 0, 1.5, -2])
    ensembles = {**model.ensembles, "NP": Ensemble.of([tree], [1.0])}
    save_model(replace(model, ensembles=ensembles), tmp_path / "one")
    inspect_command(tmp_path / "one", "NP")
    assert capsys.readouterr().out.splitlines() == [
        "The heaviest rules of NP",
        "weight  rule",
        "-2.000  not first1.headtag=DT",
        "+1.500  first1.headtag=DT and not len(children)>3",
        "",
    ]


def test_an_unknown_label_is_told_with_those_there_are(model_file: Path) -> None:
    with pytest.raises(UsageError, match=r"no label 'NPX'.*ADJP, ADVP.*TOP"):
        inspect_command(model_file, "NPX")


def test_a_lambda_that_is_no_number_is_wrong_usage(model_file: Path) -> None:
    with pytest.raises(UsageError, match="lambda"):
        inspect_command(model_file, lambda_=float("nan"))


def test_a_file_that_is_no_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="none: there is no such file"):
        inspect_command(str(tmp_path / "none"))
    (tmp_path / "text").write_text("no model")
    with pytest.raises(ModelError, match="not a gpuparse model"):
        inspect_command(str(tmp_path / "text"))


def test_control_characters_of_a_model_do_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = replace(small_model(), configuration={"note": "\x1b[2J", "positive_examples": {"NP": "many"}})
    save_model(model, tmp_path / "odd")
    inspect_command(tmp_path / "odd")
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\\x1b[2J" in out
