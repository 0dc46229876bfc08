"""The log of a run: JSON lines, one for each tree tried for any task. It can be plotted, and it is the checkpoint.

Lines are only ever appended, each in one write, so a process that is killed loses at most the trees it was growing.
Each ends with a checksum over itself and all lines before it: one that is lost, doubled or changed is noticed.
"""

from __future__ import annotations

import errno
import json
import math
import os
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpuparse.boost.options import Options
from gpuparse.boost.tree import GrownTree, check_tree
from gpuparse.errors import TrainingError

LOG_VERSION = 3
Append = Callable[[dict[str, Any]], None]
MOST_VALUE = 700.0  # of a leaf: its exponential must be finite


@dataclass(frozen=True)
class Attempt:
    """A tree that was tried."""

    attempt: int  # 0, 1, ...
    kept: bool  # whether the risk fell enough
    lambda_: float  # it was built under
    risk: float  # after it
    loss: float  # the part of the risk that is not the penalty
    leaves: int
    nonzero: int  # compound features with a parameter, after it
    seconds: float
    tree: GrownTree | None  # if kept

    def to_json(self) -> dict[str, Any]:
        """As a line of the log has it."""
        line = {("lambda" if k == "lambda_" else k): v for k, v in self.__dict__.items() if k != "tree"}
        if self.tree is not None:
            line["tree"] = self.tree.to_json()
        return line

    @classmethod
    def from_json(cls, line: dict[str, Any]) -> Attempt:
        """Back from a line of the log.

        >>> first = Attempt(0, False, 0.5, 1.0, 1.0, 1, 0, 0.1, None)
        >>> Attempt.from_json(first.to_json()) == first
        True
        """
        values = {("lambda_" if k == "lambda" else k): v for k, v in line.items()}
        for name in ("task", "checksum"):
            values.pop(name, None)
        tree = values.pop("tree", None)
        return cls(**values, tree=None if tree is None else GrownTree.of(**tree))

    def check(self, expected: int) -> None:
        """Raise ValueError where it is not the attempt of this number, or could not have come from training."""
        figures = (self.lambda_, self.risk, self.loss, self.seconds)
        if self.attempt != expected:
            raise ValueError(f"this is attempt {self.attempt!r}, where attempt {expected} belongs")
        if not all(isinstance(figure, (int, float)) and math.isfinite(figure) for figure in figures):
            raise ValueError("a figure is not a finite number")
        if self.lambda_ < 0 or self.seconds < 0 or not isinstance(self.kept, bool):
            raise ValueError("a figure is out of range")
        if self.kept != (self.tree is not None):
            raise ValueError("a tree is there that was not kept, or was kept and is not there")
        if self.tree is not None:
            check_tree(self.tree, MOST_VALUE)


class TaskLog:
    """What a log holds of one task; `attempts` and `end` are what it held when it was opened."""

    def __init__(self, append: Append, task: str) -> None:
        self._append, self._task = append, task
        self.attempts: list[Attempt] = []
        self.end: str | None = None

    def add(self, attempt: Attempt) -> None:
        """Append an attempt."""
        self._append({"task": self._task, **attempt.to_json()})

    def finish(self, end: str, options: Options) -> None:
        """Note that the path has come to its end under these budgets."""
        self._append({"task": self._task, "end": end, "budgets": options.budgets()})

    def take(self, line: dict[str, Any], options: Options | None) -> None:
        """Take over a line of the file. An end counts only if it was reached under the budgets of the options."""
        if "end" in line:
            self.end = line["end"] if options and line["budgets"] == options.budgets() else None
        else:
            attempt = Attempt.from_json(line)
            attempt.check(len(self.attempts))
            self.attempts.append(attempt)
            self.end = None


