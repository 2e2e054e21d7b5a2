"""A summary as Markdown: a list of quotes with their places."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memsum.summary.places import ending, one_line, place

if TYPE_CHECKING:
    from memsum.summary.model import Summary

_MARKUP = re.compile(r"([\\`*_\[\]<>|~$&])")
_FIRST = re.compile(r"^(\d*)([-+#=.)])")  # what would make a heading or a list of a line that begins with it
_TAG = re.compile(r"[<>]")
# The beginning of a link, unless it leads to the web, to an address of mail, or to a place beside the document: no
# other scheme, and nothing that could spell one in disguise.
_LINK = re.compile(r"\]\((?!\s*(?=\S)(?:https?://|mailto:|[^\s:&\\()<>]*[\s)]))", re.IGNORECASE)
_DEFINITION = re.compile(r"\]:")
_ENTITIES = {"<": "&lt;", ">": "&gt;"}


def render_markdown(summary: Summary) -> str:
    """A list; the title of the document, if it has one, above."""
    is_markdown = summary.document.format == "markdown"
    title = summary.document.title
    parts = [f"# {_quote(title, is_markdown=is_markdown)}"] if title else []
    items = []
    for sentence in summary:
        where = _quote(place(sentence, summary), is_markdown=False)
        speaker = f"**{_quote(sentence.speaker, is_markdown=False)}:** " if sentence.speaker else ""
        items.append(f"- {speaker}{_quote(sentence.text, is_markdown=is_markdown)} *({where})*")
    parts.append("\n".join(items))
    count = len(summary.document.sentences)
    parts.append(f"*{len(summary)} of {count:,} sentences, {_quote(ending(summary), is_markdown=False)}*")
    return "\n\n".join(part for part in parts if part)


def _quote(text: str, *, is_markdown: bool) -> str:
    """A text that Markdown shows as it is; what is Markdown already keeps its markup, but no HTML and no odd links."""
    text = one_line(text)
    if is_markdown:
        text = _DEFINITION.sub(r"]\:", _LINK.sub(r"]\(", text))
        return _TAG.sub(lambda match: _ENTITIES[match[0]], text)
    return _FIRST.sub(r"\1\\\2", _MARKUP.sub(r"\\\1", text))
