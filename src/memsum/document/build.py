"""From blocks to a Document: readers find the blocks, sections and sentences are found here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, takewhile
from textwrap import shorten

from memsum.document.authors import find_authors, front_lines
from memsum.document.document import (
    BACK_MATTER,
    CONTENTS,
    MAX_PARTS,
    RUNNING,
    Block,
    BlockKind,
    Box,
    Document,
    Fact,
    Sentence,
    Sheet,
    TextLine,
)
from memsum.document.sentences import each_sentence
from memsum.document.tables import HEAD, is_prose, prose_cells
from memsum.errors import DocumentError
from memsum.languages.detection import detect_language, detect_languages
from memsum.languages.section_names import is_contents, section_role
from memsum.languages.stop_words import DANGLING, VERBS

LONGEST_WORD = 1000  # characters; the tokenizer reads no more of one
_LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1}}}")
_CUT_WORDS = f"Some words are longer than {LONGEST_WORD:,} characters; only their beginning counts."
_GAP = "\n\n"
_BETWEEN: tuple[BlockKind, ...] = ("boilerplate", "table", "code")  # that may stand between a lead-in and its list
_CLAUSE = re.compile(r"\d{1,2}(?:\.\d{1,2}){1,3}\.?[ ]+(?=[A-Z])")
NUMBER = re.compile(r"(?:(?:section|clause|article)[ ])?(?:\d{1,2}[.)]|\(?[a-z]\))", re.IGNORECASE)
_FEWEST_CLAUSES, _FEWEST_CLAUSE_WORDS = 3, 15  # that make titles in numbered lists headings; words of each, on average
_MOST_TITLE_WORDS = 10
# The end of a lead-in, or of a heading, that asks or orders.
_ASKS = re.compile(
    r"\b(?:you(?:'ll| will)? (?:must|need|should|have)|need from you|must|please|action items|to-?dos?|next steps"
    r"|asked to|required|remember to|do not|don't|never|what to (?:do|bring))\b[^.:\n]{0,60}:$",
    re.IGNORECASE,
)
_LONGEST_LEAD_IN = 150  # characters that are looked at
_MOST_GROUPED, _MOST_ITEM_WORDS = 8, 12  # items that are quoted together, and words of each
# "(Contributed by Ann Hale in #12.)" is not for the reader.
_CREDIT = re.compile(
    r"\((?:contributed|patch|suggested|reported|implemented|written) by [^()]{1,200}\)\.?", re.IGNORECASE
)
# Marks that end no sentence: those of a label or in code. They are set apart while blocks are collected.
_INERT = {ord(mark): chr(0xE000 + ord(mark)) for mark in ".!?"}
_SHOWN = {ord(apart): chr(mark) for mark, apart in _INERT.items()}
_UNSEEN = dict.fromkeys((0xAD, 0x200B, 0x2060, 0xFEFF))  # soft hyphens, joiners and spaces of no width
_MASKED = dict.fromkeys(_SHOWN, ",")
_ENDED = tuple(f"{mark}{close}" for mark in ".!?…。！？" for close in ("", '"', "”", "’", "'", ")", "]"))
# Characters of a section's name: every sentence below carries it, and some answers repeat it for each.
_LONGEST_SECTION = 300
_TELLING = 200  # characters of a section that tell its language
_BEFORE_ABSTRACT = 5  # paragraphs that may stand before an abstract
_LONGEST_BACK_MATTER = 300  # words of a section; a longer one named "Conflict of interest" is what a policy is about
_MUCH = 0.25  # share of a document's words that is set aside, from which people are warned
_MUCH_WORDS = 50
_TELLING_PROSE = 5_000  # characters of a preformatted text that are looked at
_FEWEST_WORDS = 12  # of one that is prose
_BLANK_LINES = re.compile(r"\n[ \t]*\n")
_WORD = re.compile(r"[(\"'“‘`*]{0,3}[^\W\d_]+(?:[-'’/][^\W\d_]+){0,9}[.,;:!?)\"'”’`*]{0,4}")
# The times of subtitles, with the name of the format; and the end of a line that ends a sentence.
_CUE = re.compile(r"(?:^WEBVTT[^\n]{0,99}\n)?^\s{0,9}[\d:.,]{5,13}[ ]-->[ ][\d:.,]{5,13}[^\n]{0,99}\n", re.MULTILINE)
_ENDED_LINES = re.compile(r"(?<=[.!?])[ \t]*\n")
# Facts that a document states of itself in its head, and the names that they have there.
_FACTS = {
    name: fact
    for fact, names in {
        "status": "status|state",
        "version": "version|revision",
        "date": "date|effective date|last updated|last modified|updated|published|created|adopted|approved",
        "authors": "author|authors|editor|editors|owner",
    }.items()
    for name in names.split("|")
}
_FACT = re.compile(
    r"[ \t]*(?:[-*•][ \t]+)?[\"'*_]{0,3}(?P<name>[A-Za-z][A-Za-z _-]{2,20}?)[\"'*_]{0,3}[ \t]?"
    r"(?::|\||[ ]=[ ])[*_]{0,2}[ \t]+"
    r"[\"'*_`]{0,3}(?P<value>[^\s\"'*_`][^\n]{0,150}?)[\"'*_`,.]{0,3}[ \t]*"
)
_HEAD_BLOCKS, _HEAD_WORDS = 40, 250  # of the head; words of running text
_OF_HEADS: tuple[BlockKind, ...] = ("table", "code", "boilerplate", "item", "paragraph", "abstract")
_MOST_VALUE_WORDS = 12  # of a fact


def build_document(
    text: str,
    blocks: Iterable[Block],
    *,
    format: str,  # noqa: A002
    language: str | None = None,
    masked: str | None = None,
    locate: Callable[[int, int], tuple[Box, ...]] | None = None,
    lines: Iterable[TextLine] = (),
    warnings: tuple[str, ...] = (),
    sheets: tuple[Sheet, ...] = (),
    authors: Sequence[str] = (),
    creators: Sequence[str] = (),
    front: Sequence[str] | None = None,
) -> Document:
    """Return a Document of blocks in order; sentences are split in `masked`, the text with markup blanked out.

    `locate` knows the boxes of a stretch of the text, where the format has pages: its `sheets`, of `lines`. `authors`
    are declared by the document, `creators` by the program that wrote it; `front` are the lines between title and text.
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
    groups = _groups(text, placed)
    for number, block in enumerate(placed):
        into = abstract if block.kind == "abstract" else running
        first = len(into)
        lead_in = lists.lead_in(block)
        spoken = own_languages.get(number, language)
        spans = _sentences(visible, block, spoken)
        if members := groups.get(number):
            own = [span for member in members for span in _sentences(visible, member, spoken)]
            spans = iter([(own[0][0], own[-1][1])] if own and block is members[0] else [])
        for start, end in spans:
            boxes = locate(start, end) if locate else ()
            page = boxes[0].page if boxes else None
            is_item = block.kind == "item"
            details = block.section, page, boxes, block.speaker, is_item, lead_in
            into.append(Sentence(text[start:end], start, end, *details, time=block.time))
            _check_number(len(into))
            if end - start > LONGEST_WORD and not has_long_words:
                has_long_words = _LONG_WORD.search(text, start, end) is not None
        if into is running:
            lists.add(block, running, first)
            cuts.add(block, running, first)
    if has_long_words:
        warnings += (_CUT_WORDS,)
    warnings += warn_of_what_is_set_aside(text, placed)
    for index in cuts.found:
        running[index] = replace(running[index], is_cut=True)
    names = find_authors(text, front_lines(text, placed) if front is None else front, authors, creators)
    facts = _find_facts(text, placed)
    found = tuple(running), tuple(abstract), title, format, warnings, language, sheets, names, facts, tuple(lines)
    return Document(text, placed, *found)


