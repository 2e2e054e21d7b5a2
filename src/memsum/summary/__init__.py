"""A summary, how long it is, and how it is shown: text, JSON and Markdown, one form a file."""

from memsum.summary.length import Length, LengthOptions, Progress, Reason, count_words
from memsum.summary.model import Explanation, Stop, Summary, SummarySentence

__all__ = [
    "Explanation",
    "Length",
    "LengthOptions",
    "Progress",
    "Reason",
    "Stop",
    "Summary",
    "SummarySentence",
    "count_words",
]
