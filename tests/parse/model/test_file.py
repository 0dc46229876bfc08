"""The model file: what goes in comes out, and damage and malice are refused."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import save

from gpuparse.boost.ensemble import Ensemble
from gpuparse.errors import ModelError
from gpuparse.parse.features.inventory import inventory_with
from gpuparse.parse.model import contents
from gpuparse.parse.model.contents import PARSER_TYPES, TAGGER_TYPES, Arrays, Header, pack
from gpuparse.parse.model.file import MODEL_FILE, load_model, save_model, to_bytes
from gpuparse.parse.model.formats import MODEL_VERSION
from gpuparse.parse.model.model import Model
from gpuparse.sealed import checksum
from tests.small_model import small_tagger, tiny_bytes, tiny_model

PLAIN = inventory_with(())  # without the optional properties

Edit = Callable[[Header, Arrays], tuple[Header, Arrays]]


def same(one: Model, other: Model) -> bool:
    """Whether two models are equal to the bit."""

    def plain(model: Model) -> tuple[Any, ...]:
        arrays = {
            label: [(name, array.dtype.str, array.tobytes()) for name, array in vars(ensemble).items()]
            for label, ensemble in model.ensembles.items()
        }
        tagger = model.tagger and (
            model.tagger.settings(),
            [(name, array.dtype.str, array.tobytes()) for name, array in model.tagger.arrays().items()],
        )
        apart = ("ensembles", "tagger", "space", "checksum")  # the last two are not the model itself
        others = (getattr(model, name) for name in vars(model) if name not in apart)
        return (*others, arrays, tagger)

    return plain(one) == plain(other)


def refused(path: Path, content: bytes) -> str:
    """What is said of a file that is refused."""
    path.write_bytes(content)
    with pytest.raises(ModelError) as caught:
        load_model(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert len(message) - len(str(path)) < 400
    assert message.endswith(".")
    return message


def test_a_model_comes_back_to_the_bit(tmp_path: Path) -> None:
    path = tmp_path / "a.model"
    save_model(tiny_model(), path)
    loaded = load_model(path)
    assert same(loaded, tiny_model())
    arrays, expected = ((*r[:4], *r.marks, *r.layout) for r in (loaded.rules(), tiny_model().rules()))
    assert [array.tobytes() for array in arrays] == [array.tobytes() for array in expected]
    assert loaded.curve == tiny_model().curve != ()
    assert loaded.vocabulary.language == tiny_model().vocabulary.language


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        save_model(tiny_model(), tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes() == tiny_bytes()


def test_a_model_without_a_tree_can_be_stored(tmp_path: Path) -> None:
    empty = {label: Ensemble.of([], []) for label in tiny_model().ensembles}
    model = replace(tiny_model(), ensembles=empty, rarity={}, curve=(), configuration={})
    save_model(model, tmp_path / "empty")
    assert same(load_model(tmp_path / "empty"), model)


def test_a_tagger_tags_as_before_it_was_stored(tmp_path: Path) -> None:
    save_model(tiny_model(), tmp_path / "model")
    loaded = load_model(tmp_path / "model").tagger
    assert loaded is not None
    words = ["The", "dog", ",", "he", "said", ",", "barks", "loudly", "."]
    assert loaded.tag(words) == small_tagger(60).tag(words)
    assert loaded.style == small_tagger(60).style


def test_a_model_without_a_tagger_can_be_stored(tmp_path: Path) -> None:
    model = replace(tiny_model(), tagger=None)
    save_model(model, tmp_path / "untagged")
    assert same(load_model(tmp_path / "untagged"), model)
    assert not same(model, tiny_model())


def test_a_header_need_not_speak_of_a_tagger(tmp_path: Path) -> None:
    model = replace(tiny_model(), tagger=None)
    header, arrays = pack(model)
    entries = json.loads(msgspec.json.encode(header))
    del entries["tagger"]
    text = json.dumps(entries)
    envelope = f'{{"version":{MODEL_VERSION},"checksum":"{checksum(text.encode(), arrays.by_name())}","header":{text}}}'
    (tmp_path / "short").write_bytes(save(arrays.by_name(), {MODEL_FILE.name: envelope}))
    assert same(load_model(tmp_path / "short"), model)


@pytest.mark.parametrize("name", TAGGER_TYPES)
def test_a_tagger_has_all_of_its_arrays_or_none(tmp_path: Path, name: str) -> None:
    arrays = pack(tiny_model())[1].by_name()
    del arrays[name]
    content = save(arrays, {MODEL_FILE.name: f'{{"version":{MODEL_VERSION}}}'})
    assert name in refused(tmp_path / "partly", content)


@pytest.mark.parametrize("name", TAGGER_TYPES)
def test_a_change_of_a_tagger_array_is_noticed(tmp_path: Path, name: str) -> None:
    arrays = pack(tiny_model())[1]
    changed = arrays.by_name()[name].copy()
    changed[len(changed) // 2] ^= 1
    length = struct.unpack("<Q", tiny_bytes()[:8])[0]
    metadata = json.loads(tiny_bytes()[8 : 8 + length])["__metadata__"]
    content = save(with_array(arrays, name, changed).by_name(), metadata)
    assert "checksum" in refused(tmp_path / "changed", content)


def test_figures_of_numpy_become_plain_numbers(tmp_path: Path) -> None:
    model = replace(tiny_model(), lambda_=np.float64(0.25), configuration={"rows": np.int64(3)})
    save_model(model, tmp_path / "numpy")
    loaded = load_model(tmp_path / "numpy")
    assert (type(loaded.lambda_), loaded.lambda_, loaded.configuration) == (float, 0.25, {"rows": 3})


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1, exclude_max=True), in_preface=st.booleans(), flip=st.integers(1, 255))
def test_a_flipped_byte_is_refused_or_changes_nothing(
    tmp_path: Path, place: float, in_preface: bool, flip: int
) -> None:
    content = bytearray(tiny_bytes())
    span = 8 + struct.unpack("<Q", content[:8])[0] if in_preface else len(content)
    content[int(place * span)] ^= flip
    path = tmp_path / "flipped"
    path.write_bytes(content)
    try:
        loaded = load_model(path)
    except ModelError:
        return
    assert same(loaded, tiny_model())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1, exclude_max=True))
def test_a_file_cut_short_is_refused(tmp_path: Path, place: float) -> None:
    refused(tmp_path / "short", tiny_bytes()[: int(place * len(tiny_bytes()))])


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 16, len(b"a" * 1000)])
def test_a_beginning_alone_is_refused(tmp_path: Path, length: int) -> None:
    assert "not a gpuparse model" in refused(tmp_path / "short", tiny_bytes()[:length])


def test_a_longer_file_is_refused(tmp_path: Path) -> None:
    assert "damaged" in refused(tmp_path / "long", tiny_bytes() + b"\0")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=200), length=st.none() | st.integers(0, 2**64 - 1))
def test_garbage_is_refused(tmp_path: Path, content: bytes, length: int | None) -> None:
    refused(tmp_path / "garbage", content if length is None else struct.pack("<Q", length) + b"{" + content)


def with_preface(preface: bytes, rest: bytes = b"") -> bytes:
    return struct.pack("<Q", len(preface)) + preface + rest


@pytest.mark.parametrize(
    "preface",
    [
        b"{}",
        b'{"__metadata__":{}}',
        b'{"__metadata__":{"gpuparse model":1}}',
        b'{"__metadata__":{"format":"another"}}',
        b'{"a":' + b"[" * 100_000,
        b'{"__metadata__":{"gpuparse model":"{\\"version\\":1}"}}',
        b'{"__metadata__":{"gpuparse model":"{\\"version\\":1}"},"a":{"dtype":"F64","shape":[99999999999999999999],'
        b'"data_offsets":[0,8]}}',
        b'{"__metadata__":{"gpuparse model":"{\\"version\\":1}"},"a":{"dtype":"F64","shape":[4611686018427387904,4],'
        b'"data_offsets":[0,8]}}',
    ],
)
def test_other_safetensors_files_are_refused(tmp_path: Path, preface: bytes) -> None:
    refused(tmp_path / "other", with_preface(preface, b"\0" * 8))


def with_envelope(**changes: Any) -> bytes:
    arrays = pack(tiny_model())[1]
    length = struct.unpack("<Q", tiny_bytes()[:8])[0]
    envelope = json.loads(json.loads(tiny_bytes()[8 : 8 + length])["__metadata__"][MODEL_FILE.name])
    return save(arrays.by_name(), {MODEL_FILE.name: json.dumps({**envelope, **changes})})


def test_a_version_of_the_future_is_named(tmp_path: Path) -> None:
    assert "version 7 of the format" in (message := refused(tmp_path / "new", with_envelope(version=7)))
    assert "newer gpuparse" in message


def test_a_version_of_the_future_may_differ_in_all_the_rest(tmp_path: Path) -> None:
    assert "newer gpuparse" in refused(tmp_path / "new", save({}, {MODEL_FILE.name: '{"version":9,"more":[1]}'}))


def test_a_version_of_the_past_is_named(tmp_path: Path) -> None:
    assert "version 0 of the format" in refused(tmp_path / "old", with_envelope(version=0))


@pytest.mark.parametrize("version", [None, "1", 1.5, -1, 10**19, 10**4000])
def test_a_version_that_can_not_be_is_refused(tmp_path: Path, version: Any) -> None:
    refused(tmp_path / "old", with_envelope(version=version))


def test_a_wrong_checksum_is_refused(tmp_path: Path) -> None:
    assert "checksum" in refused(tmp_path / "changed", with_envelope(checksum="0" * 64))


def edited(**changes: Any) -> Edit:
    """An edit of the header."""
    return lambda header, arrays: (msgspec.structs.replace(header, **changes), arrays)


def valued(name: str, *values: str) -> Edit:
    """An edit of the values of a property."""
    return lambda header, arrays: (msgspec.structs.replace(header, values={**header.values, name: values}), arrays)


def inventory_edited(**changes: Any) -> Edit:
    """An edit of the inventory of features."""
    return edited(inventory=replace(PLAIN, **changes))


def with_array(arrays: Arrays, name: str, array: np.ndarray) -> Arrays:
    """The arrays with one of them replaced."""
    return Arrays.from_names({**arrays.by_name(), name: array})


def put(name: str, place: int | slice, value: Any) -> Edit:
    """An edit of some entries of an array."""

    def edit(header: Header, arrays: Arrays) -> tuple[Header, Arrays]:
        array = arrays.by_name()[name].copy()
        array[place] = value
        return header, with_array(arrays, name, array)

    return edit


def tagger_edited(**changes: Any) -> Edit:
    """An edit of the tagger's settings."""

    def edit(header: Header, arrays: Arrays) -> tuple[Header, Arrays]:
        return msgspec.structs.replace(header, tagger={**(header.tagger or {}), **changes}), arrays

    return edit