def _groups(text: str, blocks: Sequence[Block]) -> dict[int, Sequence[Block]]:
    """Return short items that are quoted together below what asks for them, by the numbers of their blocks."""
    groups: dict[int, Sequence[Block]] = {}
    for number, block in enumerate(blocks[1:], 1):
        above = blocks[number - 1]
        if block.kind != "item" or above.kind not in ("heading", "paragraph"):
            continue
        asks = _ASKS.search(text, max(above.start, above.end - _LONGEST_LEAD_IN), above.end)
        if asks is None:
            continue
        items = list(takewhile(lambda one: one.kind == "item", islice(blocks, number, number + _MOST_GROUPED + 1)))
        words = [text[one.start : one.end].split() for one in items]
        is_short = all(len(own) <= _MOST_ITEM_WORDS for own in words)
        is_short = is_short and not any(
            own[-1].endswith((".", "!", "?")) for own in words[:-1]
        )  # sentences stand alone
        if is_short and 1 < len(items) <= _MOST_GROUPED and len({(one.level, one.speaker) for one in items}) == 1:
            groups.update(dict.fromkeys(range(number, number + len(items)), items))
    return groups


def _sentences(text: str, block: Block, language: str | None) -> Iterator[tuple[int, int]]:
    """Yield where the sentences of a block are: of a table, those in cells of prose."""
    spans: Iterable[tuple[int, int]] = ()
    if block.kind in RUNNING or block.kind == "abstract":
        spans = ((block.start, block.end),)
    elif block.kind == "table":
        spans = ((block.start + start, block.start + end) for start, end in prose_cells(text[block.start : block.end]))
        if block.level == HEAD:  # a first row may be one as the others
            spans = (span for span in spans if text.endswith(_ENDED, *span))
    for at, end in spans:
        yield from ((at + first, at + last) for first, last in each_sentence(text[at:end], language))