class Log:
    """The file of a run's attempts, for all its tasks."""

    def __init__(self, path: Path, options: Options, fingerprint: str) -> None:
        self.path = path
        self._lock = threading.Lock()
        header = {"version": LOG_VERSION, "fingerprint": fingerprint, "options": options.course()}
        lines, sound, self._checksum = _read(path) if path.exists() else ([], 0, 0)
        if lines:
            self._check(lines[0], header)
        self._tasks = _by_task(path, lines, self.append, options)
        with path.open("ab") as file:
            file.truncate(sound)
        if not lines:
            self.append(header)

    def of(self, task: str) -> TaskLog:
        """What it holds of a task, and the way to add to it."""
        with self._lock:
            return self._tasks.setdefault(task, TaskLog(self.append, task))

    def _check(self, header: dict[str, Any], expected: dict[str, Any]) -> None:
        for name, value in expected.items():
            if header.get(name) != json.loads(json.dumps(value)):
                raise TrainingError(
                    f"{self.path} was written for another {name}: it has {header.get(name)!r}, this run {value!r}. "
                    "Start again in another folder."
                )

    def check_features(self, n_features: int) -> None:
        """Refuse trees that test a feature which the matrix does not have."""
        for task, log in self._tasks.items():
            for attempt in log.attempts:
                if attempt.tree is not None and int(attempt.tree.feature.max()) >= n_features:
                    raise TrainingError(
                        f"{self.path}: the tree of attempt {attempt.attempt} of {task} tests an unknown feature"
                    )

    def append(self, line: dict[str, Any]) -> None:
        """Add a line at the end, or nothing where it does not fit on the disk."""
        body = json.dumps(line)[:-1].encode()
        with self._lock:
            checksum = zlib.crc32(body, self._checksum)
            data = body + _ending(checksum)
            try:
                with self.path.open("ab", buffering=0) as file:
                    before = file.tell()
                    if file.write(data) < len(data):
                        file.truncate(before)  # a full disk takes what fits, and a torn line must not be written after
                        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            except OSError as error:
                raise TrainingError(
                    f"{self.path}: the log of training can't be written: {error.strerror or error}. What it holds is "
                    "whole: the run can be resumed from there."
                ) from error
            self._checksum = checksum


def _by_task(path: Path, lines: list[dict[str, Any]], append: Append, options: Options | None) -> dict[str, TaskLog]:
    """The lines after the first, by the task they are about."""
    tasks: dict[str, TaskLog] = {}
    for number, line in enumerate(lines[1:], 2):
        with _named_line(path, number):
            if not isinstance(line["task"], str):
                raise ValueError("the name of a task is no text")
            tasks.setdefault(line["task"], TaskLog(append, line["task"])).take(line, options)
    return tasks


def read_log(path: Path) -> dict[str, list[Attempt]]:
    """The attempts of a log, by task, in the order of their names; none where there is no log.

    >>> read_log(Path("no such file"))
    {}
    """
    if not path.exists():
        return {}
    tasks = _by_task(path, _read(path)[0], lambda line: None, None)
    return {task: of.attempts for task, of in sorted(tasks.items())}


def _ending(checksum: int) -> bytes:
    return f', "checksum": "{checksum:08x}"}}\n'.encode()


@contextmanager
def _named_line(path: Path, number: int) -> Iterator[None]:
    """An error in a line becomes one that names the file and the line."""
    try:
        yield
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise TrainingError(
            f"{path}, line {number}: this line does not belong in this training log ({error}). The log was damaged "
            "or changed: restore it, or start again."
        ) from error


def _read(path: Path) -> tuple[list[dict[str, Any]], int, int]:
    """The sound lines of a log, how many bytes they take (a last line that was cut short does not count), their sum."""
    lines: list[dict[str, Any]] = []
    sound = checksum = 0
    raw = path.read_bytes().splitlines(keepends=True)
    for number, line in enumerate(raw, 1):
        if number == len(raw) and not line.endswith(b"\n"):
            break
        with _named_line(path, number):
            entry = json.loads(line)
            if number == 1 and entry["version"] != LOG_VERSION:
                raise ValueError(
                    f"it is of version {entry['version']} of the format, this gpuparse reads {LOG_VERSION}"
                )
            checksum = zlib.crc32(line[: -len(_ending(0))], checksum)
            if not line.endswith(_ending(checksum)):
                raise ValueError("its checksum is wrong")
            lines.append(entry)
        sound += len(line)
    return lines, sound, checksum