def shift(name: str, value: int) -> Edit:
    """An edit of the first count of an array, the second changed so that their sum stays."""

    def edit(header: Header, arrays: Arrays) -> tuple[Header, Arrays]:
        counts = getattr(arrays, name)
        return put(name, slice(2), [value, counts[0] + counts[1] - value])(header, arrays)

    return edit


def cut(name: str) -> Edit:
    """An edit that loses the last entry of an array."""
    return lambda header, arrays: (header, with_array(arrays, name, arrays.by_name()[name][:-1]))


def deep_tree(negative: bool, depth: int = 20_000) -> Edit:
    """One chain of so many inner nodes in place of the trees of the first label that has some."""

    def edit(header: Header, arrays: Arrays) -> tuple[Header, Arrays]:
        feature = np.full(2 * depth + 1, -1, np.int32)
        feature[slice(0, 2 * depth, 2) if negative else slice(0, depth)] = 0
        leaves = np.flatnonzero(feature < 0).astype(np.int32)
        trees = np.zeros_like(arrays.trees)
        trees[0] = 1
        columns = {"trees": trees, "lambdas": np.ones(1), "nodes": np.array([len(feature)]), "feature": feature}
        return header, arrays._replace(**columns, valued=leaves, value=np.ones(len(leaves)))

    return edit


