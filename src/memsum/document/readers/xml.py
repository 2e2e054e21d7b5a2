"""The one XML parser for files from strangers: no entities, no DTD, no network, no huge trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml import etree


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
