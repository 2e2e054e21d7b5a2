"""Write docs/gallery.md: documents of twelve kinds and their summaries as the model makes them today.

python docs/gallery.py
"""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import NamedTuple

from memsum import Summarizer

DOCS = Path(__file__).parent
PAGE = DOCS / "gallery.md"
HEAD = """# Gallery

Twelve documents of twelve kinds, written for this page, and their summaries as memsum makes them
today, at the length it chooses. `python docs/gallery.py` writes the page; a test fails when it is
out of date. What a careful reader would object to stands below each.
"""


class Piece(NamedTuple):
    """A document of the gallery."""

    kind: str
    file: str  # below docs/, or below the repository
    verdict: str  # of a reader


PIECES = (
    Piece(
        "A mail",
        "gallery/mail.eml",
        "Misses where the workshop moves to, and that it moves on a weekend.",
    ),
    Piece(
        "News",
        "gallery/news.html",
        "Begins with the vote: that the pool opens again on 1 June, the first sentence, is missing.",
    ),
    Piece(
        "A post",
        "gallery/post.md",
        "Misses the author's own advice (a clean address first) and whether they would do it again.",
    ),
    Piece(
        "A how-to",
        "gallery/howto.md",
        "Too short: the steps are missing, and what has to stand between 1.2 and 1.8 bar.",
    ),
    Piece(
        "House rules",
        "../src/memsum/server/static/sample.md",
        "Misses what one must not do and what it costs; the shelf of reserved books is a detail.",
    ),
    Piece(
        "Minutes",
        "gallery/minutes.md",
        "Both decisions and their reasons are there; the election and the ban on sprinklers are not.",
    ),
    Piece(
        "A meeting, word for word",
        "demo/harbour-meeting.txt",
        "What was decided about fees and the ferry is there; that they buy the crane is not, only its price.",
    ),
    Piece(
        "A report",
        "demo/night-buses.md",
        "Findings and recommendation are there; what it cost is not, and the passengers stand twice.",
    ),
    Piece(
        "A paper",
        "sample/allotment-bees.xml",
        "Design, results, conclusion; the design and the conclusion stand twice.",
    ),
    Piece(
        "A section of a textbook",
        "gallery/textbook.md",
        "Too short: the open lattice of ice and the maximum at 4 °C are missing.",
    ),
    Piece(
        "A story",
        "gallery/story.txt",
        "The course of events is there; that the ship was saved, and how the story ends, is not.",
    ),
    Piece(
        "German",
        "gallery/german.md",
        "Chosen without knowing the language. The cracks that caused it, and what happens next, are missing.",
    ),
)


def page() -> str:
    """Return the text of the page."""
    summarizer = Summarizer.load(threads=1)
    parts = [HEAD]
    for piece in PIECES:
        summary = summarizer.summarize(DOCS / piece.file)
        title = summary.document.title or piece.kind
        size = f"{len(summary)} of {summary.document_sentences} sentences"
        parts.append(f"## {piece.kind}\n\n[{title}]({piece.file}), {size}")
        parts.append(
            "\n".join(_wrap(quote, "> - ", ">   ") for quote in summary.to_text().splitlines())
        )
        parts.append(_wrap(piece.verdict))
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def _wrap(text: str, first: str = "", further: str = "") -> str:
    return fill(text, 100, initial_indent=first, subsequent_indent=further, break_on_hyphens=False)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