HOSTILE: dict[str, tuple[Edit, str]] = {
    "a label twice": (edited(labels=("NP", "NP", "TOP")), "labels"),
    "TOP not the last label": (edited(labels=("NP", "TOP", "VP")), "TOP"),
    "TOP twice": (edited(labels=("TOP", "TOP")), "TOP"),
    "no labels": (edited(labels=()), "TOP"),
    "a label more": (lambda h, a: (msgspec.structs.replace(h, labels=("AA", *h.labels)), a), "labels and tags"),
    "a label less": (lambda h, a: (msgspec.structs.replace(h, labels=h.labels[1:]), a), "labels and tags"),
    "words not sorted": (valued("headword", "b", "a"), "headword"),
    "a word twice": (valued("headword", "a", "a"), "headword"),
    "fewer words": (valued("headword"), "feature"),
    "a tag less": (lambda h, a: valued("headtag", *h.values["headtag"][1:])(h, a), "labels and tags"),
    "a class twice": (valued("headtagclass", "N", "N"), "headtagclass"),
    "the values of a property that is none": (valued("shape", "X"), "and of nothing else"),
    "no values": (edited(values={}), "values of label, headword"),
    "another group": (inventory_edited(groups=("first1",)), "lacks the group afterhead and 89 more"),
    "a vast number of groups": (inventory_edited(groups=tuple(map(str, range(100_000)))), "and 99999 more"),
    "other groups that have lengths": (inventory_edited(counted=("all", "first1")), "has the length of first1"),
    "another property": (inventory_edited(properties=(*PLAIN.properties, "sha\x1bpe")), "property sha\\x1bpe"),
    "properties in another order": (inventory_edited(properties=PLAIN.properties[::-1]), "order"),
    "other lengths": (inventory_edited(lengths=12), "12 and not 16"),
    "no TOML": (edited(language="[heads"), "language"),
    "TOML of another kind": (edited(language="heads = 3"), "language"),
    "TOML without end": (edited(language="a = " + "[" * 100_000), "language"),
    "no such strategy": (edited(strategy="sideways"), "strategy"),
    "no children": (edited(max_children=0), "children"),
    "too many children": (edited(max_children=64), "children"),
    "a lambda below 0": (edited(lambda_=-1.0), "lambda"),
    "a curve that rises": (lambda h, a: (msgspec.structs.replace(h, curve=h.curve[::-1]), a), "curve"),
    "a curve of negative sizes": (
        lambda h, a: (msgspec.structs.replace(h, curve=(replace(h.curve[0], trees=-1),)), a),
        "curve",
    ),
    "fewer trees than said": (put("trees", 0, 10**18), "trees"),
    "less than no trees": (shift("trees", -1), "impossible"),
    "sums that overflow": (put("nodes", slice(None), 2**62), "impossible"),
    "a tree without a node": (shift("nodes", 0), "impossible"),
    "a tree of another size": (put("nodes", 0, 2), "nodes"),
    "a feature too great": (put("feature", 0, 2**31 - 1), "feature"),
    "a feature too small": (put("feature", 0, -2), "feature"),
    "an inner node without its children": (put("feature", -1, 0), "pre-order"),
    "a leaf with children": (lambda h, a: put("feature", int(np.argmax(a.feature >= 0)), -1)(h, a), "pre-order"),
    "a value of an inner node": (lambda h, a: put("valued", 0, int(np.argmax(a.feature >= 0)))(h, a), "leaves"),
    "a value outside the trees": (put("valued", -1, 2**31 - 1), "leaves"),
    "a value of no node": (put("valued", 0, -1), "leaves"),
    "a leaf with two values": (lambda h, a: put("valued", 1, a.valued[0])(h, a), "leaves"),
    "an infinite value": (put("value", 1, np.inf), "finite"),
    "a value that is no number": (put("value", -1, np.nan), "finite"),
    "a value too great": (put("value", slice(None), 1e300), "scores"),
    "values too great together": (put("value", slice(None), 1e5), "scores"),
    "lambdas that rise": (put("lambdas", 1, 1e9), "lambda"),
    "a lambda that is no number": (put("lambdas", 0, np.nan), "lambda"),
    "an infinite lambda": (put("lambdas", 0, np.inf), "lambda"),
    "a negative lambda": (put("lambdas", -1, -1.0), "lambda"),
    "a ranked feature outside": (put("ranked", -1, 2**31 - 1), "ranked"),
    "ranked features not sorted": (put("ranked", -1, 0), "ranked"),
    "a negative rank": (put("rarity", 0, -1), "rank"),
    "a deep tree": (deep_tree(negative=False), "deep"),
    "a deeper tree": (deep_tree(negative=False, depth=40_000), "deep"),
    "a deep tree of negations": (deep_tree(negative=True), "deep"),
    "a tagger of another version": (tagger_edited(version=99), "tagger"),
    "a tagger with unknown features": (tagger_edited(templates=["word"]), "tagger"),
    "a tagger's tag twice": (tagger_edited(tags=["NN", "NN"]), "tagger"),
    "fewer words of the tagger": (tagger_edited(words=[]), "tagger"),
    "a token style of numbers": (tagger_edited(style={"penn_symbols": 1}), "tagger"),
    "settings without a tagger": (lambda h, a: (h, a._replace(tagger=None)), "settings without arrays"),
    "a tagger without settings": (edited(tagger=None), "arrays without settings"),
    "a tag of the tagger too great": (put("tagger.row_tags", 0, 30_000), "tagger"),
    "a tag of a word too small": (put("tagger.dictionary_tags", 0, -1), "tagger"),
    "weights outside": (put("tagger.row_starts", -1, 2**31 - 1), "tagger"),
    "a feature of the tagger too great": (put("tagger.keys", -1, 2**62), "tagger"),
    **{f"{name} cut short": (cut(name), "entries|trees|nodes") for name in PARSER_TYPES},
    **{f"{name} cut short": (cut(name), "tagger is damaged") for name in TAGGER_TYPES},
}


