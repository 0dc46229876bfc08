"""A terminal for tests: a command runs with each of its streams at a pseudo-terminal, a pipe or a file.

What stdout gets is kept apart from what stderr gets, unless both are to share one terminal, as a person's do.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import tempfile
import termios
import time
import tty
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO

from tests.warm import plain_environment

ROWS, COLUMNS = 24, 80
CONTROL = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]|\r")


class Stream(StrEnum):
    """What a stream of a command is connected to."""

    TERMINAL = "terminal"
    SAME = "same"  # stderr alone: the terminal that stdout is
    PIPE = "pipe"
    FILE = "file"


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    stdout: bytes
    stderr: bytes  # empty where it shares the terminal of stdout
    code: int

    @property
    def messages(self) -> str:
        """What stderr says, without the codes that move the cursor and set colours."""
        return CONTROL.sub(b"", self.stderr).decode()


def run_with_streams(
    command: Sequence[str | Path],
    stdout: Stream = Stream.TERMINAL,
    stderr: Stream = Stream.TERMINAL,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    seconds: float = 300,
) -> Ran:
    """Run a command with nothing on its stdin and the other streams as told."""
    with ExitStack() as opened:
        ends = [_Receiver(opened, stdout)]
        if stderr is not Stream.SAME:
            ends.append(_Receiver(opened, stderr))
        process = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL, stdout=ends[0].inner, stderr=ends[-1].inner,
            cwd=folder, env=terminal_environment() | dict(environment or {}),
        )  # fmt: skip
        for end in ends:
            end.close_inner()
        until = time.monotonic() + seconds
        while any(end.is_open for end in ends):
            _receive(ends, until)
        code = process.wait(max(1.0, until - time.monotonic()))
        return Ran(ends[0].content(), ends[1].content() if len(ends) > 1 else b"", code)


def terminal_environment() -> dict[str, str]:
    """That of a person at a terminal: colours are welcome."""
    return {name: value for name, value in plain_environment().items() if name != "NO_COLOR"} | {
        "TERM": "xterm-256color"
    }


class _Receiver:
    """The test's end of one stream of the command."""

    def __init__(self, opened: ExitStack, kind: Stream) -> None:
        self._received = bytearray()
        self._file: IO[bytes] | None = None
        self.outer: int | None = None
        if kind is Stream.FILE:
            self._file = opened.enter_context(tempfile.TemporaryFile())  # noqa: SIM115  # closed with the others
            self.inner = os.dup(self._file.fileno())
        elif kind is Stream.PIPE:
            self.outer, self.inner = os.pipe()
        else:
            self.outer, self.inner = open_terminal()
            tty.setraw(self.inner)  # bytes come as they were written
        if self.outer is not None:
            opened.callback(os.close, self.outer)

    @property
    def is_open(self) -> bool:
        return self.outer is not None

    def close_inner(self) -> None:
        os.close(self.inner)

    def receive(self) -> None:
        assert self.outer is not None
        piece = read_terminal(self.outer)
        self._received += piece
        if not piece:
            self.outer = None

    def content(self) -> bytes:
        if self._file is None:
            return bytes(self._received)
        self._file.seek(0)
        return self._file.read()


def _receive(ends: Sequence[_Receiver], until: float) -> None:
    waiting = {end.outer: end for end in ends if end.outer is not None}
    ready, _, _ = select.select(list(waiting), [], [], max(0.0, until - time.monotonic()))
    assert ready, "the command took too long"
    for outer in ready:
        waiting[outer].receive()


def open_terminal() -> tuple[int, int]:
    """The two ends of a pseudo-terminal of the usual size."""
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    return outer, inner


def read_terminal(outer: int) -> bytes:
    """What came; nothing at the end, which Linux tells as an error."""
    try:
        return os.read(outer, 1 << 16)
    except OSError:
        return b""


class Typist:
    """A person at a terminal, who types to a command and reads what it answers."""

    def __init__(self, command: Sequence[str | Path]) -> None:
        self._outer, inner = open_terminal()
        self.screen = b""  # all that was shown
        self.process = subprocess.Popen(
            [str(word) for word in command],
            stdin=inner, stdout=inner, stderr=inner, start_new_session=True, env=terminal_environment(),
        )  # fmt: skip
        os.close(inner)

    def __enter__(self) -> Typist:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._outer)

    def type(self, text: bytes) -> None:
        """Press these keys."""
        os.write(self._outer, text)

    def wait_for(self, seen: Callable[[bytes], bool], seconds: float = 120) -> bytes:
        """Look at the screen until it shows this; what came meanwhile."""
        before, until = len(self.screen), time.monotonic() + seconds
        while not seen(self.screen[before:]):
            ready, _, _ = select.select([self._outer], [], [], max(0.0, until - time.monotonic()))
            piece = read_terminal(self._outer) if ready else b""
            assert piece, f"the terminal shows no more than {self.screen.decode()!r}"
            self.screen += piece
        return self.screen[before:]