def warn_of_what_is_set_aside(text: str, blocks: Iterable[Block]) -> tuple[str, ...]:
    """Return a warning if much of a document is neither quoted nor searched: how many words, of what, from where."""
    total = 0
    aside: Counter[str] = Counter()
    sections: dict[str, str | None] = {}
    for block in blocks:
        if block.kind not in ("reference", "code"):
            words = len(text[block.start : block.end].split())
            total += words
            if block.kind == "boilerplate":
                reason = block.reason or "what stands around the text"
                aside[reason] += words
                sections.setdefault(reason, block.section)
    if aside.total() <= _MUCH * total or aside.total() < _MUCH_WORDS:
        return ()
    parts = [
        f"{words:,} as {reason}" + (f" (from “{shorten(section, 60, placeholder='…')}”)" if section else "")
        for reason, words in aside.most_common(3)
        for section in [sections[reason]]
    ]
    return (f"{aside.total():,} of {total:,} words were set aside: {', '.join(parts)}.",)


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
        if block.kind == "heading" or (block.kind in _BETWEEN and len(self._before) == 1):
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
        elif block.kind in _BETWEEN:
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
    text: str, blocks: Sequence[Block], language: str | None, *, has_boilerplate: bool = True
) -> Iterable[Block]:
    """Give each block its section, and paragraphs below a heading such as "References" their kind."""
    paragraphs = 0
    section: str | None = None
    role: BlockKind | None = None
    reason: str | None = None
    role_level = 0
    is_paper = any(
        block.kind == "reference"
        or (block.kind == "heading" and section_role(text[block.start : block.end])) in ("abstract", "reference")
        for block in blocks
    )
    for number, block in enumerate(blocks):
        if block.kind == "heading":
            section = text[block.start : min(block.end, block.start + _LONGEST_SECTION)]
            if role is None or block.level <= role_level or reason == CONTENTS:
                role, role_level = section_role(section), block.level
                if role is None and language != "en":
                    role = section_role(section, in_any_language=True)
                    # Further down, a section of this name is the author's own summary of what was said.
                    role = None if role == "abstract" and paragraphs > _BEFORE_ABSTRACT else role
                reason = None
                if role == "boilerplate":
                    reason = _reason_of_section(text, blocks, number, is_paper) if has_boilerplate else None
                    role = role if reason else None
            yield block
            continue
        paragraphs += block.kind in RUNNING
        if reason == CONTENTS and block.kind in RUNNING and is_prose(text[block.start : block.end]):
            role = reason = None
        kind = role if role and block.kind in RUNNING else block.kind
        own = block.reason or (reason if kind != block.kind else None)
        # `replace` would take three times as long.
        yield Block(kind, block.start, block.end, block.section or section, block.level, block.speaker, own, block.time)


def _reason_of_section(text: str, blocks: Sequence[Block], number: int, is_paper: bool) -> str | None:
    """Return why the section of a heading such as "Contents" or "Funding" is set aside, None where it is not."""
    heading = text[blocks[number].start : blocks[number].end]
    words, is_list = 0, is_contents(heading)
    is_paper = is_paper or "acknowledg" in heading.lower()
    for block in islice(blocks, number + 1, None):
        if block.kind == "heading" and block.level <= blocks[number].level:
            break
        if block.kind in RUNNING:
            own = text[block.start : block.end]
            if is_list or (not words and not is_prose(own)):
                return CONTENTS
            words += len(own.split())
            if words > _LONGEST_BACK_MATTER or not is_paper:
                return None
    return BACK_MATTER


def prose_of(text: str) -> list[str]:
    """Return the paragraphs of a preformatted text that is prose or subtitles, nothing of code."""
    if _CUE.search(text[:_TELLING_PROSE]):
        text = _CUE.sub("\n", text)
        text = _BLANK_LINES.sub("\n", text) if reads_as_prose(text) else ""
        return list(_ENDED_LINES.split(text)) if text else []
    return _BLANK_LINES.split(text) if reads_as_prose(text) else []


def reads_as_prose(text: str) -> bool:
    """Tell whether nearly all words of a text are words, and most of them are small."""
    words = text[:_TELLING_PROSE].split()
    plain = [word for word in words if _WORD.fullmatch(word)]
    small = sum(word[0].islower() for word in plain)
    return len(words) >= _FEWEST_WORDS and len(plain) >= 0.85 * len(words) and small >= 0.6 * len(words)


def inert(text: str) -> str:
    """Set the marks of a text apart, so that no sentence ends there."""
    return text.translate(_INERT)


