"""The phrases of an explanation: figures, the outcome of the search, and why a rival lost."""

from __future__ import annotations

from gpuparse.parse.explain.explanation import Constituent, Explanation, Rival, RivalKind

ALWAYS_HOLDS = "always: where every inference of this label starts"
LACKS = "lacks:"
SURE_OF_TAG = 0.9  # a tag with smaller odds is doubtful
NOT_INFERRED = "Not inferred: the search went no further, and this was put over what was left."
_VERDICTS = {
    "optimal": "Proved optimal: no tree of this sentence costs less.",
    "limit": "The limit was reached: this is the cheapest tree found, and a cheaper one may exist.",
    "fallback": "No tree was found within the limit: the best partial parse was finished as well as could be.",
    "timeout": "The time was over: this is the best tree found by then, and a cheaper one may exist.",
    "long": "Parsed in pieces: the sentence has more words than are searched whole.",
    "memory": "Parsed in pieces: there was too little memory to search the sentence whole.",
    "flat": "Nothing but punctuation: there was nothing to decide.",
}


def signed(figure: float) -> str:
    """A score, a weight or an effect.

    >>> signed(4.207), signed(-0.5)
    ('+4.21', '−0.50')
    """
    return f"{figure:+.2f}".replace("-", "\N{MINUS SIGN}")


def percent(confidence: float) -> str:
    """A confidence.

    >>> percent(0.9312), percent(0.99999), percent(0.00001)
    ('93.1 %', '>99.9 %', '<0.1 %')
    """
    if confidence > 0.999:
        return ">99.9 %"
    return f"{100 * confidence:.1f} %" if confidence >= 0.001 else "<0.1 %"


def counted(number: int, singular: str, plural: str = "") -> str:
    """How many there are of something.

    >>> counted(1, "rule"), counted(2000, "rule"), counted(2, "child", "children")
    ('1 rule', '2,000 rules', '2 children')
    """
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def covered(start: int, end: int) -> str:
    """The words that a constituent covers, counted from 1 as people do.

    >>> covered(0, 3), covered(4, 5)
    ('words 1–3', 'word 5')
    """
    return f"word {end}" if end == start + 1 else f"words {start + 1}–{end}"


def rival_in_words(rival: Rival, strategy: str) -> str:
    """What a rival would have been, apart from its label."""
    children = " ".join(rival.children)
    if rival.kind is RivalKind.LABEL:
        return "over the same children"
    if rival.kind is RivalKind.SPAN:
        return f"over “{rival.text}” ({children})"
    onward = {
        "r2l": "going on to the left, without this constituent",
        "l2r": "going on to the right, without this constituent",
        "bu": "elsewhere, before this constituent",
    }[strategy]
    return f"over “{rival.text}” ({children}): {onward}"


def rival_outcome(constituent: Constituent, rival: Rival, explanation: Explanation) -> str:
    """Why a rival lost."""
    more = rival.cost - constituent.cost
    if more > 0:
        return f"costs {more:.4f} more"
    if explanation.optimal:
        return f"costs {-more:.4f} less here, but every tree that has it costs at least as much in the end"
    return f"costs {-more:.4f} less here, but no cheaper tree was found with it"


def verdict_of(explanation: Explanation) -> str:
    """What the search can say for its tree, in a sentence."""
    return _VERDICTS[explanation.parsed.status]


def facts_of(explanation: Explanation) -> list[str]:
    """What there is to say about the parse as a whole, a phrase each."""
    facts = [] if explanation.parsed.cost is None else [f"cost {explanation.parsed.cost:.4f}"]
    facts.append(f"{counted(explanation.parsed.scored, 'partial parse')} scored")
    if explanation.greedy_is_optimal:
        facts.append("the first greedy descent found this tree")
    facts.append(f"strategy {explanation.strategy}, lambda {explanation.lambda_:.4g}")
    return facts


def notes_of(explanation: Explanation) -> list[str]:
    """What a reader should know about single words."""
    tokens = explanation.tokens
    aside = [token.word for token in tokens if not token.seen]
    words = [token.word for token in tokens if token.seen and not token.known_word]
    tags = [f"{token.tag} ({token.word})" for token in tokens if token.seen and not token.known_tag]
    doubted = [
        f"{token.tag} {percent(token.tag_odds)}, {token.runner_up_tag} {percent(token.runner_up_odds)} ({token.word})"
        for token in tokens
        if token.tag_odds is not None and token.tag_odds < SURE_OF_TAG and token.runner_up_odds is not None
    ]
    notes = [
        ("Set aside before parsing and put back afterwards", aside),
        ("Never seen in training, so that only the tag counts", words),
        ("Tags never seen in training", tags),
        ("Tags that the tagger doubts", doubted),
    ]
    return [f"{what}: {'  '.join(which)}" for what, which in notes if which]
