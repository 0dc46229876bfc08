"""What a reader of an explanation sees, whatever shows it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuparse.parse.explain import Constituent, Fact, FiredRule, Others, Rival, RuleDifference
from gpuparse.parse.explain.explanation import ExplainedToken
from gpuparse.parse.explain.phrases import ALWAYS_HOLDS, NOT_INFERRED
from gpuparse.parse.explain.view import BECAUSE, REJECTED, RULES, ConstituentView, Figure, Reason, RivalView, view_of
from tests.parse.explain.made_up import BUILT, EXPLANATION, RIVAL

CONDITIONS = ("it has 2 children", "no child is VP", "no child is S", "no child is X")


def constituent_view(constituent: Constituent) -> ConstituentView:
    [view] = view_of(replace(EXPLANATION, constituents=(constituent,))).constituents
    return view


def rival_view(rival: Rival) -> RivalView:
    [view] = constituent_view(replace(BUILT, rivals=(rival,))).rejected
    return view


def rule_reason(conditions: tuple[str, ...]) -> Reason:
    rules = constituent_view(replace(BUILT, rules=(FiredRule(1.5, "the rule's name", conditions),))).rules
    assert rules is not None
    [reason] = rules.reasons
    return reason


def test_a_sentence_is_headed_by_its_words_and_the_verdict() -> None:
    tokens = (ExplainedToken("Go", "VB", True, True, True), ExplainedToken(".", ".", False, True, True))
    view = view_of(replace(EXPLANATION, tokens=tokens))
    assert view.title == "Go ."
    assert view.proved
    assert view.verdict.startswith("Proved optimal")
    assert view.set_aside == {1}


def test_the_legend_explains_the_sections_where_there_are_any() -> None:
    assert view_of(EXPLANATION).legend == ()
    assert view_of(replace(EXPLANATION, constituents=(BUILT,))).legend == (BECAUSE, RULES, REJECTED)


def test_constituents_are_numbered_in_the_order_of_the_tree() -> None:
    view = view_of(replace(EXPLANATION, constituents=(BUILT, replace(BUILT, node=1))))
    assert [(constituent.number, constituent.node) for constituent in view.constituents] == [(1, 0), (2, 1)]


def test_a_constituent_has_its_figures_and_its_origin() -> None:
    view = constituent_view(BUILT)
    assert view.figures == (Figure("score", "+1.00"), Figure("cost", "0.2500"), Figure("confidence", "77.9 %"))
    assert view.origin == (Figure("over", "VB NP"), Figure("head", "“see”"), Figure("step", "1"))
    assert view.covers == "words 1–3"
    assert view.certainty == "confidence 77.9 %"


def test_what_was_never_inferred_has_a_remark_and_nothing_else() -> None:
    view = constituent_view(replace(BUILT, score=None, step=None))
    assert view.remark == NOT_INFERRED
    assert view.certainty == "not inferred"
    assert (view.figures, view.origin, view.because, view.rules, view.rejected) == ((), (), None, None, ())


def test_facts_are_reasons_with_the_name_that_the_model_has_for_them() -> None:
    because = constituent_view(replace(BUILT, facts=(Fact(-0.5, "first1.label=VB", "the first child is VB"),))).because
    assert because is not None
    assert because.reasons == (Reason(-0.5, "the first child is VB", name="first1.label=VB"),)
    assert because.reasons[0].figure == "−0.50"
    assert not because.reasons[0].helps


def test_without_facts_there_is_no_such_section() -> None:
    assert constituent_view(BUILT).because is None
    assert rival_view(RIVAL).against is None


@pytest.mark.parametrize(
    ("conditions", "in_short"),
    [
        (CONDITIONS[:1], "it has 2 children"),
        (CONDITIONS[:3], "it has 2 children and no child is VP and no child is S"),
        (CONDITIONS, "it has 2 children and no child is VP … and 2 more conditions"),
        ((), ALWAYS_HOLDS),
    ],
)
def test_a_rule_is_told_in_short(conditions: tuple[str, ...], in_short: str) -> None:
    assert rule_reason(conditions).in_short == in_short


def test_the_conditions_of_a_long_rule_are_all_there() -> None:
    reason = rule_reason(CONDITIONS)
    assert (reason.text, reason.more) == ("it has 2 children and no child is VP", CONDITIONS[2:])
    assert reason.name == "the rule's name"


@pytest.mark.parametrize(
    ("rules", "text"),
    [((), "from 2 rules"), ((FiredRule(1.5, "name", ("it has 2 children",)),), "from 2 lighter rules")],
)
def test_rules_that_are_not_listed_are_added_up(rules: tuple[FiredRule, ...], text: str) -> None:
    section = constituent_view(replace(BUILT, rules=rules, others=Others(2, 0.25))).rules
    assert section is not None
    assert section.rest == Reason(0.25, text)


def test_a_rival_is_told_with_its_score_and_why_it_lost() -> None:
    view = rival_view(RIVAL)
    assert (view.label, view.text, view.score) == ("NP", "over “the dog” (DT NN)", "+0.00")
    assert view.outcome == "costs 0.2500 more"


@pytest.mark.parametrize(("label", "name"), [("VP", "rules that set it apart"), ("NP", "rules of NP")])
def test_the_rules_of_a_rival_are_compared_where_the_label_is_the_same(label: str, name: str) -> None:
    assert rival_view(replace(RIVAL, label=label)).rules.heading.name == name


def test_a_rule_that_the_rival_lacks_says_so() -> None:
    differences = (RuleDifference(-1.0, "a", ("x",), True), RuleDifference(-0.5, "b", ("y",), False))
    rules = rival_view(replace(RIVAL, differences=differences, others=Others(1, -0.25))).rules
    assert [reason.in_short for reason in rules.reasons] == ["lacks: x", "y"]
    assert rules.rest == Reason(-0.25, "from 1 other rule")