def _find_facts(text: str, blocks: Sequence[Block]) -> tuple[Fact, ...]:
    """Return the facts that the head of a document states, the first of each name."""
    found: dict[str, Fact] = {}
    for start, end in _head_lines(text, blocks):
        line = _FACT.fullmatch(text, start, end)
        name = _FACTS.get(re.sub("[_-]", " ", line["name"]).lower()) if line else None
        if line and name and name not in found and len(line["value"].split()) <= _MOST_VALUE_WORDS:
            found[name] = Fact(name, line["value"].strip(" |"), start, end)
    return tuple(found.values())


def _head_lines(text: str, blocks: Sequence[Block]) -> Iterator[tuple[int, int]]:
    """Yield the lines above and in the first words of the running text; code only where it is front matter."""
    words = 0
    is_front = True
    for block in blocks[:_HEAD_BLOCKS]:
        is_front = is_front and block.kind in ("code", "title", "table")
        if block.kind not in _OF_HEADS or (block.kind == "code" and not is_front) or block.speaker:
            continue
        start = block.start
        for line in text[block.start : block.end].split("\n"):
            end = start + len(line)
            yield start + len(line) - len(line.lstrip()), start + len(line.rstrip()) if line.strip() else end
            start = end + 1
        words += len(text[block.start : block.end].split()) if block.kind == "paragraph" else 0
        if words > _HEAD_WORDS:
            return


class DocumentBuilder:
    """Collects the blocks of a format whose own text is not readable as it is; blank lines part them."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._masked: list[str] = []
        self._blocks: list[Block] = []
        self._titles: dict[int, int] = {}  # of blocks that may be clauses: how long their titles are
        self._has_sentences = False  # among them
        self._length = 0
        self.has_text = False  # running text
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
        reason: str | None = None,
        time: str | None = None,
        title: str = "",
    ) -> None:
        """Append a block, its white space collapsed but in code; one without text is left out.

        The first `hidden` characters, such as the name of the speaker, are not of a sentence; the `title` is what is
        set apart, as by bold letters, at the beginning of an item with a number.
        """
        text = text.translate(_UNSEEN)
        if kind == "code":  # without blank lines: none is as long as a paragraph's gap
            text = "\n".join(line.expandtabs(4).rstrip() for line in text.splitlines() if line.strip())
        else:
            text = " ".join(text.split())
        if not text:
            return
        kind, hidden = self._interpret(kind, text, hidden)
        _check_number(len(self._blocks))
        if title and kind in RUNNING and (kind == "item" or NUMBER.match(text)):
            title = " ".join(title.translate(_SHOWN).split()).rstrip(".: ")
            begun = text.translate(_SHOWN)
            is_title = begun.startswith(title) and begun[len(title) : len(title) + 1] in ("", ".", ":")
            if is_title and 0 < len(title.split()) <= _MOST_TITLE_WORDS and any(map(str.isalpha, title)):
                self._titles[len(self._blocks)] = len(title)
                is_sentence = not title.endswith("?") and not VERBS.isdisjoint(title.lower().split())
                self._has_sentences = self._has_sentences or is_sentence
        self.has_text = self.has_text or kind in RUNNING
        own = reason if kind == "boilerplate" else None
        self._blocks.append(Block(kind, self._length, self._length + len(text), section, level, speaker, own, time))
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

    def add_preformatted(self, text: str) -> None:
        """Append text whose lines were set by hand: code, or paragraphs of prose."""
        paragraphs = prose_of(text)
        for part in paragraphs or [text]:
            self.add("paragraph" if paragraphs else "code", part)

    def _interpret(self, kind: BlockKind, text: str, hidden: int) -> tuple[BlockKind, int]:
        """Return what a block is, and its hidden characters, if its text tells more than its markup."""
        return kind, hidden

    def _clauses(self, text: str) -> Iterator[Block]:
        """Yield the blocks; where titles of clauses are the only headings, as in a contract, these are cut off."""
        headings = sum(block.kind == "heading" for block in self._blocks)
        words = len(text[self._blocks[min(self._titles)].start :].split()) if self._titles else 0
        count = len(self._titles)
        is_contract = count >= max(_FEWEST_CLAUSES, headings + 1) and words >= count * _FEWEST_CLAUSE_WORDS
        is_contract = is_contract and not self._has_sentences
        for number, block in enumerate(self._blocks):
            length = self._titles.get(number) if is_contract else None
            if length is None:
                yield block
                continue
            end = block.start + length
            yield Block("heading", block.start, end, level=5 + max(block.level, 1))
            start = next((at for at in range(end, block.end) if text[at].isalnum() or text[at] in "“‘\"'("), block.end)
            if start < block.end:
                yield replace(block, kind="paragraph", start=start, level=0)

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
            list(self._clauses(text)),
            format=format,
            language=language,
            masked=masked,
            warnings=warnings,
            authors=self.authors,
            creators=self.creators,
        )
