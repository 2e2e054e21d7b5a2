"""The running order of XML whose elements are blocks and what stands in them: each text is visited once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

# A block has its own text; a whole one takes that of the blocks inside it, too; what is skipped is not looked into.
Role = Literal["inline", "block", "whole", "skip", "space"]


def flow(root: Element, role: Callable[[Element, str], Role]) -> Iterator[tuple[Element, str]]:
    """Each block that has text, in order; `role` gets an element and its name without namespace.

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


def local_name(element: Element) -> str:
    """The name of an element without its namespace; comments and the like have none."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def all_text(root: Element) -> str:
    """The text of an element as one line."""
    return " ".join(" ".join(map(str, root.itertext())).split())


def _join(parts: list[str]) -> str:
    """What was collected, on one line; nothing is collected any more."""
    text = " ".join("".join(parts).split())
    parts.clear()
    return text
