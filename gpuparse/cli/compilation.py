"""What takes so long the first time: Numba compiles, once for a machine, and a user at a terminal is told."""

from __future__ import annotations

import sys
from typing import Any

SAID = "gpuparse: compiling for this machine, a minute or two; the next run finds it done"


def tell_compilation() -> None:
    """From now on say once on stderr, where it is a terminal, that something is being compiled.

    >>> tell_compilation()
    """
    if not sys.stderr.isatty():
        return
    from numba.core import event

    class Teller(event.Listener):
        """Hears of each function that is compiled, and not of those that a file holds already."""

        told = False

        def on_start(self, event: Any) -> None:
            if not self.told:
                self.told = True
                print(SAID, file=sys.stderr)

        def on_end(self, event: Any) -> None:
            """Nothing is said at the end."""

    event.register("numba:compile", Teller())
