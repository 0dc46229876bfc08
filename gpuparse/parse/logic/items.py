"""Items and terminals as rows of small integer tables, so that compiled code can follow them without objects.

The terminals of a sentence are its items `0 .. n-1`; every other item comes after its children. A row of either
table is a half or a third of a cache line.
"""

from __future__ import annotations

# Columns of the table of items.
SYMBOL = 0  # the label, as a symbol of the vocabulary
START = 1  # the first terminal below it
END = 2  # one past the last terminal below it
HEAD = 3  # the terminal that is its head word
FIRST = 4  # its first child; -1 for a terminal
HEAD_CHILD = 5  # its head child; -1 for a terminal
LAST = 6  # its last child; -1 for a terminal
ONLY = 7  # its only child, when it is a unary projection; else -1
ITEM_COLUMNS = 8

# Columns of the table of terminals. A value never seen in training is -1, except that a tag always has a symbol.
TAG_SYMBOL = 0
WORD = 1
TAG = 2
TAG_CLASS = 3
PUNCTUATION = 4  # 1 when the terminal may not stand at the edge of an item
TERMINAL_COLUMNS = 5
