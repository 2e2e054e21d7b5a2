"""What a reader of a format is: it recognises its format in the first bytes, and turns the whole into a Document."""

from __future__ import annotations

from typing import Protocol

from memsum.document.document import Document

HEAD_BYTES = 8192


def listed(names: str) -> frozenset[str]:
    """The names in a text, parted by white space."""
    return frozenset(names.split())


class Reader(Protocol):
    """One file format. A str is text that is already decoded: its offsets are those of the Document."""

    name: str

    def detects(self, head: bytes) -> bool:
        """Whether the first bytes of a file (`HEAD_BYTES` at most) are of this format."""
        ...

    def read(self, source: bytes | str) -> Document:
        """The document, or a DocumentError in one sentence."""
        ...
