"""The summary of a document, and every form it is shown in."""

from __future__ import annotations

from memsum.summary.html import render_html, render_list
from memsum.summary.markdown import render_markdown
from memsum.summary.quotes import Quotes
from memsum.summary.text import render_text


class Summary(Quotes):
    """The sentences that say the most, in the order that was asked for; iterate over it to get them."""

    def to_text(self, width: int | None = None, *, colour: bool = False) -> str:
        """One sentence per line, nothing else; with a width, wrapped for a reader, each with its place."""
        return render_text(self, width, colour=colour)

    def to_markdown(self) -> str:
        """A list of quotes, each with its place."""
        return render_markdown(self)

    def to_html(self) -> str:
        """One self-contained page: the quotes, and the document with the quotes marked."""
        return render_html(self)

    def _repr_html_(self) -> str:
        """What notebooks show."""
        return render_list(self)
