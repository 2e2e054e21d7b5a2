"""Documents that were read and encoded, kept for a while so that summaries of any length come at once."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from memsum.document.document import Sheet
from memsum.errors import DocumentError
from memsum.server.middleware import not_kept

if TYPE_CHECKING:
    from memsum.reading import Reading


# Bytes that an encoded sentence holds in memory, about: five vectors of 200 numbers, its text, its scores at 30 steps,
# and its embeddings for questions.
_SENTENCE_BYTES = 7_500
_IMAGE_BYTES = 8 * 2**20  # of the pictures of a document's pages: some fifty
_MOST_FAILURES = 3  # pages that could not be drawn, each of which held up a worker for seconds


class PageImages:
    """The pictures of pages that were drawn last; a document whose pages fail too often is drawn no more."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[tuple[int, int], bytes] = OrderedDict()
        self._failures: dict[int, DocumentError] = {}
        self.bytes = 0

    def get(self, number: int, width: int, draw: Callable[[int, int], bytes]) -> bytes:
        """Return the picture of a page, or draw it."""
        image = self._kept.pop((number, width), None)
        if image is None:
            if number in self._failures:
                raise self._failures[number]
            if len(self._failures) >= _MOST_FAILURES:
                raise DocumentError("The pages of this PDF take too long to draw.", "Read its text instead.")
            try:
                image = draw(number, width)
            except DocumentError as error:
                self._failures[number] = error
                raise
            self.bytes += len(image)
        self._kept[number, width] = image
        while self.bytes > self._most_bytes and len(self._kept) > 1:
            self.bytes -= len(self._kept.popitem(last=False)[1])
        return image


@dataclass
class Kept:
    """A reading, the name of its file, the files of its documents that were PDFs, and the last pictures of pages."""

    reading: Reading
    name: str
    pdfs: tuple[bytes | None, ...] = field(default=(None,), repr=False)
    expires: float = 0.0
    images: PageImages = field(default_factory=lambda: PageImages(_IMAGE_BYTES))

    @property
    def weight(self) -> int:
        characters = sum(len(document.text) for document in self.reading.documents)
        own = 2 * characters + _SENTENCE_BYTES * self.reading.held
        return sum(len(pdf or b"") for pdf in self.pdfs) + own + self.images.bytes

    @cached_property
    def pages(self) -> list[tuple[int, int, Sheet]]:
        """List the pages of all PDFs: the index of the document, the page's number in it, and what is shown of it."""
        return [
            (index, number, sheet)
            for index, (document, pdf) in enumerate(zip(self.reading.documents, self.pdfs, strict=True))
            if pdf is not None
            for number, sheet in enumerate(document.sheets, 1)
        ]

    @cached_property
    def first_pages(self) -> dict[int, int]:
        """How many pages stand before the first one of each document that has some."""
        return {document: at for at, (document, _, _) in reversed([*enumerate(self.pages)])}


class Readings:
    """Readings by ids that cannot be guessed; the least recently used goes first, and each after its time.

    Each worker has its own: an id begins with the worker's number, so that requests are sent there.
    """

    def __init__(
        self, most_bytes: int, seconds: float, worker: int = 0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._seconds = seconds
        self._most_bytes = most_bytes
        self._worker = worker
        self._clock = clock
        self._kept: OrderedDict[str, Kept] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def keep(self, kept: Kept) -> str:
        """Keep a reading; the id is all that gives access to it."""
        name = f"{self._worker}.{secrets.token_urlsafe(18)}"
        kept.expires = self._clock() + self._seconds
        self._kept[name] = kept
        self.drop()
        return name

    def use(self, name: str) -> Kept:
        """Return the reading of an id, or raise a Refusal."""
        self.drop()
        kept = self._kept.get(name)
        if kept is None:
            raise not_kept()
        kept.expires = self._clock() + self._seconds
        self._kept.move_to_end(name)
        return kept

    def forget(self, name: str) -> None:
        self._kept.pop(name, None)

    def drop(self) -> None:
        """Drop what is too old, and the oldest of what is too much; the newest stays."""
        now = self._clock()
        while self._kept and next(iter(self._kept.values())).expires < now:
            self._kept.popitem(last=False)
        held = sum(kept.weight for kept in self._kept.values())
        while held > self._most_bytes and len(self._kept) > 1:
            held -= self._kept.popitem(last=False)[1].weight
