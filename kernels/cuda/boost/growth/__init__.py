"""Growing a tree on a sample: the class Growth, and the kernels that only it launches."""

from .growth import Growth

__all__ = ["Growth"]
