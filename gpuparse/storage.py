"""Files that are whole or absent, and locks: the only code that syncs and renames.

New content is written under another name in the same folder and synced before it replaces the old content.
"""

from __future__ import annotations

import os
import secrets
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)  # O_EXCL: links are not followed, either
_LOCK_FILE = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
_RETRY = 0.1  # seconds between two attempts to lock, where the system can't wait


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file, all or nothing: until the content is on the disk, an older file of this name stays as it was.

    The permissions of the older file are kept; if it is a link, the file that it points to is replaced.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder, "a"), b"content")
    ...     Path(folder, "a").read_bytes()
    b'content'
    """
    target = path.resolve()
    temporary = target.with_name(f".gpuparse-{secrets.token_hex(8)}")
    try:
        with create(temporary, like=target) as file:
            write_all(file, content)
            publish(file, temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def create(path: Path, like: Path | None = None) -> BinaryIO:
    """Create a file, unbuffered; it has the permissions of the file that it is to replace, if there is one.

    >>> create(Path("."))
    Traceback (most recent call last):
        ...
    FileExistsError: [Errno 17] File exists: '.'
    """
    try:
        mode = None if like is None else stat.S_IMODE(like.stat().st_mode)
    except FileNotFoundError:
        mode = None
    descriptor = os.open(path, _NEW_FILE, 0o666 if mode is None else 0o600)
    if mode is not None and hasattr(os, "fchmod"):
        os.fchmod(descriptor, mode)
    return os.fdopen(descriptor, "wb", buffering=0)


def write_all(file: BinaryIO, content: bytes) -> None:
    """Write all of the content to an unbuffered file, which may accept it in pieces."""
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]


def publish(file: BinaryIO, temporary: Path, target: Path) -> None:
    """Sync and close a file that was written under a temporary name, and give it its own name."""
    os.fsync(file.fileno())
    file.close()  # some systems can't rename an open file
    os.replace(temporary, target)
    sync_folder(target.parent)


def move_folder(folder: Path, place: Path) -> None:
    """Sync a folder and rename it; the new name must be free, or that of an empty folder."""
    sync_folder(folder)
    folder.rename(place)
    sync_folder(place.parent)


def sync_folder(folder: Path) -> None:
    """Sync the names in a folder, where the system supports that."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)


@contextmanager
def locked(path: Path, wait: bool = True) -> Iterator[bool]:
    """Hold an exclusive lock on a file, which is created if necessary and stays; a process that dies releases it.

    Yields whether it is held: with `wait=False` it is not if another process holds it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, locked(Path(folder, "lock")) as first:
    ...     with locked(Path(folder, "lock"), wait=False) as second:
    ...         first, second
    (True, False)
    """
    descriptor = os.open(path, _LOCK_FILE, 0o666)
    try:
        yield _lock(descriptor, wait)
    finally:
        os.close(descriptor)  # which releases it


if sys.platform == "win32":

    def _lock(descriptor: int, wait: bool) -> bool:
        import msvcrt

        while True:
            try:
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
                return True
            except OSError:
                if not wait:
                    return False
                time.sleep(_RETRY)

else:

    def _lock(descriptor: int, wait: bool) -> bool:
        import fcntl

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        return True
