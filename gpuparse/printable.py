"""Text from files and arguments, made safe for a terminal."""

from __future__ import annotations

_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}


def printable(text: str) -> str:
    r"""The text with whatever could confuse a terminal written as an escape.

    >>> printable("first1.headword=caf\u00e9\x1b[2J")
    'first1.headword=café\\x1b[2J'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def without_controls(text: str) -> str:
    r"""Lines of results, with control characters written as escapes: all that could give a terminal an order.

    >>> without_controls("(NN caf\u00e9\x1b[2J)\n")
    '(NN café\\x1b[2J)\n'
    """
    return text.translate(_CONTROLS)
