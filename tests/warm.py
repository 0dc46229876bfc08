"""gpuparse, warm: a process that has imported and compiled everything, and forks for each command that it is asked.

A test that runs dozens of commands would spend most of its time on starting them. A script called `gpuparse`, first on
the PATH, hands its arguments and its standard streams over to that process, and ends with the exit code it is told.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

MOST = 1 << 20  # bytes of a request


@contextmanager
def warm_gpuparse(place: Path, folder: Path, practice: Sequence[str]) -> Iterator[None]:
    """While the process lives, `place`, a new folder, is for the PATH. The process has run `practice` in `folder`."""
    place.mkdir()
    address, script = place / "socket", place / "gpuparse"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -IS {__file__} ask {address} "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    errors = place / "errors"
    with errors.open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, __file__, "serve", str(address), *practice],
            cwd=folder, env=plain_environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log,
        )  # fmt: skip
    try:
        while not address.exists():
            assert server.poll() is None, errors.read_text(encoding="utf-8")
            time.sleep(0.05)
        yield
    finally:
        server.terminate()
        server.wait()


def plain_environment() -> dict[str, str]:
    """Nothing in it says how wide a terminal is, or asks for colours."""
    variables = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "PYTHONWARNINGS")}
    return variables | {"NO_COLOR": "1"}


def ask(address: str, arguments: Sequence[str]) -> int:
    """Have a command run with the streams of this process; its exit code."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        socket.send_fds(connection, ["\0".join([os.getcwd(), *arguments]).encode()], [0, 1, 2])
        return int(connection.recv(16) or b"1")


def serve(address: str, practice: Sequence[str]) -> None:
    """Run the commands for practice; then answer, each command in a process of its own."""
    import shlex
    import signal

    from gpuparse.cli.main import app

    for command in practice:
        app(shlex.split(command), standalone_mode=False)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that have answered
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{address}.soon")
        listener.listen()
        os.rename(f"{address}.soon", address)
        while True:
            connection, _ = listener.accept()
            with connection:
                if os.fork() == 0:
                    _answer(connection)


def _answer(connection: socket.socket) -> None:
    """Run what is asked for, in the process that was forked for it, and end it."""
    from gpuparse.cli.main import run

    code = 1
    try:
        request, streams, _, _ = socket.recv_fds(connection, MOST, 3)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode) for number, mode in enumerate("rww"))
        folder, *arguments = request.decode().split("\0")
        os.chdir(folder)
        sys.argv = ["gpuparse", *arguments]
        run()
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        connection.sendall(str(code).encode())
        os._exit(code)


if __name__ == "__main__":
    if sys.argv[1] == "ask":
        sys.exit(ask(sys.argv[2], sys.argv[3:]))
    serve(sys.argv[2], sys.argv[3:])
