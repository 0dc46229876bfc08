"""An evaluation as text in EVALB's own layout, for readers and programs that are used to it."""

from __future__ import annotations

from gpuparse.evaluate.figures import percent
from gpuparse.evaluate.scoring import SentenceScore
from gpuparse.evaluate.summary import Summary

RULE = "=" * 76
HEADER = (
    "  Sent.                        Matched  Bracket   Cross        Correct Tag\n"
    " ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy\n" + RULE
)


def sentence_line(score: SentenceScore) -> str:
    """The line of one sentence.

    >>> from gpuparse.evaluate.scoring import ScoreStatus
    >>> sentence_line(SentenceScore(1, 17, ScoreStatus.VALID, 9, 16, 10, 0, 14, 13))
    '   1   17    0   56.25  90.00     9     16   10      0     14    13    92.86'
    """
    counts = score.counts
    return (
        f"{score.id:4d}  {score.length:3d}    {score.status:d}  {counts.recall:6.2f} {counts.precision:6.2f}   "
        f"{score.matched:3d}    {score.gold:3d}  {score.test:3d}    {score.crossing:3d}"
        f"   {score.words:4d}  {score.correct_tags:4d}   {score.tag_accuracy:6.2f}"
    )


def total_line(summary: Summary) -> str:
    """The line below the sentences."""
    brackets = (
        f"                {summary.recall:6.2f} {summary.precision:6.2f} "
        f"{summary.matched:6d} {summary.gold:5d} {summary.test:5d}  {summary.crossing:5d}"
        if summary.gold and summary.test
        else ""
    )
    accuracy = percent(summary.correct_tags, summary.words)
    return f"{brackets}  {summary.words:5d} {summary.correct_tags:5d}   {accuracy:6.2f}"


def summary_lines(title: str, summary: Summary) -> list[str]:
    """The block of totals under a title such as `All` or `len<=40`."""
    figures = summary.figures()
    return [f"-- {title} --"] + [
        f"{name:<25} = {figures[key]:6d}" if key in COUNT_KEYS else f"{name:<25} = {figures[key]:6.2f}"
        for key, name in EVALB_NAMES.items()
    ]


COUNT_KEYS = frozenset({"sentences", "errors", "skipped", "valid"})
EVALB_NAMES = {
    "sentences": "Number of sentence",
    "errors": "Number of Error sentence",
    "skipped": "Number of Skip  sentence",
    "valid": "Number of Valid sentence",
    "recall": "Bracketing Recall",
    "precision": "Bracketing Precision",
    "f1": "Bracketing FMeasure",
    "complete_match": "Complete match",
    "average_crossing": "Average crossing",
    "no_crossing": "No crossing",
    "two_or_less_crossing": "2 or less crossing",
    "tagging_accuracy": "Tagging accuracy",
}
