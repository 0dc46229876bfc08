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
FUNCTIONS = {"parse": 118, "explain": 66, "train": 136}
# And `gpuparse warm-up`, in one process, which compiles no function twice: all, or all but what parsing needs.
FOR_EVERYTHING, FOR_THE_REST = 200, 151
BETWEEN_LINES = 5.0  # seconds

Listener = Callable[[int], None]  # is called with the number of functions compiled so far


class Lines:
    """A line at the beginning, one every few seconds, one at the end.

    >>> said = []
    >>> lines = Lines(2, said.append)
    >>> lines(0), lines(1), lines(2)
    (None, None, None)
    >>> said
    ['compiling for this machine, once: 0 of about 2 functions', 'compiled for this machine']
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
            how_far = f"{compiled} functions" if self._total is None else f"{compiled} of about {self._total} functions"
            self._say(f"compiling for this machine, once: {how_far}")


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
