"""How much of the files that are to be read has been read, in bytes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


class Meter:
    """Counts bytes towards the size of files; of a pipe nobody knows the size, nor then the share.

    >>> meter = Meter([])
    >>> meter.share() is None
    True
    """

    def __init__(self, files: Iterable[Path]) -> None:
        paths = list(files)
        self._total = sum(path.stat().st_size for path in paths) if all(path.is_file() for path in paths) else 0
        self._done = 0.0

    def advance(self, read: float) -> None:
        """So many bytes more were read."""
        self._done += read

    def share(self) -> float | None:
        """From 0 to 1; None where the size is not known."""
        return min(1.0, self._done / self._total) if self._total else None
