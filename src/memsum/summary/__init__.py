"""Summaries and how they are shown: text, JSON, Markdown, HTML and a highlighted PDF."""

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
    "Reasons",
    "Stop",
    "Summary",
    "SummarySection",
    "SummarySentence",
    "count_words",
]
