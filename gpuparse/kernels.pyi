"""For mypy, which does not know that the folder kernels/ is installed as gpuparse.kernels."""

from kernels import *  # noqa: F403  # what kernels/__init__.py lists
from kernels import cpu as cpu
from kernels import cuda as cuda
