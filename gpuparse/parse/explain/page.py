"""Explanations as one HTML page that needs nothing else: a tree, and the reasons for the constituent clicked on.

All reasons are in the page as text, and its script only hides those of other constituents: without it nothing is lost.
What is said is decided by view.py. The frame of the page, with its style and script, is page.html.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from html import escape
from importlib import resources

from gpuparse.parse.explain.explanation import Explanation
from gpuparse.parse.explain.view import (
    REJECTED,
    ConstituentView,
    Figure,
    Heading,
    Reason,
    RivalView,
    Section,
    SentenceView,
    view_of,
)
from gpuparse.trees.svg import draw_svg


def page(explanations: Sequence[Explanation]) -> str:
    """The page of one or more sentences.

    >>> from gpuparse.trees import parse_tree
    >>> from gpuparse.parse.parsed_tree import ParsedTree
    >>> parsed = ParsedTree(parse_tree("(TOP (. !))"), None, "flat", 0, ())
    >>> "<svg" in page([Explanation((), parsed, False, "r2l", 0.1, ())])
    True
    """
    views = [view_of(explanation) for explanation in explanations]
    title = views[0].title if views else ""
    sections = "\n".join(_sentence(view, f"s{number}") for number, view in enumerate(views))
    return _frame().replace("{{title}}", _text(title)).replace("{{sentences}}", sections)


@cache
def _frame() -> str:
    return resources.files("gpuparse.parse.explain").joinpath("page.html").read_text(encoding="utf-8")


def _text(text: str) -> str:
    """Text for the page. Braces are written as references, so that no word is taken for a placeholder of the frame."""
    return escape(text).replace("{", "&#123;").replace("\0", "\N{REPLACEMENT CHARACTER}")


def _sentence(view: SentenceView, name: str) -> str:
    facts = "".join(f"<li>{_text(fact)}</li>" for fact in view.facts)
    notes = "".join(f"<p class='note'>{_text(note)}</p>" for note in view.notes)
    reasons = "\n".join(_article(constituent, name) for constituent in view.constituents)
    proved = "proved" if view.proved else "unproved"
    return (
        f"<section class='sentence' id='{name}' aria-label='{_text(view.title)}'>\n"
        f"<header><h1>{_text(view.title)}</h1><p class='verdict {proved}'>{_text(view.verdict)}</p>"
        f"<ul class='facts'>{facts}</ul>{notes}</header>\n"
        f"<div class='tree'>{_tree(view, name)}</div>\n"
        f"<div class='reasons'>{reasons}</div>\n</section>"
    )


def _tree(view: SentenceView, name: str) -> str:
    tree, parents = view.tree, view.tree.parents()
    levels = [1] * len(tree)
    for node in range(1, len(tree)):
        levels[node] = levels[parents[node]] + 1
    attributes: dict[int, dict[str, str]] = {}
    terminals = [node for node, word in enumerate(tree.words) if word is not None]
    for at, node in enumerate(terminals):
        attributes[node] = {"aria-hidden": "true", "data-token": str(at), "data-parent": str(parents[node])}
        if at in view.set_aside:
            attributes[node]["data-aside"] = "true"
    for constituent in view.constituents:
        node = constituent.node
        attributes[node] = {
            "role": "treeitem",
            "tabindex": "-1",
            "aria-level": str(levels[node]),
            "aria-label": _spoken(constituent),
            "aria-controls": f"{name}-{node}",
            "data-parent": str(parents[node]),
            "data-start": str(constituent.start),
            "data-end": str(constituent.end),
            "data-cost": f"{constituent.cost:.6f}",
            "data-doubt": str(constituent.doubt),
        }
    return draw_svg(tree, attributes, "tree" if view.constituents else "img")


def _spoken(constituent: ConstituentView) -> str:
    """What a screen reader says of a constituent."""
    return f"{constituent.label}: {constituent.text}, {constituent.certainty}"


def _article(constituent: ConstituentView, name: str) -> str:
    """The reasons for a constituent."""
    heading = f"<h2><b>{_text(constituent.label)}</b> <q>{_text(constituent.text)}</q></h2>"
    start = (
        f"<article id='{name}-{constituent.node}' tabindex='-1' data-node='{constituent.node}' "
        f"aria-label='Reasons for {_text(constituent.label)}: {_text(constituent.text)}'>{heading}"
    )
    if constituent.remark:
        return f"{start}<p>{_text(constituent.remark)}</p></article>"
    facts = _heading(constituent.because.heading) + _facts(constituent.because) if constituent.because else ""
    rules = _heading(constituent.rules.heading) + _rules(constituent.rules) if constituent.rules else ""
    rivals = "".join(_rival(rival, number == 0) for number, rival in enumerate(constituent.rejected))
    rejected = f"<div>{_heading(REJECTED)}{rivals}</div>" if rivals else ""
    figures = (*constituent.figures, Figure("covers", constituent.covers), *constituent.origin)
    return f"{start}{_figures(figures)}<div class='columns'><div>{facts}{rules}</div>{rejected}</div></article>"


def _heading(heading: Heading) -> str:
    return f"<h3>{_text(_sentence_case(heading.name))}</h3><p class='hint'>{_text(_sentence_case(heading.hint))}.</p>"


def _sentence_case(phrase: str) -> str:
    return phrase[:1].upper() + phrase[1:]


def _figures(figures: Sequence[Figure]) -> str:
    pairs = "".join(f"<div><dt>{figure.name}</dt><dd>{_text(figure.value)}</dd></div>" for figure in figures)
    return f"<dl class='figures'>{pairs}</dl>"


def _facts(section: Section) -> str:
    return _bars([(fact, f"<span title='{_text(fact.name)}'>{_text(fact.text)}</span>") for fact in section.reasons])


def _rules(section: Section) -> str:
    rest = section.rest
    others = f"<p class='others'>{rest.figure} {_text(rest.text)}</p>" if rest else ""
    return _bars([(rule, _rule(rule)) for rule in section.reasons]) + others


def _bars(rows: Sequence[tuple[Reason, str]]) -> str:
    """A list of reasons, each with a bar whose length is its weight."""
    if not rows:
        return ""
    heaviest = max(abs(reason.weight) for reason, _ in rows) or 1.0
    items = (
        f"<li class='{'for' if reason.helps else 'against'}'><span class='figure'>{reason.figure}</span>"
        f"<span class='bar' style='--part:{abs(reason.weight) / heaviest:.3f}'></span><div>{content}</div></li>"
        for reason, content in rows
    )
    return f"<ul class='bars'>{''.join(items)}</ul>"


def _rule(rule: Reason) -> str:
    """The first conditions of a rule; the others, and how the model writes it, open on demand."""
    lead = f"<i>{_text(rule.lead)}</i> " if rule.lead else ""
    if not rule.name:
        return lead + _text(rule.text)
    conditions = "".join(f"<li>{_text(condition)}</li>" for condition in rule.more)
    hidden = f"<ul>{conditions}</ul>" if conditions else ""
    summary = rule.how_many_more if rule.more else "names"
    return (
        f"{lead}{_text(rule.text)} "
        f"<details><summary>{summary}</summary>{hidden}<code>{_text(rule.name)}</code></details>"
    )


def _rival(rival: RivalView, is_open: bool) -> str:
    sections = "".join(
        f"<h4>{_text(_sentence_case(section.heading.name))}</h4>{drawn(section)}"
        for section, drawn in ((rival.against, _facts), (rival.rules, _rules))
        if section
    )
    return (
        f"<details class='rival' data-start='{rival.start}' data-end='{rival.end}'{' open' if is_open else ''}>"
        f"<summary><b>{_text(rival.label)}</b> {_text(rival.text)}"
        f"<span class='outcome'>score {rival.score}: {_text(rival.outcome)}</span></summary>{sections}</details>"
    )
