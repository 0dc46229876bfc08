"""Threads that share the work of one tree; kernels let go of the interpreter lock, so plain threads suffice."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any


class Team:
    """Makes calls in parallel, or one after the other where there is one thread.

    >>> with Team(2) as team:
    ...     numbers = []
    ...     team.each(numbers.append, [(1,), (2,)])
    ...     sorted(numbers)
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

    def each(self, call: Callable[..., object], arguments: Iterable[tuple[Any, ...]]) -> None:
        """One call for each tuple of arguments; whoever is free takes the next."""
        calls = list(arguments)
        waiting = iter(calls)

        def work() -> None:
            for values in waiting:
                call(*values)

        workers = min(self.threads, len(calls))
        others = [self._pool.submit(work) for _ in range(1, workers)] if self._pool is not None else []
        work()
        for other in others:
            if not other.cancel():
                other.result()

    def share(self, call: Callable[[int, int], object], length: int, at_least: int = 1) -> None:
        """call(start, stop) for stretches of range(length), one per thread, none much shorter than at_least.

        >>> Team(1).share(print, 10)
        0 10
        """
        self.each(call, self.shares(length, at_least))

    def shares(self, length: int, at_least: int = 1) -> list[tuple[int, int]]:
        """range(length) cut into stretches (start, stop), one per thread, none much shorter than at_least.

        >>> Team(1).shares(10)
        [(0, 10)]
        """
        shares = max(1, min(self.threads, length // at_least))
        return [(length * s // shares, length * (s + 1) // shares) for s in range(shares)]
