"""Saving a model: the file is written whole or not at all, and whatever was there before stays until then."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gpuparse.errors import ModelError
from gpuparse.parse.model.file import load_model, save_model
from tests.small_model import tiny_bytes, tiny_model


def test_a_model_that_could_not_be_loaded_is_not_stored(tmp_path: Path) -> None:
    path = tmp_path / "model"
    save_model(tiny_model(), path)
    for wrong in (
        replace(tiny_model(), lambda_=float("nan")),
        replace(tiny_model(), ensembles={"NP": tiny_model().ensembles["NP"]}),
        replace(tiny_model(), max_children=200),
    ):
        with pytest.raises(ModelError, match="can't be stored"):
            save_model(wrong, path)
    assert path.read_bytes() == tiny_bytes()


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    path = tmp_path / "model"
    path.write_bytes(b"the old file")

    def fail(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(ModelError, match="No space left on device"):
        save_model(tiny_model(), path)
    assert os.listdir(tmp_path) == ["model"]
    assert path.read_bytes() == b"the old file"


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save_model(tiny_model(), tmp_path / "model")
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here to be a full disk")
def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model"
    path.write_bytes(b"the old file")
    monkeypatch.setattr("gpuparse.storage.create", lambda *_, **__: open("/dev/full", "wb", 0))  # noqa: SIM115  # save closes it
    with pytest.raises(ModelError, match="No space left on device"):
        save_model(tiny_model(), path)
    monkeypatch.undo()
    assert path.read_bytes() == b"the old file"
    assert os.listdir(tmp_path) == ["model"]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_can_not_be_written_to_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o555)
    with pytest.raises(ModelError, match="locked is not writable"):
        save_model(tiny_model(), folder / "model")
    folder.chmod(0o755)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="No such file"):
        save_model(tiny_model(), tmp_path / "none" / "model")


def test_only_files_are_replaced_and_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (tmp_path, pipe):
        with pytest.raises(ModelError, match="not a file"):
            save_model(tiny_model(), path)
        with pytest.raises(ModelError, match="not a file"):
            load_model(path)


def test_a_link_keeps_pointing_to_the_model(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "model")
    save_model(tiny_model(), tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "model").read_bytes() == tiny_bytes()


def test_a_stored_model_is_as_readable_as_other_files(tmp_path: Path) -> None:
    save_model(tiny_model(), tmp_path / "model")
    (tmp_path / "plain").touch()
    assert (tmp_path / "model").stat().st_mode == (tmp_path / "plain").stat().st_mode
