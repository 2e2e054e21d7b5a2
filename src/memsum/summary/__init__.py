"""A summary, how long it is, and how it is shown: text, JSON, Markdown, HTML and a highlighted PDF, one form a file."""

from memsum.summary.length import Length, LengthOptions, Progress, Reason, count_words
from memsum.summary.options import By, Division, Order, SummaryOptions, SummarySettings
from memsum.summary.quotes import Context, Explanation, Stop, SummarySection, SummarySentence
from memsum.summary.summary import Summary

__all__ = [
    "By",
    "Context",
    "Division",
    "Explanation",
    "Length",
    "LengthOptions",
    "Order",
    "Progress",
    "Reason",
    "Stop",
    "Summary",
    "SummaryOptions",
    "SummarySection",
    "SummarySentence",
    "SummarySettings",
    "count_words",
]
