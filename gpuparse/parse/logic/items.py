"""Items and terminals as rows of small integer tables, so that compiled code can follow them without objects.

The terminals of a sentence are its items `0 .. n-1`; every other item comes after its children. A row of either
table is a half or a third of a cache line.
"""

from __future__ import annotations

from gpuparse.parse.properties import PROPERTIES

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

# Columns of the table of terminals.
TAG_SYMBOL = 0  # the tag, as a symbol of the vocabulary; every tag has one
PUNCTUATION = 1  # 1 when the terminal may not stand at the edge of an item
FIRST_VALUE = 2  # from here on the properties of head words, as PROPERTIES lists them; -1 if never seen in training
HEAD_VALUES = len(PROPERTIES) - 1  # how many those are: all but the label
TERMINAL_COLUMNS = FIRST_VALUE + HEAD_VALUES
