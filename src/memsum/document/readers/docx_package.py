"""The ZIP archive of a Word document, opened only as far as it is safe."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import TYPE_CHECKING

from memsum.document.readers.xml import parse_xml
from memsum.errors import DocumentError

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_PART_BYTES = 64 * 2**20
MAX_ENTRIES = 10_000
MAX_RATIO = 200  # unpacked to packed; text in XML packs about 1 to 20
_SMALL = 2**20  # bytes; a part this small may be as dense as it likes
_BOMB = "The Word document unpacks to far more than its size: this is not safe to read."


class Package:
    """The parts of a document by name."""

    def __init__(self, data: bytes) -> None:
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
            entries = self._archive.infolist()
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, OverflowError, UnicodeDecodeError):
            raise DocumentError("The Word document is damaged or cut off.") from None
        if len(entries) > MAX_ENTRIES:
            raise DocumentError(_BOMB)

    def xml(self, name: str) -> Element | None:
        """The tree of a part, None if there is no such part; entities are not expanded, nothing is fetched."""
        data = self._bytes(name)
        return None if data is None else parse_xml(data, "The Word document")

    def _bytes(self, name: str) -> bytes | None:
        """The bytes of a part; what the archive says of its size is checked first, then what really comes."""
        try:
            entry = self._archive.getinfo(name)
        except KeyError:
            return None
        limit = min(MAX_PART_BYTES, max(_SMALL, MAX_RATIO * entry.compress_size))
        if entry.file_size > limit:
            raise DocumentError(_BOMB)
        if entry.flag_bits & 1:
            raise DocumentError("The Word document is encrypted.", "Save it without a password first.")
        try:
            with self._archive.open(entry) as part:
                data = part.read(limit + 1)
        except (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, RuntimeError, OSError, EOFError):
            raise DocumentError("The Word document is damaged or cut off.") from None
        if len(data) > limit:
            raise DocumentError(_BOMB)
        return data
