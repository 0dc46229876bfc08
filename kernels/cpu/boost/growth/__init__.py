"""Growing a tree on a sample: the class Growth, and the compiled steps that only it takes."""

from .growth import Growth

__all__ = ["Growth"]
