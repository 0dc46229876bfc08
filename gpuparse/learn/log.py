"""The log of a label: JSON lines, one for each tree tried. It can be plotted, and it is also the checkpoint.

Lines are only ever appended, each in one write, so a process that is killed loses at most the tree it was growing.
"""

from __future__ import annotations

import errno
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpuparse.errors import TrainingError
from gpuparse.learn.options import Options
from gpuparse.learn.tree import GrownTree

VERSION = 1


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
        tree = values.pop("tree", None)
        return cls(**values, tree=None if tree is None else GrownTree.of(**tree))


class Log:
    """A label's file of attempts; `attempts` and `end` are what it held when it was opened."""

    def __init__(self, path: Path, label: str, options: Options, fingerprint: str) -> None:
        self.path = path
        self.attempts: list[Attempt] = []
        self.end: str | None = None
        header = {"version": VERSION, "label": label, "fingerprint": fingerprint, "options": options.course()}
        lines, sound = _read(path) if path.exists() else ([], 0)
        if lines:
            self._check(lines[0], header)
        with path.open("ab") as file:
            file.truncate(sound)
        if not lines:
            self._append(header)
        for line in lines[1:]:
            self._take(line, options)

    def add(self, attempt: Attempt) -> None:
        """Append an attempt."""
        self._append(attempt.to_json())

    def finish(self, end: str, options: Options) -> None:
        """Note that the path has come to its end under these budgets."""
        self._append({"end": end, "budgets": options.budgets()})

    def _check(self, found: dict[str, Any], expected: dict[str, Any]) -> None:
        for name, value in expected.items():
            if found.get(name) != json.loads(json.dumps(value)):
                raise TrainingError(
                    f"{self.path} was written for another {name}: it has {found.get(name)!r}, this run {value!r}. "
                    "Train into another folder, or without --resume."
                )

    def _take(self, line: dict[str, Any], options: Options) -> None:
        if "end" in line:
            self.end = line["end"] if line["budgets"] == options.budgets() else None
        else:
            self.attempts.append(Attempt.from_json(line))
            self.end = None

    def _append(self, line: dict[str, Any]) -> None:
        data = (json.dumps(line) + "\n").encode()
        try:
            with self.path.open("ab", buffering=0) as file:
                before = file.tell()
                if file.write(data) < len(data):
                    file.truncate(before)  # a full disk takes what fits, and a torn line must not be written after
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            raise TrainingError(
                f"{self.path}: the log of training can't be written: {error.strerror or error}. What it holds is "
                "whole: --resume goes on from there."
            ) from error


def read_log(path: Path) -> list[Attempt]:
    """The attempts of a log."""
    lines, _ = _read(path)
    return [Attempt.from_json(line) for line in lines if "attempt" in line]


def _read(path: Path) -> tuple[list[dict[str, Any]], int]:
    """The sound lines of a log, and how many bytes they take: a last line that was cut short does not count."""
    lines: list[dict[str, Any]] = []
    sound = 0
    content = path.read_bytes()
    raw = content.splitlines(keepends=True)
    for number, line in enumerate(raw, 1):
        try:
            if not line.endswith(b"\n"):
                raise ValueError("cut short")
            lines.append(json.loads(line))
        except ValueError as error:
            if number < len(raw):
                raise TrainingError(f"{path}, line {number}: this is no line of a training log ({error})") from error
            break
        sound += len(line)
    return lines, sound
