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
    from memsum.query.locate import locate
    from memsum.query.located import LocatedQuote
    from memsum.reading import Reading
    from memsum.summarizer import Failure, Summarizer, summarize
    from memsum.summary import Summary, SummarySentence
    from memsum_train.functions import adapt, train

__all__ = [
    "Document",
    "Failure",
    "Length",
    "LocatedQuote",
    "MemsumError",
    "Reading",
    "Summarizer",
    "Summary",
    "SummaryOptions",
    "SummarySentence",
    "__version__",
    "adapt",
    "locate",
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
    "LocatedQuote": "memsum.query.located",
    "locate": "memsum.query.locate",
    "SummaryOptions": "memsum.options",
    "Summary": "memsum.summary",
    "SummarySentence": "memsum.summary",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name in __all__:
        from memsum.beside import find_function

        value = find_function(name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
