"""What the environment says about compilation.

GPUPARSE_COMPILE is `background` (the default: Python runs until the machine code is ready), `wait` (nothing runs before
it is ready) or `never` (always run Python: slow, with results that are the same to the bit).
"""

from __future__ import annotations

import os

from gpuparse.errors import UsageError

COMPILE_VARIABLE = "GPUPARSE_COMPILE"
CHOICES = ("background", "wait", "never")


def choice() -> str:
    """One of CHOICES."""
    chosen = os.environ.get(COMPILE_VARIABLE) or CHOICES[0]
    if chosen not in CHOICES:
        raise UsageError(f"{COMPILE_VARIABLE} is {chosen!r} in the environment; it can be {', '.join(CHOICES)}.")
    return chosen


def interprets() -> bool:
    """Whether nothing is to be compiled."""
    return choice() == "never"


def compiles_at_once() -> bool:
    """Whether a function is compiled, or known not to be, when it is first called."""
    return choice() != "background"
