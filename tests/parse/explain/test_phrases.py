"""How constituents, rivals and the outcome of a search are put into words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuparse.parse.explain import Doubt, RivalKind
from gpuparse.parse.explain.explainer import cost_of
from gpuparse.parse.explain.explanation import ExplainedToken
from gpuparse.parse.explain.phrases import facts_of, notes_of, rival_in_words, rival_outcome, verdict_of
from gpuparse.parse.search.parser import Outcome
from tests.parse.explain.made_up import BUILT, EXPLANATION, PARSED, RIVAL


def test_a_dearer_rival_is_told_by_how_much() -> None:
    assert rival_outcome(BUILT, RIVAL, EXPLANATION) == "costs 0.2500 more"


def test_of_a_rival_that_is_cheaper_at_its_step_only_what_is_proved_is_said() -> None:
    cheaper = replace(RIVAL, cost=0.125)
    assert "every tree that has it costs at least as much" in rival_outcome(BUILT, cheaper, EXPLANATION)
    unproved = replace(EXPLANATION, parsed=replace(PARSED, status="limit"))
    assert "no cheaper tree was found" in rival_outcome(BUILT, cheaper, unproved)


@pytest.mark.parametrize(
    ("kind", "strategy", "said"),
    [
        (RivalKind.LABEL, "r2l", "over the same children"),
        (RivalKind.SPAN, "r2l", "over “the dog” (DT NN)"),
        (RivalKind.ELSEWHERE, "r2l", "over “the dog” (DT NN): going on to the left, without this constituent"),
        (RivalKind.ELSEWHERE, "l2r", "over “the dog” (DT NN): going on to the right, without this constituent"),
        (RivalKind.ELSEWHERE, "bu", "over “the dog” (DT NN): elsewhere, before this constituent"),
    ],
)
def test_a_rival_is_told_by_what_it_would_have_been(kind: RivalKind, strategy: str, said: str) -> None:
    assert rival_in_words(replace(RIVAL, kind=kind), strategy) == said


@pytest.mark.parametrize(("score", "doubt"), [(5.0, Doubt.NONE), (1.0, Doubt.SOME), (-1.0, Doubt.MUCH)])
def test_doubt_comes_with_low_confidence(score: float, doubt: Doubt) -> None:
    assert replace(BUILT, score=score, cost=cost_of(score)).doubt is doubt


def test_what_was_never_inferred_is_doubtful() -> None:
    assert replace(BUILT, score=None, cost=0.0).doubt is Doubt.MUCH


def test_the_search_is_told_in_figures_and_a_sentence_that_was_not_searched_has_no_cost() -> None:
    assert facts_of(EXPLANATION)[:2] == ["cost 0.2500", "1,200 partial parses scored"]
    assert not any("cost" in fact for fact in facts_of(replace(EXPLANATION, parsed=replace(PARSED, cost=None))))


def test_notes_name_the_tokens_that_a_reader_may_wonder_about() -> None:
    tokens = (
        ExplainedToken("Go", "VB", True, True, True),
        ExplainedToken("zyzzyva", "QQ", True, False, False),
        ExplainedToken(".", ".", False, True, True),
    )
    aside, word, tag = notes_of(replace(EXPLANATION, tokens=tokens))
    assert aside.endswith(": .")
    assert word.endswith(": zyzzyva")
    assert tag.endswith(": QQ (zyzzyva)")
    assert notes_of(EXPLANATION) == []


@pytest.mark.parametrize("outcome", Outcome)
def test_every_way_in_which_a_search_can_end_has_a_verdict(outcome: Outcome) -> None:
    assert verdict_of(replace(EXPLANATION, parsed=replace(PARSED, status=str(outcome)))).endswith(".")
