"""EVALB's own answers, line by line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gpuparse.evaluate import COLLINS, Evaluation, evaluate, read_rules
from gpuparse.evaluate.listing import HEADER, RULE, sentence_line, summary_lines, total_line
from gpuparse.trees import read_trees

FOLDER = Path(__file__).resolve().parents[1] / "data" / "evalb"
CASES = [(name, rules) for name in ("corners", "damaged") for rules in ("COLLINS", "other")]


def evaluation(name: str, rules: str) -> Evaluation:
    gold, test = (list(read_trees(FOLDER / f"{name}.{side}")) for side in ("gold", "test"))
    return evaluate(gold, test, read_rules(FOLDER / f"{rules}.prm"))


def expected(name: str, rules: str) -> list[str]:
    return (FOLDER / f"{name}.{rules}.expected").read_text().splitlines()


@pytest.mark.parametrize(("name", "rules"), CASES)
def test_every_sentence_has_the_line_that_evalb_prints(name: str, rules: str) -> None:
    scores = evaluation(name, rules).scores
    header = HEADER.splitlines()
    lines = expected(name, rules)
    assert lines[: len(header)] == header
    assert [sentence_line(score) for score in scores] == lines[len(header) : lines.index(RULE, len(header))]


@pytest.mark.parametrize(("name", "rules"), CASES)
def test_every_total_is_the_one_that_evalb_prints(name: str, rules: str) -> None:
    figures = evaluation(name, rules)
    lines = expected(name, rules)
    totals = lines[lines.index(RULE, 3) + 1 :]
    assert [
        total_line(figures.overall),
        "=== Summary ===",
        "",
        *summary_lines("All", figures.overall),
        "",
        *summary_lines(f"len<={figures.rules.cutoff}", figures.short),
    ] == totals


def test_the_default_rules_are_those_of_the_parameter_file() -> None:
    read = read_rules(FOLDER / "COLLINS.prm")
    assert replace(COLLINS, name=read.name, max_errors=1000) == read
