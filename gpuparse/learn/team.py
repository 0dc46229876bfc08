"""Threads that share the work of one tree; kernels let go of the interpreter lock, so plain threads suffice."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any


class Team:
    """Runs calls side by side, or one after the other where there is one thread.

    >>> with Team(2) as team:
    ...     team.run([lambda: 1, lambda: 2])
    [1, 2]
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None

    def __enter__(self) -> Team:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def run(self, calls: list[Callable[[], Any]]) -> list[Any]:
        """The results of the calls, in order."""
        if self._pool is None or len(calls) < 2:
            return [call() for call in calls]
        others = [self._pool.submit(call) for call in calls[1:]]
        return [calls[0](), *(other.result() for other in others)]

    def spans(self, length: int, at_least: int = 1) -> list[tuple[int, int]]:
        """Cut range(length) into a stretch a thread, none shorter than at_least.

        >>> Team(1).spans(10)
        [(0, 10)]
        """
        parts = max(1, min(self.threads, length // max(at_least, 1)))
        return [(length * p // parts, length * (p + 1) // parts) for p in range(parts)]
