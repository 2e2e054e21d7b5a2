"""A summary as one self-contained page: quotes, the document with the quotes highlighted, a map of both, a heat map.

The page loads nothing, runs no script, and its content security policy allows neither.
"""

from __future__ import annotations

from base64 import b64encode
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memsum._version import __version__
from memsum.printable import one_line
from memsum.query.located import LocatedQuote, summary_line
from memsum.summary.blocks import ShownBlock, cut_all, safe
from memsum.summary.rendering import abstract_lines, author_line, count_of, ending, keyword_line, position, spoken

if TYPE_CHECKING:
    from memsum.document import Document
    from memsum.summary.summary import Explanation, Summary, SummarySentence

TEMPLATES = Path(__file__).parent / "templates"
MAP_HEIGHT = 1000
_SOFT = 'style="opacity: 0.7"'
_THINNEST = 5  # of MAP_HEIGHT: a mark that can be seen and hit


@dataclass(frozen=True, slots=True)
class Mark:
    """The position of a sentence or a heading on the map, from 0 to MAP_HEIGHT."""

    top: float
    height: float
    sentence: int | None = None


def render_html(summary: Summary) -> str:
    """Render the page."""
    title = _title(summary)
    parts = cut_all(summary.documents, summary.names)
    steps = {sentence.number: sentence.step + 1 for sentence in summary}
    return render_page(
        TEMPLATES,
        "summary.html",
        ("view.css", "page.css"),
        title=title or one_line(str(summary.id or "")) or "Summary",
        summary=summary,
        groups=[
            (
                section.title and one_line(section.title),
                [
                    {
                        "sentence": sentence,
                        "text": spoken(sentence),
                        "where": position(sentence, summary),
                        "before": sentence.context and spoken(sentence.context),
                        "after": sentence.after and spoken(sentence.after),
                    }
                    for sentence in section.sentences
                ],
            )
            for section in summary.groups
        ],
        ending=ending(summary),
        authors=author_line(summary),
        keywords=keyword_line(summary),
        abstracts=abstract_lines(summary),
        parts=parts,
        steps=steps,
        marks=_marks(parts, summary.sentences),
        map_height=MAP_HEIGHT,
        rows=heat_rows(summary),
        lines=[one_line(sentence.text) for document in summary.documents for sentence in document.sentences]
        if summary.explanation
        else [],
    )


def render_quotes(document: Document, quotes: Sequence[LocatedQuote]) -> str:
    """Render a page of quotes of others, and the document with those highlighted that are in it."""
    marks = [
        (place.start, place.end, number, one.status)
        for number, quote in enumerate(quotes, 1)
        for one in (quote.parts or (quote,))
        for place in one.occurrences
    ]
    marks.sort()
    starts = [start for start, *_ in marks]
    blocks: list[tuple[str, list[tuple[str, int | None, str]]]] = []
    shown: set[int] = set()
    first = 0
    for block in document.blocks:
        while first < len(marks) and marks[first][1] <= block.start:
            first += 1
        spans: list[tuple[str, int | None, str]] = []
        at = block.start
        for start, end, number, status in islice(marks, first, bisect_left(starts, block.end)):
            start, end = max(start, at), min(end, block.end)
            if start < end:
                spans += [(safe(document.text[at:start]), None, ""), (safe(document.text[start:end]), number, status)]
                at = end
        spans.append((safe(document.text[at : block.end]), None, ""))
        blocks.append((block.kind, spans))
        shown.update(number for _, number, _ in spans if number)
    return render_page(
        TEMPLATES,
        "quotes.html",
        ("view.css", "page.css"),
        title=one_line(document.title or "") or "Quotes",
        version=__version__,
        counted=summary_line(quotes),
        quotes=[(quote, quote.to_text().split("\n"), number in shown) for number, quote in enumerate(quotes, 1)],
        blocks=blocks,
    )


