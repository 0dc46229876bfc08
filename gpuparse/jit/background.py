"""Compilation in the background: a separate process compiles what parsing calls, while Python runs it uncompiled.

KEY / parse.lock       held by the process that compiles
      parse.compiled   how many functions it has compiled so far
      parse.failed     why it gave up
      parse.ready      it is done: everything is in KEY / numba
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import traceback
from contextlib import suppress
from functools import cache
from pathlib import Path

from gpuparse.jit import telling
from gpuparse.jit.settings import COMPILE_VARIABLE
from gpuparse.jit.store import CACHE_VARIABLE, READABLE, Store
from gpuparse.storage import locked, write_atomically

BETWEEN_LOOKS = 0.05  # seconds between two checks of the files


class Background:
    """What this process knows of the compilation, which another process may be doing."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._ready = False
        self._failed = False
        self._last_look = -BETWEEN_LOOKS
        self._lock = threading.Lock()  # held by the thread that looks, and starts a process
        self._process: subprocess.Popen[bytes] | None = None
        self._lines = telling.BackgroundLines(telling.FUNCTIONS["parse"], telling.on_stderr)

    @classmethod
    @cache
    def here(cls) -> Background:
        """The one of this machine."""
        return cls(Store.here())

    def is_done(self) -> bool:
        """Whether everything is compiled, by whatever process."""
        return self._file("ready").exists()

    def begin(self) -> None:
        """Have everything compiled for later, without a word: whoever waits for it says so."""
        with self._lock:
            if not self._ready and self._process is None and not self.is_done():
                self._start()

    def is_ready(self) -> bool:
        """Whether everything is compiled; if not, compilation is started, and its progress is reported now and then."""
        if self._ready or self._failed:
            return self._ready
        with self._lock:
            return self._is_ready_now()

    def _is_ready_now(self) -> bool:
        now = time.monotonic()
        if self._ready or now - self._last_look < BETWEEN_LOOKS:
            return self._ready
        self._last_look = now
        self._ready = self.is_done()
        if self._ready:
            if self._process is not None:
                telling.on_stderr("compiled: parsing is at full speed from here")
        elif self._process is None:
            telling.on_stderr("compiling for this machine in the background, once; until that is done, parsing is slow")
            self._lines = telling.BackgroundLines(telling.FUNCTIONS["parse"], telling.on_stderr)
            self._start()
        else:
            self._look(self._process)
        return self._ready

    def _start(self) -> None:
        environment = os.environ | {COMPILE_VARIABLE: "wait", CACHE_VARIABLE: str(self._store.root)}
        nothing = subprocess.DEVNULL
        try:
            with suppress(FileNotFoundError):
                self._file("failed").unlink()
            self._process = subprocess.Popen(
                [sys.executable, "-m", "gpuparse.jit.background"],
                env=environment, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            self._give_up(str(error))

    def _look(self, process: subprocess.Popen[bytes]) -> None:
        """See how far it is. A process of ours leaves the work to one that is at it; that may be killed meanwhile."""
        with suppress(OSError, ValueError):
            self._lines(int(self._file("compiled").read_text()))
        code = process.poll()
        if code is None or self.is_done():
            return
        if code:
            failed = self._file("failed")
            self._give_up(f"see {failed}" if failed.exists() else f"its process ended with {code}")
        elif not self._is_compiled_by_another():
            self._start()

    def _is_compiled_by_another(self) -> bool:
        with locked(self._file("lock"), wait=False) as held:
            return not held

    def _give_up(self, why: str) -> None:
        self._failed = True
        telling.on_stderr(f"compilation failed ({why}): parsing stays slow")

    def _file(self, what: str) -> Path:
        return self._store.folder / f"parse.{what}"

    def wait(self) -> None:
        """Return when everything is compiled, or when it is known that it will not be."""
        while not self.is_ready() and not self._failed:
            time.sleep(BETWEEN_LOOKS)

    def compile_all(self, listener: telling.Listener | None = None) -> None:
        """The work of the process in the background, unless another process does it already.

        With a listener, which hears of progress, it waits for that other process.
        """
        self._store.folder.mkdir(parents=True, exist_ok=True, mode=READABLE)
        with locked(self._file("lock"), wait=listener is not None) as held:
            if not held or self.is_done():
                return
            try:
                from gpuparse.practice import practise_parsing

                with telling.told_to(listener or self._note):
                    practise_parsing()
                write_atomically(self._file("ready"), b"")
            except BaseException:
                write_atomically(self._file("failed"), traceback.format_exc().encode())
                raise
            self._store.forget_old()

    def _note(self, compiled: int) -> None:
        self._file("compiled").write_text(str(compiled))


if __name__ == "__main__":
    Background.here().compile_all()
