"""memsum: faithful summaries of long documents.

>>> import memsum
>>> from pathlib import Path
>>> summary = memsum.summarize(Path("paper.pdf"))

Importing memsum is light: modules are imported when a name of theirs is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from memsum._version import __version__
from memsum.errors import MemsumError

if TYPE_CHECKING:
    from memsum.document import Document, read_document
    from memsum.options import Length, SummaryOptions
    from memsum.reading import Reading
    from memsum.summarizer import Failure, Summarizer, summarize
    from memsum.summary import Summary, SummarySentence
    from memsum.training.functions import adapt, train

__all__ = [
    "Document",
    "Failure",
    "Length",
    "MemsumError",
    "Reading",
    "Summarizer",
    "Summary",
    "SummaryOptions",
    "SummarySentence",
    "__version__",
    "adapt",
    "read_document",
    "summarize",
    "train",
]

_HOMES = {
    "Document": "memsum.document",
    "read_document": "memsum.document",
    "Failure": "memsum.summarizer",
    "Reading": "memsum.reading",
    "Summarizer": "memsum.summarizer",
    "summarize": "memsum.summarizer",
    "Length": "memsum.options",
    "SummaryOptions": "memsum.options",
    "Summary": "memsum.summary",
    "SummarySentence": "memsum.summary",
    "adapt": "memsum.training.functions",
    "train": "memsum.training.functions",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
