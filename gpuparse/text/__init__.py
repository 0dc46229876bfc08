"""Raw text: its sentences and tokens, and where in the text they are."""

from gpuparse.text.sentences import Passage, Stretch, split_sentences, stream_sentences, whole_lines
from gpuparse.text.tokens import TextToken, TokenStyle, originals_of, tokenise, tokenise_text

__all__ = [
    "Passage",
    "Stretch",
    "TextToken",
    "TokenStyle",
    "originals_of",
    "split_sentences",
    "stream_sentences",
    "tokenise",
    "tokenise_text",
    "whole_lines",
]
