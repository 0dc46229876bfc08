"""`gpuparse bench tag`, through the command."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from gpuparse.cli.bench import app
from gpuparse.trees import synthetic_treebank


def test_the_benchmark_learns_from_one_treebank_and_tags_another(tmp_path: Path) -> None:
    for name, seed in (("train.mrg", 1), ("test.mrg", 2)):
        (tmp_path / name).write_text("\n".join(map(str, synthetic_treebank(100, seed=seed))))
    run = CliRunner().invoke(app, ["tag", str(tmp_path / "train.mrg"), "--test", str(tmp_path / "test.mrg"), "--json"])
    assert run.exit_code == 0, run.output
    figures = json.loads(run.stdout)
    assert figures["accuracy_known"] > figures["accuracy"] > figures["accuracy_unknown"] > 50
    assert figures["tokens_per_cpu_second"] > 0
