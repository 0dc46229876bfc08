"""Where results go: whole lines only, and a file takes its name when it is complete.

Each piece is on its way before the next is worked on, so that a reader sees it at once and no interruption tears it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from gpuparse.errors import OutputError

Write = Callable[[str], None]


@contextmanager
def results_to(output: Path | None) -> Iterator[Write]:
    """Write text to the standard output, or to a file beside its final name, `OUTPUT.part`, renamed at the end.

    An older file of that name stays until then. If the work ends early, what was done is in OUTPUT.part, in whole
    lines even if the disk was full.

    >>> with results_to(None) as write:
    ...     write("a line\\n")
    a line
    """
    if output is None:
        yield _write_at_once
    elif output.exists() and not output.is_file():  # a device or a pipe, which can't be replaced
        with _told(output), output.open("wb", buffering=0) as file:
            yield lambda text: _write_all(file, text.encode())
    else:
        yield from _replaced(output)


def _write_at_once(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _replaced(output: Path) -> Iterator[Write]:
    target = output.resolve()  # where it is a link, what it points to is replaced
    part = target.with_name(target.name + ".part")
    with _told(output):
        file = part.open("wb", buffering=0)
    try:
        with file:
            yield lambda text: _write_whole(file, text.encode(), output)
            with _told(output):
                os.fsync(file.fileno())
        with _told(output):
            os.replace(part, target)
    except BaseException:
        if part.stat().st_size:
            print(f"gpuparse: {output} is not complete; what was done is in {part}", file=sys.stderr)
        else:
            part.unlink()
        raise


def _write_whole(file: BinaryIO, content: bytes, output: Path) -> None:
    """All of the content, or none of it."""
    before = file.tell()
    try:
        with _told(output):
            _write_all(file, content)
    except BaseException:
        file.truncate(before)
        raise


def _write_all(file: BinaryIO, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[file.write(rest) :]


@contextmanager
def _told(output: Path) -> Iterator[None]:
    """A failure to write is told with the file and the cause."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"{output}: can't be written: {error.strerror or error}.") from error
