"""The file of word classes: what goes in comes out, and damage and malice are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save

from gpuparse.errors import ClassesError
from gpuparse.sealed import checksum
from gpuparse.words import ClassOptions, WordClasses, load_classes, save_classes
from gpuparse.words.file import CLASSES_FILE, ClassesHeader, from_bytes, to_arrays, to_bytes
from gpuparse.words.induction import induce_classes
from tests.words.test_induction import phrases

Arrays = dict[str, np.ndarray]


@cache
def some_classes() -> WordClasses:
    return induce_classes(phrases(), ClassOptions(granularities=(5, 3, 2))).classes


def same(one: WordClasses, other: WordClasses) -> bool:
    arrays = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("classes", "ranks"))
    return arrays and (one.words, one.granularities, one.fold) == (other.words, other.granularities, other.fold)


def written(arrays: Arrays, granularities: tuple[int, ...] = (5, 3, 2), version: int = 1) -> bytes:
    """A file of anything, with the right checksum."""
    header = msgspec.json.encode(ClassesHeader(granularities, False))
    envelope = {"version": version, "checksum": checksum(header, arrays), "header": msgspec.Raw(header)}
    return save(arrays, {CLASSES_FILE.name: msgspec.json.encode(envelope).decode()})


def refused(content: bytes, path: Path) -> str:
    path.write_bytes(content)
    with pytest.raises(ClassesError) as caught:
        load_classes(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert message.endswith(".")
    return message


def test_classes_come_back_to_the_bit_and_give_one_file(tmp_path: Path) -> None:
    path = tmp_path / "a.classes"
    save_classes(some_classes(), path)
    loaded = load_classes(path)
    assert same(loaded, some_classes())
    assert to_bytes(loaded) == path.read_bytes()
    assert loaded.name(0, loaded.of("Ann")[0]) == some_classes().name(0, some_classes().of("Ann")[0])


@given(st.lists(st.lists(st.text("aé\U0001f600\ud800\0", min_size=1, max_size=3), max_size=5), max_size=8))
@settings(max_examples=60, deadline=None)
def test_any_words_come_back(sentences: list[list[str]]) -> None:
    number = len({word for sentence in sentences for word in sentence})
    options = ClassOptions(granularities=tuple(range(max(number, 1), 0, -1)), least=1)
    if number:
        classes = induce_classes(sentences, options).classes
        assert same(from_bytes(to_bytes(classes)), classes)


def test_every_damaged_byte_and_every_cut_is_told(tmp_path: Path) -> None:
    content = to_bytes(some_classes())
    for place in range(0, len(content), 3):
        damaged = bytearray(content)
        damaged[place] ^= 4
        refused(bytes(damaged), tmp_path / "damaged.classes")
    for length in range(0, len(content), 11):
        refused(content[:length], tmp_path / "cut.classes")


def test_something_else_is_told_by_its_first_bytes(tmp_path: Path) -> None:
    assert "not a file of word classes" in refused(b"(S (NP (NN rain)))", tmp_path / "a.mrg")
    assert "not a file of word classes" in refused(save({"a": np.zeros(1)}), tmp_path / "a.safetensors")
    with pytest.raises(ClassesError, match="not a file"):
        load_classes(tmp_path)


def test_another_version_says_what_to_do(tmp_path: Path) -> None:
    message = refused(written(to_arrays(some_classes()), version=9), tmp_path / "new.classes")
    assert "version 9" in message
    assert "Install the gpuparse that wrote it" in message


def changed(name: str, change: Callable[[np.ndarray], object]) -> Arrays:
    """The arrays, one of them replaced, or changed in place."""
    arrays = {key: array.copy() for key, array in to_arrays(some_classes()).items()}
    other = change(arrays[name])
    return arrays | ({name: other} if isinstance(other, np.ndarray) else {})


def put(place: int, value: int) -> Callable[[np.ndarray], object]:
    return lambda array: array.__setitem__(place, value)


@pytest.mark.parametrize(
    ("arrays", "flaw"),
    [
        (changed("classes", put(3, 6)), "a number that is too great, or none"),
        (changed("classes", put(3, 0)), "a number that is too great, or none"),
        (changed("parents", put(1, 4)), "the parent of a class has a number"),
        (changed("parents", put(6, 3)), "the parent of a class has a number"),
        (changed("parents", put(0, -1)), "the parent of a class has a number"),
        (changed("parents", lambda array: array[1:]), "a parent for each class"),
        (changed("classes", lambda array: array[1:]), "one class for each word"),
        (changed("words", lambda array: array[:-1]), "cut short"),
        (changed("words", put(0, 0xFF)), "not UTF-8"),
        (changed("words", lambda array: np.frombuffer(b"\n" * 10, np.uint8)), "a word is empty"),
        (changed("words", lambda array: np.frombuffer(b"a\n" * 10, np.uint8)), "twice"),
        (changed("classes", lambda array: array.astype(np.int32)), "classes is not a row of int16"),
        (changed("classes", lambda array: array[:, None]), "classes is not a row of int16"),
        ({**to_arrays(some_classes()), "more": np.zeros(1)}, "it should have the arrays"),
    ],
)
def test_what_can_not_be_right_is_refused_although_the_checksum_is(arrays: Arrays, flaw: str, tmp_path: Path) -> None:
    assert flaw in refused(written(arrays), tmp_path / "bad.classes")


@pytest.mark.parametrize("granularities", [(), (2, 3), (3, 3), (2049,), (5, 3, 0)])
def test_impossible_granularities_are_refused(granularities: tuple[int, ...], tmp_path: Path) -> None:
    message = refused(written(to_arrays(some_classes()), granularities), tmp_path / "bad.classes")
    assert "granularities are not numbers" in message


def test_what_can_not_be_written_is_told_and_an_older_file_stays(tmp_path: Path) -> None:
    with pytest.raises(ClassesError, match="is not a file"):
        save_classes(some_classes(), tmp_path)
    with pytest.raises(ClassesError, match="can't be written: No such file"):
        save_classes(some_classes(), tmp_path / "no" / "a.classes")


def test_a_file_can_be_read_without_gpuparse(tmp_path: Path) -> None:
    content = to_bytes(some_classes())
    length = int.from_bytes(content[:8], "little")
    envelope = json.loads(json.loads(content[8 : 8 + length])["__metadata__"][CLASSES_FILE.name])
    assert envelope["version"] == 1
    assert envelope["header"]["granularities"] == [5, 3, 2]
