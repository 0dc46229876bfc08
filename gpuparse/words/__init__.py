"""Words without a treebank: classes of words that occur among the same neighbours, induced from plain text."""

from gpuparse.words.classes import WordClasses
from gpuparse.words.file import load_classes, save_classes
from gpuparse.words.options import ClassOptions

__all__ = ["ClassOptions", "WordClasses", "load_classes", "save_classes"]
