"""Markdown: headings, lists, quotes, code and tables, with offsets into the source itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from memsum.document.build import build_document
from memsum.document.headings import is_known
from memsum.document.model import Block, BlockKind, Document
from memsum.document.readers.decode import decode

_SIGNS = re.compile(
    rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n(?:[^\n]*\n){0,40}?(?:---|\.\.\.)[ \t]*\r?$"  # front matter
    rb"|^ {0,3}#{1,6}[ \t]+\S|^ {0,3}(?:```|~~~)|\]\((?:https?://|[\w./#-]+\))|^\S[^\n]*\n(?:={3,}|-{3,})[ \t]*\r?$",
    re.MULTILINE,
)
_MARKS = (b"#", b"```", b"~~~", b"](", b"===", b"---")  # no sign is without one of these: most texts have none
_FRONT_MATTER = re.compile(r"\ufeff?---[ \t]*\r?\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")
_FRONT_TITLE = re.compile(r"^title:[ \t]*([\"']?)(?P<title>\S.*?)\1[ \t]*\r?$", re.MULTILINE)
_HIDDEN = re.compile(r"<!--.*?(?:-->|\Z)|!\[[^\]\n]{0,500}\](?:\([^)\n]{0,2000}\)|\[[^\]\n]{0,500}\])", re.DOTALL)
_QUOTE = re.compile(r"(?:[ \t]{0,3}>)+[ \t]?")
_FENCE = re.compile(r"\s*(?P<fence>`{3,}(?=[^`]*$)|~{3,})")
_ATX = re.compile(r"\s{0,3}(?P<marks>#{1,6})(?=\s|$)")
_UNDERLINE = re.compile(r"\s{0,3}(?P<mark>=+|-+)\s*$")
_RULE = re.compile(r"\s{0,3}([-*_])(?:[ \t]*\1){2,}\s*$")
_ITEM = re.compile(r"\s*(?P<marker>[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?=\S)")
_APART = re.compile(r"\s*(?:\[\^?[^\]]+\]:\s|(?:</?[A-Za-z][^<>]*>\s*)+$)")  # link and note definitions, lines of tags
_CODE_INDENT = ("    ", "\t")


class _Line(NamedTuple):
    start: int
    text: str  # markup blanked out

    @property
    def is_blank(self) -> bool:
        return not self.text or self.text.isspace()

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class MarkdownReader:
    """Reads Markdown as it is: a sentence is quoted with its emphasis and links, as the source has them."""

    name = "markdown"

    def detects(self, head: bytes) -> bool:
        """Whether there is a heading, code fence, link or front matter."""
        if b"\0" in head or not any(mark in head for mark in _MARKS):
            return False
        return _SIGNS.search(head) is not None

    def read(self, source: bytes | str) -> Document:
        """The blocks of a Markdown text."""
        text, warnings = decode(source)
        masked = _mask(text)
        blocks = _trimmed(masked, _blocks(text, masked))
        return build_document(text, blocks, format=self.name, masked=masked, warnings=warnings)


def _mask(text: str) -> str:
    """The text with comments, images and quote marks blanked out, every character in its place."""
    visible = _HIDDEN.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    lines = (
        " " * quote.end() + line[quote.end() :] if (quote := _QUOTE.match(line)) else line
        for line in visible.splitlines(keepends=True)
    )
    return "".join(lines)


def _trimmed(masked: str, blocks: Iterator[Block]) -> Iterator[Block]:
    """Blocks without white space around them; one of which nothing is left is dropped."""
    for block in blocks:
        visible = masked[block.start : block.end]
        start = block.start + len(visible) - len(visible.lstrip())
        end = block.start + len(visible.rstrip())
        if start < end:
            yield Block(block.kind, start, end, level=block.level)


def _blocks(text: str, masked: str) -> Iterator[Block]:
    at = 0
    has_title = False
    if front := _FRONT_MATTER.match(text):
        at = front.end()
        if title := _FRONT_TITLE.search(text, 0, at):
            has_title = True
            yield Block("title", title.start("title"), title.end("title"))
    for block in _body(_lines(masked, at)):
        if block.kind == "heading" and not has_title:
            has_title = True
            if block.level == 1 and not is_known(masked[block.start : block.end]):
                yield Block("title", block.start, block.end)
                continue
        yield block


def _lines(masked: str, at: int) -> list[_Line]:
    lines = []
    for text in masked[at:].splitlines(keepends=True):
        lines.append(_Line(at, text))
        at += len(text)
    return lines


def _body(lines: list[_Line]) -> Iterator[Block]:
    """Group lines to blocks, each decided by its first line."""
    at = 0
    in_list = False
    while at < len(lines):
        block, stop = _next_block(lines, at, in_list)
        if block:
            in_list = block.kind == "item" or (in_list and lines[at].text[:1].isspace())
            yield block
        at = stop


def _next_block(lines: list[_Line], at: int, in_list: bool) -> tuple[Block | None, int]:
    """The block that begins at a line, and the first line behind it."""
    line = lines[at]
    if line.is_blank or _RULE.match(line.text):
        return None, at + 1
    if heading := _ATX.match(line.text):
        text = line.text.rstrip()
        bare = text.rstrip("#")
        end = len(bare if bare[-1:].isspace() else text)
        return Block("heading", line.start + heading.end(), line.start + end, level=len(heading["marks"])), at + 1
    if fence := _FENCE.match(line.text):
        return _span("boilerplate", lines, at, _after_fence(lines, at, fence["fence"]))
    if _is_table(lines, at):
        return _span("boilerplate", lines, at, _run(lines, at, lambda line: "|" in line.text))
    if _APART.match(line.text):
        return _span("boilerplate", lines, at, at + 1)
    stop = _run(lines, at, lambda line: True)
    if item := _ITEM.match(line.text):
        return Block("item", line.start + item.end(), lines[stop - 1].end), stop
    if line.text.startswith(_CODE_INDENT) and not in_list:
        return _span("boilerplate", lines, at, stop)
    if stop < len(lines) and (underline := _UNDERLINE.match(lines[stop].text)):
        level = 1 if underline["mark"][0] == "=" else 2
        return Block("heading", line.start, lines[stop - 1].end, level=level), stop + 1
    return _span("paragraph", lines, at, stop)


def _span(kind: BlockKind, lines: list[_Line], at: int, stop: int) -> tuple[Block, int]:
    return Block(kind, lines[at].start, lines[stop - 1].end), stop


def _run(lines: list[_Line], at: int, belongs: Callable[[_Line], bool]) -> int:
    """The first line behind those that belong to a block and begin no other."""
    in_list = _ITEM.match(lines[at].text) is not None
    stop = at + 1
    while stop < len(lines) and belongs(lines[stop]) and not _interrupts(lines, stop, in_list):
        stop += 1
    return stop


def _interrupts(lines: list[_Line], at: int, in_list: bool) -> bool:
    """Whether a line ends the paragraph above it; a number does so only in a list, or as its first."""
    line = lines[at]
    if line.is_blank or any(pattern.match(line.text) for pattern in (_RULE, _UNDERLINE, _ATX, _FENCE, _APART)):
        return True
    item = _ITEM.match(line.text)
    if item and (in_list or not item["marker"][0].isdecimal() or item["marker"][:-1] == "1"):
        return True
    return _is_table(lines, at)


def _is_table(lines: list[_Line], at: int) -> bool:
    """Whether a table's head and the row of dashes below it begin at a line."""
    if at + 1 >= len(lines) or "|" not in lines[at].text:
        return False
    row = set(lines[at + 1].text)
    return {"|", "-"} <= row <= set("|:- \t\r\n")


def _after_fence(lines: list[_Line], at: int, fence: str) -> int:
    """The first line behind a block of code, which runs to its closing fence or to the end."""
    for stop in range(at + 1, len(lines)):
        closing = lines[stop].text.strip()
        if len(closing) >= len(fence) and not closing.strip(fence[0]):
            return stop + 1
    return len(lines)
