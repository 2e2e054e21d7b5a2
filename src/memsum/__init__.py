"""memsum: faithful summaries of long documents."""

from memsum._version import __version__
from memsum.errors import MemsumError

__all__ = ["MemsumError", "__version__"]
