"""From blocks to a Document: readers find the blocks, sections and sentences are found here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from memsum.document.document import RUNNING, Block, BlockKind, Box, Document, Sentence
from memsum.document.languages import detect_language
from memsum.document.sentences import each_sentence
from memsum.english.section_names import section_role
from memsum.errors import DocumentError

MAX_PARTS = 500_000  # blocks, and sentences; each takes some hundred bytes of memory
LONGEST_WORD = 1000  # characters; the tokenizer reads no more of one
_LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1}}}")
_CUT_WORDS = f"Some words are longer than {LONGEST_WORD:,} characters; only their beginning counts."
_GAP = "\n\n"
# Characters of a section's name: every sentence below carries it, and some answers repeat it for each.
_LONGEST_SECTION = 300


def build_document(
    text: str,
    blocks: Iterable[Block],
    *,
    format: str,  # noqa: A002
    language: str | None = None,
    masked: str | None = None,
    locate: Callable[[int, int], tuple[Box, ...]] | None = None,
    warnings: tuple[str, ...] = (),
) -> Document:
    """Return a Document of blocks in order; sentences are split in `masked`, the text with markup blanked out.

    `locate` knows the boxes of a stretch of the text, where the format has pages.
    """
    visible = text if masked is None else masked
    placed = tuple(within_limits(_place(text, blocks)))
    title = next((text[block.start : block.end] for block in placed if block.kind == "title"), None)
    running: list[Sentence] = []
    abstract: list[Sentence] = []
    has_long_words = False
    language = language or detect_language(visible)
    for block in placed:
        if block.kind in RUNNING or block.kind == "abstract":
            into = abstract if block.kind == "abstract" else running
            for start, end in each_sentence(visible[block.start : block.end], language):
                start, end = block.start + start, block.start + end
                boxes = locate(start, end) if locate else ()
                page = boxes[0].page if boxes else None
                into.append(Sentence(text[start:end], start, end, block.section, page, boxes, block.speaker))
                _check_number(len(into))
                if end - start > LONGEST_WORD and not has_long_words:
                    has_long_words = _LONG_WORD.search(text, start, end) is not None
    if has_long_words:
        warnings += (_CUT_WORDS,)
    return Document(text, placed, tuple(running), tuple(abstract), title, format, warnings, language)


def _check_number(count: int) -> None:
    if count > MAX_PARTS:
        raise DocumentError(f"The document has more than {MAX_PARTS:,} parts.", "Split it into several documents.")


def within_limits(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks, or an error as soon as there are too many."""
    for count, block in enumerate(blocks, 1):
        _check_number(count)
        yield block


def _place(text: str, blocks: Iterable[Block]) -> Iterable[Block]:
    """Give each block its section, and paragraphs below a heading such as "References" their kind."""
    section: str | None = None
    role: BlockKind | None = None
    role_level = 0
    for block in blocks:
        if block.kind == "heading":
            section = text[block.start : min(block.end, block.start + _LONGEST_SECTION)]
            if role is None or block.level <= role_level:
                role, role_level = section_role(section), block.level
            yield block
            continue
        kind = role if role and block.kind in RUNNING else block.kind
        yield replace(block, kind=kind, section=block.section or section)


class DocumentBuilder:
    """Collects the blocks of a format whose own text is not readable as it is; blank lines part them."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._blocks: list[Block] = []
        self._length = 0

    def add(self, kind: BlockKind, text: str, *, level: int = 0, section: str | None = None) -> None:
        """Append a block, its white space collapsed; one without text is left out."""
        text = " ".join(text.split())
        if text:
            _check_number(len(self._blocks))
            self._blocks.append(Block(kind, self._length, self._length + len(text), section, level))
            self._parts.append(text)
            self._length += len(text) + len(_GAP)

    def build(
        self,
        *,
        format: str,  # noqa: A002
        language: str | None = None,
        warnings: tuple[str, ...] = (),
    ) -> Document:
        """Return the Document of all blocks added."""
        text = _GAP.join(self._parts)
        return build_document(text, self._blocks, format=format, language=language, warnings=warnings)
