"""From blocks to a Document: readers find the blocks, sections and sentences are found here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from memsum.document.authors import find_authors, front_lines
from memsum.document.document import RUNNING, Block, BlockKind, Box, Document, Sentence, Sheet
from memsum.document.languages import detect_language, detect_languages
from memsum.document.sentences import each_sentence
from memsum.english.section_names import section_role
from memsum.english.stop_words import DANGLING
from memsum.errors import DocumentError
from memsum.multilingual.section_names import role_in_any_language

MAX_PARTS = 500_000  # blocks, and sentences; each takes some hundred bytes of memory
LONGEST_WORD = 1000  # characters; the tokenizer reads no more of one
_LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1}}}")
_CUT_WORDS = f"Some words are longer than {LONGEST_WORD:,} characters; only their beginning counts."
_GAP = "\n\n"
_CLAUSE = re.compile(r"\d{1,2}(?:\.\d{1,2}){1,3}\.?[ ]+(?=[A-Z])")
# "(Contributed by Ann Hale in #12.)" is not for the reader.
_CREDIT = re.compile(
    r"\((?:contributed|patch|suggested|reported|implemented|written) by [^()]{1,200}\)\.?", re.IGNORECASE
)
# Marks that end no sentence: those of a label or in code. They are set apart while blocks are collected.
_INERT = {ord(mark): chr(0xE000 + ord(mark)) for mark in ".!?"}
_SHOWN = {ord(apart): chr(mark) for mark, apart in _INERT.items()}
_MASKED = dict.fromkeys(_SHOWN, ",")
_ENDED = tuple(f"{mark}{close}" for mark in ".!?…。！？" for close in ("", '"', "”", "’", "'", ")", "]"))
# Characters of a section's name: every sentence below carries it, and some answers repeat it for each.
_LONGEST_SECTION = 300
_TELLING = 200  # characters of a section that tell its language
_BEFORE_ABSTRACT = 5  # paragraphs that may stand before an abstract


def build_document(
    text: str,
    blocks: Iterable[Block],
    *,
    format: str,  # noqa: A002
    language: str | None = None,
    masked: str | None = None,
    locate: Callable[[int, int], tuple[Box, ...]] | None = None,
    warnings: tuple[str, ...] = (),
    sheets: tuple[Sheet, ...] = (),
    authors: Sequence[str] = (),
    creators: Sequence[str] = (),
    front: Sequence[str] | None = None,
) -> Document:
    """Return a Document of blocks in order; sentences are split in `masked`, the text with markup blanked out.

    `locate` knows the boxes of a stretch of the text, where the format has pages: its `sheets`. `authors` are
    declared by the document, `creators` by the program that wrote it; `front` are the lines between title and text.
    """
    visible = text if masked is None else masked
    given, mixed = language, False
    if language is None:
        language, mixed = detect_languages(visible)
    blocks = tuple(within_limits(blocks))
    placed = tuple(_place(text, blocks, language))
    if not any(block.kind in RUNNING for block in placed):
        placed = tuple(_place(text, blocks, language, has_boilerplate=False))  # "Contents" over all of it
    own_languages = _languages_of_sections(visible, placed, language) if mixed and given is None else {}
    title = next((text[block.start : block.end] for block in placed if block.kind == "title"), None)
    running: list[Sentence] = []
    abstract: list[Sentence] = []
    has_long_words = False
    lists = _Lists()
    cuts = _Cuts()
    for number, block in enumerate(placed):
        into = abstract if block.kind == "abstract" else running
        first = len(into)
        if block.kind in RUNNING or block.kind == "abstract":
            lead_in = lists.lead_in(block)
            for start, end in each_sentence(visible[block.start : block.end], own_languages.get(number, language)):
                start, end = block.start + start, block.start + end
                boxes = locate(start, end) if locate else ()
                page = boxes[0].page if boxes else None
                is_item = block.kind == "item"
                words = text[start:end]
                into.append(Sentence(words, start, end, block.section, page, boxes, block.speaker, is_item, lead_in))
                _check_number(len(into))
                if end - start > LONGEST_WORD and not has_long_words:
                    has_long_words = _LONG_WORD.search(text, start, end) is not None
        if into is running:
            lists.add(block, running, first)
            cuts.add(block, running, first)
    if has_long_words:
        warnings += (_CUT_WORDS,)
    for index in cuts.found:
        running[index] = replace(running[index], is_cut=True)
    names = find_authors(text, front_lines(text, placed) if front is None else front, authors, creators)
    return Document(text, placed, tuple(running), tuple(abstract), title, format, warnings, language, sheets, names)


class _Lists:
    """Follows the blocks of a document and knows which sentence introduces the list that an item is in."""

    def __init__(self) -> None:
        self._before: list[int | None] = []  # the lead-in of each list around, the outermost first

    def lead_in(self, block: Block) -> int | None:
        """Return the index of the sentence that introduces the list of a block, None if there is none."""
        depth = max(block.level, 1)
        known = self._before[:depth]
        return known[-1] if block.kind == "item" and known else None

    def add(self, block: Block, sentences: list[Sentence], first: int) -> None:
        """Take note of a block, whose sentences begin with the `first`."""
        depth = max(block.level, 1) if block.kind == "item" else 0
        if block.kind == "heading" or (block.kind == "boilerplate" and len(self._before) == 1):
            self._before.clear()  # a lead-in that code follows is one of that
        elif len(sentences) > first:
            opens = not sentences[-1].text.endswith(_ENDED) or sentences[-1].text.endswith("…")
            own = len(sentences) - 1 if opens else None
            self._before += [None] * (depth - len(self._before))
            inherited = self._before[depth - 1] if depth else None
            self._before[depth:] = [own if own is not None else inherited]


class _Cuts:
    """Finds sentences that were cut by code, a table or a formula which is not running text."""

    def __init__(self) -> None:
        self.found: set[int] = set()
        self._open: int | None = None  # the last sentence, if it is not finished
        self._is_cut = False  # something else followed it

    def add(self, block: Block, sentences: list[Sentence], first: int) -> None:
        """Take note of a block, whose sentences begin with the `first`."""
        if len(sentences) > first:
            if self._is_cut and self._open is not None and sentences[first].text[:1].islower():
                self.found.update((self._open, first))
            is_open = block.kind == "paragraph" and not sentences[-1].text.endswith(_ENDED)
            self._open = len(sentences) - 1 if is_open else None
            self._is_cut = False
        elif block.kind == "boilerplate":
            if self._open is not None and sentences[self._open].text.split()[-1].lower() in DANGLING:
                self.found.add(self._open)
            self._is_cut = True
        else:
            self._open = None


def _check_number(count: int) -> None:
    if count > MAX_PARTS:
        raise DocumentError(f"The document has more than {MAX_PARTS:,} parts.", "Split it into several documents.")


def within_limits(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks, or an error as soon as there are too many."""
    for count, block in enumerate(blocks, 1):
        _check_number(count)
        yield block


