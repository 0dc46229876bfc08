"""The benchmark of parsing counts what the parser reports."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from gpuparse.cli.bench import app
from gpuparse.parse.model.file import save_model
from gpuparse.trees import synthetic_treebank
from tests.small_model import small_model


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("bench")
    model, trees = folder / "small.model", folder / "trees.mrg"
    save_model(small_model(60, max_trees=5), model)
    trees.write_text("\n".join(map(str, synthetic_treebank(20, seed=3))))
    return str(model), str(trees)


def figures(files: tuple[str, str], *options: str) -> dict[str, Any]:
    answer = CliRunner().invoke(app, ["parse", *files, "--json", *options])
    assert answer.exit_code == 0, answer.output
    return json.loads(answer.stdout)


def test_bench_parse_prints_its_figures_as_json(files: tuple[str, str]) -> None:
    answer = figures(files, "--limit", "2000")
    assert answer["sentences"] == 20
    assert answer["sentences_per_cpu_s"] == pytest.approx(20 / answer["cpu_s"])
    assert 0 < answer["partial_parses"] <= 20 * 2000
    assert answer["partial_parses_per_cpu_s"] == pytest.approx(answer["partial_parses"] / answer["cpu_s"])
    assert 0.5 < sum(answer[f"{name}_share"] for name in ("features", "scoring", "agenda")) <= 1
    assert 0 <= answer["greedy_optimal_share"] <= answer["optimal_share"] <= 1


def test_bench_parse_measures_sentences_of_each_length(files: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpuparse.cli.bench.parse.SOME_LENGTHS", (3, 40))
    rows = figures(files, "--by-length", "--limit", "2000")["by_length"]
    assert [row["length"] for row in rows] == [3, 40]
    assert rows[0]["optimal_share"] > rows[1]["optimal_share"]
    for row in rows:
        assert row["sentences"] == 10
        assert row["sentences_per_cpu_s"] == pytest.approx(1000 / row["ms_per_sentence"])


def test_bench_parse_leaves_long_sentences_out_when_asked(files: tuple[str, str]) -> None:
    assert 0 < figures(files, "--limit", "300", "--max-words", "9")["sentences"] < 20


def test_bench_parse_measures_other_searches(files: tuple[str, str]) -> None:
    assert figures(files, "--limit", "300", "--search", "best-first")["greedy_optimal_share"] == 0
