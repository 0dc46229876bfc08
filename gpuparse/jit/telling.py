"""Reports of compilation on stderr: that it is going on, how far it is, and that it is done.

Every process that compiles says so, however it was started: by a command, at a terminal or not, or by a program that
imports gpuparse. `told_to` replaces these lines by something else, such as a progress bar.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# About how many functions each command compiles, on a CPU; tests/jit/test_compilation.py counts them.
FUNCTIONS = {"parse": 140, "explain": 66, "training": 100, "thinned training": 140}
# And `gpuparse warm-up`, in one process, which compiles no function twice: all, or all but what parsing needs.
FOR_EVERYTHING, FOR_THE_REST = 222, 151
BETWEEN_LINES = 5.0  # seconds

Listener = Callable[[int], None]  # is called with the number of functions compiled so far


class Lines:
    """A line at the beginning, one every few seconds, one at the end.

    >>> said = []
    >>> lines = Lines(2, said.append)
    >>> lines(0), lines(1), lines(2)
    (None, None, None)
    >>> said
    ['compiling for this machine, once', 'compiled for this machine']
    """

    def __init__(self, total: int | None, say: Callable[[str], None]) -> None:
        self._total, self._say = total, say
        self._last = 0.0

    def __call__(self, compiled: int) -> None:
        """Report that so many functions have been compiled."""
        if self._total is not None and compiled >= self._total:
            if compiled == self._total:
                self._say("compiled for this machine")
        elif time.monotonic() - self._last >= BETWEEN_LINES:
            self._last = time.monotonic()
            self._say(f"compiling for this machine, once{_how_far(compiled, self._total)}")


class BackgroundLines:
    """The same for what another process compiles; that it begins and that it is done is reported elsewhere.

    >>> said = []
    >>> lines = BackgroundLines(118, said.append, every=0.0)
    >>> lines(0), lines(59), lines(118)
    (None, None, None)
    >>> said
    ['compiling in the background: 50 %', 'compiling in the background: 99 %']
    """

    def __init__(self, total: int, say: Callable[[str], None], every: float = BETWEEN_LINES) -> None:
        self._total, self._say, self._every = total, say, every
        self._last = time.monotonic()

    def __call__(self, compiled: int) -> None:
        """Report that so many functions have been compiled."""
        if compiled and time.monotonic() - self._last >= self._every:
            self._last = time.monotonic()
            self._say(f"compiling in the background{_how_far(compiled, self._total)}")


def _how_far(compiled: int, total: int | None) -> str:
    """How much is compiled; since the total is not exact, never all of it."""
    if not compiled:
        return ""
    return f": {compiled} functions so far" if total is None else f": {min(99, 100 * compiled // total)} %"


def on_stderr(line: str) -> None:
    """Say something, above a live display if there is one."""
    print(f"gpuparse: {line}", file=sys.stderr, flush=True)


_listener: Listener = Lines(None, on_stderr)


def expect(task: str) -> None:
    """Whatever is compiled next is for this purpose."""
    global _listener
    if isinstance(_listener, Lines):
        _listener = Lines(FUNCTIONS[task], on_stderr)


@contextmanager
def told_to(listener: Listener) -> Iterator[None]:
    """In the meantime nothing is printed; the listener is called instead."""
    global _listener
    before, _listener = _listener, listener
    try:
        yield
    finally:
        _listener = before


def heard(compiled: int) -> None:
    """Called by what compiles."""
    _listener(compiled)
