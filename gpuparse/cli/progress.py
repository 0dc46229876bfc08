"""Progress on stderr: a bar or a count on a terminal, a line per minute elsewhere. Every live display is made here.

By default rich redirects stdout, too, and results would then go to the screen instead of their file or pipe.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live

Item = TypeVar("Item")

SHOWN_AFTER = 0.5  # seconds: shorter work needs no display
LEFT_SHOWN_AFTER = 1.0  # seconds: before, the rate tells little of the time left
SUMMED_UP_AFTER = 2.0  # seconds: shorter work ends without a line
BETWEEN_DRAWINGS = 0.5  # seconds, while something is measured
BETWEEN_REPORTS = 60.0  # seconds, if stderr is not a terminal
BAR_WIDTH = 20


def live_display(console: Console, screen: Callable[[], RenderableType], by_itself: bool = True) -> Live:
    """A display at the bottom of the terminal; what is printed to stderr in the meantime appears above it.

    A thread of its own draws it again and again; without `by_itself`, its `refresh` does.

    >>> from rich.console import Console
    >>> live_display(Console(), lambda: "3 sentences").transient
    True
    """
    from rich.live import Live

    return Live(
        console=console, get_renderable=screen, refresh_per_second=4, transient=True,
        redirect_stdout=False, redirect_stderr=True, auto_refresh=by_itself,
    )  # fmt: skip


def terminal_is_taken(writes_results: bool, reads_input: bool = False) -> bool:
    """Whether results are written to the terminal, or input is typed there: a display would get in the way of both.

    >>> terminal_is_taken(writes_results=False)
    False
    """
    return (writes_results and sys.stdout.isatty()) or (reads_input and sys.stdin.isatty())


class Progress:
    """The progress of some work: how many are done, how fast, with which outcomes, and what is left, if known.

    >>> with Progress("sentence", total=2) as progress:
    ...     progress.advance("optimal")
    """

    def __init__(
        self,
        noun: str,  # what is counted, in the singular
        total: int | None = None,  # how many there are, if that is known
        share: Callable[[], float | None] | None = None,  # how much of the work is done, if `total` is not known
        quiet: bool = False,  # nothing is drawn: the terminal is in use
        measured: bool = False,  # the work is: it is drawn seldom, and no thread works beside it
    ) -> None:
        self._noun, self._total, self._share = noun, total, share
        self._outcomes: Counter[str] = Counter()
        self._count = 0
        self._began = self._last_line = time.monotonic()
        self._at_terminal, self._quiet, self._measured = sys.stderr.isatty(), quiet, measured
        self._last_drawing = self._began
        self._display = self._make_display() if self._at_terminal and not quiet else None

    def _make_display(self) -> Live:
        from rich.console import Console  # imported only if something is drawn, so that a start is quick

        return live_display(Console(stderr=True), self._screen, by_itself=not self._measured)

    def __enter__(self) -> Progress:
        if self._display is not None:
            self._display.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._display is not None:
            self._display.__exit__(None, None, None)
        long = self._elapsed >= (SUMMED_UP_AFTER if self._at_terminal else BETWEEN_REPORTS)
        if long and self._count and not self._quiet:
            self._print(f"{self._counted} in {in_time(self._elapsed)}, {self._rate}{self._outcomes_in_words}")

    def advance(self, outcome: str | None = None) -> None:
        """One more is done, with this outcome."""
        self._count += 1
        if outcome is not None:
            self._outcomes[outcome] += 1
        now = time.monotonic()
        if self._measured and self._display is not None and now - self._last_drawing >= BETWEEN_DRAWINGS:
            self._last_drawing = now
            self._display.refresh()
        if not self._at_terminal and now - self._last_line >= BETWEEN_REPORTS:
            self._last_line = now
            self._print(", ".join(filter(None, [self._percentage.strip(), self._left, self._counted, self._rate])))

    def through(self, items: Iterable[Item]) -> Iterator[Item]:
        """Pass items on, and count each when the next is asked for.

        >>> with Progress("tree") as progress:
        ...     list(progress.through("ab"))
        ['a', 'b']
        """
        for item in items:
            yield item
            self.advance()

    def _print(self, line: str) -> None:
        print(f"gpuparse: {line}", file=sys.stderr, flush=True)

    def _screen(self) -> RenderableType:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        if self._elapsed < SHOWN_AFTER:
            return Group()
        row: list[RenderableType] = []
        done = self._done
        if done is not None:
            row += [ProgressBar(total=1.0, completed=done, width=BAR_WIDTH), self._percentage]
        words = [self._left, self._counted, self._rate]  # a narrow terminal cuts off the end, not the time left
        row.append(Text("  ".join(filter(None, words)) + self._outcomes_in_words, no_wrap=True, overflow="ellipsis"))
        grid = Table.grid(padding=(0, 2))
        grid.add_row(*row)
        return grid

    @property
    def _elapsed(self) -> float:
        return time.monotonic() - self._began

    @property
    def _done(self) -> float | None:
        """How much of the work is done, from 0 to 1; None if that is not known."""
        done = self._share() if self._share else self._count / self._total if self._total else None
        return None if done is None else min(1.0, done)

    @property
    def _percentage(self) -> str:
        return "" if self._done is None else f"{100 * self._done:3.0f} %"

    @property
    def _counted(self) -> str:
        of_total = f" of {self._total:,}" if self._total and self._count < self._total else ""
        number = self._total if of_total else self._count
        return f"{self._count:,}{of_total} {self._noun}{'' if number == 1 else 's'}"

    @property
    def _rate(self) -> str:
        rate = self._count / max(self._elapsed, 1e-9)
        return f"{rate:,.0f} per second" if rate >= 10 else f"{rate:.1f} per second"

    @property
    def _left(self) -> str:
        done, elapsed = self._done, self._elapsed
        if not done or done >= 1 or elapsed < LEFT_SHOWN_AFTER:
            return ""
        return f"{in_time(elapsed * (1 - done) / done)} left"

    @property
    def _outcomes_in_words(self) -> str:
        words = ", ".join(f"{count:,} {outcome}" for outcome, count in self._outcomes.most_common())
        return f": {words}" if words else ""


def in_time(seconds: float) -> str:
    """A length of time as people say it.

    >>> in_time(4.2), in_time(200), in_time(7300)
    ('4 s', '3 min 20 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
