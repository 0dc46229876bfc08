"""The progress of a benchmark, which must not change what is measured."""

from __future__ import annotations

from collections.abc import Callable

from gpuparse.cli.progress import Progress

Step = Callable[[], None]  # is called when a step of a measurement is done


def no_step() -> None:
    """Nobody wants to know of steps."""


def measuring(steps: int, noun: str = "measurement") -> Progress:
    """A display that is drawn twice a second at most, between two steps."""
    return Progress(noun, total=steps, measured=True)
