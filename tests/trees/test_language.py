"""The language file: the packaged English, one of the user's own, and what is wrong with a bad one."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from gpuparse.errors import LanguageError
from gpuparse.parse.model.file import load_model
from gpuparse.pretrained.bundled import find_model
from gpuparse.trees import Language, Scan, load_language, parse_language


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
    assert rules["CONJP"].scans == tuple(Scan(False, (label,)) for label in ("CC", "RB", "IN"))
    assert rules["NP"].last == "POS"
    assert [scan.from_left for scan in rules["NP"].scans] == [False, True, False, False, False]
    assert rules["NP"].scans[3] == Scan(False, ("CD",))
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
        ("tags = []", "tags must be a table"),
        ("[tags]\nconjunction = []", "tags has an unknown entry 'conjunction'"),
        ('[tags]\nconjunctions = "CC"', "tags: conjunctions must be a list of strings"),
        ("[tags]\ntraces = [0]", "tags: traces must be a list of strings"),
        ("labels = 1", "labels must be a table"),
        ("[labels]\nrename = {}", "labels has an unknown entry 'rename'"),
        ('[labels]\ncut = "-="', "labels: cut must be a list of strings"),
        ('[labels]\ncut = ["-", ""]', "labels: cut has an empty string"),
        ('[labels]\nrenamed = ["PRT"]', "labels: renamed must be a table from labels to labels"),
        ("[labels]\nrenamed = { PRT = 3 }", "labels: renamed must be a table from labels to labels"),
        ('[labels]\nrenamed = { PRT = "" }', "labels: renamed.PRT can't be ''"),
        ('[labels]\nrenamed = { PRT = "A (B" }', "labels: renamed.PRT can't be 'A (B'"),
        ("[labels]\nheaded_like = 1", "labels: headed_like must be a table from labels to labels"),
        ('[labels]\nheaded_like = { NX = "NP" }', "labels: headed_like.NX is NP, which has no rule"),
        ('[labels]\nroots = "S1"', "labels: roots must be a list of strings"),
        ("[scoring]\nname = 3", "scoring: name must be a string"),
        ('[scoring]\nequal_labels = [["A"]]', "scoring: equal_labels must be a list of pairs of labels"),
        ('[scoring]\nequal_labels = ["AB"]', "scoring: equal_labels must be a list of pairs of labels"),
        ('[scoring]\nequal_label = [["A", "B"]]', "scoring has an unknown entry 'equal_label'"),
        ('[scoring]\ncut = [""]', "scoring: cut has an empty string"),
    ],
)
def test_a_bad_file_is_an_error_that_names_the_file_and_the_cause(text: str, cause: str) -> None:
    with pytest.raises(LanguageError) as caught:
        parse_language(text, "my.toml")
    assert str(caught.value).startswith("my.toml: ")
    assert cause in str(caught.value)


def penn_style(language: Language) -> tuple[object, ...]:
    """What the tables of tags and labels say."""
    return language.conjunctions, language.traces, language.cut, dict(language.renamed), language.rule("NX")


def test_roots_and_scoring_are_those_of_english_where_a_file_does_not_say() -> None:
    english, other = load_language(), parse_language('[labels]\nroots = ["VP"]\n[scoring]\nname = "my rules"\n')
    assert english.roots == {"", "ROOT", "TOP", "S1", "VROOT"}
    assert parse_language("").roots == english.roots
    assert parse_language("").scoring == english.scoring
    assert other.roots == {"VP", "TOP"}
    assert other.scoring == replace(english.scoring, name="my rules")


def test_a_file_that_says_nothing_of_tags_and_labels_has_the_style_of_the_penn_treebanks() -> None:
    english = load_language()
    older = english.text[: english.text.index("[tags]")]
    assert penn_style(parse_language(older)) == penn_style(english)
    assert english.conjunctions == {"CC"}
    assert english.traces == {"-NONE-"}
    assert english.cut == ("-", "=", "|")
    assert english.renamed == {"PRT": "ADVP"}
    assert parse_language("").rule("NX") == parse_language("").default_rule  # there is no NP to be like


def test_the_language_of_the_bundled_model_has_the_style_of_english() -> None:
    assert penn_style(load_model(find_model("english")).vocabulary.language) == penn_style(load_language())


def test_empty_entries_switch_the_style_of_the_penn_treebanks_off() -> None:
    text = '[heads]\nNP = { from = "right", labels = ["N"] }\n[tags]\nconjunctions = []\ntraces = []\n'
    plain = parse_language(text + "[labels]\ncut = []\nrenamed = {}\nheaded_like = {}\n")
    assert penn_style(plain) == (frozenset(), frozenset(), (), {}, plain.default_rule)
    assert [plain.plain_label(label) for label in ("NP-SBJ", "A|B", "")] == ["NP-SBJ", "A|B", ""]


def test_a_label_takes_the_head_rule_of_another_unless_it_has_its_own() -> None:
    heads = '[heads]\nNP = { from = "right", labels = ["N"] }\nCNP = { from = "left", labels = ["K"] }\n'
    like = parse_language(heads + '[labels]\nheaded_like = { MPN = "NP", CNP = "NP" }\n')
    assert like.rule("MPN") == like.rule("NP")
    assert like.rule("CNP").scans == (Scan(True, ("K",)),)
    assert like.rule("NX") == like.default_rule


def test_marks_of_several_letters_cut_a_label_too() -> None:
    french = parse_language('[labels]\ncut = ["##", ":"]')
    labels = ["NP##g=f##", "NP:SUJ", "NP#1", "NP-SUJ", "##", ":X"]
    assert [french.plain_label(label) for label in labels] == ["NP", "NP", "NP#1", "NP-SUJ", "##", ":X"]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(LanguageError, match=r"absent\.toml: can't be read"):
        load_language(tmp_path / "absent.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff")
    with pytest.raises(LanguageError, match=r"binary\.toml: is not UTF-8"):
        load_language(tmp_path / "binary.toml")
