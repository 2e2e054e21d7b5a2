"""XML from untrusted files: a safe parser, ZIP archives of XML, and the text of a tree in running order."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Literal

from memsum.errors import DocumentError

if TYPE_CHECKING:
    from lxml import etree
    from lxml.etree import _Element as Element

MAX_NODES = 2_000_000  # elements and attributes; each takes more than a hundred bytes of memory


def safe_parser(encoding: str | None = None) -> etree.XMLParser:
    """Return a parser that a hostile file can neither make read another nor grow beyond its size."""
    from lxml import etree

    return etree.XMLParser(
        encoding=encoding,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )


def parse_xml(data: bytes, what: str, encoding: str | None = None) -> Element:
    """Return the tree of some XML; `what` names it in the error if it is damaged, too deep or too rich."""
    from lxml import etree

    if data.count(b"<") + 2 * data.count(b"=") > MAX_NODES:
        raise DocumentError(f"{what} has more parts than can be read.", "Split it.")
    try:
        return etree.fromstring(data, safe_parser(encoding))
    except etree.XMLSyntaxError as error:
        if "depth" in (error.msg or ""):
            raise DocumentError(f"{what} has parts inside each other, deeper than can be read.") from None
        raise DocumentError(f"{what} is damaged or unsafe (line {error.lineno or 1}).") from None
    except ValueError:
        raise DocumentError(f"{what} is damaged or unsafe.") from None


MAX_PART_BYTES = 64 * 2**20  # of all parts together, too
MAX_ENTRIES = 10_000
MAX_RATIO = 200  # unpacked to packed; text in XML packs about 1 to 20
_SMALL = 2**20  # bytes; a part this small may be as dense as it likes


# Strict files of Office have other names for the same: one form is enough to read.
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w{1,40})/(\w{1,40})")
_USUAL = rb"http://schemas.openxmlformats.org/\1/2006/\2"
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


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
        if len(set(self._archive.namelist())) < len(entries):  # programs differ in which of them they show
            raise DocumentError(f"{what} is damaged: two of its parts have one name.")

    @property
    def names(self) -> list[str]:
        return self._archive.namelist()

    def xml(self, name: str) -> Element | None:
        """Return the tree of a part, None if there is no such part; entities are not expanded, nothing is fetched."""
        data = self.read(name)
        return None if data is None else parse_xml(_STRICT.sub(_USUAL, data), self._what)

    def related(self, name: str = "") -> list[tuple[str, str, str]]:
        """List the parts that a part of an office file refers to, or the file itself: key, kind and name of each."""
        folder, file = posixpath.split(name)
        relations = self.xml(posixpath.join(folder, f"_rels/{file}.rels"))
        found: list[tuple[str, str, str]] = []
        for one in () if relations is None else relations.iter("{*}Relationship"):
            target = posixpath.normpath(posixpath.join("/", folder, one.get("Target") or "")).lstrip("/")
            if one.get("TargetMode") != "External":
                found.append((one.get("Id") or "", (one.get("Type") or "").rpartition("/")[2], target))
        return found

    def main(self, usual: str) -> str:
        """Return the name of an office file's main part, by default the usual one."""
        return next((part for _, kind, part in self.related() if kind == "officeDocument"), usual)

    def diagrams(self, name: str) -> Iterator[str]:
        """Yield the texts of the diagrams (SmartArt) in a part."""
        for part in dict.fromkeys(part for _, kind, part in self.related(name) if kind == "diagramData"):
            root = self.xml(part)
            for paragraph in () if root is None else root.iter(f"{_DRAWING}p"):
                yield all_text(paragraph)

    def creators(self, name: str) -> list[str]:
        """Return who wrote the document, by the properties that the program keeps; damaged ones say nothing."""
        try:
            properties = self.xml(name)
        except DocumentError:
            return []
        named = () if properties is None else properties.iter("{http://purl.org/dc/elements/1.1/}creator")
        return ["".join(map(str, one.itertext())) for one in named]

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a part; what the archive says of its size is checked first, then what really comes."""
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


# A block has its own text; a whole one takes that of the blocks inside it, too; what is skipped is not looked into.
Role = Literal["inline", "block", "whole", "skip", "space"]


def flow(root: Element, role: Callable[[Element, str], Role]) -> Iterator[tuple[Element, str]]:
    """Yield each block that has text, in order; `role` gets an element and its name without namespace.

    Text around blocks inside a block is that block's own, in pieces.
    """
    from lxml import etree

    owners: list[Element] = [root]
    parts: list[str] = []
    roles: list[Role] = []  # of the open elements
    whole = 0  # open whole blocks
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        if event == "start":
            name = local_name(element)
            found: Role = role(element, name) if name else "skip"
            if whole and found in ("block", "whole"):
                found = "space"
            roles.append(found)
            if found == "skip":
                walk.skip_subtree()
                continue
            if found in ("block", "whole"):
                if text := _join(parts):
                    yield owners[-1], text
                owners.append(element)
                whole += found == "whole"
            elif found == "space":
                parts.append(" ")
            parts.append(element.text or "")
        else:
            found = roles.pop()
            if found in ("block", "whole"):
                if text := _join(parts):
                    yield element, text
                owners.pop()
                whole -= found == "whole"
            elif found == "space":
                parts.append(" ")
            if element is not root:
                parts.append(element.tail or "")
    if text := _join(parts):
        yield root, text


_BRANCHES = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_UNDERSTOOD = ("http://schemas.microsoft.com/office/", "http://schemas.openxmlformats.org/")


def without_other_branches(root: Element) -> None:
    """Keep of contents that Office writes twice, for newer and for older programs, those that are shown."""
    for branch in list(root.iter(f"{_BRANCHES}Choice", f"{_BRANCHES}Fallback")):
        parent = branch.getparent()
        if parent is None:
            continue
        first = parent[0]
        spaces = (first.nsmap.get(prefix, "") for prefix in (first.get("Requires") or "").split())
        is_first_shown = first.tag == f"{_BRANCHES}Choice" and all(space.startswith(_UNDERSTOOD) for space in spaces)
        if branch is not first if is_first_shown else branch.tag == f"{_BRANCHES}Choice":
            empty(branch)


def empty(element: Element) -> None:
    """Remove all that an element holds, and its attributes; the text behind it stays."""
    element.clear(keep_tail=True)  # type: ignore[call-arg]  # which its stubs do not know


def local_name(element: Element) -> str:
    """Return the name of an element without its namespace; comments and the like have none."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def outermost(element: Element, *tags: str, skipped: Collection[str] = ()) -> Iterator[Element]:
    """Yield the elements of some kinds that are in no other of them, in order: each part of the file is seen once."""
    for child in element:
        if child.tag in tags:
            yield child
        elif child.tag not in skipped:
            yield from outermost(child, *tags, skipped=skipped)


