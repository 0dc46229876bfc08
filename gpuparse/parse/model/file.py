"""The model file: safetensors, with everything that is no array as JSON in the metadata, and a checksum over both.

Nothing in a file is ever executed, and nothing is believed before it was checked. A file appears under its name only
when it is whole and on the disk.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import msgspec
import numpy as np
import safetensors
from safetensors.numpy import save

from gpuparse.errors import ModelError
from gpuparse.parse.model.contents import PARSER_TYPES, TAGGER_TYPES, Arrays, Flaw, Header, pack, unpack
from gpuparse.parse.model.formats import VERSION, read_header
from gpuparse.parse.model.model import Model
from gpuparse.storage import write_atomically

FORMAT = "gpuparse model"
_LONGEST_PREFACE = 100_000_000  # bytes: the limit of safetensors for what comes before the arrays
_TYPE_NAMES = {
    np.dtype(np.int16): "I16",
    np.dtype(np.int32): "I32",
    np.dtype(np.int64): "I64",
    np.dtype(np.float64): "F64",
}


class _Preface(msgspec.Struct):
    """What a safetensors file begins with, as far as it concerns us."""

    metadata: dict[str, str] = msgspec.field(name="__metadata__", default_factory=dict)


class _Envelope(msgspec.Struct):
    """The metadata: one entry, since safetensors writes several in random order, and a model must give one file."""

    version: int
    checksum: str = ""
    header: msgspec.Raw = msgspec.field(default_factory=lambda: msgspec.Raw(b"null"))


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
    """Raise a ModelError now where a model could not be saved later: over something that is not a file.

    >>> check_place(Path("."))
    Traceback (most recent call last):
        ...
    gpuparse.errors.ModelError: .: the model can't be written: it is there already and is not a file.
    """
    if path.exists() and not path.is_file():
        raise ModelError(f"{path}: the model can't be written: it is there already and is not a file.")


def load_model(path: Path) -> Model:
    """Read a model; a file that is damaged, of another version, or not a model at all is a ModelError.

    >>> load_model(Path("no", "such.model"))
    Traceback (most recent call last):
        ...
    gpuparse.errors.ModelError: no/such.model: the model can't be read: No such file or directory.
    """
    try:
        header, arrays, verified = from_bytes(_read(path))
        model = unpack(header, arrays)
        object.__setattr__(model, "checksum", verified)  # no argument of Model, so that no changed copy takes it along
        return model
    except Flaw as flaw:
        raise ModelError(f"{path}: the model can't be used: {flaw}.") from flaw
    except _NotAModel as error:
        raise ModelError(f"{path}: {error}") from error
    except OSError as error:
        raise ModelError(f"{path}: the model can't be read: {error.strerror or error}.") from error


class _NotAModel(ValueError):
    """The bytes of a file are not those of a whole model of this version."""


_NO_MODEL = "this is not a gpuparse model, or it is damaged at its beginning."
_DAMAGED = "this model is damaged: {}. Copy it again, or train it again."


def to_bytes(header: Header, arrays: Arrays) -> bytes:
    """The contents of a file."""
    text = msgspec.json.encode(header, enc_hook=_plain)
    envelope = _Envelope(VERSION, checksum(text, arrays), msgspec.Raw(text))
    tensors = {name: np.ascontiguousarray(array) for name, array in arrays.by_name().items()}
    return save(tensors, {FORMAT: msgspec.json.encode(envelope).decode()})


def checksum(header: bytes, arrays: Arrays) -> str:
    """SHA-256 over the JSON of the header, and over the name, the kind and the bytes of each array."""
    digest = hashlib.sha256(header)
    for name, array in arrays.by_name().items():
        digest.update(f"\0{name} {array.dtype} {array.shape}\0".encode())
        digest.update(array.astype(array.dtype.newbyteorder("<")).data)
    return digest.hexdigest()


def _plain(value: object) -> object:
    """A number of NumPy's as one of Python's."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a model's configuration can't hold {value!r}, which JSON does not know")


def from_bytes(content: bytes) -> tuple[Header, Arrays, str]:
    """The header, the arrays and the checksum of a file, which is right; unpack() checks the rest."""
    envelope = _envelope(content)
    _check_version(envelope.version)
    arrays = _arrays(content)
    text = bytes(envelope.header)
    if envelope.checksum != checksum(text, arrays):
        raise _NotAModel(_DAMAGED.format("its checksum is wrong"))
    try:
        return read_header(text, envelope.version), arrays, envelope.checksum
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise _NotAModel(_DAMAGED.format(f"its header can't be read ({error})")) from error


def _envelope(content: bytes) -> _Envelope:
    length = int.from_bytes(content[:8], "little")
    try:
        metadata = msgspec.json.decode(content[8 : 8 + length], type=_Preface).metadata
        return msgspec.json.decode(metadata.get(FORMAT, ""), type=_Envelope)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise _NotAModel(_NO_MODEL) from error


def _check_version(version: int) -> None:
    if version > VERSION:
        raise _NotAModel(
            f"this model has version {str(version)[:20]} of the format, and this gpuparse reads those up to {VERSION}: "
            "it was written by a newer gpuparse. Install that, or train the model again."
        )
    if version < 1:
        raise _NotAModel(
            f"this model has version {str(version)[:20]} of the format, which never was. Copy it again, or "
            "train it again."
        )


def _arrays(content: bytes) -> Arrays:
    try:
        tensors = dict(safetensors.deserialize(content))
    except safetensors.SafetensorError as error:
        raise _NotAModel(_DAMAGED.format(f"its arrays can't be read ({error})")) from error
    types = PARSER_TYPES if TAGGER_TYPES.keys().isdisjoint(tensors) else PARSER_TYPES | TAGGER_TYPES
    if set(tensors) != set(types):
        raise _NotAModel(_DAMAGED.format(f"it should have the arrays {', '.join(types)}"))
    arrays = {}
    for name, dtype in types.items():
        tensor = tensors[name]
        if tensor["dtype"] != _TYPE_NAMES[dtype] or len(tensor["shape"]) != 1:
            raise _NotAModel(_DAMAGED.format(f"{name} is not a row of {dtype} numbers"))
        arrays[name] = np.frombuffer(tensor["data"], dtype.newbyteorder("<")).astype(dtype)
    return Arrays.from_names(arrays)


def _read(path: Path) -> bytes:
    """The bytes of a file; one that can't be a model, because of its first bytes, is not read any further."""
    if path.exists() and not path.is_file():
        raise _NotAModel("this is not a file.")
    with path.open("rb") as file:
        beginning = file.read(9)
        length = int.from_bytes(beginning[:8], "little")
        if beginning[8:] != b"{" or not 2 <= length <= min(_LONGEST_PREFACE, os.fstat(file.fileno()).st_size - 8):
            raise _NotAModel(_NO_MODEL)
        return beginning + file.read()
