"""The file of word classes: a sealed file, whose header is a few settings.

The words stand in the order of their
frequency, which names of classes need; each has the number of its finest class alone, and each class the number of the
class that it is part of at the next granularity.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from gpuparse.errors import ClassesError
from gpuparse.sealed import NotSealed, SealedKind, check_seal, open_envelope, read_arrays, read_sealed, seal
from gpuparse.storage import write_atomically
from gpuparse.words.classes import WordClasses
from gpuparse.words.options import MOST_CLASSES

CLASSES_FILE = SealedKind(
    name="gpuparse word classes",
    longest_preface=10_000,  # far more than is needed
    foreign="this is not a file of word classes, or it is damaged at its beginning.",
    damaged="this file of word classes is damaged: {}. Copy it again, or make it again with gpuparse classes.",
)
CLASSES_VERSION = 1
BETWEEN_WORDS = "\n"  # no word holds one
TYPES: dict[str, np.dtype[Any]] = {
    "words": np.dtype(np.uint8),  # in UTF-8, the most frequent first, with a line break after each
    "classes": np.dtype(np.int16),  # of each word, at the finest granularity
    "parents": np.dtype(np.int16),  # for each granularity but the last, of each class from 1 on: its class at the next
}


class ClassesHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that is no array."""

    granularities: tuple[int, ...]
    fold: bool


def save_classes(classes: WordClasses, path: Path) -> None:
    """Write classes to a file. If that fails, an older file of this name stays as it was.

    >>> import tempfile
    >>> classes = WordClasses((2,), ("a", "b"), np.array([[1], [2]], np.int32), np.array([1, 0], np.int32), False)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_classes(classes, Path(folder, "tiny.classes"))
    ...     load_classes(Path(folder, "tiny.classes")).of("b")
    (2,)
    """
    check_place(path)
    try:
        write_atomically(path, to_bytes(classes))
    except OSError as error:
        raise ClassesError(f"{path}: the word classes can't be written: {error.strerror or error}.") from error


def check_place(path: Path, overwrite: bool = True) -> None:
    """Raise a ClassesError now where classes could not be saved later: over a folder, or over a file that must stay.

    >>> check_place(Path("."))
    Traceback (most recent call last):
        ...
    gpuparse.errors.ClassesError: .: the word classes can't be written: it is there already and is not a file.
    """
    if path.exists() and not path.is_file():
        raise ClassesError(f"{path}: the word classes can't be written: it is there already and is not a file.")
    if path.exists() and not overwrite:
        raise ClassesError(f"{path}: this file is there already. Add --overwrite, or choose another --output.")


def load_classes(path: Path) -> WordClasses:
    """Read classes; a file that is damaged, of another version, or something else is a ClassesError.

    >>> load_classes(Path("no", "such.classes"))
    Traceback (most recent call last):
        ...
    gpuparse.errors.ClassesError: no/such.classes: the word classes can't be read: No such file or directory.
    """
    try:
        return from_bytes(read_sealed(CLASSES_FILE, path))
    except NotSealed as error:
        raise ClassesError(f"{path}: {error}") from error
    except OSError as error:
        raise ClassesError(f"{path}: the word classes can't be read: {error.strerror or error}.") from error


def to_bytes(classes: WordClasses) -> bytes:
    """The contents of a file."""
    header = msgspec.json.encode(ClassesHeader(classes.granularities, classes.fold))
    return seal(CLASSES_FILE, CLASSES_VERSION, header, to_arrays(classes))


def to_arrays(classes: WordClasses) -> dict[str, np.ndarray]:
    """Classes as the arrays of TYPES."""
    by_rank = np.argsort(classes.ranks)
    text = "".join(classes.words[row] + BETWEEN_WORDS for row in by_rank).encode("utf-8", "surrogatepass")
    parents = []
    for place, number in enumerate(classes.granularities[:-1]):
        parent = np.ones(number, np.int64)  # an empty class is part of the first
        parent[classes.classes[:, place] - 1] = classes.classes[:, place + 1]
        parents.append(parent)
    arrays = (
        np.frombuffer(text, np.uint8),
        classes.classes[by_rank, 0],
        np.concatenate([np.zeros(0, np.int64), *parents]),
    )
    return {name: array.astype(dtype) for (name, dtype), array in zip(TYPES.items(), arrays, strict=True)}


def from_bytes(content: bytes) -> WordClasses:
    """The classes of a file's bytes, all of them checked."""
    envelope = open_envelope(CLASSES_FILE, content)
    if envelope.version != CLASSES_VERSION:
        raise NotSealed(
            f"this file has version {str(envelope.version)[:20]} of the format, and this gpuparse reads version "
            f"{CLASSES_VERSION}. Install the gpuparse that wrote it, or make it again with gpuparse classes."
        )
    arrays = read_arrays(CLASSES_FILE, content, TYPES)
    check_seal(CLASSES_FILE, envelope, arrays)
    try:
        return from_arrays(msgspec.json.decode(envelope.header, type=ClassesHeader), arrays)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise NotSealed(CLASSES_FILE.damaged.format(f"its header can't be read ({error})")) from error
    except ValueError as error:
        raise NotSealed(CLASSES_FILE.damaged.format(error)) from error


def from_arrays(header: ClassesHeader, arrays: Mapping[str, np.ndarray]) -> WordClasses:
    """The classes of header and arrays; a ValueError says what is wrong with them."""
    granularities = header.granularities
    _require(
        bool(granularities)
        and all(one > next_one for one, next_one in pairwise(granularities))
        and granularities[0] <= MOST_CLASSES
        and granularities[-1] >= 1,
        f"its granularities are not numbers from {MOST_CLASSES:,} to 1, falling",
    )
    words = _words(arrays["words"])
    _require(len(arrays["classes"]) == len(words), "it does not have one class for each word")
    ranks = {word: rank for rank, word in enumerate(words)}
    _require(len(ranks) == len(words), "a word stands in it twice")
    columns = [arrays["classes"].astype(np.int32)]
    _require(_are_within(columns[0], granularities[0]), "a class has a number that is too great, or none")
    _require(len(arrays["parents"]) == sum(granularities[:-1]), "it does not have a parent for each class")
    ends = np.cumsum(granularities)
    for parents, classes in zip(np.split(arrays["parents"], ends[:-2]), granularities[1:], strict=False):
        _require(_are_within(parents, classes), "the parent of a class has a number that is too great, or none")
        columns.append(parents[columns[-1] - 1].astype(np.int32))
    in_order = tuple(sorted(words))
    order = np.fromiter(map(ranks.__getitem__, in_order), np.int32, len(words))
    return WordClasses(granularities, in_order, np.stack(columns, axis=1)[order], order, header.fold)


def _words(text: np.ndarray) -> list[str]:
    try:
        whole = text.tobytes().decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise ValueError("its words are not UTF-8") from error
    _require(not whole or whole.endswith(BETWEEN_WORDS), "its last word is cut short")
    words = whole.split(BETWEEN_WORDS)[:-1]
    _require(all(words), "a word is empty")
    return words


def _are_within(numbers: np.ndarray, most: int) -> bool:
    return bool(((numbers >= 1) & (numbers <= most)).all())


def _require(holds: bool, problem: str) -> None:
    if not holds:
        raise ValueError(problem)
