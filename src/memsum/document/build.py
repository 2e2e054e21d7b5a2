"""From blocks to a Document: readers say what stands where, the sections and the sentences are found here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from memsum.document.headings import role_of
from memsum.document.languages import detect_language, given_language
from memsum.document.model import RUNNING, Block, BlockKind, Box, Document, Sentence
from memsum.document.sentences import split_sentences
from memsum.errors import DocumentError

_GAP = "\n\n"
# Sentences, and blocks: what a shelf of sixty novels has. A file of single letters must not cost a gigabyte.
MOST = 300_000
# Characters of a section's name: every sentence below carries it, and some answers repeat it for each.
_LONGEST_SECTION = 300


def build_document(
    text: str,
    blocks: Iterable[Block],
    *,
    format: str,  # noqa: A002
    masked: str | None = None,
    locate: Callable[[int, int], tuple[Box, ...]] | None = None,
    warnings: tuple[str, ...] = (),
) -> Document:
    """A Document of blocks in order; sentences are split in `masked`, the text with markup blanked out.

    `locate` knows the boxes of a stretch of the text, where the format has pages.
    """
    visible = text if masked is None else masked
    placed = tuple(_place(text, bounded(blocks)))
    title = next((text[block.start : block.end] for block in placed if block.kind == "title"), None)
    running: list[Sentence] = []
    abstract: list[Sentence] = []
    language = given_language.get() or detect_language(visible)
    for block in placed:
        if block.kind in RUNNING or block.kind == "abstract":
            into = abstract if block.kind == "abstract" else running
            for start, end in split_sentences(visible[block.start : block.end], language):
                start, end = block.start + start, block.start + end
                boxes = locate(start, end) if locate else ()
                page = boxes[0].page if boxes else None
                if len(into) == MOST:
                    raise _too_many("sentences")
                into.append(Sentence(text[start:end], start, end, block.section, page, boxes, block.speaker))
    return Document(text, placed, tuple(running), tuple(abstract), title, format, warnings, language)


def bounded(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks, or an error as soon as there are too many."""
    for count, block in enumerate(blocks):
        if count == MOST:
            raise _too_many("parts")
        yield block


def _too_many(what: str) -> DocumentError:
    return DocumentError(f"The document has more than {MOST:,} {what}.", "Split it into several documents.")


def _place(text: str, blocks: Iterable[Block]) -> Iterable[Block]:
    """Give each block its section, and paragraphs below a heading such as "References" their kind."""
    section: str | None = None
    role: BlockKind | None = None
    role_level = 0
    for block in blocks:
        if block.kind == "heading":
            section = text[block.start : min(block.end, block.start + _LONGEST_SECTION)]
            if role is None or block.level <= role_level:
                role, role_level = role_of(section), block.level
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
            self._blocks.append(Block(kind, self._length, self._length + len(text), section, level))
            self._parts.append(text)
            self._length += len(text) + len(_GAP)

    def build(self, *, format: str, warnings: tuple[str, ...] = ()) -> Document:  # noqa: A002
        """The Document of all blocks added."""
        return build_document(_GAP.join(self._parts), self._blocks, format=format, warnings=warnings)
