"""EVALB's own answers, line by line."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from gpuparse.evaluate import Evaluation, evaluate
from gpuparse.evaluate.listing import HEADER, RULE, sentence_line, summary_lines, total_line
from gpuparse.trees import read_trees

NAMES = ("mutated", "real")


def evaluation(folder: Path, name: str) -> Evaluation:
    gold, test = (list(read_trees(folder / "evalb" / f"{name}.{side}")) for side in ("gold", "test"))
    return evaluate(gold, test)


def expected(folder: Path, name: str) -> list[str]:
    return (folder / "evalb" / f"{name}.expected").read_text().splitlines()


@pytest.mark.parametrize("name", NAMES)
def test_every_sentence_has_the_line_that_evalb_prints(conformance: Path, name: str) -> None:
    scores = evaluation(conformance, name).scores
    header = HEADER.splitlines()
    lines = expected(conformance, name)
    assert lines[: len(header)] == header
    assert [sentence_line(score) for score in scores] == lines[len(header) : lines.index(RULE, len(header))]


@pytest.mark.parametrize("name", NAMES)
def test_every_total_is_the_one_that_evalb_prints(conformance: Path, name: str) -> None:
    found = evaluation(conformance, name)
    lines = expected(conformance, name)
    totals = lines[lines.index(RULE, 3) + 1 :]
    assert [
        total_line(found.overall),
        "=== Summary ===",
        "",
        *summary_lines("All", found.overall),
        "",
        *summary_lines("len<=40", found.short),
    ] == totals


def test_a_thousand_pairs_take_less_than_a_second(conformance: Path) -> None:
    gold = list(read_trees(conformance / "evalb" / "mutated.gold")) * 4
    start = time.process_time()
    evaluate(gold, gold)
    assert len(gold) / (time.process_time() - start) > 1000
