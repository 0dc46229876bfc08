"""gpuparse: learns to parse language from a treebank, and parses with what it learned."""

from gpuparse.version import VERSION

__version__ = VERSION
