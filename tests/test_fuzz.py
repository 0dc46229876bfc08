"""Broken input of every kind: only errors of ours come out, what is read is whole, and nothing hangs.

The examples are the same in every run, and all tests together stop after SECONDS. GPUPARSE_FUZZ=600 tries others, and
ten times as many, for at most ten minutes.
"""

from __future__ import annotations

import json
import os
import struct
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuparse.api import LoadedParser
from gpuparse.boost import Attempt, Log, Options
from gpuparse.boost.ensemble import Ensemble
from gpuparse.boost.log import read_log
from gpuparse.boost.tree import GrownTree
from gpuparse.cli.parse import Format, InputSource, laid_out, read_sentences
from gpuparse.errors import GpuparseError, ModelError
from gpuparse.evaluate import evaluate, read_rules
from gpuparse.evaluate.parameters import KEYS
from gpuparse.options import InputKind, SearchOptions, Strategy
from gpuparse.parse.features.cache import CONTENTS, load
from gpuparse.parse.logic.vocabulary import build_vocabulary
from gpuparse.parse.model.contents import pack
from gpuparse.parse.model.file import load_model, to_bytes
from gpuparse.parse.model.model import Model
from gpuparse.parse.run_folder import RUN_FILE, begun_run, folder_of
from gpuparse.pretrained.bundled import find_model
from gpuparse.trees import Token, load_language, parse_language, parse_tree, parse_trees, prepare, read_trees, restore
from gpuparse.trees.tree import ESCAPES
from tests.boost.test_resume import rewritten
from tests.small_model import small_model, small_tagger

SEARCHING = "GPUPARSE_FUZZ" in os.environ
SECONDS = float(os.environ.get("GPUPARSE_FUZZ", 60))


def fuzz(examples: int) -> Callable[[Any], Any]:
    """Settings of a fuzzing test."""
    return settings(
        max_examples=10 * examples if SEARCHING else examples,
        derandomize=not SEARCHING,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )


class Clock:
    """When the tests have had their time; it starts when everything is compiled."""

    began = 0.0


@pytest.fixture(scope="module", autouse=True)
def _clock() -> None:
    parser().parse("The dog sleeps.")
    Clock.began = time.monotonic()


def time_is_over() -> bool:
    return time.monotonic() - Clock.began > SECONDS


def attempt(work: Callable[[], Any]) -> Any:
    """What the work gives, or the error of ours that it ends in. Any other error fails the test."""
    try:
        return work()
    except GpuparseError as error:
        return error


MARKS = ["(", ")", "((", "))", "S", "NP-SBJ=1|X", "-LRB-", "-NONE-", "*T*-1", "()", "(())", "'", '"', "``", "é", "𝒳"]
BLANKS = [" ", "\n", "\r", "\t", "\ufeff", "\0", "\u2028", "\x85", "\u00a0"]
WHOLE = ["(NN rain)", "(. .)", "(S (NP (DT the)) (VP (VBZ is)))"]
PIECES = st.sampled_from([*MARKS, *BLANKS, *WHOLE])
BRACKETS = st.lists(PIECES, max_size=30).map("".join)
KNOWN = ["the", "The", "dog", "sleeps", ".", ",", "(", ")", "can't", "--", "x" * 300]
WORDS = st.sampled_from(KNOWN) | st.text(min_size=1, max_size=12).filter(str.strip)
TAGS = st.sampled_from(["DT", "NN", "VBZ", ".", ",", "``", "''", "-LRB-", "QQ", "(", "X Y"]) | st.text(
    min_size=1, max_size=4
).filter(str.strip)


LOG_PIECES = [
    "{",
    "}",
    "[",
    "]",
    '"attempt"',
    '"kept"',
    ":",
    ",",
    "0",
    "true",
    "null",
    "1e999",
    "\n",
    '{"attempt": 0}\n',
]


