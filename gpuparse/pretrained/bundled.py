"""The models that come with gpuparse, and what the name or path of a model stands for.

A model `NAME.model` lies beside its card `NAME.md`, which begins with its figures as lines of `key: value`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gpuparse.errors import UsageError

FOLDER = Path(__file__).resolve().parent
DEFAULT = "english"
MODEL_SUFFIX = ".model"
FENCE = "---"  # around the figures of a card
_BEGINNING = 200  # bytes of a file, among which a model names its format
_FORMAT_NAMES = (b"gpuparse model", b"__metadata__")


@dataclass(frozen=True)
class Bundled:
    """A model that comes with gpuparse."""

    name: str
    path: Path
    figures: dict[str, str] = field(default_factory=dict)  # of its card

    @property
    def card(self) -> Path:
        """Its card, in Markdown."""
        return self.path.with_suffix(".md")

    @property
    def size(self) -> int:
        """Of the file, in bytes."""
        return self.path.stat().st_size


def bundled_models(folder: Path = FOLDER) -> list[Bundled]:
    """The models that come with gpuparse, by name.

    >>> [model.name for model in bundled_models(Path("no", "such", "folder"))]
    []
    """
    return [
        Bundled(path.stem, path, _figures(path.with_suffix(".md"))) for path in sorted(folder.glob(f"*{MODEL_SUFFIX}"))
    ]


def _figures(card: Path) -> dict[str, str]:
    return read_figures(card.read_text(encoding="utf-8").splitlines()) if card.exists() else {}


def read_figures(lines: Sequence[str]) -> dict[str, str]:
    """The figures at the beginning of a card.

    >>> read_figures(["---", "language: English", "f1: 80.1", "---", "# The model"])
    {'language': 'English', 'f1': '80.1'}
    """
    if lines[:1] != [FENCE] or FENCE not in lines[1:]:
        return {}
    pairs = (line.partition(":") for line in lines[1 : lines.index(FENCE, 1)])
    return {key.strip(): value.strip() for key, _, value in pairs}


def find_model(name_or_path: str | os.PathLike[str] | None = None) -> Path:
    """The file that the name of a bundled model, or a path, stands for; without either, the English model.

    A name wins over a file of the same name in the working folder: `./english` is the file.

    >>> find_model("no-such")
    Traceback (most recent call last):
        ...
    gpuparse.errors.UsageError: no-such: there is no such file, and no bundled model of this name (see gpuparse models).
    """
    name = DEFAULT if name_or_path is None else os.fspath(name_or_path)
    for model in bundled_models():
        if model.name == name:
            return model.path
    if name_or_path is None:
        raise UsageError(f"no model comes with this gpuparse ({FOLDER} has none). Name one: gpuparse parse MODEL.")
    if not os.path.exists(name):
        raise UsageError(f"{name}: there is no such file, and no bundled model of this name (see gpuparse models).")
    return Path(name)


def names_model(argument: str) -> bool:
    """Whether an argument that may be a model or something to parse is a model.

    It is one if it is the name of a bundled model, ends in .model, or is a file that begins as a model does.

    >>> names_model("my.model"), names_model("A dog barks.")
    (True, False)
    """
    return (
        argument.endswith(MODEL_SUFFIX)
        or argument in {model.name for model in bundled_models()}
        or _looks_like(argument)
    )


def _looks_like(argument: str) -> bool:
    if not os.path.isfile(argument):
        return False
    try:
        with open(argument, "rb") as file:
            beginning = file.read(_BEGINNING)
    except OSError:
        return False
    return any(name in beginning for name in _FORMAT_NAMES)
