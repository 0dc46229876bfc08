"""Training data in a folder: built once, then mapped into memory by every process that needs it.

A folder holds one `.npy` file per array, and `contents.json`: the key of what the data was built from, and each file's
checksum. Data that is absent, damaged, or of another key is built again.
"""

from __future__ import annotations

import glob
import hashlib
import json
import logging
import os
import re
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from gpuparse.boost.matrix import Matrix
from gpuparse.errors import UsageError
from gpuparse.parse.features.examples import Candidates, Lister, Source, TrainingData, build_training_data
from gpuparse.parse.features.inventory import inventory_of
from gpuparse.parse.features.walk import NOT_ALLOWED
from gpuparse.storage import move_folder, write_atomically

CACHE_FORMAT = 4  # changes whenever the files do, or what a feature means; the names of features are part of the key
CONTENTS = "contents.json"
_CHUNK = 2**22  # bytes read at once
_ABANDONED = 3600  # seconds: no save takes as long

ARRAY_NAMES = (
    *(f"matrix.{field}" for field in Matrix._fields),
    *(f"candidates.{field}" for field in Candidates._fields),
    "numbers",
)
_BEGINNING = re.compile(rb'\{\n "format": [0-9]+,\n "key": "[0-9a-f]{64}"')

_log = logging.getLogger(__name__)


