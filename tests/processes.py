"""Commands started by tests that send them signals."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Sequence
from typing import Any


def start(command: Sequence[str], **options: Any) -> subprocess.Popen[str]:
    """A process that heeds SIGINT, even if the tests ignore it, as every job in the background does."""
    return subprocess.Popen(command, text=True, preexec_fn=_heed_interrupts, **options)


def _heed_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
