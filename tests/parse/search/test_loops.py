"""The search chooses its loop by what a backend says of itself, not by its name."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from gpuparse.kernels import cpu
from gpuparse.options import SearchOptions, Strategy
from gpuparse.parse.search.parser import Result
from gpuparse.trees import Token
from tests.parse.search.generated import WORDS, make_parser, random_compounds, tiny_vocabulary

SENTENCES = [[Token(WORDS.get(tag, "oh"), tag) for tag in tags] for tags in (["NN"], ["DT", "NN", "VB"])]


def parse_on(kernels: Any) -> list[Result]:
    vocabulary = tiny_vocabulary(2)
    parser = make_parser(vocabulary, random_compounds(vocabulary, 1), Strategy.r2l, 3, kernels)
    return list(parser.parse(SENTENCES, SearchOptions(limit=50)))


def another_backend(**operations: Any) -> Any:
    """A backend that offers what the CPU's does, but for some operations."""
    return SimpleNamespace(**vars(cpu) | operations)


class Counted:
    """An operation of the CPU that counts its calls."""

    def __init__(self, operation: Any) -> None:
        self._operation, self.calls = operation, 0

    def __call__(self, *arguments: Any) -> None:
        self.calls += 1
        self._operation(*arguments)


def test_where_a_backend_computes_on_the_host_the_rounds_stay_in_compiled_code() -> None:
    score = Counted(cpu.score)
    assert parse_on(another_backend(score=score)) == parse_on(cpu)
    assert score.calls == 0


def test_the_compiled_rounds_call_the_row_scorer_of_the_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = parse_on(cpu)
    monkeypatch.setenv("GPUPARSE_COMPILE", "never")  # an operation that counts can't be compiled
    score_rows = Counted(cpu.score_rows)
    assert parse_on(another_backend(score_rows=score_rows)) == expected
    assert score_rows.calls > len(SENTENCES)


def test_where_a_backend_does_not_it_scores_the_rows_of_each_round() -> None:
    score = Counted(cpu.score)
    assert parse_on(another_backend(score=score, score_rows=None, COMPUTES_ON_HOST=False)) == parse_on(cpu)
    assert score.calls > len(SENTENCES)
