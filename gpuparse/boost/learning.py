"""Many tasks in parallel: each is learned on its own, by threads that share the matrix.

With several devices, each has the matrix and threads of its own, and all take tasks from one queue. A task of few rows
is learned on a matrix of those rows alone, which gives the same trees in a fraction of the time and memory: so ten
thousand small tasks are as good as thirty large ones.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gpuparse.boost.ensemble import Ensemble
from gpuparse.boost.log import Attempt, Log, TaskLog
from gpuparse.boost.matrix import Matrix
from gpuparse.boost.options import Options
from gpuparse.boost.path import History, Workplace, learn_task
from gpuparse.boost.postings import Postings
from gpuparse.boost.task import Task
from gpuparse.boost.team import Team
from gpuparse.device import find_device
from gpuparse.dtypes import ROW
from gpuparse.errors import DeviceError, UsageError

SMALL = 16  # a task with fewer than one in so many rows of the matrix is learned on a matrix of its own


class Watcher:
    """Hears how far learning is. All calls come from the threads that learn."""

    def plan(self, plan: str) -> None:
        """How much of the matrix fits into a device's memory: called before anything is copied."""

    def tree(self, task: str, attempt: Attempt) -> None:
        """A tree was tried."""

    def end(self, task: str, why: str) -> None:
        """A task has come to its end."""


class Session(NamedTuple):
    """What surrounds learning that takes long: where it is written down, who hears of it, and what stops it."""

    log: Path | None = None  # what it holds already is not learned again
    fingerprint: str = ""  # of the tasks: a log that was written for others is refused
    watcher: Watcher = Watcher()
    stop: threading.Event | None = None  # when it is set, each task ends after the tree it is growing


ALONE = Session()


def fit(
    matrix: Matrix,
    tasks: Mapping[str, Task],
    options: Options | None = None,
    devices: Sequence[Any] | None = None,
    jobs: int = 1,
) -> dict[str, Ensemble]:
    """Learn a classifier for each task; `devices` are the operations of devices, by default those of the CPU.

    >>> matrix = Matrix.from_csr((np.array([0, 1, 1]), np.array([3]), 10))
    >>> task = Task(np.array([0, 1], np.int32), np.array([1, -1], np.int8), np.ones(2))
    >>> ensembles = fit(matrix, {"has 3": task}, Options(max_trees=1))
    >>> ensembles["has 3"].predict(matrix).round(2).tolist()
    [0.2, -0.2]
    """
    histories = learn(matrix, tasks, options or Options(), devices or [find_device("cpu").kernels], jobs)
    return {name: history.ensemble(matrix) for name, history in histories.items()}


def learn(
    matrix: Matrix,
    tasks: Mapping[str, Task],
    options: Options,
    devices: Sequence[Any],
    jobs: int = 1,
    session: Session = ALONE,
) -> dict[str, History]:
    """As `fit`, in a session, with all attempts; tasks are begun in their order, so the longest should be first.

    The result does not depend on the number of jobs, each of which is a thread per device. The mapping is asked
    for each task once, so it may make them on demand. On Ctrl-C each task ends after the tree it is growing.
    """
    if jobs < 1:
        raise UsageError(f"jobs: at least one task is learned at a time, not {jobs}")
    stop, watcher = session.stop or threading.Event(), session.watcher
    log = None if session.log is None else _open_log(session.log, options, session.fingerprint, matrix)
    working = jobs * working_bytes(matrix, options)
    sites = [_Site.on(matrix, device, working, jobs, watcher) for device in devices]
    free = [site for site in sites for _ in range(jobs)]
    at_hand = threading.local()

    def begin() -> None:
        at_hand.place = free.pop().workplace(Team(options.threads))

    def learn_one(name: str) -> History:
        of_task = None if log is None else log.of(name)
        history = _known(name, of_task, stop.is_set())
        if history is None:
            task = tasks[name].checked(name, len(matrix.segments))
            history = learn_task(name, *_placed(task, matrix, at_hand.place), options, of_task, watcher.tree, stop)
        watcher.end(name, history.end)
        return history

    def guarded(name: str) -> History:
        try:
            return learn_one(name)
        except MemoryError as error:
            raise _no_memory(error) from error

    with ThreadPoolExecutor(len(free), initializer=begin) as pool:
        futures = {name: pool.submit(guarded, name) for name in tasks}
        _wait(list(futures.values()), stop)
    return {name: future.result() for name, future in futures.items()}


