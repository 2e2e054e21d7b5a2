"""Summaries and how they are shown: text, JSON, Markdown, HTML and a highlighted PDF."""

from typing import Any
from warnings import warn

from memsum.options import Length, Progress, Reason, SummaryOptions
from memsum.summary.summary import Context, Explanation, Stop, Summary, SummarySection, SummarySentence, count_words

__all__ = [
    "Context",
    "Explanation",
    "Length",
    "Progress",
    "Reason",
    "Stop",
    "Summary",
    "SummaryOptions",
    "SummarySection",
    "SummarySentence",
    "count_words",
]


def __getattr__(name: str) -> Any:
    if name != "SummarySettings":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warn("SummarySettings is deprecated; use memsum.SummaryOptions.", DeprecationWarning, stacklevel=2)
    return lambda length=None, **options: SummaryOptions.of({"length": length, **options})