class ThinningPlan(Protocol):
    """What is kept of the training data, and what decides it; see gpuparse/parse/pilot.py."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """All that decides what is kept."""

    def make_thinner(self) -> Lister:
        """For one thread."""


def training_data(
    source: Source,
    cache: Path | None = None,
    on_sentence: Callable[[int], None] | None = None,
    threads: int = 1,
    thinning: ThinningPlan | None = None,
) -> TrainingData:
    """The training data of prepared trees: from the cache folder if it holds them, else built, and kept there.

    >>> from gpuparse.parse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.trees import load_language, parse_tree
    >>> tree = parse_tree("(TOP (NP (NNP Ann)))")
    >>> len(training_data(Source([tree], build_vocabulary([tree], load_language()))).candidates.sentences)  # its states
    2
    """
    make_thinner = None if thinning is None else thinning.make_thinner
    if cache is None:
        return build_training_data(source, on_sentence, threads, make_thinner)
    check_place(cache)
    key = cache_key(source, thinning)
    kept = load(cache, key)
    if kept is not None:
        return kept
    if _has_key(cache, key):
        _log.warning("the training data in %s is damaged, and is built again", cache)
    built = build_training_data(source, on_sentence, threads, make_thinner)
    try:
        save(built, cache, key)
    except OSError as error:  # a full disk is no reason to lose what was built
        _log.warning("the training data can't be kept in %s: %s", cache, error.strerror or error)
        return built
    return load(cache, key, check=False) or built  # mapped, so that the memory is shared and can be given back


def cache_key(source: Source, thinning: ThinningPlan | None = None) -> str:
    """What training data is built from, in 64 hexadecimal digits.

    >>> from gpuparse.parse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.trees import load_language, parse_tree
    >>> trees = [parse_tree("(TOP (NP (NNP Ann)))")]
    >>> source = Source(trees, build_vocabulary(trees, load_language()))
    >>> cache_key(source) == cache_key(source._replace(max_children=4))
    False
    """
    trees, vocabulary, strategy, max_children, seed, weights = source
    digest = hashlib.sha256()
    inventory = inventory_of(vocabulary)
    about = [CACHE_FORMAT, asdict(inventory), strategy.name, max_children, seed, vocabulary.language.text]
    about += [vocabulary.labels, [vocabulary.values_of(name) for name in inventory.properties]]
    if vocabulary.classes is not None:
        about.append(vocabulary.classes.digest)
    if thinning is not None:
        about.append(dict(thinning.settings))
    if weights:
        about.append(list(weights))
    digest.update(json.dumps(about).encode())
    for tree in trees:
        digest.update(json.dumps([tree.labels, tree.words, tree.ends]).encode())
    return digest.hexdigest()


def save(training: TrainingData, folder: Path, key: str) -> None:
    """Write training data to a folder, all or nothing: what was there before is replaced when the rest is done."""
    check_place(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    _clear_leftovers(folder)
    unfinished = folder.with_name(f"{folder.name}.{os.getpid()}.unfinished")
    try:
        unfinished.mkdir()
        write_atomically(unfinished / CONTENTS, _contents(key))  # so that it is known as ours from the beginning
        files = {name: _write_array(unfinished / f"{name}.npy", array) for name, array in _arrays(training).items()}
        write_atomically(unfinished / CONTENTS, _contents(key, uninferable=training.uninferable, files=files))
        _replace(unfinished, folder)
    finally:
        _remove(unfinished)


def _contents(key: str, **about: Any) -> bytes:
    """The contents file; its beginning, as _BEGINNING has it, is what a folder of ours is recognised by."""
    return json.dumps({"format": CACHE_FORMAT, "key": key, **about}, indent=1).encode()


def load(folder: Path, key: str, check: bool = True) -> TrainingData | None:
    """The training data of a folder, mapped into memory; None if it is absent, of another key, or damaged.

    The pages are shared by all processes that map them. `check=False` leaves out the checksums, which read all of it:
    for a process that is handed a folder which has just been checked.
    """
    try:
        contents = json.loads((folder / CONTENTS).read_bytes())
        if contents["format"] != CACHE_FORMAT or contents["key"] != key:
            return None
        arrays = {name: _map_array(folder / f"{name}.npy", about, check) for name, about in contents["files"].items()}
        matrix = Matrix(*(arrays[f"matrix.{field}"] for field in Matrix._fields))
        candidates = Candidates(*(arrays[f"candidates.{field}"] for field in Candidates._fields))
        training = TrainingData(matrix, candidates, int(contents["uninferable"]))
        if check:
            _check_indices(training)
        return training
    except (
        OSError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
    ):  # not a cache, or no longer a whole one
        return None


def _check_indices(training: TrainingData) -> None:
    """Raise ValueError where an index is outside its array: compiled code would follow it."""
    (segments, starts, features, column, numbers), candidates, _ = training
    factors = candidates.factors
    n_rows, n_states, n_candidates = len(segments), len(candidates.sentences), len(candidates.states)
    sound = [
        starts[0] == 0 and starts[-1] == len(features) and bool((starts[1:] >= starts[:-1]).all()),
        len(column) == len(numbers) and _inside(column, segments.shape[1]),
        all(_inside(chunk, len(starts) - 1) for chunk in _chunks(segments)),
        all(_inside(chunk, len(column)) for chunk in _chunks(features)),
        len(candidates.correct) == len(candidates.incorrect) == n_states,
        len(candidates.worth) == n_states and bool((np.isfinite(candidates.worth) & (candidates.worth > 0)).all()),
        _inside(candidates.states, n_states),
        all(len(getattr(candidates, name)) == n_candidates for name in ("gold", "first_rows", "choices")),
        _inside(candidates.gold, candidates.choices.shape[1], least=-1),
        len(factors) in (0, n_rows) and bool((np.isfinite(factors) & (factors >= 1.0)).all()),
        _inside(candidates.first_rows, n_rows + 1),  # one that allows no label has no row
    ]
    if not all(sound):
        raise ValueError("an index is outside its array")
    allowed = candidates.choices != NOT_ALLOWED
    last = np.where(allowed, candidates.choices, 0).max(axis=1, initial=0).astype(np.int64) + candidates.first_rows
    if not _inside(last[allowed.any(axis=1)], n_rows):
        raise ValueError("a candidate has a row that is not there")


def _inside(indices: np.ndarray, end: int, least: int = 0) -> bool:
    return indices.size == 0 or (int(indices.min()) >= least and int(indices.max()) < end)


def _chunks(array: np.ndarray) -> Iterator[np.ndarray]:
    return (array[first : first + _CHUNK] for first in range(0, len(array), _CHUNK))


def _has_key(folder: Path, key: str) -> bool:
    """Whether the folder says that it holds the data of this key."""
    try:
        return f'"key": "{key}"'.encode() in (folder / CONTENTS).read_bytes()[:200]
    except OSError:
        return False


def _clear_leftovers(folder: Path) -> None:
    """Remove what processes that were killed while they saved have left, if it is too old to be still in the making."""
    for ending in ("unfinished", "outdated"):
        for leftover in folder.parent.glob(f"{glob.escape(folder.name)}.*.{ending}"):
            if time.time() - leftover.stat().st_mtime > _ABANDONED:
                _remove(leftover)


def _arrays(training: TrainingData) -> dict[str, np.ndarray]:
    return {
        **{f"matrix.{field}": array for field, array in training.matrix._asdict().items()},
        **{f"candidates.{field}": array for field, array in training.candidates._asdict().items()},
    }


def _write_array(path: Path, array: np.ndarray) -> dict[str, Any]:
    """Write an array; returns what `_map_array` needs to know about it.

    It is not synced, since that takes long: if a power cut damages it, its checksum is wrong, and it is built again.
    """
    with path.open("wb") as file:
        np.save(file, array, allow_pickle=False)
    return {"dtype": array.dtype.str, "shape": array.shape, "bytes": path.stat().st_size, "crc32": _checksum(path)}


def _map_array(path: Path, about: dict[str, Any], check: bool) -> np.ndarray:
    """Map an array that was written, or raise ValueError if it is no longer what it was."""
    if path.stat().st_size != about["bytes"] or (check and _checksum(path) != about["crc32"]):
        raise ValueError(f"{path} is damaged")
    # Copy on write, not read only: compiled code has one type for it and for arrays in memory, and the file is safe.
    array = np.asarray(np.load(path, mmap_mode="c" if 0 not in about["shape"] else None, allow_pickle=False))
    if array.dtype.str != about["dtype"] or list(array.shape) != about["shape"]:
        raise ValueError(f"{path} holds another array")
    return array


def _checksum(path: Path) -> int:
    checksum = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            checksum = zlib.crc32(chunk, checksum)
    return checksum


def check_place(folder: Path) -> None:
    """Refuse a folder that holds anything but training data which this program wrote: saving there would replace it.

    >>> check_place(Path("no such folder"))
    """
    if not folder.exists():
        return
    reason = _not_ours(folder)
    if reason:
        raise UsageError(
            f"{folder}: the feature matrix can't be kept here, since it would replace what is there: {reason}. "
            "Move it away, or give a folder that is new or empty, or one that gpuparse made."
        )


def _not_ours(folder: Path) -> str:
    """Why a folder is not one that save() made; empty where it is, or where there is nothing in it."""
    if not folder.is_dir() or folder.is_symlink():
        return "it is a link" if folder.is_symlink() else "it is not a folder"
    names = {path.name for path in folder.iterdir()}
    foreign = sorted(names - {CONTENTS, *(f"{name}.npy" for name in ARRAY_NAMES)})
    if foreign:
        return f"it holds {foreign[0]!r}, which gpuparse did not write"
    if not names:
        return ""
    try:
        with (folder / CONTENTS).open("rb") as file:
            beginning = file.read(200)
    except OSError:
        beginning = b""
    return "" if _BEGINNING.match(beginning) else f"it has no {CONTENTS} of gpuparse's"


def _remove(folder: Path) -> None:
    """Remove a folder that save() made, if that is what it is, and nothing else."""
    if folder.exists() and not _not_ours(folder):
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()


def _replace(finished: Path, folder: Path) -> None:
    """Put a finished folder in its place. Maps of an older one stay valid: its files live on until they are closed."""
    check_place(folder)
    outdated = folder.with_name(f"{folder.name}.{os.getpid()}.outdated")
    if folder.exists():
        move_folder(folder, outdated)
    move_folder(finished, folder)
    _remove(outdated)
