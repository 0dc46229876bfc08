"""Explanations as one HTML page that needs nothing else: a tree to click on, and the reasons for what was clicked.

All reasons are in the page as text; its script only shows one constituent's at a time, so that without it nothing is
lost. The frame of the page, with its style and script, is page.html beside this file.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from html import escape
from importlib import resources

from gpuparse.parse.explain.explanation import Constituent, Difference, Explanation, FiredRule, Others, Rival
from gpuparse.parse.explain.phrases import (
    ALWAYS,
    amount,
    covered,
    facts_of,
    notes_of,
    percent,
    rival_in_words,
    rival_outcome,
    signed,
)
from gpuparse.trees.svg import draw_svg

SHOWN = 2  # conditions of a rule that are told at once


def page(explanations: Sequence[Explanation]) -> str:
    """The page of some sentences, mostly one.

    >>> from gpuparse.trees import parse_tree
    >>> tree = parse_tree("(TOP (. !))")
    >>> "<svg" in page([Explanation((), tree, "flat", None, 0, False, "r2l", 0.1, ())])
    True
    """
    title = " ".join(token.word for token in explanations[0].tokens) if explanations else ""
    sections = "\n".join(_sentence(explanation, f"s{number}") for number, explanation in enumerate(explanations))
    return _frame().replace("{{title}}", _text(title)).replace("{{sentences}}", sections)


@cache
def _frame() -> str:
    return resources.files("gpuparse.parse.explain").joinpath("page.html").read_text(encoding="utf-8")


def _text(text: str) -> str:
    """Text for the page. Braces are written as references, so that no word can pass for a place of the frame."""
    return escape(text).replace("{", "&#123;").replace("\0", "\N{REPLACEMENT CHARACTER}")


def _sentence(explanation: Explanation, name: str) -> str:
    words = " ".join(token.word for token in explanation.tokens)
    facts = "".join(f"<li>{_text(fact)}</li>" for fact in facts_of(explanation))
    notes = "".join(f"<p class='note'>{_text(note)}</p>" for note in notes_of(explanation))
    reasons = "\n".join(_reasons(constituent, explanation, name) for constituent in explanation.constituents)
    proved = "proved" if explanation.optimal else "unproved"
    return (
        f"<section class='sentence' id='{name}' aria-label='{_text(words)}'>\n"
        f"<header><h1>{_text(words)}</h1><p class='verdict {proved}'>{_text(explanation.verdict)}</p>"
        f"<ul class='facts'>{facts}</ul>{notes}</header>\n"
        f"<div class='tree'>{_tree(explanation, name)}</div>\n"
        f"<div class='reasons'>{reasons}</div>\n</section>"
    )


def _tree(explanation: Explanation, name: str) -> str:
    tree = explanation.tree
    parents, levels = [-1] * len(tree), [1] * len(tree)
    for node in range(len(tree)):
        for child in tree.children(node):
            parents[child], levels[child] = node, levels[node] + 1
    attributes: dict[int, dict[str, str]] = {}
    terminals = [node for node, word in enumerate(tree.words) if word is not None]
    for at, node in enumerate(terminals):
        attributes[node] = {"aria-hidden": "true", "data-token": str(at), "data-parent": str(parents[node])}
        if at < len(explanation.tokens) and not explanation.tokens[at].seen:
            attributes[node]["data-aside"] = "true"
    for constituent in explanation.constituents:
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
    return draw_svg(tree, attributes, "tree" if explanation.constituents else "img")


def _spoken(constituent: Constituent) -> str:
    sure = "not inferred" if constituent.score is None else f"confidence {percent(constituent.confidence)}"
    return f"{constituent.label}: {constituent.text}, {sure}"


def _reasons(constituent: Constituent, explanation: Explanation, name: str) -> str:
    heading = f"<h2><b>{_text(constituent.label)}</b> <q>{_text(constituent.text)}</q></h2>"
    start = (
        f"<article id='{name}-{constituent.node}' tabindex='-1' data-node='{constituent.node}' "
        f"aria-label='Reasons for {_text(constituent.label)}: {_text(constituent.text)}'>{heading}"
    )
    if constituent.score is None:
        return f"{start}<p>Not inferred: the search went no further, and this was put over what was left.</p></article>"
    facts = _bars([(fact.effect, _fact(fact.english, fact.feature)) for fact in constituent.facts])
    rules = _bars([(rule.weight, _rule(rule)) for rule in constituent.rules]) + _others(
        constituent.others, "lighter rule"
    )
    rivals = "".join(_rival(constituent, rival, explanation) for rival in constituent.rivals)
    return (
        f"{start}{_figures(constituent)}<div class='columns'><div>"
        "<h3>What counts most</h3><p class='hint'>What the score would lose if this were not so.</p>"
        f"{facts or '<p>Nothing that is there.</p>'}"
        "<h3>The heaviest rules that fired</h3><p class='hint'>Their weights, with those not listed, add up to the "
        f"score.</p>{rules}</div><div><h3>What was rejected</h3><p class='hint'>The best other choices at this step; "
        f"open one to see what cost it the place.</p>{rivals or '<p>Nothing else was possible.</p>'}</div></div>"
        "</article>"
    )


def _figures(constituent: Constituent) -> str:
    figures = {
        "score": signed(constituent.score or 0.0),
        "cost": f"{constituent.cost:.4f}",
        "confidence": percent(constituent.confidence),
        "covers": covered(constituent.start, constituent.end),
        "children": " ".join(constituent.children),
        "head": constituent.head,
        "step": str(constituent.step),
    }
    pairs = "".join(f"<div><dt>{name}</dt><dd>{_text(value)}</dd></div>" for name, value in figures.items())
    return f"<dl class='figures'>{pairs}</dl>"


def _bars(rows: Sequence[tuple[float, str]]) -> str:
    """A list of figures, each with a bar as long as it is heavy."""
    if not rows:
        return ""
    heaviest = max(abs(figure) for figure, _ in rows) or 1.0
    items = (
        f"<li class='{'for' if figure > 0 else 'against'}'><span class='figure'>{signed(figure)}</span>"
        f"<span class='bar' style='--part:{abs(figure) / heaviest:.3f}'></span><div>{said}</div></li>"
        for figure, said in rows
    )
    return f"<ul class='bars'>{''.join(items)}</ul>"


def _fact(english: str, feature: str) -> str:
    return f"<span title='{_text(feature)}'>{_text(english)}</span>"


def _rule(rule: FiredRule | Difference) -> str:
    """The first conditions of a rule; the others, and how the model writes it, open on demand."""
    if not rule.conditions:
        return ALWAYS
    more = len(rule.conditions) - SHOWN
    said = _text(" and ".join(rule.conditions[:SHOWN]))
    listed = "".join(f"<li>{_text(condition)}</li>" for condition in rule.conditions[SHOWN:])
    summary = f"and {amount(more, 'more condition')}" if more > 0 else "names"
    hidden = f"<ul>{listed}</ul>" if listed else ""
    return f"{said} <details><summary>{summary}</summary>{hidden}<code>{_text(rule.rule)}</code></details>"


def _others(others: Others, what: str) -> str:
    if not others.number:
        return ""
    return f"<p class='others'>{signed(others.weight)} from {amount(others.number, what)}</p>"


def _rival(constituent: Constituent, rival: Rival, explanation: Explanation) -> str:
    facts = _bars([(fact.effect, _fact(fact.english, fact.feature)) for fact in rival.facts])
    rules = _bars([(difference.effect, _difference(difference)) for difference in rival.differences])
    compared = "Rules that set it apart" if rival.label == constituent.label else f"Rules of {rival.label}"
    against = f"<h4>What counts against it</h4>{facts}" if facts else ""
    what = f"<b>{_text(rival.label)}</b> {_text(rival_in_words(rival, explanation.strategy))}"
    outcome = f"score {signed(rival.score)}: {_text(rival_outcome(constituent, rival, explanation))}"
    others = _others(rival.others, "other rule")
    opened = " open" if rival is constituent.rivals[0] else ""
    return (
        f"<details class='rival' data-start='{rival.start}' data-end='{rival.end}'{opened}>"
        f"<summary>{what}<span class='outcome'>{outcome}</span></summary>"
        f"{against}<h4>{_text(compared)}</h4>{rules}{others}</details>"
    )


def _difference(difference: Difference) -> str:
    return ("<i>it lacks:</i> " if difference.lacking else "") + _rule(difference)
