"""The version of gpuparse, in the one place that setuptools and the command line read."""

VERSION = "0.1.0"
