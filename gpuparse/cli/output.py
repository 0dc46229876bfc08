"""Where results go: only whole lines are written, and a file gets its name when it is complete.

Each piece is written before work on the next begins: a reader sees it at once, and an interruption cuts none short.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import BinaryIO

from gpuparse.errors import OutputError
from gpuparse.printable import without_controls
from gpuparse.storage import create, publish, write_all

Write = Callable[[str], None]


@contextmanager
def results_to(output: Path | None) -> Iterator[Write]:
    """Write text to the standard output, or to a file beside its final name, `OUTPUT.part`, renamed at the end.

    An older OUTPUT stays until then, and its permissions are kept. If the work ends early, its results so far are in
    OUTPUT.part, in whole lines even if the disk was full. If that name is taken, it is `OUTPUT.2.part` and so on.
    At a terminal, control characters in words and labels are written as escapes.

    >>> with results_to(None) as write:
    ...     write("a line\\n")
    a line
    """
    if output is None:
        yield _write_at_once
    elif output.exists() and not output.is_file():  # a device or a pipe, which can't be replaced
        with _told(output), output.open("wb", buffering=0) as file:
            yield lambda text: write_all(file, text.encode())
    else:
        yield from _replaced(output)


def _write_at_once(text: str) -> None:
    sys.stdout.write(without_controls(text) if sys.stdout.isatty() else text)
    sys.stdout.flush()


def _replaced(output: Path) -> Iterator[Write]:
    target = output.resolve()  # if it is a link, the file that it points to is replaced
    with _told(output):
        part, file = _new_part(target)
    try:
        with file:
            yield lambda text: _write_whole(file, text.encode(), output)
            with _told(output):
                publish(file, part, target)
    except BaseException:
        if part.exists() and part.stat().st_size:
            print(f"gpuparse: {output} is not complete; what was done is in {part}", file=sys.stderr)
        else:
            part.unlink(missing_ok=True)
        raise


def _new_part(target: Path) -> tuple[Path, BinaryIO]:
    """A new file next to the target: TARGET.part, with a number if that exists, since it may be somebody's."""
    for number in count(1):
        part = target.with_name(f"{target.name}.part" if number == 1 else f"{target.name}.{number}.part")
        try:
            return part, create(part, like=target)
        except FileExistsError:
            continue
    raise AssertionError("numbers never end")


def _write_whole(file: BinaryIO, content: bytes, output: Path) -> None:
    """All of the content, or none of it."""
    before = file.tell()
    try:
        with _told(output):
            write_all(file, content)
    except BaseException:
        file.truncate(before)
        raise


@contextmanager
def _told(output: Path) -> Iterator[None]:
    """Raise a failure to write as an error that names the file and the cause."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"{output}: can't be written: {error.strerror or error}.") from error
