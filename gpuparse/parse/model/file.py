"""The model file: a sealed file, whose header is everything that is no array.

A file appears under its name only when it is whole and on the disk.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import numpy as np

from gpuparse.errors import ModelError
from gpuparse.parse.model.contents import CLASSES_TYPES, TAGGER_TYPES, Arrays, Flaw, Header, pack, unpack
from gpuparse.parse.model.formats import MODEL_VERSION, arrays_today, parser_types, read_header
from gpuparse.parse.model.model import Model
from gpuparse.sealed import (
    NotSealed,
    SealedKind,
    check_seal,
    open_envelope,
    read_arrays,
    read_sealed,
    seal,
)
from gpuparse.storage import write_atomically

MODEL_FILE = SealedKind(
    name="gpuparse model",
    longest_preface=100_000_000,  # the limit of safetensors
    foreign="this is not a gpuparse model, or it is damaged at its beginning.",
    damaged="this model is damaged: {}. Copy it again, or train it again.",
)


def save_model(model: Model, path: Path) -> None:
    """Write a model to one file. If that fails, an older file of this name stays as it was.

    The configuration must consist of what JSON knows: strings, numbers, truth values, None, lists, dicts by strings.

    >>> import tempfile
    >>> from gpuparse.options import Strategy
    >>> from gpuparse.parse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.boost.ensemble import Ensemble
    >>> from gpuparse.trees import load_language, parse_trees
    >>> vocabulary = build_vocabulary(parse_trees("(TOP (NP (NNP Ann)))"), load_language())
    >>> ensembles = {label: Ensemble.of([], []) for label in vocabulary.labels}
    >>> model = Model(vocabulary, Strategy.r2l, 5, ensembles, rarity={}, lambda_=0.1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, Path(folder, "tiny.model"))
    ...     load_model(Path(folder, "tiny.model")).vocabulary.labels
    ('NP', 'TOP')
    """
    try:
        header, arrays = pack(model)
        unpack(header, arrays)
    except Flaw as flaw:
        raise ModelError(f"{path}: this model can't be stored: {flaw}.") from flaw
    check_place(path)
    try:
        write_atomically(path, to_bytes(header, arrays))
    except OSError as error:
        raise ModelError(f"{path}: the model can't be written: {error.strerror or error}.") from error


def check_place(path: Path) -> None:
    """Raise a ModelError now where a model could not be saved later: over something that is not a file, or in a folder
    that can't be written to.

    >>> check_place(Path("."))
    Traceback (most recent call last):
        ...
    gpuparse.errors.ModelError: .: the model can't be written: it is there already and is not a file.
    """
    if path.exists() and not path.is_file():
        raise ModelError(f"{path}: the model can't be written: it is there already and is not a file.")
    folder = next(folder for folder in path.absolute().parents if folder.exists())
    if not folder.is_dir():
        raise ModelError(f"{path}: the model can't be written: {folder} is not a folder.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ModelError(f"{path}: the model can't be written: {folder} is not writable.")


def load_model(path: Path) -> Model:
    """Read a model; a file that is damaged, of another version, or not a model at all is a ModelError.

    >>> load_model(Path("no", "such.model"))
    Traceback (most recent call last):
        ...
    gpuparse.errors.ModelError: no/such.model: the model can't be read: No such file or directory.
    """
    try:
        header, arrays, verified = from_bytes(read_sealed(MODEL_FILE, path))
        model = unpack(header, arrays)
        object.__setattr__(model, "checksum", verified)  # not an argument, so that a changed copy has none
        return model
    except Flaw as flaw:
        raise ModelError(f"{path}: the model can't be used: {flaw}.") from flaw
    except NotSealed as error:
        raise ModelError(f"{path}: {error}") from error
    except OSError as error:
        raise ModelError(f"{path}: the model can't be read: {error.strerror or error}.") from error


def to_bytes(header: Header, arrays: Arrays) -> bytes:
    """The contents of a file."""
    text = msgspec.json.encode(header, enc_hook=_plain)
    return seal(MODEL_FILE, MODEL_VERSION, text, arrays.by_name())


def _plain(value: object) -> object:
    """A number of NumPy's as one of Python's."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a model's configuration can't hold {value!r}, which JSON does not know")


def from_bytes(content: bytes) -> tuple[Header, Arrays, str]:
    """The header, the arrays and the checksum of a file, which is right; unpack() checks the rest."""
    envelope = open_envelope(MODEL_FILE, content)
    _check_version(envelope.version)
    types = parser_types(envelope.version)
    stored = read_arrays(MODEL_FILE, content, types, (TAGGER_TYPES, CLASSES_TYPES))
    check_seal(MODEL_FILE, envelope, stored)
    arrays = Arrays.from_names(arrays_today(stored, envelope.version))
    text = bytes(envelope.header)
    try:
        return read_header(text, envelope.version), arrays, envelope.checksum
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise NotSealed(MODEL_FILE.damaged.format(f"its header can't be read ({error})")) from error


def _check_version(version: int) -> None:
    if version > MODEL_VERSION:
        raise NotSealed(
            f"this model has version {str(version)[:20]} of the format, and this gpuparse reads those up to "
            f"{MODEL_VERSION}: it was written by a newer gpuparse. Install that, or train the model again."
        )
    if version < 1:
        raise NotSealed(
            f"this model has version {str(version)[:20]} of the format, which never was. Copy it again, or "
            "train it again."
        )
