"""What people type in word processors instead of using styles: memo headers, lists by hand, signature lines."""

from __future__ import annotations

import re
from dataclasses import replace

from memsum.document.build import DocumentBuilder
from memsum.document.document import BlockKind, Document
from memsum.document.readers.plain import is_byline, is_field, is_to_be_signed
from memsum.languages.section_names import is_section_name

_LABEL = re.compile(r"\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s+(?=\S)")
_SENTENCE = 60  # characters of a paragraph that is surely text


class OfficeBuilder(DocumentBuilder):
    """Collects the paragraphs of a word processor, and says what those without a style are."""

    def __init__(self) -> None:
        super().__init__()
        self._has_text = False
        self._is_list = False  # the last paragraph introduces a list, or is an item typed by hand

    def _interpret(self, kind: BlockKind, text: str, hidden: int) -> tuple[BlockKind, int]:
        label = _LABEL.match(text) if kind == "paragraph" and self._is_list else None
        if label:
            kind, hidden = "item", label.end()
        elif kind == "paragraph":
            is_head = not self._has_text and (is_field(text) or is_byline(text))
            kind = "boilerplate" if is_head or is_to_be_signed(text) else kind
            self._has_text = self._has_text or len(text) > _SENTENCE or (kind == "paragraph" and text[-1] in ".?!")
        self._is_list = label is not None or (kind in ("paragraph", "item") and text.endswith(":"))
        return kind, hidden

    def build(self, *, format: str, language: str | None = None, warnings: tuple[str, ...] = ()) -> Document:  # noqa: A002
        """Take a first heading that is alone on its level for the title, where no style names one."""
        first = next((number for number, block in enumerate(self._blocks) if block.kind != "boilerplate"), None)
        levels = [block.level for block in self._blocks if block.kind == "heading"]
        has_title = any(block.kind == "title" for block in self._blocks)
        if first is not None and not has_title and levels.count(self._blocks[first].level) == 1:
            block = self._blocks[first]
            if block.kind == "heading" and not is_section_name(self._parts[first]):
                self._blocks[first] = replace(block, kind="title", level=0)
        return super().build(format=format, language=language, warnings=warnings)