def readable(text: str) -> bool:
    """Whether a text can be in a file: half of a surrogate pair can't."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


@fuzz(600)
@given(BRACKETS | st.text(max_size=60))
def test_brackets_are_read_or_refused_and_what_was_read_prints_and_scores(text: str) -> None:
    if time_is_over():
        return
    trees = attempt(lambda: list(parse_trees(text)))
    if isinstance(trees, GpuparseError):
        assert len(str(trees)) < 1000
        return
    for tree in trees:
        assert parse_tree(str(tree)) == tree
        assert parse_tree(tree.indented(20)) == tree
        prepared = prepare(tree, load_language())
        restored = restore(prepared.tree, prepared.sentence)
        assert [token.word for token in restored.tokens()] == [token.word for token in prepared.sentence.tokens]
    evaluate(trees, trees)


@fuzz(200)
@given(st.binary(max_size=60) | BRACKETS.map(lambda text: text.encode("utf-8", "replace")), st.booleans())
def test_files_of_any_bytes_are_read_or_refused(tmp_path: Path, content: bytes, skip_bad: bool) -> None:
    if time_is_over():
        return
    path = tmp_path / "any.mrg"
    path.write_bytes(content)
    skipped: list[Any] = []
    trees = attempt(lambda: list(read_trees(path, skip_bad=skip_bad, skipped=skipped)))
    if isinstance(trees, GpuparseError):
        assert not skip_bad
        assert str(path) in str(trees)
    else:
        assert all(str(path) in str(error) for error in skipped)


@fuzz(150)
@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from(["[heads]", "[tags]", "NP", "=", "[", "]", '"', "\n", "1"])).map("".join)
)
def test_a_language_of_any_text_is_refused(text: str) -> None:
    if time_is_over():
        return
    language = attempt(lambda: parse_language(text, "fuzz"))
    assert not isinstance(language, GpuparseError) or "fuzz" in str(language)


@fuzz(150)
@given(
    st.binary(max_size=60)
    | st.lists(st.sampled_from([*KEYS, " ", "\n", "1", "-1", "\u0663", "NP", "#", "\0"])).map(
        lambda p: "".join(p).encode()
    )
)
def test_a_parameter_file_of_any_bytes_is_read_or_refused(tmp_path: Path, content: bytes) -> None:
    if time_is_over():
        return
    path = tmp_path / "any.prm"
    path.write_bytes(content)
    rules = attempt(lambda: read_rules(path))
    assert not isinstance(rules, GpuparseError) or f"{path}, line " in str(rules)


@fuzz(150)
@given(st.binary(max_size=60) | st.lists(st.sampled_from(LOG_PIECES)).map(lambda pieces: "".join(pieces).encode()))
def test_a_training_log_of_any_bytes_is_read_or_refused(tmp_path: Path, content: bytes) -> None:
    if time_is_over():
        return
    path = tmp_path / "NP.log"
    path.write_bytes(content)
    attempts = attempt(lambda: read_log(path))
    assert not isinstance(attempts, GpuparseError) or str(path) in str(attempts)


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 2**70) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["tree", "feature"]), inner),
)
TREE = GrownTree.of([1, -1, -1], [1, -1, -1], [2, -1, -1], [0.0, 0.5, -0.5])
LOG_LINES = [
    {"version": 3, "fingerprint": "data", "options": Options().course()},
    {"task": "NP", **Attempt(0, True, 0.5, 1.0, 1.0, 2, 1, 0.1, TREE).to_json()},
    {"task": "NP", "end": "lambda", "budgets": Options().budgets()},
]


@fuzz(200)
@given(st.data(), st.integers(0, 2), ANY_JSON)
def test_a_log_with_any_value_and_the_right_checksums_is_read_or_refused(
    tmp_path: Path, data: st.DataObject, at: int, value: Any
) -> None:
    if time_is_over():
        return
    lines = json.loads(json.dumps(LOG_LINES))
    place = lines[at]["tree"] if at == 1 and data.draw(st.booleans()) else lines[at]
    place[data.draw(st.sampled_from(sorted(place)))] = value
    path = tmp_path / "NP.log"
    path.write_bytes(rewritten(lines))
    for work in (lambda: read_log(path), lambda: Log(path, Options(), "data").check_features(2)):
        error = attempt(work)
        assert not isinstance(error, GpuparseError) or str(path) in str(error)


@fuzz(100)
@given(st.binary(max_size=60) | ANY_JSON.map(lambda value: json.dumps(value).encode()), st.booleans())
def test_a_cache_with_any_contents_and_a_run_with_any_record_are_refused(
    tmp_path: Path, content: bytes, keyed: bool
) -> None:
    if time_is_over():
        return
    folder = folder_of(tmp_path / "model")
    folder.mkdir(exist_ok=True)
    (folder / RUN_FILE).write_bytes(content)
    beginning, end = (b'{"format": 1, "key": "k", "uninferable": 0, "files": ', b"}") if keyed else (b"", b"")
    (folder / CONTENTS).write_bytes(beginning + content + end)
    assert load(folder, "k") is None
    with pytest.raises(GpuparseError, match=r"run\.json"), begun_run(tmp_path / "model", {}, resume=True):
        pass


@cache
def parser() -> LoadedParser:
    return LoadedParser(replace(small_model(), tagger=small_tagger()), SearchOptions(limit=300, batch=3, max_words=25))


def escaped(words: list[str]) -> list[str]:
    """Words as they print in brackets."""
    return [word.translate(ESCAPES) for word in words]


@fuzz(250)
@given(
    st.lists(
        st.lists(WORDS, max_size=12) | st.lists(st.tuples(WORDS, TAGS), max_size=12) | st.text(max_size=60), max_size=4
    )
)
def test_sentences_of_anything_are_parsed_whole_or_refused(sentences: list[Any]) -> None:
    if time_is_over():
        return
    trees = attempt(lambda: list(parser().parse_many(sentences)))
    if isinstance(trees, GpuparseError):
        assert "a sentence is" in str(trees)
        return
    assert len(trees) == len(sentences)
    for tree, sentence in zip(trees, sentences, strict=True):
        if not isinstance(sentence, str):
            pairs = [piece if isinstance(piece, tuple) else (piece, None) for piece in sentence]
            round_brackets = {"(": "-LRB-", ")": "-RRB-"}
            expected = [word if tag else round_brackets.get(word, word) for word, tag in pairs]
            assert tree.words == expected
        if tree.words:
            assert [token.word for token in parse_tree(str(tree)).tokens()] == escaped(tree.words)


@fuzz(250)
@given(
    st.lists(PIECES | WORDS | st.sampled_from(["a/DT ", "dog_NN ", "/", "_", ". ", "Mr. ", "?! "]), max_size=30).map(
        "".join
    ),
    st.sampled_from([kind.value for kind in InputKind]),
    st.sampled_from(Format),
)
def test_input_of_any_kind_is_parsed_and_printed_or_refused(text: str, kind: str, layout: Format) -> None:
    if time_is_over():
        return
    sentences = attempt(lambda: list(read_sentences([InputSource("<text>", text)], kind, parser().model)))
    if isinstance(sentences, GpuparseError):
        assert "<text>" in str(sentences)
        return
    for tree in parser().parse_prepared(sentences):
        shown = laid_out(tree, layout)
        assert shown.endswith("\n")
        if layout in (Format.BRACKETS, Format.JSON, Format.SVG):
            assert shown.count("\n") == 1
        if readable(text):
            shown.encode("utf-8")


def plain_model() -> Model:
    """The smallest model with trees in it: every byte of its header can be tried."""
    vocabulary = build_vocabulary([parse_tree("(TOP (NP (NNP Ann)))")], parse_language("", "none"))
    full = small_model(60, Strategy.r2l, 5)
    trees = list(full.ensembles["NP"].trees())[:2]
    for tree in trees:
        tree.feature[tree.feature >= 0] = 0
    ensembles = {label: Ensemble.of(trees, [1.0, 0.5]) for label in vocabulary.labels}
    return Model(vocabulary, Strategy.r2l, 5, ensembles, rarity={0: 1}, lambda_=0.5, configuration={"seed": 0})


def answer(path: Path) -> str | None:
    """What a model file says of a sentence; None if it is refused."""
    model = attempt(lambda: load_model(path))
    if isinstance(model, GpuparseError):
        assert str(model).startswith(f"{path}: ")
        return None
    return str(LoadedParser(model, SearchOptions(limit=100)).parse([Token("Ann", "NNP"), Token("x", "NNP")]).to_dict())


def test_every_byte_of_a_header_is_refused_or_changes_nothing(tmp_path: Path) -> None:
    content = to_bytes(*pack(plain_model()))
    path = tmp_path / "flipped"
    path.write_bytes(content)
    expected = answer(path)
    assert expected is not None
    for place in range(8 + struct.unpack("<Q", content[:8])[0]):
        for flip in (0x01, 0x80):
            changed = bytearray(content)
            changed[place] ^= flip
            path.write_bytes(changed)
            assert answer(path) in (None, expected), (place, flip)


@fuzz(80)
@given(st.data())
def test_any_bytes_of_a_model_changed_are_refused_or_change_nothing(tmp_path: Path, data: st.DataObject) -> None:
    if time_is_over():
        return
    path = tmp_path / "changed"
    content = bytearray(to_bytes(*pack(plain_model())))
    path.write_bytes(content)
    expected = answer(path)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place : place + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
    path.write_bytes(content)
    assert answer(path) in (None, expected)


@fuzz(200)
@given(st.binary(max_size=80), st.integers(0, 120), st.booleans())
def test_files_that_only_begin_like_a_model_are_refused(
    tmp_path: Path, content: bytes, length: int, as_object: bool
) -> None:
    if time_is_over():
        return
    path = tmp_path / "stranger"
    path.write_bytes(length.to_bytes(8, "little") + (b"{" if as_object else b"") + content)
    assert answer(path) is None


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999])
def test_a_byte_of_the_bundled_model_changed_is_refused(tmp_path: Path, share: float) -> None:
    content = bytearray(find_model().read_bytes())
    content[int(share * len(content))] ^= 0x40
    (tmp_path / "english.model").write_bytes(content)
    with pytest.raises(ModelError):
        load_model(tmp_path / "english.model")
