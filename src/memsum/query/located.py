"""What is known of quotes that were looked up, as JSON and for people; and the quotes that a text holds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from memsum.document.document import Box, rounded
from memsum.printable import one_line

Status = Literal["exact", "same words", "edited", "not found"]


class OccurrenceRecord(TypedDict):
    """JSON of an occurrence; keys without a value are left out."""

    source: NotRequired[str]
    text: str
    start: int
    end: int
    passage: str
    sentences: NotRequired[list[int]]
    page: NotRequired[int]
    section: NotRequired[str]
    speaker: NotRequired[str]
    boxes: NotRequired[list[Box]]
    shares: NotRequired[list[tuple[int, float, float, float, float]]]  # of pages as a server draws them


class ChangeRecord(TypedDict):
    """JSON of a change."""

    start: int
    quote: str
    document: str


class LocatedRecord(TypedDict):
    """JSON of a quote that was looked up; keys without a value are left out."""

    quote: str
    status: Status
    occurrences: list[OccurrenceRecord]
    changes: NotRequired[list[ChangeRecord]]
    parts: NotRequired[list[LocatedRecord]]
    note: NotRequired[str]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Where a quote stands: `document.text[start:end] == text`, from its first word to its last."""

    text: str
    start: int
    end: int
    passage: str  # the whole sentences that it lies in, or the block where it is no running text
    sentences: tuple[int, ...] = ()  # their indices
    page: int | None = None
    section: str | None = None
    speaker: str | None = None
    boxes: tuple[Box, ...] = ()
    source: str | None = None  # the name of its document, where several are read together

    def to_dict(self) -> OccurrenceRecord:
        """Return JSON; what is not known is left out."""
        record: Any = {"source": self.source} if self.source is not None else {}
        record |= {"text": self.text, "start": self.start, "end": self.end, "passage": self.passage}
        record |= {"sentences": list(self.sentences)} if self.sentences else {}
        for name in ("page", "section", "speaker"):
            if getattr(self, name) is not None:
                record[name] = getattr(self, name)
        record |= {"boxes": rounded(self.boxes)} if self.boxes else {}
        found: OccurrenceRecord = record
        return found

    @property
    def position(self) -> str:
        """Describe the position for people: they count from 1."""
        parts = [one_line(part) for part in (self.source, self.section) if part]
        parts += [f"page {self.page}"] if self.page is not None else []
        if self.sentences:
            first, last = self.sentences[0] + 1, self.sentences[-1] + 1
            parts.append(f"sentence {first}" if first == last else f"sentences {first} to {last}")
        parts += [one_line(self.speaker)] if self.speaker else []
        return ", ".join(parts) or f"characters {self.start:,} to {self.end:,}"


@dataclass(frozen=True, slots=True)
class Change:
    """Words of the quote, and what the document has in their stead; one of them may be empty."""

    start: int  # in the quote
    quote: str
    document: str

    def to_dict(self) -> ChangeRecord:
        """Return JSON."""
        return {"start": self.start, "quote": self.quote, "document": self.document}