def render_list(summary: Summary) -> str:
    """Render the quotes with their positions for a page of others, such as a notebook: nearly without styles."""
    title = _title(summary)
    lines = [f"<p><strong>{escape(title)}</strong></p>"] if title else []
    for section in summary.groups:
        lines += [f"<p>{escape(one_line(section.title))}</p>"] if section.title else []
        lines.append("<ul>")
        for sentence in section.sentences:
            before = f"<small {_SOFT}>{escape(spoken(sentence.context))}</small> " if sentence.context else ""
            after = f" <small {_SOFT}>{escape(spoken(sentence.after))}</small>" if sentence.after else ""
            where = f"<small {_SOFT}>{escape(position(sentence, summary))}</small>"
            lines.append(f"<li>{before}{escape(spoken(sentence))}{after}<br>{where}</li>")
        lines.append("</ul>")
    lines.append(f"<p><small {_SOFT}>{escape(count_of(summary))}, {escape(ending(summary))}</small></p>")
    lines += [f"<p><small>{escape(one_line(warning))}</small></p>" for warning in summary.warnings]
    return "\n".join(lines)


def _title(summary: Summary) -> str:
    return one_line(summary.documents[0].title or "") if len(summary.documents) == 1 else ""


def _marks(parts: list[ShownBlock], sentences: tuple[SummarySentence, ...]) -> list[Mark]:
    """Put headings and quotes on the map, by how much of the shown text precedes them."""
    total = sum(len(part.text) for part in parts) or 1
    wanted = {sentence.number for sentence in sentences}
    marks = []
    at = 0
    for part in parts:
        if part.kind == "heading" and part.level == 1:
            marks.append(Mark(round(MAP_HEIGHT * at / total, 1), 1))
        for span in part.spans:
            if span.sentence in wanted:
                height = max(_THINNEST, MAP_HEIGHT * len(span.text) / total)
                top = min(MAP_HEIGHT * at / total, MAP_HEIGHT - height)
                marks.append(Mark(round(top, 1), round(height, 1), span.sentence))
            at += len(span.text)
    return marks


def render_page(folder: Path, name: str, styles: Sequence[str], **values: Any) -> str:
    """Render a page with its style sheets in it: it loads nothing, and its policy allows no other style."""
    # The hash covers what stands between the tags, and HTML knows no other line end than "\n".
    style = "".join((folder / one).read_text("utf-8") for one in styles).replace("\r\n", "\n")
    style_hash = b64encode(sha256(style.encode()).digest()).decode()
    page: str = _template(folder, name).render(**values, style=style, style_hash=style_hash)
    return page


@cache
def _template(folder: Path, name: str) -> Any:
    """Load the template of a page: everything in it is escaped, and a missing value is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)


LEVELS = 10
_CANDIDATES = 8  # of a row, that can be pointed at


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that scored high at a step, and whether it was taken."""

    index: int
    score: float
    is_taken: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A step: stop probability, sentence taken, best sentences, and the SVG paths of the cells, one per shade.

    The row after the last step has no cells, only the stop probability.
    """

    stop: float
    taken: Candidate | None = None
    candidates: tuple[Candidate, ...] = ()
    shades: tuple[tuple[int, str], ...] = ()
    gone: str = ""


def heat_rows(summary: Summary) -> list[Row]:
    """Make the rows of a summary that has an explanation, one per step and one for the end."""
    explanation = summary.explanation
    if explanation is None:
        return []
    taken = sorted((one for one in summary if one.step >= 0), key=lambda sentence: sentence.step)
    rows = [_row(explanation, sentence.step, sentence.number) for sentence in taken]
    return [*rows, Row(explanation.stops[-1])]


def _row(explanation: Explanation, step: int, taken: int) -> Row:
    scores = explanation.scores[step]
    known = [Candidate(index, score, index == taken) for index, score in enumerate(scores) if score is not None]
    best = sorted(known, key=lambda candidate: -candidate.score)[:_CANDIDATES]
    highest = best[0].score
    # From 0 to LEVELS, relative to the best of the same step: scores shrink from step to step.
    shades = [None if score is None else round(LEVELS * score / highest) if highest > 0 else 0 for score in scores]
    paths = ((level, _path(shades, level)) for level in range(1, LEVELS + 1))
    return Row(
        explanation.stops[step],
        next(candidate for candidate in known if candidate.is_taken),
        tuple(best),
        tuple((level, path) for level, path in paths if path),
        _path(shades, None),
    )


def _path(shades: Sequence[int | None], wanted: int | None) -> str:
    """Draw the cells of one shade, neighbors joined, as a path in units of a cell."""
    path = []
    at = 0
    for shade, cells in groupby(shades):
        width = sum(1 for _ in cells)
        if shade == wanted:
            path.append(f"M{at} 0h{width}v1h-{width}z")
        at += width
    return "".join(path)
