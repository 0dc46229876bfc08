"""Progress of work whose end is not known: how many, how fast, and what became of them; on a terminal only."""

from __future__ import annotations

import time
from collections import Counter as Tally
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.text import Text


class Counter:
    """Counts on stderr while it is a terminal, and says nothing where it is not.

    >>> with Counter("sentences") as counter:
    ...     counter.count("optimal")
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._tally: Tally[str] = Tally()
        self._began = time.monotonic()
        console = Console(stderr=True)
        self._live = Live(console=console, get_renderable=self._line, transient=True) if console.is_terminal else None
        self._console = console

    def __enter__(self) -> Counter:
        if self._live is not None:
            self._live.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._live is not None:
            self._live.__exit__(None, None, None)
            self._console.print(self._line())

    def count(self, status: str) -> None:
        """One more, with this status."""
        self._tally[status] += 1

    def _line(self) -> Text:
        total = self._tally.total()
        rate = total / max(time.monotonic() - self._began, 1e-9)
        shares = ", ".join(f"{count} {status}" for status, count in self._tally.most_common())
        return Text(f"{total} {self._what}, {rate:.0f} a second{': ' if shares else ''}{shares}")
