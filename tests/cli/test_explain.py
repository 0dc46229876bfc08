"""`gpuparse explain`: what it prints for people and for programs, and what it says when it can't."""

from __future__ import annotations

import io
import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from gpuparse.cli.explain import ExplanationFormat, explain_command
from gpuparse.cli.explain_display import print_explanation
from gpuparse.errors import InputError, TreebankError, UsageError
from gpuparse.options import InputKind, Strategy
from gpuparse.parse.explain import Constituent, Explanation, Others
from gpuparse.parse.model.file import save_model
from gpuparse.parse.parsed_tree import ParsedTree
from gpuparse.trees import parse_tree
from tests.small_model import small_model, small_tagger

TAGGED = "the/DT dog/NN barked/VBD ./."


@pytest.fixture(scope="module")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("models") / "small.model"
    save_model(replace(small_model(60, Strategy.r2l, max_trees=8), tagger=small_tagger()), path)
    return str(path)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str, **options: object) -> str:
    explain_command(list(arguments), device="cpu", **options)  # type: ignore[arg-type]  # options of several types
    return capsys.readouterr().out


def test_the_text_has_the_tree_the_verdict_and_a_paragraph_for_every_constituent(
    model_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    explanation = json.loads(printed(capsys, model_file, TAGGED, form=ExplanationFormat.JSON))
    text = printed(capsys, model_file, TAGGED)
    assert text.startswith("TOP₁")
    assert "Proved optimal" in text
    for number, constituent in enumerate(explanation["constituents"], 1):
        subscript = str(number).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
        assert f"\n{constituent['label']}{subscript}  word" in text
        assert f"score {constituent['score']:+.2f}" in text.replace("−", "-")
        assert constituent["facts"][0]["english"] in " ".join(text.split())
        for rival in constituent["rivals"]:
            assert re.search(rf"^ +(rejected +)?{rival['label']} over ", text, re.MULTILINE)
    assert all(line == line.rstrip() for line in text.splitlines())


def test_json_has_the_same_figures_as_the_parse(model_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    explanation = json.loads(printed(capsys, model_file, TAGGED, as_json=True))
    assert explanation["cost"] == pytest.approx(sum(c["cost"] for c in explanation["constituents"]), abs=1e-9)
    assert explanation["status"] == "optimal"
    assert parse_tree(explanation["tree"]).tokens() == [(t["word"], t["tag"]) for t in explanation["tokens"]]
    for constituent in explanation["constituents"]:
        total = sum(rule["weight"] for rule in constituent["rules"]) + constituent["others"]["weight"]
        assert constituent["score"] == pytest.approx(total, abs=1e-9)


def test_how_many_rules_facts_and_rivals_are_listed_can_be_said(
    model_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    explanation = json.loads(printed(capsys, model_file, TAGGED, as_json=True, rules=1, facts=2, rivals=0))
    assert all(len(c["rules"]) <= 1 and len(c["facts"]) <= 2 and not c["rivals"] for c in explanation["constituents"])
    assert any(c["others"]["number"] for c in explanation["constituents"])


def test_running_text_is_tagged_and_each_sentence_explained(
    model_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed(capsys, model_file, "The dog barked. The man slept.", as_json=True).splitlines()
    assert [[token["word"] for token in json.loads(line)["tokens"]] for line in lines] == [
        ["The", "dog", "barked", "."],
        ["The", "man", "slept", "."],
    ]


def test_without_a_model_the_bundled_one_explains(capsys: pytest.CaptureFixture[str]) -> None:
    explanation = json.loads(printed(capsys, "The dog barked.", as_json=True))
    assert [token["word"] for token in explanation["tokens"]] == ["The", "dog", "barked", "."]
    assert explanation["constituents"][0]["label"] == "TOP"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (InputKind.TOKENS, "The dog barked ."),
        (InputKind.TREES, "(S (NP (DT The) (NN dog)) (VP (VBD barked)) (. .))"),
        (InputKind.AUTO, "(S (NP (DT The) (NN dog)) (VP (VBD barked)) (. .))"),
        (InputKind.TAGGED, "The_DT dog_NN barked_VBD ._."),
    ],
)
def test_other_input_is_read_as_parse_reads_it(
    model_file: str, capsys: pytest.CaptureFixture[str], kind: InputKind, text: str
) -> None:
    words = json.loads(printed(capsys, model_file, text, kind=kind, as_json=True))["tokens"]
    assert [token["word"] for token in words] == ["The", "dog", "barked", "."]


def test_the_sentence_can_come_from_the_standard_input(
    model_file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TAGGED.encode())))
    assert json.loads(printed(capsys, model_file, as_json=True))["tokens"][1]["word"] == "dog"


@pytest.mark.parametrize("ending", ["html", "svg", "json", "txt"])
def test_the_ending_of_the_output_says_the_format(
    model_file: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, ending: str
) -> None:
    path = tmp_path / f"why.{ending}"
    assert printed(capsys, model_file, TAGGED, output=path) == ""
    written = path.read_text(encoding="utf-8")
    starts = {"html": "<!doctype html>", "svg": "<svg ", "json": "{", "txt": "TOP₁"}
    assert written.startswith(starts[ending])
    if ending == "svg":
        ElementTree.fromstring(written)


def test_a_suffix_that_is_not_known_is_refused(model_file: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"a\.pdf: there is no format for \.pdf"):
        explain_command([model_file, TAGGED], output=tmp_path / "a.pdf")
    assert not (tmp_path / "a.pdf").exists()


def test_an_image_of_two_sentences_is_refused(model_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match="one sentence, and these are 2"):
        printed(capsys, model_file, "The dog barked. The man slept.", form=ExplanationFormat.SVG)


def test_two_formats_at_once_are_refused(model_file: str) -> None:
    with pytest.raises(UsageError, match="--json and --format html"):
        explain_command([model_file, TAGGED], form=ExplanationFormat.HTML, as_json=True)


def test_no_sentence_and_no_model_and_no_tagger_are_told(model_file: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no sentence to explain"):
        explain_command([model_file, "  "], device="cpu")
    with pytest.raises(UsageError, match="no such file"):
        explain_command([str(tmp_path / "none"), TAGGED])
    save_model(small_model(60, Strategy.r2l, max_trees=8), tmp_path / "untagged.model")
    with pytest.raises(InputError, match="no tagger"):
        explain_command([str(tmp_path / "untagged.model"), "The dog barked."], device="cpu")
    with pytest.raises(TreebankError, match="line 1"):
        explain_command([model_file, "(S (NP (DT The)"], device="cpu")


def test_a_root_that_was_never_inferred_says_so_and_no_control_character_reaches_the_terminal() -> None:
    root = Constituent(0, "TOP", 0, 1, "a\x1b[2J", ("NN",), "", None, None, 0.0, (), (), Others(0, 0.0), ())
    tree = parse_tree("(TOP (NN a\x1b[2J))")
    out = io.StringIO()
    parsed = ParsedTree(tree, 0.0, "fallback", 1, ())
    print_explanation(Explanation((), parsed, False, "r2l", 0.1, (root,)), Console(file=out))
    assert "Not inferred" in out.getvalue()
    assert "\x1b" not in out.getvalue()
    assert "\\x1b[2J" in out.getvalue()