def _open_log(path: Path, options: Options, fingerprint: str, matrix: Matrix) -> Log:
    path.parent.mkdir(parents=True, exist_ok=True)
    log = Log(path, options, fingerprint)
    log.check_features(len(matrix.column))
    return log


def _known(name: str, log: TaskLog | None, stopped: bool) -> History | None:
    """The history of a task that need not be learned: it ended in an earlier run, or learning stops before its turn."""
    end = "stopped" if stopped and (log is None or log.end is None) else log.end if log is not None else None
    if end is None:
        return None
    attempts = log.attempts if log is not None else []
    return History(name, [attempt for attempt in attempts if attempt.kept], len(attempts), end)


def _placed(task: Task, matrix: Matrix, place: Workplace) -> tuple[Task, Workplace]:
    """A task where it is learned: on the whole matrix, or a small one on its rows alone."""
    rows = np.unique(task.rows)
    if len(rows) == 0 or len(rows) * SMALL >= len(matrix.segments):
        return task, place
    excerpt, features = matrix.only(rows)
    alone = Workplace.on(excerpt, place.kernels, place.team.threads, features)
    return task._replace(rows=np.searchsorted(rows, task.rows).astype(ROW)), alone


class _Site(NamedTuple):
    """A device with the matrix in place."""

    kernels: Any
    matrix: Matrix
    postings: Postings

    @classmethod
    def on(cls, matrix: Matrix, kernels: Any, working: int, jobs: int, watcher: Watcher) -> _Site:
        """Bring the matrix to a device, after saying what fits there; as many threads help as there will be jobs."""
        try:
            plan = kernels.plan(matrix, working)
            if plan:
                watcher.plan(plan)
            held = kernels.hold(matrix, working)
            with Team(jobs) as team:
                site = cls(kernels, held, Postings.of(held, kernels, team))
            kernels.wait()
        except MemoryError as error:
            raise _no_memory(error) from error
        return site

    def workplace(self, team: Team) -> Workplace:
        """For one of the threads."""
        return Workplace(self.matrix, self.postings, self.kernels, team)


def _no_memory(error: MemoryError) -> DeviceError:
    return DeviceError(
        f"The memory of the device does not suffice: {error}. Fewer jobs, a smaller sample or fewer rows need less; "
        "the CPU uses the memory of the machine."
    )


def working_bytes(matrix: Matrix, options: Options) -> int:
    """About what learning one task takes on a device besides the matrix.

    >>> working_bytes(Matrix.from_csr((np.array([0, 2, 3]), np.array([0, 1, 0]), 2)), Options())
    324
    """
    some = matrix.segments[:: max(1, len(matrix.segments) // 1000)]
    row = float((matrix.starts[some + 1] - matrix.starts[some]).sum() / max(len(some), 1))  # ids, on average
    each = 64 + matrix.segments.itemsize * matrix.segments.shape[1]  # importance, state, leaf ..., and the segments
    examples = each * len(matrix.segments)  # no task has more examples than there are rows
    histograms = 88 * len(matrix.column)
    return int(examples + 4 * min(options.sample, len(matrix.segments)) * row + histograms)


def _wait(futures: list[Future[History]], stop: threading.Event) -> None:
    """Until all are done; the first failure, or Ctrl-C, asks the others to end after their current tree."""
    try:
        wait(futures, return_when=FIRST_EXCEPTION)
        if any(future.done() and future.exception() for future in futures):
            stop.set()
        wait(futures)
    except KeyboardInterrupt:
        stop.set()
        raise
