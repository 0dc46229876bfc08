"""`gpuparse bench start`: from the command to the first tree, with nothing compiled and with everything compiled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from gpuparse.cli.arguments import Json
from gpuparse.cli.tables import print_json, print_table

SENTENCE = "She left."
PARSE = "from gpuparse.cli.main import run; run()"
# Each line is a phase of a start, in the order in which a parse meets them.
PHASES = """
import time
clock = time.process_time
times = [("python", clock())]
import numpy
times.append(("numpy", clock()))
import gpuparse.cli.main
times.append(("command line", clock()))
from gpuparse.api import load
times.append(("our modules", clock()))
parser = load()
times.append(("model and rules", clock()))
parser._tagger._table, parser._tagger._weights
times.append(("tagger's tables", clock()))
import numba
times.append(("numba", clock()))
parser.parse("She left.")
times.append(("machine code, first sentence", clock()))
parser.parse("She left.")
times.append(("second sentence", clock()))
import json
ends = [0.0] + [end for _, end in times]
print(json.dumps({name: end - start for (name, end), start in zip(times, ends)}))
"""


def start_command(
    repeats: Annotated[int, typer.Option(min=1, metavar="N", help="Warm starts, of which the fastest counts.")] = 5,
    as_json: Json = False,
) -> None:
    """Measure the first tree, compilation, and later starts."""
    with tempfile.TemporaryDirectory() as cold, tempfile.TemporaryDirectory() as warm:
        first = _timed(_parse(), cold, "background")
        _wait_for_background(Path(cold))
        figures = {
            "first_tree": first,
            "compile_parse": _timed(_parse(), warm, "wait"),
            "compile_rest": _timed([*_command(), "warm-up"], warm, "wait"),
            "later_start": min((_timed(_parse(), warm, "background") for _ in range(repeats)), key=lambda t: t["cpu"]),
        }
        phases = min((_phases(warm) for _ in range(repeats)), key=lambda found: sum(found.values()))
    if as_json:
        print_json({**figures, "phases_cpu": phases})
        return
    rows = [[name.replace("_", " "), f"{t['cpu']:.2f}", f"{t['wall']:.2f}"] for name, t in figures.items()]
    print_table("Starts, in seconds", ["", "CPU", "wall"], rows)
    print()
    rows = [[name, f"{1000 * seconds:.0f}"] for name, seconds in phases.items()]
    print_table("A later start by phase, in milliseconds of CPU time", ["", "ms"], rows)


def _command() -> list[str]:
    return [sys.executable, "-c", PARSE]


def _parse() -> list[str]:
    return [*_command(), "parse", SENTENCE]


def _environment(cache: str, compilation: str) -> dict[str, str]:
    return os.environ | {"GPUPARSE_CACHE": cache, "GPUPARSE_COMPILE": compilation}


def _timed(command: list[str], cache: str, compilation: str) -> dict[str, float]:
    """The CPU time of one process, without what it leaves running in the background, and the time on the clock."""
    began = time.monotonic()
    process = subprocess.Popen(
        command, env=_environment(cache, compilation), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return {"cpu": used.ru_utime + used.ru_stime, "wall": time.monotonic() - began}


def _wait_for_background(cache: Path) -> None:
    """Wait until the process in the background is done: it would slow down what is measured next."""
    while not any(cache.glob("*/parse.ready")) and not any(cache.glob("*/parse.failed")):
        time.sleep(0.2)


def _phases(cache: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", PHASES], env=_environment(cache, "background"), capture_output=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found
