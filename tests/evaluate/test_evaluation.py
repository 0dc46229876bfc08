"""Treebanks against treebanks: totals and breakdowns."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuparse.errors import ScoringError
from gpuparse.evaluate import COLLINS, BracketCounts, ScoreStatus, evaluate
from gpuparse.trees import UNPARSED, parse_tree

GOLD = parse_tree("(TOP (S (NP (N a)) (VP (V b) (PRT (R c)) (PP (I d) (NP (N e)))) (. .)))")
TEST = parse_tree("(TOP (S (NP (N a)) (VP (V b) (ADVP (R c)) (SBAR (I d) (NP (N f)))) (. .)))")
SAME_WORDS = parse_tree("(TOP (S (NP (N a)) (VP (V b) (ADVP (R c)) (SBAR (I d) (NP (N e)))) (. .)))")


def test_different_numbers_of_trees_are_an_error() -> None:
    with pytest.raises(ScoringError, match="2 gold trees and 1 test trees"):
        evaluate([GOLD, GOLD], [GOLD])


def test_labels_are_counted_apart_and_equal_ones_together() -> None:
    by_label = evaluate([GOLD], [SAME_WORDS]).by_label
    assert by_label["ADVP"] == BracketCounts(matched=1, gold=1, test=1)
    assert by_label["PP"] == BracketCounts(matched=0, gold=1, test=0)
    assert by_label["SBAR"] == BracketCounts(matched=0, gold=0, test=1)
    assert by_label["NP"] == BracketCounts(matched=2, gold=2, test=2)
    assert "PRT" not in by_label


def test_the_labels_counts_add_up_to_the_totals() -> None:
    evaluation = evaluate([GOLD, GOLD], [SAME_WORDS, GOLD])
    for count in ("matched", "gold", "test"):
        assert sum(getattr(counts, count) for counts in evaluation.by_label.values()) == getattr(
            evaluation.overall, count
        )


def test_error_and_skipped_sentences_are_named_and_in_no_total() -> None:
    evaluation = evaluate([GOLD, GOLD, GOLD], [TEST, UNPARSED, GOLD])
    assert [score.id for score in evaluation.with_status(ScoreStatus.ERROR)] == [1]
    assert [score["id"] for score in evaluation.as_json()["not_scored"]] == [1, 2]
    assert evaluation.overall.valid == 1
    assert evaluation.overall.f1 == 100


def test_nothing_valid_scores_zero() -> None:
    figures = evaluate([GOLD], [UNPARSED]).overall.figures()
    assert (figures["f1"], figures["complete_match"], figures["average_crossing"]) == (0, 0, 0)


def test_a_wrong_tag_spoils_the_exact_match_but_not_the_complete_one() -> None:
    other = parse_tree("(TOP (S (NP (X a)) (VP (V b) (PRT (R c)) (PP (I d) (NP (N e)))) (. .)))")
    figures = evaluate([GOLD], [other]).overall.figures()
    assert (figures["complete_match"], figures["exact_match"], figures["tagging_accuracy"]) == (100, 0, 80)


@pytest.mark.parametrize(("errors", "stops"), [(2, False), (3, True)])
def test_scoring_stops_where_evalb_does_on_too_many_errors(errors: int, stops: bool) -> None:
    gold, test = [GOLD] * errors, [TEST] * errors
    rules = replace(COLLINS, max_errors=1)
    if stops:
        with pytest.raises(ScoringError, match="MAX_ERROR 1"):
            evaluate(gold, test, rules)
    else:
        assert evaluate(gold, test, rules).overall.errors == errors


def test_lengths_are_told_apart_by_tens() -> None:
    long = parse_tree("(TOP (S " + " ".join(f"(N w{n})" for n in range(11)) + "))")
    by_length = evaluate([GOLD, long], [GOLD, long]).by_length
    assert {lengths: summary.sentences for lengths, summary in by_length.items()} == {"0-10": 1, "11-20": 1}
