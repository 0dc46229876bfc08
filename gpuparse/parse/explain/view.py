"""What a reader of an explanation sees: which things are said, in which order and in which words.

The terminal and the page both draw this structure, so that they say the same. It is plain text: each of them makes it
safe for its own medium.

    SentenceView                 title, verdict, facts and notes about the parse as a whole
    └─ ConstituentView           label, figures, and the sections "because", "rules" and "rejected"
       ├─ Section ─ Reason       a weight, and what it is for
       └─ RivalView              label, what it would have been, what it costs
          └─ Section ─ Reason
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from gpuparse.parse.explain.explanation import (
    Constituent,
    Doubt,
    Explanation,
    Fact,
    FiredRule,
    Others,
    Rival,
    RuleDifference,
)
from gpuparse.parse.explain.phrases import (
    ALWAYS_HOLDS,
    LACKS,
    NOT_INFERRED,
    counted,
    covered,
    facts_of,
    notes_of,
    percent,
    rival_in_words,
    rival_outcome,
    signed,
    verdict_of,
)
from gpuparse.trees import Tree

CONDITIONS_AT_ONCE = 2  # conditions of a rule that are said at once, if it has many


@dataclass(frozen=True)
class Figure:
    """A number or a word with its name: a score, a cost, a head."""

    name: str
    value: str


@dataclass(frozen=True)
class Reason:
    """A weight, and the fact or rule that has it."""

    weight: float
    text: str  # what is said at once
    more: tuple[str, ...] = ()  # the other conditions of a long rule
    name: str = ""  # as the model writes it; "" where it has no name
    lead: str = ""  # what stands before the text: that a rival lacks the rule

    @property
    def figure(self) -> str:
        """The weight as it is written."""
        return signed(self.weight)

    @property
    def helps(self) -> bool:
        """Whether it speaks for the inference rather than against it."""
        return self.weight > 0

    @property
    def in_short(self) -> str:
        """Everything in one phrase; conditions that are not said at once are counted.

        >>> Reason(1.0, "it has 2 children", ("no child is S", "no child is X"), lead="lacks:").in_short
        'lacks: it has 2 children … and 2 more conditions'
        """
        lead = f"{self.lead} " if self.lead else ""
        return f"{lead}{self.text} … {self.how_many_more}" if self.more else f"{lead}{self.text}"

    @property
    def how_many_more(self) -> str:
        """What is said in place of the other conditions."""
        return f"and {counted(len(self.more), 'more condition')}"


@dataclass(frozen=True)
class Heading:
    """The name of a section, and how to read it."""

    name: str
    hint: str = ""


BECAUSE = Heading("because", "what the score would lose if this were not so")
RULES = Heading("rules", "the heaviest that fired; all weights add up to the score")
REJECTED = Heading("rejected", "the best other choices at this step, and what cost them the place")


@dataclass(frozen=True)
class Section:
    """Reasons under a heading."""

    heading: Heading
    reasons: tuple[Reason, ...]
    rest: Reason | None = None  # the sum of those that are not listed


@dataclass(frozen=True)
class RivalView:
    """Another choice: what it would have been, and why it was not made."""

    label: str
    text: str  # what it would have been, apart from its label
    score: str
    outcome: str
    start: int
    end: int
    against: Section | None  # facts that harm it; None: there are none
    rules: Section  # those that set it apart from what was built


@dataclass(frozen=True)
class ConstituentView:
    """A constituent of the tree: what is said of it, and of its rivals.

    One that was never inferred has a remark in place of figures, sections and rivals.
    """

    node: int
    number: int  # from 1, in the order of the tree
    label: str
    text: str  # the words it covers
    covers: str  # and where they are
    start: int
    end: int
    cost: float
    doubt: Doubt
    figures: tuple[Figure, ...] = ()
    origin: tuple[Figure, ...] = ()  # how it was built
    because: Section | None = None  # None: no fact is listed
    rules: Section | None = None
    rejected: tuple[RivalView, ...] = ()  # the best first
    remark: str = ""
    certainty: str = "not inferred"  # how sure the model is


@dataclass(frozen=True)
class SentenceView:
    """A sentence: its tree, what is said of the whole parse, and of each constituent."""

    title: str
    tree: Tree
    verdict: str
    proved: bool
    facts: tuple[str, ...]  # a phrase each
    notes: tuple[str, ...]  # a sentence each, about single words
    set_aside: frozenset[int]  # tokens that the parser did not see
    constituents: tuple[ConstituentView, ...]

    @property
    def legend(self) -> tuple[Heading, ...]:
        """The sections that a reader meets below."""
        return (BECAUSE, RULES, REJECTED) if self.constituents else ()


def view_of(explanation: Explanation) -> SentenceView:
    """What to show of an explanation.

    >>> from gpuparse.parse.parsed_tree import ParsedTree
    >>> from gpuparse.trees import parse_tree
    >>> parsed = ParsedTree(parse_tree("(TOP (. !))"), None, "flat", 0, ())
    >>> view = view_of(Explanation((), parsed, False, "r2l", 0.1, ()))
    >>> view.verdict, view.facts
    ('Nothing but punctuation: there was nothing to decide.', ('0 partial parses scored', 'strategy r2l, lambda 0.1'))
    """
    return SentenceView(
        title=" ".join(token.word for token in explanation.tokens),
        tree=explanation.parsed.tree,
        verdict=verdict_of(explanation),
        proved=explanation.optimal,
        facts=tuple(facts_of(explanation)),
        notes=tuple(notes_of(explanation)),
        set_aside=frozenset(at for at, token in enumerate(explanation.tokens) if not token.seen),
        constituents=tuple(
            _constituent(constituent, number, explanation)
            for number, constituent in enumerate(explanation.constituents, 1)
        ),
    )


def _constituent(constituent: Constituent, number: int, explanation: Explanation) -> ConstituentView:
    place = ConstituentView(
        node=constituent.node,
        number=number,
        label=constituent.label,
        text=constituent.text,
        covers=covered(constituent.start, constituent.end),
        start=constituent.start,
        end=constituent.end,
        cost=constituent.cost,
        doubt=constituent.doubt,
        remark=NOT_INFERRED,
    )
    if constituent.score is None:
        return place
    lighter = "lighter rule" if constituent.rules else "rule"
    return replace(
        place,
        remark="",
        figures=(
            Figure("score", signed(constituent.score)),
            Figure("cost", f"{constituent.cost:.4f}"),
            Figure("confidence", percent(constituent.confidence)),
        ),
        origin=(
            Figure("over", " ".join(constituent.children)),
            Figure("head", f"“{constituent.head}”"),
            Figure("step", str(constituent.step)),
        ),
        because=_facts(BECAUSE, constituent.facts),
        rules=Section(RULES, tuple(map(_fired, constituent.rules)), _rest(constituent.others, lighter)),
        rejected=tuple(_rival(constituent, rival, explanation) for rival in constituent.rivals),
        certainty=f"confidence {percent(constituent.confidence)}",
    )


def _rival(constituent: Constituent, rival: Rival, explanation: Explanation) -> RivalView:
    compared = "rules that set it apart" if rival.label == constituent.label else f"rules of {rival.label}"
    return RivalView(
        label=rival.label,
        text=rival_in_words(rival, explanation.strategy),
        score=signed(rival.score),
        outcome=rival_outcome(constituent, rival, explanation),
        start=rival.start,
        end=rival.end,
        against=_facts(Heading("what counts against it"), rival.facts),
        rules=Section(Heading(compared), tuple(map(_difference, rival.differences)), _rest(rival.others, "other rule")),
    )


def _facts(heading: Heading, facts: Iterable[Fact]) -> Section | None:
    reasons = tuple(Reason(fact.effect, fact.english, name=fact.feature) for fact in facts)
    return Section(heading, reasons) if reasons else None


def _fired(rule: FiredRule) -> Reason:
    return _rule(rule.weight, rule.rule, rule.conditions)


def _difference(difference: RuleDifference) -> Reason:
    return _rule(difference.effect, difference.rule, difference.conditions, LACKS if difference.lacking else "")


def _rule(weight: float, rule: str, conditions: tuple[str, ...], lead: str = "") -> Reason:
    """A rule with its first conditions; if only one more is left, it is said, too, and not counted."""
    if not conditions:
        return Reason(weight, ALWAYS_HOLDS, lead=lead)
    at_once = CONDITIONS_AT_ONCE if len(conditions) > CONDITIONS_AT_ONCE + 1 else CONDITIONS_AT_ONCE + 1
    return Reason(weight, " and ".join(conditions[:at_once]), conditions[at_once:], rule, lead)


def _rest(others: Others, noun: str) -> Reason | None:
    return Reason(others.weight, f"from {counted(others.number, noun)}") if others.number else None