@dataclass(frozen=True, slots=True)
class LocatedQuote:
    """A quote and what is known of it; `parts` has those of a quote with gaps, or joined from several passages."""

    quote: str
    status: Status
    occurrences: tuple[Occurrence, ...] = ()
    changes: tuple[Change, ...] = ()
    parts: tuple[LocatedQuote, ...] = ()
    note: str | None = None

    @property
    def is_found(self) -> bool:
        """Tell if the words are the document's."""
        return self.status in ("exact", "same words")

    def to_dict(self) -> LocatedRecord:
        """Return JSON; what there is none of is left out."""
        record: LocatedRecord = {
            "quote": self.quote,
            "status": self.status,
            "occurrences": [occurrence.to_dict() for occurrence in self.occurrences],
        }
        if self.changes:
            record["changes"] = [change.to_dict() for change in self.changes]
        if self.parts:
            record["parts"] = [part.to_dict() for part in self.parts]
        if self.note:
            record["note"] = self.note
        return record

    def to_text(self, *, color: bool = False) -> str:
        """Render a line with the quote and what differs in it, then where it stands."""
        paint = _PAINT[self.status] if color else ""
        plain = _PLAIN if color else ""
        lines = [f"{paint}{_SIGNS[self.status]} {self.status}{plain}: {self._difference(color=color)}"]
        lines += [f"    {self.note}"] if self.note else []
        if self.parts:
            lines += [f"    {line}" for part in self.parts for line in part.to_text(color=color).split("\n")]
        else:
            lines += [f"    {occurrence.position}" for occurrence in self.occurrences[:_SHOWN]]
            more = len(self.occurrences) - _SHOWN
            lines += [f"    and {more} more"] if more > 0 else []
        return "\n".join(lines)

    def _difference(self, *, color: bool) -> str:
        """Return the quote on one line; `[-its words-]{+the document's+}` where they differ, or in colors."""
        removed, added = (("\x1b[9;31m", _PLAIN), ("\x1b[32m", _PLAIN)) if color else (("[-", "-]"), ("{+", "+}"))
        pieces, at = [], 0
        for change in self.changes:
            pieces.append(_inner_line(self.quote[at : change.start]))
            own, theirs = one_line(change.quote), one_line(change.document)
            pieces.append(f"{removed[0]}{own}{removed[1]}" if own else " ")
            pieces.append(f"{added[0]}{theirs}{added[1]}" if theirs else "")
            at = change.start + len(change.quote)
        return "".join([*pieces, _inner_line(self.quote[at:])]).strip()


def _inner_line(text: str) -> str:
    """Put a piece of a text on one line; a space at either end remains."""
    line = one_line(text)
    return f"{' ' * text[:1].isspace()}{line}{' ' * text[-1:].isspace()}" if line else " " * bool(text)


_SHOWN = 3  # occurrences for people
_PLAIN = "\x1b[0m"
_PAINT: dict[Status, str] = {
    "exact": "\x1b[32m",
    "same words": "\x1b[32m",
    "edited": "\x1b[33m",
    "not found": "\x1b[31m",
}
_SIGNS: dict[Status, str] = {"exact": "✓", "same words": "✓", "edited": "~", "not found": "✗"}


class QuotesRecord(TypedDict):
    """JSON of the quotes that were looked up in a document."""

    id: str | int | None
    found: int
    quotes: list[LocatedRecord]


def quotes_record(name: str | int | None, found: Sequence[LocatedQuote]) -> QuotesRecord:
    """Return JSON of all quotes, and how many have the document's words."""
    return {
        "id": name,
        "found": sum(one.is_found for one in found),
        "quotes": [one.to_dict() for one in found],
    }


def summary_line(found: Sequence[LocatedQuote]) -> str:
    """Count the quotes by what is known of them."""
    counts = {status: sum(one.status == status for one in found) for status in _SIGNS}
    stated = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    return f"{len(found)} {'quote' if len(found) == 1 else 'quotes'}: {stated}" if found else "There are no quotes."


# Quotation marks in pairs; the text of a quote holds none of its own kind.
_QUOTED = re.compile(r"“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|‹([^‹›]+)›|「([^「」]+)」|\"([^\"]+)\"")
_BLOCKQUOTE = re.compile(r"(?m)^> .*(?:\n>.*)*")
_UNSPACED = re.compile(r"[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_FEWEST = 3  # words of what stands in quotation marks, to be a quote


def find_quotes(text: str) -> list[str]:
    """Return what a text quotes: a JSON of strings or records, stretches in quotation marks, or a quote per line."""
    if text.lstrip()[:1] in ("[", "{"):
        try:
            return list(_of_json(json.loads(text)))
        except (ValueError, RecursionError):
            pass
    marked = [(found.start(), next(filter(None, found.groups()))) for found in _QUOTED.finditer(text)]
    marked += [(found.start(), re.sub(r"(?m)^> ?", "", found.group())) for found in _BLOCKQUOTE.finditer(text)]
    quotes = [" ".join(quote.split()) for _, quote in sorted(marked)]
    quotes = [quote for quote in quotes if len(quote.split()) >= _FEWEST or _UNSPACED.search(quote)]
    return quotes or [line.strip() for line in text.splitlines() if line.strip()]


def _of_json(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _of_json(item)
    elif isinstance(value, dict):
        name = next((name for name in ("quotes", "quote", "text", "sentences") if name in value), None)
        yield from _of_json(value[name]) if name else ()
