"""Where machine code, and rules laid out for it, are kept, and under which key.

    ROOT / KEY / numba/       what Numba compiled
                 parse.*      how far a process in the background is: see background.py

The key covers every source of gpuparse, the versions of what compiles them, and the processor. Numba also compares the
modification time of a function's file, so the key covers that, too: else what counts as compiled might not be found.

ROOT is GPUPARSE_CACHE, or the user's cache folder, or if neither can be written, a temporary folder that only the user
can write to. A GPUPARSE_CACHE that can't be written serves if it has a folder of the key: `gpuparse warm-up` may have
filled it for others.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from gpuparse.jit import telling

CACHE_VARIABLE = "GPUPARSE_CACHE"
READABLE = 0o755  # permissions of a folder: others may read it, and only its owner may write what will be run
KEPT = 30 * 86_400  # seconds since a folder was made
KEY_BYTES = 12
NUMBA_SETTINGS = "NUMBA_"  # environment variables with this prefix change what Numba compiles


@dataclass(frozen=True)
class Store:
    """The folder of one key."""

    root: Path
    key: str

    @classmethod
    @cache
    def here(cls) -> Store:
        """The store for this program on this machine."""
        key = _key()
        return cls(_root(key), key)

    @property
    def folder(self) -> Path:
        """Where everything of this key is."""
        return self.root / self.key

    def numba_folder(self) -> Path:
        """Where Numba keeps what it compiled."""
        return self.folder / "numba"

    def forget_old(self) -> None:
        """Remove what older versions of the program left behind and has not been used for a while."""
        for folder in self.root.iterdir():
            if folder.name != self.key and _is_key(folder.name) and time.time() - folder.stat().st_mtime > KEPT:
                shutil.rmtree(folder, ignore_errors=True)

    def laid_out_folder(self) -> Path:
        """Where rules and tables are kept."""
        return self.folder / "laid-out"


def _root(key: str) -> Path:
    named = os.environ.get(CACHE_VARIABLE)
    if not named:
        return _usual_root()
    if _can_write(Path(named)) or _is_folder(Path(named, key)):
        return Path(named)
    usual = _usual_root()
    telling.on_stderr(f"{CACHE_VARIABLE} is {named}, which can't be written: compiled code goes to {usual}")
    return usual


def _usual_root() -> Path:
    user = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    if os.path.isabs(user) and _can_write(Path(user, "gpuparse")):
        return Path(user, "gpuparse")
    return _temporary_root()


def _can_write(folder: Path, mode: int = READABLE) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=mode)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # it is in a folder that the user may not look into
        return False


def _temporary_root() -> Path:
    """A folder that only the user can write to: the machine code in it will be run."""
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    folder = Path(tempfile.gettempdir(), f"gpuparse-{user}")
    if _can_write(folder, 0o700) and _is_private(folder):
        return folder
    return Path(tempfile.mkdtemp(prefix="gpuparse-"))


def _is_private(folder: Path) -> bool:
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        return False
    return not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o022)


def _is_key(name: str) -> bool:
    return len(name) == 2 * KEY_BYTES and set(name) <= set("0123456789abcdef")


def _key() -> str:
    digest = hashlib.blake2b(digest_size=KEY_BYTES)
    for part in _ingredients():
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def _ingredients() -> Iterator[bytes]:
    import llvmlite
    import llvmlite.binding as llvm
    import numpy

    for package in ("gpuparse", "gpuparse.kernels"):
        for file in sorted(_files(package)):
            yield f"{file} {file.stat().st_mtime_ns}".encode()
            yield file.read_bytes()
    yield Path(_place("numba"), "_version.py").read_bytes()
    versions = (llvmlite.__version__, numpy.__version__, sys.version, platform.machine(), sys.platform)
    processor = (llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    settings = (f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith(NUMBA_SETTINGS))
    for text in (*versions, *processor, *settings):
        yield text.encode()


def _files(package: str) -> Iterator[Path]:
    for folder, _, names in os.walk(_place(package)):
        yield from (Path(folder, name) for name in names if name.endswith(".py"))


def _place(package: str) -> str:
    spec = find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations
    return spec.submodule_search_locations[0]
