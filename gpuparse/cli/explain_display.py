"""An explanation on the terminal: the tree with numbered constituents, then a paragraph for each number.

What is said, and in which order, is decided by `gpuparse.parse.explain.view`; here it gets its place and its colour.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree as Outline

from gpuparse.parse.explain import Doubt, Explanation
from gpuparse.parse.explain.view import (
    REJECTED,
    ConstituentView,
    Figure,
    Reason,
    RivalView,
    Section,
    SentenceView,
    view_of,
)
from gpuparse.printable import printable
from gpuparse.trees.drawing import NO_LABEL

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
STYLES = {Doubt.NONE: "bold cyan", Doubt.SOME: "bold yellow", Doubt.MUCH: "bold red"}
RIVAL_LINES = 2  # facts shown for a rival, and rules


def print_explanation(explanation: Explanation, console: Console) -> None:
    """Print the tree, what the search says of it, and the reasons for each constituent."""
    view = view_of(explanation)
    console.print(_outline(view))
    console.print()
    console.print(Text(view.verdict, "bold green" if view.proved else "bold yellow"))
    console.print(Text(" · ".join(view.facts), "dim"))
    for note in view.notes:
        console.print(Text(printable(note), "dim"))
    for heading in view.legend:
        console.print(Text(f"{heading.name}: {heading.hint}", "dim"))
    for constituent in view.constituents:
        console.print()
        console.print(_heading(constituent))
        console.print(Padding.indent(Group(*_paragraph(constituent)), 3))
    console.print()


def _outline(view: SentenceView) -> Outline:
    """The tree as an outline; a constituent has its number, and the colour of its confidence."""
    tree, parents = view.tree, view.tree.parents()
    constituents = {constituent.node: constituent for constituent in view.constituents}
    lines: list[Outline] = []  # the line that each node is on
    for node, parent in enumerate(parents):
        name = _node_name(view, node, constituents.get(node))
        above = lines[parent] if node else None
        if above is not None and tree.ends[parent] == tree.ends[node] and parent == node - 1:
            assert isinstance(above.label, Text)
            above.label.append(" ─ ", "dim").append_text(name)
            lines.append(above)
        else:
            lines.append(above.add(name) if above is not None else Outline(name, guide_style="dim"))
    return lines[0]


def _node_name(view: SentenceView, node: int, constituent: ConstituentView | None) -> Text:
    word, label = view.tree.words[node], printable(view.tree.labels[node]) or NO_LABEL
    if word is not None:
        return Text.assemble((f"{label} ", "dim"), printable(word))
    if constituent is None:
        return Text(label, "bold")
    return Text.assemble((label, STYLES[constituent.doubt]), (_subscript(constituent), "dim"))


def _subscript(constituent: ConstituentView) -> str:
    return str(constituent.number).translate(SUBSCRIPTS)


def _heading(constituent: ConstituentView) -> Text:
    return Text.assemble(
        (printable(constituent.label), STYLES[constituent.doubt]),
        (f"{_subscript(constituent)} ", "dim"),
        (f" {constituent.covers}  ", "dim"),
        (printable(constituent.text), "italic"),
    )


def _paragraph(constituent: ConstituentView) -> Iterator[RenderableType]:
    if constituent.remark:
        yield Text(constituent.remark, "yellow")
        return
    yield _figures(constituent.figures, constituent.origin)
    table = Table.grid(padding=(0, 2))
    table.add_column(style="italic", no_wrap=True)
    for section in filter(None, (constituent.because, constituent.rules)):
        table.add_row(section.heading.name, _section(section))
    if constituent.rejected:
        table.add_row(REJECTED.name, Group(*(line for rival in constituent.rejected for line in _rival(rival))))
    yield table


def _figures(figures: Iterable[Figure], origin: Iterable[Figure]) -> Text:
    line = Text()
    for figure in figures:
        line.append(f"{figure.name} ", "dim").append(figure.value, "bold").append("  ")
    return line.append(", ".join(f"{figure.name} {printable(figure.value)}" for figure in origin), "dim")


def _section(section: Section) -> RenderableType:
    lines = _reasons((reason, reason.in_short) for reason in section.reasons)
    rest = section.rest
    return Group(lines, *([Text(f"{rest.figure}  {rest.text}", "dim")] if rest else []))


def _rival(rival: RivalView) -> Iterator[RenderableType]:
    yield Text.assemble(
        (printable(rival.label), "bold magenta"),
        f" {printable(rival.text)}  ",
        ("score ", "dim"),
        rival.score,
        (f"  {rival.outcome}", "dim"),
    )
    facts = rival.against.reasons[:RIVAL_LINES] if rival.against else ()
    rules = rival.rules.reasons[:RIVAL_LINES]
    phrases = [*((fact, fact.in_short) for fact in facts), *((rule, f"rule: {rule.in_short}") for rule in rules)]
    yield Padding.indent(_reasons(phrases), 2)


def _reasons(phrases: Iterable[tuple[Reason, str]]) -> Table:
    """A figure and a phrase per line; a long phrase goes on below itself."""
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    for reason, phrase in phrases:
        table.add_row(Text(reason.figure, "green" if reason.helps else "red"), Text(phrase))
    return table
