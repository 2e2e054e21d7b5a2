"""Summaries and how they are shown: text, JSON, Markdown, HTML and a highlighted PDF."""

from memsum.options import Length, Progress, Reason, SummaryOptions
from memsum.summary.summary import (
    Context,
    Explanation,
    Reasons,
    Stop,
    Summary,
    SummarySection,
    SummarySentence,
    count_words,
)

__all__ = [
    "Context",
    "Explanation",
    "Length",
    "Progress",
    "Reason",
    "Reasons",
    "Stop",
    "Summary",
    "SummaryOptions",
    "SummarySection",
    "SummarySentence",
    "count_words",
]
