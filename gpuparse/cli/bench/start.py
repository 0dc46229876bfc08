"""`gpuparse bench start`: from the command to the first tree, with nothing compiled and with everything compiled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

from gpuparse.cli.arguments import Json
from gpuparse.cli.bench.measuring import measuring
from gpuparse.cli.progress import Progress
from gpuparse.cli.tables import print_json, print_table

SENTENCE = "She left."
PARSE = "from gpuparse.cli.main import run; run()"
# The same command, which notes at what CPU time each phase of it ends. What comes after the last is the end of the
# process, so that the phases add up to all that it takes.
PHASES = """
import sys, time
times = [("python", time.process_time())]

def ends(phase):
    times.append((phase, time.process_time()))

def phase_of(owner, name, phase):
    inner = getattr(owner, name)
    def timed(*arguments, **named):
        result = inner(*arguments, **named)
        ends(phase)
        return result
    setattr(owner, name, timed)

import numpy
ends("numpy")
import gpuparse.cli.main
ends("typer")
import gpuparse.api, gpuparse.cli.parse
ends("our modules")
phase_of(gpuparse.cli.parse, "sort_arguments", "arguments")
phase_of(gpuparse.parse.model.file, "load_model", "model")
phase_of(gpuparse.api.LoadedParser, "__init__", "rules")
phase_of(gpuparse.cli.parse, "meter_of", "arguments")
phase_of(gpuparse.tag.Tagger, "judge", "tags")

file, sys.argv = sys.argv[1], ["gpuparse", *sys.argv[2:]]
try:
    gpuparse.cli.main.run()
finally:
    ends("tree")
    import json
    with open(file, "w") as opened:
        json.dump(times, opened)
"""


def start_command(
    repeats: Annotated[int, typer.Option(min=1, metavar="N", help="Warm starts, of which the fastest counts.")] = 5,
    as_json: Json = False,
) -> None:
    """Measure the first tree, compilation, and later starts.

    Our modules are read as they are once installed: as bytecode.
    """
    with measuring(5 + 2 * repeats) as progress:
        figures, phases = start_figures(repeats, progress)
    if as_json:
        print_json({**figures, "phases_cpu": phases})
        return
    rows = [[name.replace("_", " "), f"{t['cpu']:.2f}", f"{t['wall']:.2f}"] for name, t in figures.items()]
    print_table("Starts, in seconds", ["", "CPU", "wall"], rows)
    print()
    rows = [[name, f"{1000 * seconds:.0f}"] for name, seconds in phases.items()]
    print_table("A later start by phase, in milliseconds of CPU time", ["", "ms"], rows)


def start_figures(repeats: int, progress: Progress) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """The CPU time and the time on the clock of each kind of start, and the phases of a later one."""

    def measured(command: list[str], cache: str, compilation: str) -> dict[str, float]:
        seconds = _timed(command, cache, compilation)
        progress.advance()
        return seconds

    with tempfile.TemporaryDirectory() as cold, tempfile.TemporaryDirectory() as warm:
        first = measured(_parse(), cold, "background")
        _wait_for_background(Path(cold))
        progress.advance()
        figures = {
            "first_tree": first,
            "compile_parse": measured(_parse(), warm, "wait"),
            "compile_train": measured(_practice("practise_training"), warm, "wait"),
            "compile_explain": measured(_practice("practise_explaining"), warm, "wait"),
            "later_start": min(
                (measured(_parse(), warm, "background") for _ in range(repeats)), key=lambda seconds: seconds["cpu"]
            ),
        }
        all_phases = [phases_of_start(warm) for _ in progress.through(range(repeats))]
    return figures, min(all_phases, key=lambda phases: sum(phases.values()))


def _command() -> list[str]:
    return [sys.executable, "-c", PARSE]


def _parse() -> list[str]:
    return [*_command(), "parse", SENTENCE]


def _practice(task: str) -> list[str]:
    """What compiles what a task needs beyond parsing, and does a little of it."""
    return [sys.executable, "-c", f"from gpuparse.practice import {task}; {task}()"]


def _environment(cache: str, compilation: str) -> dict[str, str]:
    bytecode = {"PYTHONPYCACHEPREFIX": os.path.join(cache, "bytecode"), "PYTHONDONTWRITEBYTECODE": ""}
    return os.environ | bytecode | {"GPUPARSE_CACHE": cache, "GPUPARSE_COMPILE": compilation}


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


def phases_of_start(cache: str) -> dict[str, float]:
    """Where the CPU time of a start goes, all of it; GPUPARSE_CACHE is `cache`."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "phases.json")
        command = [sys.executable, "-c", PHASES, str(file), "parse", SENTENCE]
        all_of_it = _timed(command, cache, "background")["cpu"]
        ends = [*json.loads(file.read_text()), ("end of the process", all_of_it)]
    phases: dict[str, float] = {}
    before = 0.0
    for name, end in ends:
        phases[name] = phases.get(name, 0.0) + end - before
        before = end
    return phases