def _languages_of_sections(text: str, blocks: Sequence[Block], language: str | None) -> dict[int, str]:
    """Return the language of each block in a section that is plainly in another than the document."""
    found: dict[int, str] = {}
    members: list[int] = []

    def close() -> None:
        own = "\n".join(text[blocks[number].start : blocks[number].end] for number in members)
        if len(own) >= _TELLING and (other := detect_language(own)) and other != language:
            found.update(dict.fromkeys(members, other))
        members.clear()

    for number, block in enumerate(blocks):
        if block.kind == "heading":
            close()
        elif block.kind in RUNNING or block.kind == "abstract":
            members.append(number)
    close()
    return found


def _place(
    text: str, blocks: Iterable[Block], language: str | None, *, has_boilerplate: bool = True
) -> Iterable[Block]:
    """Give each block its section, and paragraphs below a heading such as "References" their kind."""
    paragraphs = 0
    section: str | None = None
    role: BlockKind | None = None
    role_level = 0
    for block in blocks:
        if block.kind == "heading":
            section = text[block.start : min(block.end, block.start + _LONGEST_SECTION)]
            if role is None or block.level <= role_level:
                role, role_level = section_role(section), block.level
                if role is None and language != "en":
                    role = role_in_any_language(section)
                    # Further down, a section of this name is the author's own summary of what was said.
                    role = None if role == "abstract" and paragraphs > _BEFORE_ABSTRACT else role
                role = None if role == "boilerplate" and not has_boilerplate else role
            yield block
            continue
        paragraphs += block.kind in RUNNING
        kind = role if role and block.kind in RUNNING else block.kind
        yield replace(block, kind=kind, section=block.section or section)


def inert(text: str) -> str:
    """Set the marks of a text apart, so that no sentence ends there."""
    return text.translate(_INERT)


class DocumentBuilder:
    """Collects the blocks of a format whose own text is not readable as it is; blank lines part them."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._masked: list[str] = []
        self._blocks: list[Block] = []
        self._length = 0
        self.authors: list[str] = []  # whom the document names
        self.creators: list[str] = []  # whom the program that wrote it names

    def add(
        self,
        kind: BlockKind,
        text: str,
        *,
        level: int = 0,
        section: str | None = None,
        speaker: str | None = None,
        hidden: int = 0,
    ) -> None:
        """Append a block, its white space collapsed; one without text is left out.

        The first `hidden` characters, such as the name of the speaker, are not of a sentence.
        """
        text = " ".join(text.split())
        if not text:
            return
        kind, hidden = self._interpret(kind, text, hidden)
        _check_number(len(self._blocks))
        self._blocks.append(Block(kind, self._length, self._length + len(text), section, level, speaker))
        is_marked = any(apart in text for apart in _INERT.values())
        shown = text.translate(_SHOWN) if is_marked else text
        masked = text.translate(_MASKED) if is_marked else text
        if kind in RUNNING and (clause := _CLAUSE.match(masked, hidden)):
            hidden = clause.end()
        masked = " " * hidden + masked[hidden:]
        if kind in RUNNING and " by " in masked:
            masked = _CREDIT.sub(lambda credit: " " * len(credit[0]), masked)
        self._parts.append(shown)
        self._masked.append(masked)
        self._length += len(text) + len(_GAP)

    def _interpret(self, kind: BlockKind, text: str, hidden: int) -> tuple[BlockKind, int]:
        """Return what a block is, and its hidden characters, if its text tells more than its markup."""
        return kind, hidden

    def build(
        self,
        *,
        format: str,  # noqa: A002
        language: str | None = None,
        warnings: tuple[str, ...] = (),
    ) -> Document:
        text, masked = _GAP.join(self._parts), _GAP.join(self._masked)
        return build_document(
            text,
            self._blocks,
            format=format,
            language=language,
            masked=masked,
            warnings=warnings,
            authors=self.authors,
            creators=self.creators,
        )
