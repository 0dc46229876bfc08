"""What training needs of memory and disk, estimated from a few of its sentences before the work starts.

Long sentences take most: rows grow with the square of the length. So the sentences are taken at even distances from
all, sorted by length, and what their matrix takes is scaled up. Runs that were measured took 0.8 to 1.1 of that.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from gpuparse.errors import UsageError
from gpuparse.parse.features.examples import Lister, Source, TrainingData, build_training_data

SENTENCES = 100  # that the estimate is made from, fewer where they are long:
SQUARES = 1_000_000  # of the numbers of their nodes, in all: the estimate itself must take little
PROGRAM = 250_000_000  # bytes: Python, its packages and compiled code
EXAMPLE = 110  # bytes that a job keeps for each example; no label has more of them than the matrix has rows
LOGS = 10_000_000  # bytes: the logs, the report and the model of a small run; of a large one 1 % of its matrix besides
WRONG_BY = 2  # the factor by which an estimate may be wrong: only what can't be there even then is refused


class Needs(NamedTuple):
    """What a run takes, in bytes."""

    memory: int
    matrix: int  # on disk
    logs: int  # on disk, with the report and the model
    rows: int = 0  # of the matrix: a number, not bytes


def estimate_needs(source: Source, jobs: int = 1, make_thinner: Callable[[], Lister] | None = None) -> Needs:
    """What it takes to learn from prepared trees.

    In memory are the matrix, which is mapped from the disk, its postings, as large as its features, and for each job
    what it learns a label with.

    >>> from gpuparse.parse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.trees import load_language, parse_tree
    >>> trees = [parse_tree("(TOP (S (NP (NNP Ann)) (VP (VBZ sings))))")] * 1000
    >>> needs = estimate_needs(Source(trees, build_vocabulary(trees, load_language())))
    >>> PROGRAM < needs.memory < PROGRAM + 20_000_000
    True
    """
    trees = source.trees
    by_length = sorted(range(len(trees)), key=lambda number: len(trees[number]))
    mean = sum(len(tree) ** 2 for tree in trees) / max(len(trees), 1)
    number = min(len(trees), SENTENCES, 1 + int(SQUARES / max(mean, 1)))
    some = [by_length[int((place + 0.5) * len(trees) / number)] for place in range(number)]
    training = build_training_data(source.excerpt(some), make_thinner=make_thinner)
    times = len(trees) / max(number, 1)
    matrix = int(times * sum(array.nbytes for array in (*training.matrix, *training.candidates)))
    postings = int(times * training.matrix.features.nbytes)
    rows = int(times * len(training.matrix.segments))
    return Needs(PROGRAM + matrix + postings + jobs * EXAMPLE * rows, matrix, LOGS + matrix // 100, rows)


def jobs_within(memory: int | None, data: TrainingData, jobs: int) -> int:
    """How many labels can be learned in parallel, at most so many, within so many bytes; one in any case.

    >>> from gpuparse.parse.logic.vocabulary import build_vocabulary
    >>> from gpuparse.trees import load_language, parse_tree
    >>> trees = [parse_tree("(TOP (S (NP (NNP Ann)) (VP (VBZ sings))))")]
    >>> data = build_training_data(Source(trees, build_vocabulary(trees, load_language())))
    >>> jobs_within(None, data, 4), jobs_within(2 * PROGRAM, data, 4), jobs_within(PROGRAM, data, 4)
    (4, 4, 1)
    """
    if memory is None:
        return jobs
    held = sum(array.nbytes for array in (*data.matrix, *data.candidates, data.matrix.features))
    return max(1, min(jobs, (memory - PROGRAM - held) // (EXAMPLE * len(data.matrix.segments))))


def check_needs(needs: Needs, logs: Path, cache: Path | None) -> list[str]:
    """Refuse a run that can't end well; the answer warns of what may be too little, a sentence for each.

    `cache` is where the matrix goes, None if it stays in memory.
    """
    less = "Long sentences take most of it: --max-words 40 leaves them out. Fewer --jobs take less too."
    checks = [("memory", needs.memory, available_memory(), less)]
    if cache is not None:
        elsewhere = "--cache puts the feature matrix on another disk, --max-words 40 makes it smaller."
        checks.append((f"disk for {cache}", needs.matrix, free_disk(cache), elsewhere))
    checks.append((f"disk for {logs}", needs.logs, free_disk(logs), "Make room, or choose another --output."))
    warnings: list[str] = []
    for what, need, there, remedy in checks:
        if there is None or need <= there:
            continue
        warning = f"training needs about {in_bytes(need)} of {what}, and {in_bytes(there)} are free. {remedy}"
        if need > WRONG_BY * there:
            raise UsageError(warning)
        warnings.append(warning)
    return warnings


def in_bytes(number: int) -> str:
    """A size as people say it.

    >>> in_bytes(2_140_000_000), in_bytes(312_000_000), in_bytes(40_000)
    ('2.1 GB', '312 MB', '1 MB')
    """
    return f"{number / 1e9:.1f} GB" if number >= 1e9 else f"{max(1, round(number / 1e6))} MB"


def free_disk(path: Path) -> int:
    """The bytes that can be written at a place which may not be there yet; what is there is replaced, so it counts.

    >>> free_disk(Path("no such folder")) > 0
    True
    """
    place = path.absolute()
    while not place.exists():
        place = place.parent
    there = sum(file.stat().st_size for file in path.iterdir() if file.is_file()) if path.is_dir() else 0
    return shutil.disk_usage(place).free + there


def available_memory() -> int | None:
    """The bytes of memory that this process can still have; None where the system does not say.

    >>> (available_memory() or 1) > 0
    True
    """
    amounts = [amount for amount in (_of_machine(), _of_container(), _of_process()) if amount is not None]
    return max(0, min(amounts)) if amounts else None


def peak_memory() -> int | None:
    """The most memory in bytes that this process has had so far; None where the system does not say.

    >>> (peak_memory() or PROGRAM) > 10_000_000
    True
    """
    try:  # getrusage counts from the fork, so that it may report the process that started this one
        lines = dict(line.split(":") for line in Path("/proc/self/status").read_text("ascii").splitlines())
        return 1024 * int(lines["VmHWM"].split()[0])
    except (OSError, ValueError, KeyError):
        pass
    try:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    except ImportError:  # Windows has none
        return None


def _of_machine() -> int | None:
    """What is free, or in use only to keep files at hand; and what can be swapped out to."""
    try:
        lines = dict(line.split(":") for line in Path("/proc/meminfo").read_text("ascii").splitlines())
        return 1024 * sum(int(lines[name].split()[0]) for name in ("MemAvailable", "SwapFree"))
    except (OSError, ValueError, KeyError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return None


def _of_container() -> int | None:
    """What a container may still have: Linux's control groups, version 2."""
    group = Path("/sys/fs/cgroup")
    try:
        most = (group / "memory.max").read_text("ascii").strip()
        used = int((group / "memory.current").read_text("ascii"))
        kept = dict(line.split() for line in (group / "memory.stat").read_text("ascii").splitlines())
        return None if most == "max" else int(most) - used + int(kept.get("inactive_file", 0))
    except (OSError, ValueError):
        return None


def _of_process() -> int | None:
    """What `ulimit -v` leaves."""
    try:
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        return None if most == resource.RLIM_INFINITY else most - pages * resource.getpagesize()
    except (ImportError, OSError, ValueError):
        return None
