"""How much of the input files has been read, in bytes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


class Meter:
    """Counts bytes towards the size of files; with a pipe, whose size is not known, the share is not known either.

    >>> meter = Meter([])
    >>> meter.share() is None
    True
    """

    def __init__(self, files: Iterable[Path]) -> None:
        paths = list(files)
        self._total = sum(path.stat().st_size for path in paths) if all(path.is_file() for path in paths) else 0
        self._done = 0.0

    def advance(self, read: float) -> None:
        """Count this many more bytes as read."""
        self._done += read

    def share(self) -> float | None:
        """The share that was read, from 0 to 1; None if the size is not known."""
        return min(1.0, self._done / self._total) if self._total else None
