"""memsum: faithful summaries of long documents.

>>> import memsum
>>> summary = memsum.summarize("long text …")

Importing memsum is light: what a name needs is imported when the name is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from memsum._version import __version__
from memsum.errors import MemsumError

if TYPE_CHECKING:
    from memsum.document import Document, read_document
    from memsum.reading import Reading
    from memsum.summarizer import Failure, Summarizer, summarize
    from memsum.summary import Length, Summary, SummarySentence

__all__ = [
    "Document",
    "Failure",
    "Length",
    "MemsumError",
    "Reading",
    "Summarizer",
    "Summary",
    "SummarySentence",
    "__version__",
    "read_document",
    "summarize",
]

_HOMES = {
    "Document": "memsum.document",
    "read_document": "memsum.document",
    "Failure": "memsum.summarizer",
    "Reading": "memsum.reading",
    "Summarizer": "memsum.summarizer",
    "summarize": "memsum.summarizer",
    "Length": "memsum.summary",
    "Summary": "memsum.summary",
    "SummarySentence": "memsum.summary",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
