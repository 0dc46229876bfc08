"""The folder of a training run, OUT.training: whose it is, what the run was started with, and who works in it.

Nothing that this program did not write is ever removed from it; `run.json` is what it is recognised by.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gpuparse.errors import TrainingError, UsageError
from gpuparse.storage import locked, write_atomically

RUN_FILE = "run.json"
LOCK = "lock"
RUN_FORMAT = "gpuparse training run 1"
LOG = "log.jsonl"
THINNING = "thinning.json"  # how much of the training set is kept; see pilot.py


def folder_of(out: Path) -> Path:
    """Where training keeps what belongs to a model file.

    >>> folder_of(Path("my.model")).name
    'my.model.training'
    """
    return out.with_name(out.name + ".training")


def check_start(out: Path, resume: bool, overwrite: bool) -> None:
    """Refuse to start where something would be lost, or where there is nothing to continue."""
    folder = folder_of(out)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: this should be the folder of the run, and is a file. Choose another --output.")
    begun = (folder / RUN_FILE).exists()
    if not begun and folder.exists() and any(path.name != LOCK for path in folder.iterdir()):
        raise UsageError(
            f"{folder}: this folder holds files and no run of this gpuparse; training would mix with them. Move it "
            "away, or choose another --output."
        )
    if resume and not begun:
        raise UsageError(f"--resume: there is no run to continue in {folder}. Leave --resume out to begin one.")
    if resume or overwrite:
        return
    if out.is_file():
        raise UsageError(
            f"{out}: this file exists. --overwrite replaces it"
            + (", --resume continues the run that made it" if begun else "")
            + ", another --output keeps it."
        )
    if begun:
        raise UsageError(
            f"{out}: an earlier run is unfinished. --resume continues it, --overwrite starts again, another "
            "--output keeps it."
        )


@contextmanager
def begun_run(out: Path, settings: Mapping[str, Any], resume: bool) -> Iterator[Path]:
    """Hold the folder of a run: a new one, or with `resume` one that was started with the same settings."""
    folder = folder_of(out)
    folder.mkdir(parents=True, exist_ok=True)  # fails now, and not after hours, where nothing can be written
    with locked(folder / LOCK, wait=False) as held:
        if not held:
            raise TrainingError(
                f"{folder}: another gpuparse is training here. Wait for it, or choose another --output."
            )
        if resume:
            _check_settings(folder / RUN_FILE, settings)
        else:
            _remove_log(folder / LOG)
            (folder / THINNING).unlink(missing_ok=True)
            content = json.dumps({"format": RUN_FORMAT, "settings": settings}, indent=1)
            write_atomically(folder / RUN_FILE, content.encode())
        yield folder


def _check_settings(path: Path, settings: Mapping[str, Any]) -> None:
    try:
        run = json.loads(path.read_bytes())
        if not isinstance(run, dict) or run.get("format") != RUN_FORMAT or not isinstance(run.get("settings"), dict):
            raise ValueError(f"it does not hold the settings of a {RUN_FORMAT!r}")
        before = run["settings"]
    except (OSError, ValueError, RecursionError) as error:
        raise TrainingError(
            f"{path}: the run can't be resumed, this file can't be used: {error}. Start again with --overwrite or "
            "another --output."
        ) from error
    now = json.loads(json.dumps(settings))
    changes = [
        f"{name} was {before.get(name)} and is now {value}" for name, value in now.items() if before.get(name) != value
    ]
    if changes:
        raise UsageError(
            f"--resume: the run was started with other settings: {'; '.join(changes)}. Use those, or start again with "
            "--overwrite or another --output."
        )


def _remove_log(path: Path) -> None:
    """Remove the log of an earlier run: a file with a log's name and beginning."""
    if path.is_file():
        with path.open("rb") as file:
            ours = file.read(12) == b'{"version": ' or path.stat().st_size == 0
        if ours:
            path.unlink()