@pytest.mark.parametrize("edit", HOSTILE)
def test_a_hostile_file_is_refused_although_its_checksum_is_right(tmp_path: Path, edit: str) -> None:
    change, cause = HOSTILE[edit]
    message = refused(tmp_path / "hostile", to_bytes(*change(*pack(tiny_model()))))
    assert any(word in message for word in cause.split("|"))


@pytest.mark.parametrize(
    "arrays",
    [
        {"valued": np.zeros(3, np.uint32)},
        {"value": np.zeros(3, np.float32)},
        {"value": np.zeros((3, 1))},
        {"trees": np.array(3)},
        {"unknown": np.zeros(3)},
        {"tagger.unknown": np.zeros(3)},
        {"tagger.keys": np.zeros(3, np.int32)},
        {"tagger.row_weights": np.zeros(3, np.uint16)},
        {"tagger.row_tags": np.zeros((3, 1), np.int16)},
    ],
)
def test_arrays_of_another_kind_are_refused(tmp_path: Path, arrays: dict[str, np.ndarray]) -> None:
    content = save({**pack(tiny_model())[1].by_name(), **arrays}, {MODEL_FILE.name: f'{{"version":{MODEL_VERSION}}}'})
    assert "arrays" in (message := refused(tmp_path / "kinds", content)) or "numbers" in message