_ROWS, _CELLS = ("tr", "table-row"), ("td", "th", "tc", "table-cell", "covered-table-cell")
_HEADS = ("thead", "table-header-rows")
_WIDEST = 100  # rows or columns that a cell goes over


def table_rows(table: Element, text: Callable[[Element], str]) -> tuple[list[list[str]], int | None]:
    """Return the cells of each row, merged ones followed by empty ones, and how many rows are heads, if that is said.

    Tables in cells are left to `text`.
    """
    rows: list[list[str]] = []
    heads: int | None = None
    has_row_heads = False
    below: dict[int, int] = {}  # rows that a cell still covers, by column
    for row in _named(table, _ROWS):
        cells = list(_named(row, _CELLS))
        names = {local_name(cell) for cell in cells}
        parent = row.getparent()
        if names == {"th"} or (parent is not None and local_name(parent) in _HEADS):
            heads = len(rows) + 1 if (heads or 0) == len(rows) else heads
        has_row_heads |= len(names) > 1 and "th" in names
        texts: list[str] = []
        for cell in cells:
            while below.get(len(texts), 0):
                below[len(texts)] -= 1
                texts.append("")
            if (more := _number(cell, "rowspan")) > 1:
                below[len(texts)] = more - 1
            texts += [text(cell), *[""] * (_number(cell, "colspan") - 1)]
        rows.append(texts)
    return rows, 0 if heads is None and has_row_heads else heads


def _named(element: Element, names: Collection[str]) -> Iterator[Element]:
    """Yield the elements of some names that are in no other of them, nor in a cell."""
    for child in element:
        name = local_name(child)
        if name in names:
            yield child
        elif name not in _CELLS:
            yield from _named(child, names)


def _number(cell: Element, name: str) -> int:
    """Return over how many rows or columns a cell goes; not more than tables have."""
    number = cell.get(name, "1").strip()
    return min(max(int(number), 1), _WIDEST) if number.isdecimal() and len(number) < 9 else 1


def all_text(root: Element) -> str:
    """Return the text of an element as one line."""
    return " ".join(" ".join(map(str, root.itertext())).split())


def _join(parts: list[str]) -> str:
    """Return what was collected, on one line; nothing is collected any more."""
    text = " ".join("".join(parts).split())
    parts.clear()
    return text
