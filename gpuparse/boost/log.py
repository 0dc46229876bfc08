"""The log of a label: JSON lines, one for each tree tried. It can be plotted, and it is also the checkpoint.

Lines are only ever appended, each in one write, so a process that is killed loses at most the tree it was growing.
Each ends with a checksum over itself and all lines before it: one that is lost, doubled or changed is noticed.
"""

from __future__ import annotations

import errno
import json
import math
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpuparse.boost.options import Options
from gpuparse.boost.tree import GrownTree, check_tree
from gpuparse.errors import TrainingError

VERSION = 2
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
        values.pop("checksum", None)
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


class Log:
    """A label's file of attempts; `attempts` and `end` are what it held when it was opened."""

    def __init__(self, path: Path, label: str, options: Options, fingerprint: str) -> None:
        self.path = path
        self.attempts: list[Attempt] = []
        self.end: str | None = None
        header = {"version": VERSION, "label": label, "fingerprint": fingerprint, "options": options.course()}
        lines, sound, self._checksum = _read(path) if path.exists() else ([], 0, 0)
        if lines:
            self._check(lines[0], header)
        for number, line in enumerate(lines[1:], 2):
            with _named_line(path, number):
                self._take(line, options)
        with path.open("ab") as file:
            file.truncate(sound)
        if not lines:
            self._append(header)

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
            attempt = Attempt.from_json(line)
            attempt.check(len(self.attempts))
            self.attempts.append(attempt)
            self.end = None

    def check_features(self, n_features: int) -> None:
        """Refuse trees that test a feature which the matrix does not have."""
        for attempt in self.attempts:
            if attempt.tree is not None and int(attempt.tree.feature.max()) >= n_features:
                raise TrainingError(
                    f"{self.path}: the tree of attempt {attempt.attempt} tests a feature that is not there"
                )

    def _append(self, line: dict[str, Any]) -> None:
        body = json.dumps(line)[:-1].encode()
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
                "whole: --resume goes on from there."
            ) from error
        self._checksum = checksum


def read_log(path: Path) -> tuple[str, list[Attempt]]:
    """The label of a log, and its attempts."""
    lines, _, _ = _read(path)
    attempts: list[Attempt] = []
    label = ""
    for number, line in enumerate(lines, 1):
        with _named_line(path, number):
            if number == 1:
                label = str(line["label"])
            elif "attempt" in line:
                attempts.append(Attempt.from_json(line))
                attempts[-1].check(len(attempts) - 1)
    return label, attempts


def _ending(checksum: int) -> bytes:
    return f', "checksum": "{checksum:08x}"}}\n'.encode()


@contextmanager
def _named_line(path: Path, number: int) -> Iterator[None]:
    """What is wrong with a line is told with the file and its number."""
    try:
        yield
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise TrainingError(
            f"{path}, line {number}: this line does not belong into this training log ({error}). The log was damaged "
            "or changed: restore it, or begin anew with --overwrite."
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
            if number == 1 and entry["version"] != VERSION:
                raise ValueError(f"it is of version {entry['version']} of the format, this gpuparse reads {VERSION}")
            checksum = zlib.crc32(line[: -len(_ending(0))], checksum)
            if not line.endswith(_ending(checksum)):
                raise ValueError("its checksum is wrong")
            lines.append(entry)
        sound += len(line)
    return lines, sound, checksum
