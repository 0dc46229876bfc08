"""An explanation on the terminal: the tree with numbered constituents, then a paragraph for each number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree as Outline

from gpuparse.parse.explain import Constituent, Doubt, Explanation, Rival
from gpuparse.parse.explain.phrases import (
    amount,
    conditions_in_short,
    covered,
    facts_of,
    notes_of,
    percent,
    rival_in_words,
    rival_outcome,
    signed,
)
from gpuparse.printable import printable
from gpuparse.trees.drawing import NO_LABEL

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
STYLES = {Doubt.NONE: "bold cyan", Doubt.SOME: "bold yellow", Doubt.MUCH: "bold red"}
LEGEND = (
    "because: what the score would lose if this were not so",
    "rules: the heaviest that fired; all weights add up to the score",
    "rejected: the best other choices at this step, and what cost them the place",
)
RIVAL_LINES = 2  # facts told of a rival, and rules


def print_explanation(explanation: Explanation, console: Console) -> None:
    """Print the tree, what the search says of it, and the reasons for each constituent."""
    console.print(outline(explanation))
    console.print()
    console.print(Text(explanation.verdict, "bold green" if explanation.optimal else "bold yellow"))
    console.print(Text(" · ".join(facts_of(explanation)), "dim"))
    for note in notes_of(explanation):
        console.print(Text(printable(note), "dim"))
    for line in LEGEND if explanation.constituents else ():
        console.print(Text(line, "dim"))
    for number, constituent in enumerate(explanation.constituents, 1):
        console.print()
        console.print(_heading(number, constituent))
        console.print(Padding.indent(Group(*_reasons(constituent, explanation)), 3))
    console.print()


def outline(explanation: Explanation) -> Outline:
    """The tree as an outline; a constituent has its number, and the colour of its confidence."""
    tree = explanation.tree
    numbers = {constituent.node: number for number, constituent in enumerate(explanation.constituents, 1)}
    lines: list[Outline] = []  # the line that each node is on
    parents = [-1] * len(tree)
    for node in range(len(tree)):
        for child in tree.children(node):
            parents[child] = node
        name = _node_name(explanation, node, numbers.get(node))
        above = lines[parents[node]] if node else None
        if above is not None and tree.ends[parents[node]] == tree.ends[node] and parents[node] == node - 1:
            assert isinstance(above.label, Text)
            above.label.append(" ─ ", "dim").append_text(name)
            lines.append(above)
        else:
            lines.append(above.add(name) if above is not None else Outline(name, guide_style="dim"))
    return lines[0]


def _node_name(explanation: Explanation, node: int, number: int | None) -> Text:
    tree = explanation.tree
    word, label = tree.words[node], printable(tree.labels[node]) or NO_LABEL
    if word is not None:
        return Text.assemble((f"{label} ", "dim"), printable(word))
    if number is None:
        return Text(label, "bold")
    style = STYLES[explanation.constituents[number - 1].doubt]
    return Text.assemble((label, style), (str(number).translate(SUBSCRIPTS), "dim"))


def _heading(number: int, constituent: Constituent) -> Text:
    subscript = str(number).translate(SUBSCRIPTS)
    return Text.assemble(
        (printable(constituent.label), STYLES[constituent.doubt]),
        (f"{subscript} ", "dim"),
        (f" {covered(constituent.start, constituent.end)}  ", "dim"),
        (printable(constituent.text), "italic"),
    )


def _reasons(constituent: Constituent, explanation: Explanation) -> Iterator[RenderableType]:
    if constituent.score is None:
        yield Text("Not inferred: the search went no further, and this was put over what was left.", "yellow")
        return
    children = " ".join(map(printable, constituent.children))
    yield Text.assemble(
        ("score ", "dim"),
        (signed(constituent.score), "bold"),
        ("  cost ", "dim"),
        (f"{constituent.cost:.4f}", "bold"),
        ("  confidence ", "dim"),
        (percent(constituent.confidence), "bold"),
        (f"  over {children}, head “{printable(constituent.head)}”, step {constituent.step}", "dim"),
    )
    rules = _figures((rule.weight, conditions_in_short(rule.conditions)) for rule in constituent.rules)
    table = Table.grid(padding=(0, 2))
    table.add_column(style="italic", no_wrap=True)
    if constituent.facts:
        table.add_row("because", _figures((fact.effect, fact.english) for fact in constituent.facts))
    table.add_row("rules", Group(rules, *_others(constituent)))
    if constituent.rivals:
        rivals = (line for rival in constituent.rivals for line in _rival(constituent, rival, explanation))
        table.add_row("rejected", Group(*rivals))
    yield table


def _rival(constituent: Constituent, rival: Rival, explanation: Explanation) -> Iterator[RenderableType]:
    yield Text.assemble(
        (printable(rival.label), "bold magenta"),
        f" {printable(rival_in_words(rival, explanation.strategy))}  ",
        ("score ", "dim"),
        signed(rival.score),
        (f"  {rival_outcome(constituent, rival, explanation)}", "dim"),
    )
    reasons = [(fact.effect, fact.english) for fact in rival.facts[:RIVAL_LINES]]
    for difference in rival.differences[:RIVAL_LINES]:
        lacks = "lacks: " if difference.lacking else ""
        reasons.append((difference.effect, f"rule: {lacks}{conditions_in_short(difference.conditions)}"))
    yield Padding.indent(_figures(reasons), 2)


def _figures(rows: Iterable[tuple[float, str]]) -> Table:
    """A figure and a phrase per line; a long phrase goes on below itself."""
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    for figure, phrase in rows:
        table.add_row(Text(signed(figure), "green" if figure > 0 else "red"), Text(phrase))
    return table


def _others(constituent: Constituent) -> Iterator[Text]:
    others = constituent.others
    if others.number:
        noun = "lighter rule" if constituent.rules else "rule"
        yield Text(f"{signed(others.weight)}  from {amount(others.number, noun)}", "dim")