def header_text(changes: dict[str, str]) -> str:
    """The header as JSON, some entries of it replaced by other JSON."""
    entries = json.loads(msgspec.json.encode(pack(tiny_model())[0]))
    texts = {**{name: json.dumps(value) for name, value in entries.items()}, **changes}
    return "{" + ",".join(f'"{name}":{text}' for name, text in texts.items()) + "}"


@pytest.mark.parametrize(
    "change",
    [
        "",
        "[]",
        "{",
        "{}",
        {"lambda_": "NaN"},
        {"lambda_": "1e999"},
        {"lambda_": '"0.1"'},
        {"max_children": "5.5"},
        {"max_children": str(10**30)},
        {"values": "[1]"},
        {"values": '{"headword":["\\ud800"]}'},
        {"values": '{"headword":null}'},
        {"inventory": "null"},
        {"inventory": '{"groups":[],"counted":[],"properties":[]}'},
        {"curve": "[{}]"},
        {"configuration": '{"a":' + "[" * 100_000 + "]" * 100_000 + "}"},
        {"tagger": "3"},
        {"tagger": "{}"},
        {"tagger": '{"tags":null}'},
        {"tagger": "null"},
        {"more": "1"},
    ],
)
def test_a_header_of_another_kind_is_refused(tmp_path: Path, change: str | dict[str, str]) -> None:
    text = change if isinstance(change, str) else header_text(change)
    arrays = pack(tiny_model())[1]
    envelope = f'{{"version":{MODEL_VERSION},"checksum":"{checksum(text.encode(), arrays.by_name())}","header":{text}}}'
    refused(tmp_path / "header", save(arrays.by_name(), {MODEL_FILE.name: envelope}))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_whatever_is_loaded_can_be_compiled_and_tags(tmp_path: Path, data: st.DataObject) -> None:
    header, arrays = pack(tiny_model())
    for _ in range(data.draw(st.integers(1, 3))):
        name = data.draw(st.sampled_from([*PARSER_TYPES, *TAGGER_TYPES]))
        array = arrays.by_name()[name].copy()
        near = st.sampled_from(array.tolist()) | st.integers(-1, 30)
        array[data.draw(st.integers(0, len(array) - 1))] = data.draw(near)
        arrays = with_array(arrays, name, array)
    path = tmp_path / "edited"
    path.write_bytes(to_bytes(header, arrays))
    try:
        model = load_model(path)
    except ModelError:
        return
    rules = model.rules()
    assert (rules.features < model.space.size).all()
    assert model.tagger is not None
    assert [token.word for token in model.tagger.tag(["The", "dog", "sleeps"])] == ["The", "dog", "sleeps"]


@pytest.mark.parametrize(
    ("limit", "complaint"),
    [
        ("MOST_HEAD_RANKS", "too many labels"),
        ("MOST_FEATURES", "vocabulary"),
        ("MOST_TAGS", "too many tags"),
        ("MOST_TAGGER_WEIGHTS", "tagger is too large"),
    ],
)
def test_what_would_not_fit_into_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, complaint: str
) -> None:
    content = tiny_bytes()
    monkeypatch.setattr(contents, limit, 20)
    assert complaint in refused(tmp_path / "vast", content)
