"""Sealed files, as models and word classes are: safetensors, a JSON header in the metadata, a checksum over all.

Nothing in a file is ever executed, and nothing is believed before it was checked.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import safetensors
from safetensors.numpy import save

_TYPE_NAMES = {
    np.dtype(np.uint8): "U8",
    np.dtype(np.int16): "I16",
    np.dtype(np.int32): "I32",
    np.dtype(np.int64): "I64",
    np.dtype(np.float64): "F64",
}


class SealedKind(NamedTuple):
    """A kind of sealed file, and how errors speak of it."""

    name: str  # the key of its metadata
    longest_preface: int  # bytes before the arrays
    foreign: str  # what is said of a file that is something else
    damaged: str  # and of one that is no longer what was written; {} says why


class NotSealed(ValueError):
    """The bytes of a file are not those of a whole file of its kind; says why, and what to do."""


class _Preface(msgspec.Struct):
    """What a safetensors file begins with, as far as it concerns us."""

    metadata: dict[str, str] = msgspec.field(name="__metadata__", default_factory=dict)


class Envelope(msgspec.Struct):
    """The metadata: one entry, since safetensors writes several in random order, and the same content is one file."""

    version: int
    checksum: str = ""
    header: msgspec.Raw = msgspec.field(default_factory=lambda: msgspec.Raw(b"null"))


def seal(kind: SealedKind, version: int, header: bytes, arrays: Mapping[str, np.ndarray]) -> bytes:
    """The contents of a file. The order of the arrays decides the checksum.

    >>> kind = SealedKind("example", 1000, "not an example", "damaged: {}")
    >>> content = seal(kind, 1, b"{}", {"a": np.arange(3)})
    >>> open_envelope(kind, content).version, read_arrays(kind, content, {"a": np.dtype(np.int64)})["a"].tolist()
    (1, [0, 1, 2])
    """
    envelope = Envelope(version, checksum(header, arrays), msgspec.Raw(header))
    tensors = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    return save(tensors, {kind.name: msgspec.json.encode(envelope).decode()})


def checksum(header: bytes, arrays: Mapping[str, np.ndarray]) -> str:
    """SHA-256 over the JSON of the header, and over the name, the type and the bytes of each array."""
    digest = hashlib.sha256(header)
    for name, array in arrays.items():
        digest.update(f"\0{name} {array.dtype} {array.shape}\0".encode())
        digest.update(array.astype(array.dtype.newbyteorder("<")).data)
    return digest.hexdigest()


def read_sealed(kind: SealedKind, path: Path) -> bytes:
    """The bytes of a file; one that can't be of this kind, because of its first bytes, is not read any further."""
    if path.exists() and not path.is_file():
        raise NotSealed("this is not a file.")
    with path.open("rb") as file:
        beginning = file.read(9)
        length = int.from_bytes(beginning[:8], "little")
        if beginning[8:] != b"{" or not 2 <= length <= min(kind.longest_preface, os.fstat(file.fileno()).st_size - 8):
            raise NotSealed(kind.foreign)
        return beginning + file.read()


def open_envelope(kind: SealedKind, content: bytes) -> Envelope:
    """Version, checksum and header of a file's bytes."""
    length = int.from_bytes(content[:8], "little")
    try:
        metadata = msgspec.json.decode(content[8 : 8 + length], type=_Preface).metadata
        return msgspec.json.decode(metadata.get(kind.name, ""), type=Envelope)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise NotSealed(kind.foreign) from error


def read_arrays(
    kind: SealedKind,
    content: bytes,
    types: Mapping[str, np.dtype[Any]],
    optional: Iterable[Mapping[str, np.dtype[Any]]] = (),
) -> dict[str, np.ndarray]:
    """The arrays of a file's bytes: those of `types`, and of each optional set all or none; every one is a row."""
    try:
        tensors = dict(safetensors.deserialize(content))
    except safetensors.SafetensorError as error:
        raise NotSealed(kind.damaged.format(f"its arrays can't be read ({error})")) from error
    expected = dict(types)
    for more in optional:
        if not more.keys().isdisjoint(tensors):
            expected |= more
    if set(tensors) != set(expected):
        raise NotSealed(kind.damaged.format(f"it should have the arrays {', '.join(expected)}"))
    arrays = {}
    for name, dtype in expected.items():
        tensor = tensors[name]
        if tensor["dtype"] != _TYPE_NAMES[dtype] or len(tensor["shape"]) != 1:
            raise NotSealed(kind.damaged.format(f"{name} is not a row of {dtype} numbers"))
        arrays[name] = np.frombuffer(tensor["data"], dtype.newbyteorder("<")).astype(dtype)
    return arrays


def check_seal(kind: SealedKind, envelope: Envelope, arrays: Mapping[str, np.ndarray]) -> None:
    """Raise NotSealed where header and arrays are not those that the checksum was made of."""
    if envelope.checksum != checksum(bytes(envelope.header), arrays):
        raise NotSealed(kind.damaged.format("its checksum is wrong"))
