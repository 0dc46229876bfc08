"""The language file: the packaged English, one of the user's own, and what is wrong with a bad one."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest

from gpuparse.errors import LanguageError
from gpuparse.trees import Step, load_language, parse_language


def test_english_has_the_classes_and_punctuation_of_its_file() -> None:
    english = load_language()
    assert [english.tag_class(tag) for tag in ("NNPS", "VBZ", "WRB", "``", ":", "$")] == [
        "NP",
        "V",
        "R",
        "SCM",
        "CJ",
        "N",
    ]
    assert english.raised == {",", ":", ".", "``", "''"}
    assert english.quotes == {"``", "''", '"'}
    assert english.notwords == {",", ":", ".", "``", "''", "-LRB-", "-RRB-"}


def test_a_tag_in_no_class_is_its_own() -> None:
    assert load_language().tag_class("NN|VB") == "NN|VB"


def test_a_priority_list_is_one_step_a_label_and_the_steps_of_np_are_kept() -> None:
    rules = load_language().rules
    assert rules["CONJP"].steps == tuple(Step(False, (label,)) for label in ("CC", "RB", "IN"))
    assert rules["NP"].last == "POS"
    assert [step.from_left for step in rules["NP"].steps] == [False, True, False, False, False]
    assert rules["NP"].steps[3] == Step(False, ("CD",))
    assert rules["NX"] == rules["NP"]


def test_a_language_can_be_stored_as_its_text_copied_and_sent_to_another_process() -> None:
    english = load_language()
    for copied in (parse_language(english.text), pickle.loads(pickle.dumps(english)), copy.deepcopy(english)):
        assert copied == english
        assert hash(copied) == hash(english)
        assert copied.rules == english.rules
        assert copied.classes == english.classes
    assert parse_language(english.text + "\n") != english


def test_a_file_of_ones_own_is_read(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_text('\ufeff[default]\nfrom = "right"\n[punctuation]\nraised = ["PUNC"]\n', encoding="utf-8")
    latin = load_language(path)
    assert latin.raised == {"PUNC"}
    assert not latin.rule("NP").fallback_from_left
    assert latin.quotes == latin.notwords == frozenset()


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("[heads", "not valid TOML"),
        ("[head]\nX = 1", "the file has an unknown entry 'head'"),
        ("heads = 3", "heads must be a table"),
        ("[heads]\nX = 1", "heads.X must be a table"),
        ('[heads]\nX = { from = "top", labels = [] }', 'heads.X: from must be "left" or "right", not \'top\''),
        ('[heads]\nX = { labels = ["A"] }', "heads.X: from must be"),
        ('[heads]\nX = { from = "left", labels = "A" }', "heads.X: labels must be a list of strings"),
        ('[heads]\nX = { from = "left", label = ["A"] }', "heads.X has an unknown entry 'label'"),
        ('[heads]\nX = { steps = ["A"] }', "heads.X: steps must be a list of tables"),
        ("[heads]\nX = { last = 3, steps = [] }", "heads.X: last must be a string"),
        ('[heads]\nX = { steps = [{ from = "left", to = 3 }] }', "a step of heads.X has an unknown entry 'to'"),
        ('[default]\nfrom = "up"', "default: from must be"),
        ('[tagclasses]\nA = ["X"]\nB = ["X"]', "X is in two classes, A and B"),
        ("[punctuation]\nraised = [1]", "punctuation: raised must be a list of strings"),
    ],
)
def test_a_bad_file_is_an_error_that_names_the_file_and_the_cause(text: str, cause: str) -> None:
    with pytest.raises(LanguageError) as caught:
        parse_language(text, "my.toml")
    assert str(caught.value).startswith("my.toml: ")
    assert cause in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(LanguageError, match=r"absent\.toml: can't be read"):
        load_language(tmp_path / "absent.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff")
    with pytest.raises(LanguageError, match=r"binary\.toml: is not UTF-8"):
        load_language(tmp_path / "binary.toml")
