"""The one XML parser for files from strangers: no entities, no DTD, no network, no huge trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memsum.errors import DocumentError

if TYPE_CHECKING:
    from lxml import etree
    from lxml.etree import _Element as Element

MAX_NODES = 2_000_000  # elements and attributes; each takes more than a hundred bytes of memory


def safe_parser(encoding: str | None = None) -> etree.XMLParser:
    """A parser that a hostile file can neither make read another nor grow beyond its size."""
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
    """The tree of some XML; `what` names it in the error if it is damaged, too deep or too rich."""
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
