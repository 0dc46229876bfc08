"""The training report: one HTML file that contains its charts, and needs no network."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gpuparse.boost import Attempt
from gpuparse.parse.model.model import Model

CHART_WIDTH, CHART_HEIGHT, AXIS_BORDER = 640, 300, 56
COLOURS = ("#1b6ca8", "#c8553d", "#588157", "#8e6c8a", "#d4a017", "#3d405b", "#2a9d8f", "#9d4edd")
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 46em; margin: 2em auto; padding: 0 1em; color: #222; }
table { border-collapse: collapse; } td, th { padding: .15em .8em; text-align: right; }
td:first-child, th:first-child { text-align: left; } tr:nth-child(even) { background: #f3f3f0; }
svg text { font: 12px system-ui, sans-serif; fill: #444; }
svg .axis { stroke: #999; } svg path, svg polyline { fill: none; }
"""


class Line(NamedTuple):
    """A curve of a chart."""

    name: str
    points: Sequence[tuple[float, float]]  # lambda, value


def write_report(model: Model, attempts: Mapping[str, Sequence[Attempt]], path: Path) -> None:
    """Write the report of a model and of the trees that were tried for each label."""
    path.write_text(report_html(model, attempts), encoding="utf-8")


def report_html(model: Model, attempts: Mapping[str, Sequence[Attempt]]) -> str:
    """The report as text."""
    kept = {label: [attempt for attempt in tried if attempt.kept] for label, tried in attempts.items()}
    largest = sorted(kept, key=lambda label: -len(kept[label]))[: len(COLOURS)]
    risk = [Line(label, [(a.lambda_, a.risk) for a in kept[label]]) for label in largest]
    size = [Line(label, [(a.lambda_, a.nonzero) for a in kept[label]]) for label in largest]
    score = [Line("F1", [(point.lambda_, point.f1) for point in model.curve])]
    sections = [
        f"<p>{_summary(model)}</p>",
        _section("F1 on the tuning set", chart(score)) if model.curve else "",
        _section("Risk", chart(risk, log_values=True) + "<p>The labels with the most trees.</p>"),
        _section("Compound features with a parameter", chart(size)),
        _section("Labels", _label_table(model, kept)),
        _section("Options", _options(model)),
    ]
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><title>gpuparse: training report</title>"
        f"<style>{STYLE}</style></head><body><h1>Training report</h1>{''.join(sections)}</body></html>\n"
    )


def _section(title: str, body: str) -> str:
    return f"<h2>{html.escape(title)}</h2>{body}"


def _summary(model: Model) -> str:
    trees = sum(ensemble.trees_at(model.lambda_) for ensemble in model.ensembles.values())
    compounds = sum(len(ensemble.compounds(model.lambda_)) for ensemble in model.ensembles.values())
    best = max((point.f1 for point in model.curve), default=None)
    said = f"{len(model.ensembles)} labels; at lambda {model.lambda_:.4g}: {trees} trees, {compounds} compound features"
    return html.escape(said if best is None else f"{said}, F1 {best:.2f} on the tuning set") + "."


def chart(lines: Sequence[Line], log_values: bool = False) -> str:
    """Curves over lambda, which falls from left to right on a logarithmic scale, as SVG.

    >>> chart([Line("F1", [(1.0, 80.0), (0.1, 90.0)])]).count("<path")
    1
    """
    points = [(x, y) for line in lines for x, y in line.points if x > 0 and (y > 0 or not log_values)]
    if not points:
        return "<p>Nothing to draw.</p>"
    scale = math.log10 if log_values else float
    xs, ys = [math.log10(x) for x, _ in points], [scale(y) for _, y in points]
    left, right, low, high = max(xs), min(xs), min(ys), max(ys)

    def place(x: float, y: float) -> tuple[float, float]:
        across = (left - math.log10(x)) / (left - right) if left > right else 0.5
        up = (scale(y) - low) / (high - low) if high > low else 0.5
        return AXIS_BORDER + across * (CHART_WIDTH - 2 * AXIS_BORDER), CHART_HEIGHT - AXIS_BORDER - up * (
            CHART_HEIGHT - 2 * AXIS_BORDER
        )

    bottom, end = CHART_HEIGHT - AXIS_BORDER, CHART_WIDTH - AXIS_BORDER
    drawn = [
        f"<svg role='img' viewBox='0 0 {CHART_WIDTH} {CHART_HEIGHT}' width='{CHART_WIDTH}'>",
        f"<polyline class='axis' points='{AXIS_BORDER},{AXIS_BORDER} {AXIS_BORDER},{bottom} {end},{bottom}'/>",
    ]
    for exponent, x, anchor in ((left, AXIS_BORDER, "start"), (right, end, "end")):
        drawn.append(f"<text x='{x}' y='{bottom + 18}' text-anchor='{anchor}'>λ = {10**exponent:.3g}</text>")
    for value, y in ((low, bottom), (high, AXIS_BORDER)):
        shown = 10**value if log_values else value
        drawn.append(f"<text x='{AXIS_BORDER - 6}' y='{y + 4}' text-anchor='end'>{shown:.4g}</text>")
    for number, line in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(
            f"{x:.1f} {y:.1f}" for x, y in (place(*p) for p in line.points if p[0] > 0 and (p[1] > 0 or not log_values))
        )
        if path:
            drawn.append(f"<path d='M{path}' stroke='{colour}' stroke-width='2'/>")
            name = html.escape(line.name)
            drawn.append(f"<text x='{end + 4}' y='{AXIS_BORDER + 16 * number}' style='fill:{colour}'>{name}</text>")
    return "".join([*drawn, "</svg>"])


def _label_table(model: Model, kept: Mapping[str, Sequence[Attempt]]) -> str:
    rows = []
    positive = model.configuration.get("positive_examples", {})
    for label in sorted(kept, key=lambda name: -positive.get(name, 0)):
        trees = kept[label]
        last = trees[-1] if trees else None
        cells = [label, str(positive.get(label, "")), str(len(trees)), str(sum(tree.leaves for tree in trees))]
        cells += (
            [str(last.nonzero), f"{last.risk:.2f}", f"{sum(tree.seconds for tree in trees):.1f}"] if last else [""] * 3
        )
        rows.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>")
    names = ("label", "correct examples", "trees", "leaves", "compounds", "risk", "seconds")
    return "<table><tr>" + "".join(f"<th>{name}</th>" for name in names) + "</tr>" + "".join(rows) + "</table>"


def _options(model: Model) -> str:
    settings = {name: value for name, value in model.configuration.items() if name != "positive_examples"}
    rows = (
        f"<tr><td>{html.escape(str(name))}</td><td>{html.escape(str(value))}</td></tr>"
        for name, value in settings.items()
    )
    return f"<table>{''.join(rows)}</table>"
