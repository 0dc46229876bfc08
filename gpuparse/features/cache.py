"""Training data in a folder: built once, then mapped into memory by every process that needs it.

A folder holds one `.npy` file an array, and `contents.json`: the key of what the data was built from, and each file's
checksum. Whatever is absent, of another key, or damaged counts as not there.
"""

from __future__ import annotations

import glob
import hashlib
import json
import logging
import os
import shutil
import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gpuparse.features.examples import Candidates, TrainingData, build_training_data
from gpuparse.features.matrix import Matrix
from gpuparse.logic.strategy import Strategy
from gpuparse.logic.vocabulary import Vocabulary
from gpuparse.trees import Tree

FORMAT = 1  # changes whenever the files or the features do, even by a single feature
CONTENTS = "contents.json"
_BLOCK = 2**22  # bytes read at once
_ABANDONED = 3600  # seconds: no save takes as long

_log = logging.getLogger(__name__)


def training_data(
    trees: Sequence[Tree],
    vocabulary: Vocabulary,
    strategy: Strategy = Strategy.r2l,
    max_children: int = 5,
    seed: int = 0,
    cache: Path | None = None,
    on_sentence: Callable[[int], None] | None = None,
    threads: int = 1,
) -> TrainingData:
    """The training data of prepared trees: from the cache folder if it holds them, else built, and kept there.

    >>> from gpuparse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.trees import load_language, parse_tree
    >>> tree = parse_tree("(TOP (NP (NNP Ann)))")
    >>> len(training_data([tree], build_vocabulary([tree], load_language())).candidates.sentences)  # its states
    2
    """
    if cache is None:
        return build_training_data(trees, vocabulary, strategy, max_children, seed, on_sentence, threads)
    key = cache_key(trees, vocabulary, strategy, max_children, seed)
    kept = load(cache, key)
    if kept is not None:
        return kept
    built = build_training_data(trees, vocabulary, strategy, max_children, seed, on_sentence, threads)
    try:
        save(built, cache, key)
    except OSError as error:  # a full disk is no reason to lose what was built
        _log.warning("the training data can't be kept in %s: %s", cache, error.strerror or error)
        return built
    return load(cache, key, check=False) or built  # mapped, so that the memory is shared and can be given back


def cache_key(trees: Sequence[Tree], vocabulary: Vocabulary, strategy: Strategy, max_children: int, seed: int) -> str:
    """What training data is built from, in 64 hexadecimal digits.

    >>> from gpuparse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.trees import load_language, parse_tree
    >>> tree = parse_tree("(TOP (NP (NNP Ann)))")
    >>> vocabulary = build_vocabulary([tree], load_language())
    >>> cache_key([tree], vocabulary, Strategy.r2l, 5, 0) == cache_key([tree], vocabulary, Strategy.r2l, 4, 0)
    False
    """
    values = (vocabulary.labels, vocabulary.symbols, vocabulary.words, vocabulary.tags, vocabulary.classes)
    digest = hashlib.sha256()
    about = [FORMAT, strategy.name, max_children, seed, vocabulary.language.text, *values]
    digest.update(json.dumps(about).encode())
    for tree in trees:
        digest.update(json.dumps([tree.labels, tree.words, tree.ends]).encode())
    return digest.hexdigest()


def save(training: TrainingData, folder: Path, key: str) -> None:
    """Write training data to a folder, all or nothing: what was there before is replaced when the rest is done."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    _clear_leftovers(folder)
    unfinished = folder.with_name(f"{folder.name}.{os.getpid()}.unfinished")
    try:
        unfinished.mkdir()
        files = {name: _write_array(unfinished / f"{name}.npy", array) for name, array in _arrays(training).items()}
        contents = {"format": FORMAT, "key": key, "uninferable": training.uninferable, "files": files}
        _write_synced(unfinished / CONTENTS, json.dumps(contents, indent=1).encode())
        _sync_folder(unfinished)
        _replace(unfinished, folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def load(folder: Path, key: str, check: bool = True) -> TrainingData | None:
    """The training data of a folder, mapped into memory; None if it is absent, of another key, or damaged.

    The pages are shared by all processes that map them. `check=False` leaves out the checksums, which read all of it:
    for a process that is handed a folder which has just been checked.
    """
    try:
        contents = json.loads((folder / CONTENTS).read_bytes())
        if contents["format"] != FORMAT or contents["key"] != key:
            return None
        arrays = {name: _map_array(folder / f"{name}.npy", about, check) for name, about in contents["files"].items()}
        matrix = Matrix(*(arrays.pop(f"matrix.{field}") for field in Matrix._fields))
        candidates = Candidates(*(arrays.pop(f"candidates.{field}") for field in Candidates._fields))
        return TrainingData(matrix, candidates, arrays.pop("numbers"), int(contents["uninferable"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):  # not a cache, or no longer a whole one
        return None


def _clear_leftovers(folder: Path) -> None:
    """Remove what processes that were killed while they saved have left, if it is too old to be still in the making."""
    for ending in ("unfinished", "outdated"):
        for leftover in folder.parent.glob(f"{glob.escape(folder.name)}.*.{ending}"):
            if time.time() - leftover.stat().st_mtime > _ABANDONED:
                shutil.rmtree(leftover, ignore_errors=True)


def _arrays(training: TrainingData) -> dict[str, np.ndarray]:
    return {
        **{f"matrix.{field}": array for field, array in training.matrix._asdict().items()},
        **{f"candidates.{field}": array for field, array in training.candidates._asdict().items()},
        "numbers": training.numbers,
    }


def _write_array(path: Path, array: np.ndarray) -> dict[str, Any]:
    """Write an array; what `_map_array` wants to know about it.

    It is not synced, which takes long: what a power cut spoils, the checksum shows, and it is built anew.
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
        while block := file.read(_BLOCK):
            checksum = zlib.crc32(block, checksum)
    return checksum


def _write_synced(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":  # elsewhere a folder can't be opened
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _replace(finished: Path, folder: Path) -> None:
    """Put a finished folder in its place. Maps of an older one stay valid: its files live on until they are closed."""
    outdated = folder.with_name(f"{folder.name}.{os.getpid()}.outdated")
    if folder.exists():
        folder.rename(outdated)
    finished.rename(folder)
    _sync_folder(folder.parent)
    shutil.rmtree(outdated, ignore_errors=True)
