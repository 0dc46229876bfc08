"""Files are whole or absent, keep their permissions, and a lock is held by one process at a time."""

from __future__ import annotations

import ast
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gpuparse.cli.output import results_to
from gpuparse.storage import create, locked, write_atomically
from tests.processes import start

PROJECT = Path(__file__).resolve().parents[1]
HOLD = """
import sys, pathlib
from gpuparse.cli.output import results_to
from gpuparse.storage import locked
with locked(pathlib.Path(sys.argv[1])) as held:
    print(held, flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o444])
def test_a_replaced_file_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(mode)
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert [entry.name for entry in tmp_path.iterdir()] == ["a"]


def test_a_new_file_has_the_permissions_that_the_user_gives_new_files(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "a", b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


def test_where_a_link_stands_what_it_points_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "link").symlink_to("a")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "a").read_bytes() == b"new"


def test_what_could_not_be_written_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "a").write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="full"):
        write_atomically(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a"]


def test_a_file_is_never_created_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("victim")
    with pytest.raises(FileExistsError):
        create(tmp_path / "link")
    assert not (tmp_path / "victim").exists()


def test_an_unfinished_output_neither_follows_a_link_nor_loses_what_is_there(tmp_path: Path) -> None:
    output, victim = tmp_path / "out", tmp_path / "victim"
    output.write_text("secret")
    output.chmod(0o600)
    victim.write_text("mine")
    (tmp_path / "out.part").symlink_to(victim)
    (tmp_path / "out.2.part").write_text("unrelated")
    with results_to(output) as write:
        write("new\n")
        assert stat.S_IMODE((tmp_path / "out.3.part").stat().st_mode) == 0o600
    assert (output.read_text(), stat.S_IMODE(output.stat().st_mode)) == ("new\n", 0o600)
    assert (victim.read_text(), (tmp_path / "out.2.part").read_text()) == ("mine", "unrelated")


def test_a_lock_is_held_by_one_process_and_falls_with_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    command = [sys.executable, "-c", HOLD, str(path)]
    with start(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=PROJECT) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "True\n"
        with locked(path, wait=False) as held:
            assert held is False
        other.send_signal(signal.SIGKILL)
        other.wait()
        with locked(path) as held:
            assert held is True


def test_nothing_else_syncs_or_renames() -> None:
    for path in sorted([*PROJECT.glob("gpuparse/**/*.py"), *PROJECT.glob("kernels/**/*.py")]):
        if path != PROJECT / "gpuparse/storage.py":
            nodes = ast.walk(ast.parse(path.read_text("utf-8")))
            called = {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute)}
            assert not {name.split(".")[-1] for name in called} & {"fsync", "fdatasync", "rename", "renames"}, path
            assert not called & {"os.replace", "shutil.move"}, path
