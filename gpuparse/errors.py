"""Every error a user can meet. Each says what was wrong, where, and what to do."""

from __future__ import annotations


class GpuparseError(Exception):
    """A failure in the data or the model: the command line prints it and exits with code 1."""

    exit_code = 1


class UsageError(GpuparseError):
    """The command was used wrongly, or names something that is not there: exit code 2."""

    exit_code = 2


class DeviceError(UsageError):
    """The device asked for can't be used here."""


class TreebankError(GpuparseError):
    """A treebank that can't be read: which file, which line, what was found and what was expected."""

    def __init__(self, source: str, line: int, problem: str) -> None:
        super().__init__(f"{source}, line {line}: {problem}")
        self.source = source
        self.line = line
        self.problem = problem


class ParametersError(GpuparseError):
    """A parameter file of the scorer (.prm) that can't be read: which file, which line, and what is wrong there."""

    def __init__(self, source: str, line: int, problem: str) -> None:
        super().__init__(f"{source}, line {line}: {problem}")
        self.source = source
        self.line = line
        self.problem = problem


class ScoringError(GpuparseError):
    """Two treebanks that can't be scored against each other."""


class LanguageError(GpuparseError):
    """A language file (head rules, tag classes, punctuation) that can't be used."""


class ModelError(GpuparseError):
    """A model file that is damaged, of another version, or not a model at all."""


class ClassesError(GpuparseError):
    """A file of word classes that is damaged, of another version, or something else; or one that can't be written."""


class TrainingError(GpuparseError):
    """Training can't start or go on with what it was given."""


class InputError(GpuparseError):
    """A sentence to be parsed that can't be read."""


class MissingPackageError(UsageError):
    """Something was asked for that needs a package which is not installed."""


class OutputError(GpuparseError):
    """A file that results go to can't be written: which, and why."""


class MatrixError(GpuparseError):
    """Arrays that are no sparse binary matrix, and why."""
