"""Rules that were laid out are kept, so that the next start only reads them.

    FOLDER / NAME.safetensors    the arrays of the rules; NAME stands for the model and the lambda

Compiled code trusts the indices in these arrays, so a file counts only if its checksum is right; it covers the name and
every array with its type and shape. Whatever is wrong with a file or its folder, the rules are laid out again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np
import safetensors
from safetensors.numpy import load, save

from gpuparse.jit.store import READABLE, Store
from gpuparse.parse.model.rules import Layout, Marks, Rules
from gpuparse.storage import write_atomically

MOST_FILES = 16  # those that were used last stay
RULES_SUFFIX = ".safetensors"
_CHECKSUM = "checksum"
_OWN = Rules._fields[:4]


def kept_rules(name: str, lay_out: Callable[[], Rules], folder: Path | None = None) -> Rules:
    """The rules kept under a name; where there are none, those that `lay_out` makes, which are kept from now on.

    `folder` is by default that of the store.
    """
    try:
        path = (folder or Store.here().laid_out_folder()) / f"{name}{RULES_SUFFIX}"
        rules = _read(path)
    except OSError:
        return lay_out()
    if rules is None:
        rules = lay_out()
        with suppress(OSError):
            _write(path, rules)
    return rules


def _read(path: Path) -> Rules | None:
    """None where there is no whole file."""
    try:
        content = path.read_bytes()
        arrays = {name: array.copy() for name, array in load(content).items()}  # of our own, aligned, and writable
    except (FileNotFoundError, safetensors.SafetensorError, KeyError, ValueError, TypeError):
        return None
    stored = arrays.pop(_CHECKSUM, None)
    if stored is None or stored.tobytes() != _digest(path.name, arrays):
        return None
    with suppress(OSError):
        os.utime(path)  # it was used
    return _from_names(arrays)


def _write(path: Path, rules: Rules) -> None:
    arrays = {name: np.ascontiguousarray(array) for name, array in _by_name(rules).items()}
    checksum = np.frombuffer(_digest(path.name, arrays), np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True, mode=READABLE)
    write_atomically(path, save(arrays | {_CHECKSUM: checksum}))
    _drop_oldest(path.parent)


def _drop_oldest(folder: Path) -> None:
    files = sorted(folder.glob(f"*{RULES_SUFFIX}"), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in files[MOST_FILES:]:
        file.unlink(missing_ok=True)


def _digest(file_name: str, arrays: Mapping[str, np.ndarray]) -> bytes:
    digest = hashlib.blake2b(file_name.encode(), digest_size=32)
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"\0{name} {array.dtype.str} {array.shape}\0".encode())
        digest.update(array.data)
    return digest.digest()


def _by_name(rules: Rules) -> dict[str, np.ndarray]:
    named = {name: getattr(rules, name) for name in _OWN}
    named |= {f"marks.{name}": array for name, array in rules.marks._asdict().items()}
    return named | {f"layout.{name}": array for name, array in rules.layout._asdict().items()}


def _from_names(arrays: Mapping[str, np.ndarray]) -> Rules:
    marks = Marks(*(arrays[f"marks.{name}"] for name in Marks._fields))
    layout = Layout(*(arrays[f"layout.{name}"] for name in Layout._fields))
    return Rules(**{name: arrays[name] for name in _OWN}, marks=marks, layout=layout)
