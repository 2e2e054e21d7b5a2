"""A summary, how long it is, and how it is shown: text, JSON, Markdown, HTML and a highlighted PDF, one form a file."""

from memsum.summary.length import Length, LengthOptions, Progress, Reason, count_words
from memsum.summary.options import Order, SummaryOptions, SummarySettings
from memsum.summary.quotes import Context, Explanation, Stop, SummarySentence
from memsum.summary.summary import Summary

__all__ = [
    "Context",
    "Explanation",
    "Length",
    "LengthOptions",
    "Order",
    "Progress",
    "Reason",
    "Stop",
    "Summary",
    "SummaryOptions",
    "SummarySentence",
    "SummarySettings",
    "count_words",
]
