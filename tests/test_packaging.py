"""The program as others get it: a wheel, installed away from the project."""

from __future__ import annotations

import shutil
import site
import subprocess
import sys
import sysconfig
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]


def call(*command: str | Path, folder: Path) -> str:
    answer = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def copy_of_the_project(folder: Path) -> Path:
    """Building leaves files behind, so it is done on a copy."""
    copy = folder / "project"
    for part in ("gpuparse", "kernels"):
        shutil.copytree(PROJECT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("pyproject.toml", "README.md"):
        shutil.copy(PROJECT / part, copy / part)
    return copy


def test_a_wheel_installed_elsewhere_runs_and_finds_its_data(tmp_path: Path) -> None:
    project = copy_of_the_project(tmp_path)
    build = ["pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(tmp_path)]
    call(sys.executable, "-m", *build, ".", folder=project)
    [wheel] = tmp_path.glob("gpuparse-*.whl")

    venv = tmp_path / "venv"
    call(sys.executable, "-m", "venv", "--without-pip", venv, folder=tmp_path)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(venv), "platbase": str(venv)}))
    install = ["pip", "--python", str(venv / "bin" / "python"), "install", "--quiet", "--no-deps", "--no-index"]
    call(sys.executable, "-m", *install, wheel, folder=tmp_path)
    # The dependencies are those of the environment that runs the tests: no network is needed.
    (packages / "dependencies.pth").write_text("\n".join(site.getsitepackages()))

    command = venv / "bin" / "gpuparse"
    assert call(command, "--version", folder=tmp_path).startswith("gpuparse ")
    trees = call(command, "synth", "3", folder=tmp_path)
    assert len(trees.splitlines()) == 3
    (tmp_path / "three.mrg").write_text(trees)
    assert len(call(command, "prepare", "three.mrg", folder=tmp_path).splitlines()) == 3
    assert '"english"' in call(command, "models", "--json", folder=tmp_path)
    program = "import gpuparse, gpuparse.kernels.cpu as cpu; print(gpuparse.__file__, cpu.__file__)"
    where = call(venv / "bin" / "python", "-c", program, folder=tmp_path)
    assert all(path.startswith(str(venv)) for path in where.split())
