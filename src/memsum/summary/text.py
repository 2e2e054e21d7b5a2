"""A summary as text: bare lines for other programs, wrapped paragraphs with positions for a reader."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from memsum.summary.phrases import count_of, ending, keyword_line, one_line, position, spoken

if TYPE_CHECKING:
    from memsum.summary.summary import Explanation, Summary, SummarySection

_FAINT, _PLAIN = "\x1b[2m", "\x1b[0m"
_INDENT = "  "
_NARROWEST = 20


def render_text(summary: Summary, width: int | None = None, *, colour: bool = False) -> str:
    """Render a summary; context, positions and the ending are faint if colours are wanted."""
    if width is None:
        groups = [
            "\n".join([*_heading(section), *(spoken(sentence) for sentence in section.sentences)])
            for section in summary.groups
        ]
        keywords = [f"\n{line}"] if (line := keyword_line(summary)) else []
        return "\n".join(["\n\n".join(groups), *keywords, *_steps(summary.explanation, summary)])
    width = max(width, _NARROWEST)

    def faint(lines: list[str]) -> str:
        return "\n".join(f"{_FAINT}{line}{_PLAIN}" if colour else line for line in lines)

    paragraphs = []
    for section in summary.groups:
        paragraphs += ["\n".join(textwrap.wrap(heading, width)) for heading in _heading(section)]
        for sentence in section.sentences:
            bullet = textwrap.wrap(spoken(sentence), width, initial_indent="• ", subsequent_indent=_INDENT)
            where = textwrap.wrap(position(sentence, summary), width, initial_indent=_INDENT, subsequent_indent=_INDENT)
            before = textwrap.wrap(f"… {spoken(sentence.context)}", width - 2) if sentence.context else []
            lines = [faint([f"{_INDENT}{line}" for line in before])] if before else []
            paragraphs.append("\n".join([*lines, *bullet, faint(where)]))
    paragraphs.append(faint(textwrap.wrap(f"{count_of(summary)}, {ending(summary)}", width)))
    if line := keyword_line(summary):
        paragraphs.append("\n".join(textwrap.wrap(line, width)))
    if summary.explanation:
        paragraphs.append(faint(_steps(summary.explanation, summary)))
    return "\n\n".join(paragraphs)


def _heading(section: SummarySection) -> list[str]:
    return [f"# {one_line(section.title)}"] if section.title else []


def _steps(explanation: Explanation | None, summary: Summary) -> list[str]:
    """Make a table of the steps: the sentence taken, its score, and the probability of stopping before."""
    if explanation is None:
        return []
    rows = ["step  sentence  score  stop before"]
    for sentence in sorted(summary, key=lambda sentence: sentence.step):
        stop = explanation.stops[sentence.step]
        rows.append(f"{sentence.step + 1:4}  {sentence.number + 1:8}  {sentence.score:.3f}  {stop:.3f}")
    return [*rows, f" end                   {explanation.stops[-1]:.3f}"]
