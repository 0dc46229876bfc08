"""Many labels side by side: each is learned on its own, by threads that share the matrix; the longest go first.

With several devices, each has the matrix and threads of its own, and all take labels from one queue.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, NamedTuple

from gpuparse.boost.log import Attempt, Log, read_log
from gpuparse.boost.matrix import Matrix
from gpuparse.boost.options import Options
from gpuparse.boost.path import Ensemble, train_label
from gpuparse.boost.postings import Postings
from gpuparse.boost.task import Task
from gpuparse.boost.team import Team
from gpuparse.errors import DeviceError


def train_labels(
    work: Mapping[str, int],
    examples_of: Callable[[str], Task],
    matrix: Matrix,
    options: Options,
    kernels: Any,
    folder: Path,
    fingerprint: str,
    jobs: int = 1,
    on_tree: Callable[[str, Attempt], None] | None = None,
    on_label: Callable[[str, str], None] | None = None,
    stop: threading.Event | None = None,
    others: Sequence[Any] = (),
    on_plan: Callable[[str], None] | None = None,
) -> dict[str, Ensemble]:
    """Learn every label of `work` (label -> a guess at how long it takes), each with a log in the folder.

    What the folder's logs already hold is not learned again. The result does not depend on the number of jobs.
    `on_tree` is told of every tree tried, `on_label` of every label that has come to its end, and why.
    When `stop` is set, or on Ctrl-C, each label ends after the tree it is growing. `others` are the kernels of further
    devices, each with as many jobs; `on_plan` is told what fits into a device's memory, before anything is copied.

    >>> import tempfile
    >>> import numpy as np
    >>> from gpuparse.kernels import cpu
    >>> matrix = Matrix(
    ...     np.array([[1], [0]], np.int32), np.array([0, 0, 1]), np.array([0], np.int32), np.zeros(1, np.uint8)
    ... )
    >>> examples = Task(np.array([0, 1], np.int32), np.array([1, -1], np.int8), np.ones(2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ensembles = train_labels(
    ...         {"NP": 2}, lambda label: examples, matrix, Options(max_trees=2), cpu, Path(folder), "demo"
    ...     )
    >>> len(ensembles["NP"].kept)
    2
    """
    stop = stop or threading.Event()
    working = jobs * working_bytes(matrix, options)
    sites = [_prepare(matrix, device, working, jobs, on_plan) for device in (kernels, *others)]
    free = [site for site in sites for _ in range(jobs)]
    at_hand = threading.local()
    folder.mkdir(parents=True, exist_ok=True)

    def learn(label: str) -> Ensemble:
        learned = learn_on(label)
        if on_label is not None:
            on_label(label, learned.end)
        return learned

    def learn_on(label: str) -> Ensemble:
        log = Log(log_path(folder, label), label, options, fingerprint)
        log.check_features(len(matrix.column))
        if log.end is not None:
            return Ensemble(label, [a for a in log.attempts if a.kept], len(log.attempts), log.end)
        if stop.is_set():
            return Ensemble(label, [a for a in log.attempts if a.kept], len(log.attempts), "stopped")
        site = at_hand.site
        try:
            return train_label(
                label, examples_of(label), site.matrix, options, site.kernels, site.postings, log, on_tree, stop
            )
        except MemoryError as error:
            raise _no_memory(error) from error

    def begin() -> None:
        at_hand.site = free.pop()

    order = sorted(work, key=lambda label: (-work[label], label))
    with ThreadPoolExecutor(len(free), initializer=begin) as pool:
        futures = {label: pool.submit(learn, label) for label in order}
        _wait(list(futures.values()), stop)
    return {label: futures[label].result() for label in work}


class _Site(NamedTuple):
    """A device with the matrix in place."""

    kernels: Any
    matrix: Matrix
    postings: Postings


def _prepare(matrix: Matrix, kernels: Any, working: int, jobs: int, on_plan: Callable[[str], None] | None) -> _Site:
    """Bring the matrix to a device, after saying what fits there; as many threads help as there will be jobs."""
    try:
        plan = kernels.plan(matrix, working)
        if plan and on_plan is not None:
            on_plan(plan)
        held = kernels.hold(matrix, working)
        with Team(jobs) as team:
            site = _Site(kernels, held, Postings.of(held, kernels, team))
        kernels.wait()
    except MemoryError as error:
        raise _no_memory(error) from error
    return site


def _no_memory(error: MemoryError) -> DeviceError:
    return DeviceError(
        f"The memory of the device does not suffice: {error}. Fewer --jobs, a smaller --sample or --max-words need "
        "less; --device cpu uses that of the machine."
    )


def working_bytes(matrix: Matrix, options: Options) -> int:
    """About what learning one label takes on a device besides the matrix.

    >>> import numpy as np
    >>> segments, starts = np.array([[1], [2]], np.int32), np.array([0, 0, 2, 3])
    >>> working_bytes(Matrix(segments, starts, np.array([0, 1, 0], np.int32), np.zeros(2, np.uint8)), Options())
    324
    """
    some = matrix.segments[:: max(1, len(matrix.segments) // 1000)]
    row = float((matrix.starts[some + 1] - matrix.starts[some]).sum() / max(len(some), 1))  # ids, on average
    each = (
        64 + matrix.segments.itemsize * matrix.segments.shape[1]
    )  # importance, odds, leaf and so on, and the segments
    examples = each * len(matrix.segments)  # no label has more examples than there are rows
    histograms = 88 * len(matrix.column)
    return int(examples + 4 * min(options.sample, len(matrix.segments)) * row + histograms)


def log_path(folder: Path, label: str) -> Path:
    """Where a label's log lives. Labels may hold any character, at any length; a file name has few, to be seen by.

    >>> log_path(Path("logs"), "PRP$").name
    'PRP-83006b77b1d6f64d.jsonl'
    """
    seen = re.sub("[^A-Za-z0-9]", "", label)[:20]
    return folder / f"{seen}-{hashlib.sha256(label.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}.jsonl"


def read_attempts(folder: Path) -> dict[str, list[Attempt]]:
    """The attempts in the logs of a folder, by label.

    >>> read_attempts(Path("no such folder"))
    {}
    """
    return dict(sorted((read_log(path) for path in folder.glob("*.jsonl")), key=lambda log: log[0]))


def _wait(futures: list[Future[Ensemble]], stop: threading.Event) -> None:
    """Until all are done; the first failure, or Ctrl-C, asks the others to end after their current tree."""
    try:
        wait(futures, return_when=FIRST_EXCEPTION)
        if any(future.done() and future.exception() for future in futures):
            stop.set()
        wait(futures)
    except KeyboardInterrupt:
        stop.set()
        raise
