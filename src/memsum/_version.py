"""The version, in the one place that packaging and the program both read."""

__version__ = "0.4.0"
