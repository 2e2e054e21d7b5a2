"""A summary as Markdown: a list of quotes with their positions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memsum.summary.phrases import ending, keyword_line, one_line, position, spoken

if TYPE_CHECKING:
    from memsum.summary.summary import Summary, SummarySentence

_MARKUP = re.compile(r"([\\`*_\[\]<>|~$&])")
_FIRST = re.compile(r"^(\d*)([-+#=.)])")  # what would make a heading or a list of a line that begins with it


def render_markdown(summary: Summary) -> str:
    """Render a list of quotes, under the title of the document if it has one."""
    title = summary.documents[0].title if len(summary.documents) == 1 else None
    parts = [f"# {_quote(title)}"] if title else []
    for section in summary.groups:
        if section.title:
            parts.append(f"## {_quote(section.title)}")
        parts.append("\n".join(_item(sentence, summary) for sentence in section.sentences))
    parts.append(_inside(keyword_line(summary)))
    parts.append(f"*{len(summary)} of {summary.document_sentences:,} sentences, {_quote(ending(summary))}*")
    return "\n\n".join(part for part in parts if part)


def _item(sentence: SummarySentence, summary: Summary) -> str:
    speaker = f"**{_quote(sentence.speaker)}:** " if sentence.speaker else ""
    before = f"*[{_inside(spoken(sentence.context))}]* " if sentence.context else ""
    return f"- {before}{speaker}{_quote(sentence.text)} *({_quote(position(sentence, summary))})*"


def _quote(text: str) -> str:
    """Escape a text that may begin a line: words of a document never become markup, nor a link."""
    return _FIRST.sub(r"\1\\\2", _inside(text))


def _inside(text: str) -> str:
    """Escape a text that begins no line."""
    return _MARKUP.sub(r"\\\1", one_line(text))
