"""Many labels side by side: each is learned on its own, by threads that share the matrix; the longest go first."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from gpuparse.features.examples import Examples
from gpuparse.features.matrix import Matrix
from gpuparse.learn.log import Attempt, Log, read_log
from gpuparse.learn.options import Options
from gpuparse.learn.path import Ensemble, train_label
from gpuparse.learn.postings import Postings


def train_labels(
    work: Mapping[str, int],
    examples_of: Callable[[str], Examples],
    matrix: Matrix,
    options: Options,
    kernels: Any,
    folder: Path,
    fingerprint: str,
    jobs: int = 1,
    on_tree: Callable[[str, Attempt], None] | None = None,
    on_label: Callable[[str, str], None] | None = None,
    stop: threading.Event | None = None,
) -> dict[str, Ensemble]:
    """Learn every label of `work` (label -> a guess at how long it takes), each with a log in the folder.

    What the folder's logs already hold is not learned again. The result does not depend on the number of jobs.
    `on_tree` is told of every tree tried, `on_label` of every label that has come to its end, and why.
    When `stop` is set, or on Ctrl-C, each label ends after the tree it is growing.

    >>> import tempfile
    >>> import numpy as np
    >>> from gpuparse.kernels import cpu
    >>> matrix = Matrix(
    ...     np.array([[1], [0]], np.int32), np.array([0, 0, 1]), np.array([0], np.int32), np.zeros(1, np.uint8)
    ... )
    >>> examples = Examples(np.array([0, 1], np.int32), np.array([1, -1], np.int8), np.ones(2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ensembles = train_labels(
    ...         {"NP": 2}, lambda label: examples, matrix, Options(max_trees=2), cpu, Path(folder), "demo"
    ...     )
    >>> len(ensembles["NP"].kept)
    2
    """
    stop = stop or threading.Event()
    postings = Postings.of(matrix, kernels)
    folder.mkdir(parents=True, exist_ok=True)

    def learn(label: str) -> Ensemble:
        learned = learn_on(label)
        if on_label is not None:
            on_label(label, learned.end)
        return learned

    def learn_on(label: str) -> Ensemble:
        log = Log(log_path(folder, label), label, options, fingerprint)
        if log.end is not None:
            return Ensemble(label, [a for a in log.attempts if a.kept], len(log.attempts), log.end)
        if stop.is_set():
            return Ensemble(label, [a for a in log.attempts if a.kept], len(log.attempts), "stopped")
        return train_label(label, examples_of(label), matrix, options, kernels, postings, log, on_tree, stop)

    order = sorted(work, key=lambda label: (-work[label], label))
    with ThreadPoolExecutor(jobs) as pool:
        futures = {label: pool.submit(learn, label) for label in order}
        _wait(list(futures.values()), stop)
    return {label: futures[label].result() for label in work}


def log_path(folder: Path, label: str) -> Path:
    """Where a label's log lives; labels may hold any character.

    >>> log_path(Path("logs"), "PRP$").name
    'PRP%24.jsonl'
    """
    return folder / f"{quote(label, safe='')}.jsonl"


def read_attempts(folder: Path) -> dict[str, list[Attempt]]:
    """The attempts in the logs of a folder, by label.

    >>> read_attempts(Path("no such folder"))
    {}
    """
    return {unquote(path.stem): read_log(path) for path in sorted(folder.glob("*.jsonl"))}


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
