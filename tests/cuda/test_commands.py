"""Whole commands on the device: a model trained and sentences parsed are the same as on the CPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuparse.cli.bench.learn import learning_speed
from gpuparse.cli.train import train_model
from gpuparse.learn import Options
from gpuparse.training import TrainingOptions
from gpuparse.trees import synthetic_treebank

SHORT = 6  # words


@pytest.fixture(scope="module")
def device(pytestconfig: pytest.Config) -> str:
    return pytestconfig.getoption("--device") or "sim"


def test_a_model_trained_on_the_device_is_the_one_trained_on_the_cpu(device: str, tmp_path: Path) -> None:
    short = [tree for tree in synthetic_treebank(60) if len(list(tree.tokens())) <= SHORT][:5]
    treebank = tmp_path / "short.mrg"
    treebank.write_text("\n".join(map(str, short)), encoding="utf-8")
    options = TrainingOptions(
        tune_fraction=0.0, tagger=False, jobs=2, learn=Options(max_trees=1, eta=0.5, min_lambda=0.4, sample=60)
    )
    files = [tmp_path / "ours.model", tmp_path / "theirs.model"]
    models = [
        train_model([str(treebank)], None, file, options, name)
        for file, name in zip(files, ("cpu", device), strict=True)
    ]
    assert any(len(ensemble.lambdas) for ensemble in models[0].ensembles.values())
    assert files[0].read_bytes() == files[1].read_bytes()


def test_the_benchmark_names_the_device_and_its_bandwidth(device: str) -> None:
    figures = learning_speed(20, 40, 4, 2, device=device)
    assert figures["device"] in (device, f"cuda:{device}")
    assert figures["bandwidth_gb_s"] > 0
    assert figures["tree_wall_s"] > 0
