"""ZIP archives of XML, as word processors, slides and e-books are: opened only as far as it is safe."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import TYPE_CHECKING

from memsum.document.readers.xml import parse_xml
from memsum.errors import DocumentError

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_PART_BYTES = 64 * 2**20  # of all parts together, too
MAX_ENTRIES = 10_000
MAX_RATIO = 200  # unpacked to packed; text in XML packs about 1 to 20
_SMALL = 2**20  # bytes; a part this small may be as dense as it likes


class Archive:
    """The parts of a document by name; `what` names it in errors, such as "The Word document"."""

    def __init__(self, source: bytes | str, what: str) -> None:
        self._what = what
        self._left = MAX_PART_BYTES
        if isinstance(source, str):
            raise DocumentError(f"{what} is binary data, and this is text.", "Give the file itself.")
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(source))
            entries = self._archive.infolist()
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, OverflowError, UnicodeDecodeError):
            raise DocumentError(f"{what} is damaged or cut off.") from None
        if len(entries) > MAX_ENTRIES:
            raise self._bomb()

    @property
    def names(self) -> list[str]:
        """The names of all parts."""
        return self._archive.namelist()

    def xml(self, name: str) -> Element | None:
        """The tree of a part, None if there is no such part; entities are not expanded, nothing is fetched."""
        data = self.read(name)
        return None if data is None else parse_xml(data, self._what)

    def read(self, name: str) -> bytes | None:
        """The bytes of a part; what the archive says of its size is checked first, then what really comes."""
        try:
            entry = self._archive.getinfo(name)
        except KeyError:
            return None
        limit = min(self._left, max(_SMALL, MAX_RATIO * entry.compress_size))
        if entry.file_size > limit:
            raise self._bomb()
        if entry.flag_bits & 1:
            raise DocumentError(f"{self._what} is encrypted.", "Save it without a password first.")
        try:
            with self._archive.open(entry) as part:
                data = part.read(limit + 1)
        except (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, RuntimeError, OSError, EOFError):
            raise DocumentError(f"{self._what} is damaged or cut off.") from None
        if len(data) > limit:
            raise self._bomb()
        self._left -= len(data)
        return data

    def _bomb(self) -> DocumentError:
        return DocumentError(f"{self._what} unpacks to far more than its size: this is not safe to read.")
