"""Whole commands on the device: a model trained and sentences parsed are the same as on the CPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpuparse.api import LoadedParser
from gpuparse.boost import Options
from gpuparse.cli.bench.learn import learning_speed
from gpuparse.cli.train import TrainingRun, train_model
from gpuparse.options import Method, SearchOptions, TrainingOptions
from gpuparse.trees import synthetic_treebank
from tests.small_model import small_model, synthetic_trees

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
        train_model(TrainingRun(file, [str(treebank)]), options, name)
        for file, name in zip(files, ("cpu", device), strict=True)
    ]
    assert any(len(ensemble.lambdas) for ensemble in models[0].ensembles.values())
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("method", [Method.greedy, Method.beam])
def test_sentences_parsed_on_the_device_get_the_trees_of_the_cpu(device: str, method: Method) -> None:
    model = small_model(40, max_trees=2)
    short = [tree.tokens() for tree in synthetic_trees(60, seed=5) if len(tree.tokens()) <= SHORT][:3]
    assert len(short) == 3
    results = []
    for name, batch in (("cpu", 1), (device, None)):
        options = SearchOptions(method=method, limit=200, batch=batch)
        parser = LoadedParser(model, options, None, name)._parser
        results.append([(r.tree, r.cost, r.outcome, r.scored) for r in parser.parse(short, options)])
    assert results[0] == results[1]


def test_a_round_is_one_copy_of_bits_there_and_one_of_scores_back(cuda: Any, device: str) -> None:
    model = small_model(40, max_trees=2)
    sentence = next(tree.tokens() for tree in synthetic_trees(60, seed=5) if len(tree.tokens()) == 3)
    options = SearchOptions(limit=60)
    parser = LoadedParser(model, options, None, device)._parser
    before = dict(vars(cuda.traffic))
    list(parser.parse([sentence] * 2, options))
    spent = cuda.traffic.since(before)
    assert spent["waits"] == spent["launches"] <= 60  # rounds, which the two sentences share


def test_the_benchmark_names_the_device_and_its_bandwidth(device: str) -> None:
    figures = learning_speed(20, 40, 4, 2, device=device)
    assert figures["device"] in (device, f"cuda:{device}")
    assert figures["bandwidth_gb_s"] > 0
    assert figures["tree_wall_s"] > 0
