"""Plain text: paragraphs, headings, items and speeches; what stands around the words of mails and news is set apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Literal

from memsum.document.build import build_document, within_limits
from memsum.document.document import MAX_PARTS, Block, BlockKind, Document
from memsum.document.readers.decoding import decode
from memsum.document.sentences import split_items
from memsum.document.speech import find_speech
from memsum.languages import read_patterns
from memsum.languages.section_names import is_section_name

Line = tuple[int, int]  # where a line that is not blank begins and ends, without white space around it

_LONGEST_HEADING = 80
_LONGEST_RUN_IN = 60
_LONGEST_TITLE = 200
_MOST_LINES = 5_000  # of a paragraph: a longer one is cut there
_PROFILED = 200_000  # characters that show how a text is laid out
_UNWRAPPED = 150  # characters; a longer line is a paragraph
_LEAST_WRAPPED = 6  # lines inside paragraphs that show a width
_EARLY = 6  # paragraphs in which titles and bylines are looked for
_SIGNATURE_LINES = 12
_SIGNATURE_LINE = 70  # characters
_LINE = re.compile(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*(?:\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])?")
_OTHER_BREAKS = "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_NUMBERED = re.compile(r"(?P<number>(?:\d{1,2}\.)*\d{1,2}|[IVX]{1,5}(?=\.)|[A-Z](?:\.\d{1,2}){1,3})\.?\s+[A-Z]\w")
_listed = partial(read_patterns, "plain_text")
_NAMED = re.compile(
    rf"{_listed('divisions')}\s+(?:\d{{1,3}}|[ivxlc]{{1,7}}|[a-z])(?:[.:]|\s?[.:–—-]\s\S.{{0,70}})?", re.IGNORECASE
)
_UNDERLINES = {"=": 1, "-": 2, "~": 3, "^": 4}  # levels of headings
_CAPTION = re.compile(r"(?:fig(?:ure)?|table|scheme|box)\.?\s*S?\d{1,3}\s?[.:|]\s", re.IGNORECASE)
_ITEM = re.compile(r"[•‣◦▪●■*–-]\s|\(?(?:\d{1,3}|[a-zA-Z])[.)]\s")
_UNFINISHED = re.compile(
    r"[,;:–—-]$|\b(?:a|an|and|as|at|by|for|from|in|into|of|on|or|that|the|to|with|der|die|und|le|la|de|et)$"
)


def read(source: bytes | str, language: str | None = None) -> Document:
    """Read text as it is: the Document's text is the file's."""
    text, warnings = decode(source)
    blocks, masked = plain_blocks(text)
    return build_document(text, blocks, format="plain", language=language, masked=masked, warnings=warnings)


def plain_blocks(text: str, *, is_mail: bool = False) -> tuple[list[Block], str]:
    """Return the blocks of a text, and the text with names of speakers, datelines and numbers of clauses blanked out.

    `is_mail` says that it is the body of a mail, whose subject is known.
    """
    walk = _Walk(text, is_mail=is_mail)
    blocks = list(within_limits(walk.blocks()))
    reason = "what is quoted, signed or stands around a mail" if walk.is_mail else "heads, bylines and labels"
    blocks = [replace(block, reason=reason) if block.kind == "boilerplate" else block for block in blocks]
    if not all(block.kind in ("boilerplate", "title") for block in blocks):
        return blocks, _blanked(text, walk.hidden)
    # Nothing but what stands around words: then it is them.
    paragraphs = (Block("paragraph", lines[0][0], lines[-1][1]) for lines in _paragraphs(text, _Layout(), []))
    return list(within_limits(paragraphs)), text


@dataclass(frozen=True)
class _Layout:
    """How a text is set."""

    is_unwrapped: bool = False  # each line is a paragraph
    width: int = 0  # to which lines are filled, 0 if unknown
    is_transcript: bool = False
    is_quoted: bool = False  # all of it stands behind ">"

    @classmethod
    def of(cls, text: str) -> _Layout:
        """Look at the beginning of a text."""
        paragraphs = list(_paragraphs(text[:_PROFILED], cls(), []))
        lines = [line for paragraph in paragraphs for line in paragraph]
        lengths = [end - start for start, end in lines]
        is_unwrapped = 2 * sum(length for length in lengths if length > _UNWRAPPED) > sum(lengths)
        inner = sorted(end - start for paragraph in paragraphs for start, end in paragraph[:-1])
        width = inner[int(0.95 * len(inner))] if len(inner) >= _LEAST_WRAPPED and not is_unwrapped else 0
        quoted = sum(text.startswith(">", start) for start, _ in lines)
        is_transcript = _is_transcript(text, lines, len(paragraphs))
        return cls(is_unwrapped, width, is_transcript, quoted > 0.9 * len(lines) and not is_transcript)


class _Walk:
    """Goes through a text once, paragraph by paragraph, and says what each is."""

    def __init__(self, text: str, *, is_mail: bool) -> None:
        self.hidden: list[Line] = []  # stretches inside blocks that are not words
        self._text = text
        self._layout = _Layout.of(text)
        edges = (edge for edge in _LICENCE.finditer(text[:_PROFILED]) if edge["edge"].upper() == "START")
        # Behind the license that a book was published under.
        self._begin = text.find("\n", begin.end(), _PROFILED) + 1 if (begin := next(edges, None)) else 0
        self._end = len(text.rstrip())
        self._number = 0  # of the paragraph, from the beginning or from that of a forwarded mail
        self._may_be_title = not is_mail
        self._has_words = False
        self.is_mail = is_mail
        self._is_over = False  # only an earlier mail, or a license, follows
        self._signature = 0  # lines that a signature may still have
        self._speaker: str | None = None  # whose turn it is
        self._begun: str | None = None  # when it began, if that stands alone with the name

    def blocks(self) -> Iterator[Block]:
        for lines in _paragraphs(self._text, self._layout, self.hidden):
            if lines[0][0] < self._begin:
                yield Block("boilerplate", lines[0][0], lines[-1][1])
                continue
            at = first = 0
            while at < len(lines):
                found = self._aside(lines, at, is_first=at == first)
                if found:
                    level = self._underlined_level(lines[first : at + 1])
                    if level:
                        yield Block("heading", *lines[first], level=level)
                    elif at > first:
                        yield from self._words(lines[first:at])
                    yield from found
                    at = first = at + len(found)
                else:
                    at += 1
            if at > first:
                yield from self._words(lines[first:at])
            self._number += 1

    def _aside(self, lines: Sequence[Line], at: int, *, is_first: bool) -> list[Block]:
        """Return what stands around the text from a line on, one block per line; nothing if text begins there."""
        start, end = lines[at]
        line = self._text[start : min(end, start + 500)]
        is_caption = self._layout.is_transcript and line.startswith(">>")
        if self._is_over or (line.startswith(">") and not (self._layout.is_quoted or is_caption)):
            self._signature = 0
            return [Block("boilerplate", start, end)]
        signature, self._signature = self._signature, 0
        if self._is_alone(line, end, has_words=self._has_words or not is_first):
            return [Block("boilerplate", start, end)]
        if self._layout.is_transcript and find_speech(self._text, start, end):
            return []
        if is_first and line.startswith("["):
            whole = self._text[start : min(lines[-1][1], start + 2_500)]
            if _PICTURE.fullmatch(whole):
                return [Block("caption", *span) for span in lines[at:]]
        if is_first and (head := self._head(lines, at)):
            return head
        if signature and len(line) <= _SIGNATURE_LINE and not (line[-1] in ".?!" and line.count(" ") > 3):
            self._signature = signature - 1
            return [Block("boilerplate", start, end)]
        count = self._signed(lines, at) or self._attribution(lines, at, line) or self._byline(lines, at)
        if self.is_mail and _NOTICE.match(line):
            count = len(lines) - at
        return [Block("boilerplate", *span) for span in lines[at : at + count]]

    def _is_alone(self, line: str, end: int, *, has_words: bool) -> bool:
        """Tell whether a line by itself is no words; takes note of what it says about those that follow."""
        is_late = self.is_mail or self._end - end < 500
        if (edge := _LICENCE.match(line)) and edge["edge"].upper() == "END":
            self._is_over = True
        elif _is(_EARLIER, line):
            self.is_mail, self._is_over = True, has_words
        elif _is(_FORWARDED, line):
            self.is_mail, self._number = True, 0
        elif is_late if line == "--" else _is(_CLOSING, line) and (line.endswith(",") or is_late):
            self._signature = _SIGNATURE_LINES
        elif _is(_GREETING, line) and not has_words:
            return self.is_mail or line[-1] in ",:!"
        else:
            return (
                ("____" not in line and _is(_RULE, line, 400))
                or _is(_PAGE, line)
                or _COMMAND.match(line) is not None
                or (self._layout.is_transcript and _is(_DIRECTION, line, 500))
            )
        return True

    def _head(self, lines: Sequence[Line], at: int) -> list[Block]:
        """Return the fields of a mail, a memo or minutes; the subject is the title."""
        kinds: list[str] = []
        for start, end in lines[at:]:
            kind = _field_kind(self._text[start : min(end, start + 100)])
            if not kind and not (kinds and start and self._text[start - 1] in " \t"):  # a field may go on, indented
                break
            kinds.append(kind)
        mail = kinds.count("mail")
        if self._has_words:
            if mail < 2 or len(kinds) < 3:
                return []
            self._is_over = True
        elif self._number > 3 or not kinds or (len(kinds) == 1 and mail and not self._subject(lines[at])):
            return []
        self.is_mail = self.is_mail or mail > 1
        blocks = []
        for start, end in lines[at : at + len(kinds)]:
            words = self._subject((start, end))
            if words and self._may_be_title:
                self._may_be_title = False
                blocks.append(Block("title", start + words, end))
            else:
                blocks.append(Block("boilerplate", start, end))
        if mail:
            self._may_be_title = False
        return blocks

    def _subject(self, line: Line) -> int:
        return subject_start(self._text[line[0] : min(line[1], line[0] + 500)])

    def _signed(self, lines: Sequence[Line], at: int) -> int:
        """Return how many lines from here on are there to be signed."""
        count = blanks = 0
        for start, end in lines[at : at + 12]:
            line = self._text[start : min(end, start + 500)]
            if is_to_be_signed(line):
                blanks += 1
            elif not _is(_BESIDE_SIGNATURE, line) and (
                not blanks or len(line) > _SIGNATURE_LINE or line[-1] in ".:;?!"
            ):
                break
            count += 1
        return count if blanks else 0

    def _attribution(self, lines: Sequence[Line], at: int, line: str) -> int:
        """Return how many lines say who wrote what is quoted below them."""
        if line[:3].lower() not in ("on ", "am ", "le ", "el ", "op ", "il "):
            return 0
        for count, (_, end) in enumerate(lines[at : at + 3], 1):
            said = self._text[lines[at][0] : min(end, lines[at][0] + 301)]
            if len(said) <= 300 and said.endswith(":") and _ATTRIBUTION.fullmatch(said):
                self.is_mail = True
                return count
        return 0

    def _byline(self, lines: Sequence[Line], at: int) -> int:
        """Return how many lines, to the end of a paragraph near the beginning, say who wrote the text and when."""
        if self._has_words or self._number > _EARLY or len(lines) - at > 4:
            return 0
        rest = [self._text[start : min(end, start + 200)] for start, end in lines[at:]]
        return len(rest) if all(map(is_byline, rest)) else 0

    def _words(self, lines: Sequence[Line]) -> Iterator[Block]:
        """Yield a title, heading, speeches or paragraphs."""
        start, end = lines[0]
        line = self._text[start : min(end, start + _LONGEST_TITLE + 1)]
        may_be_title, self._may_be_title = self._may_be_title, False
        is_alone = len(lines) == 1
        may_be_title &= is_alone and not (self._layout.is_transcript and find_speech(self._text, start, end))
        may_be_title &= end < self._end and len(line) <= _LONGEST_TITLE and line[-1] not in ".,;:?!"
        if may_be_title and not is_section_name(line) and not _NUMBERED.match(line):
            yield Block("title", start, end)
            return
        level = _heading_level(line, is_alone) or (0 if is_alone else self._run_in_level(line, lines))
        if level:
            yield Block("heading", start, end, level=level)
            self._speaker = None
            lines = lines[1:]
        if lines:
            self._has_words = True
            yield from self._speeches(lines) if self._layout.is_transcript else self._cut(lines)

    def _underlined_level(self, lines: Sequence[Line]) -> int:
        """Return the level of a heading whose underline is as long as it; 0 for others, and where it is the title."""
        if len(lines) != 2 or self._may_be_title:
            return 0
        (start, end), (rule, rule_end) = lines
        level = _UNDERLINES.get(self._text[rule], 0)
        is_as_long = abs((end - start) - (rule_end - rule)) <= 1
        return level if is_as_long and self._text[rule:rule_end].strip(self._text[rule]) == "" else 0

    def _run_in_level(self, line: str, lines: Sequence[Line]) -> int:
        """Return the level of a numbered heading that no blank line parts from its text."""
        below = self._text[lines[1][0] : min(lines[1][1], lines[1][0] + 200)]
        is_short = len(line) <= min(_LONGEST_RUN_IN, 0.75 * (self._layout.width or len(below)))
        if not is_short or not below[0].isupper() or _ITEM.match(below) or _NUMBERED.match(below):
            return 0
        return _heading_level(line, True) if _NUMBERED.match(line) or _NAMED.fullmatch(line) else 0

    def _speeches(self, lines: Sequence[Line]) -> Iterator[Block]:
        """Yield the speeches of a paragraph, each with its speaker; lines before the first are words of nobody."""
        found = (find_speech(self._text, start, end) for start, end in lines)
        speeches = [(at, speech) for at, speech in enumerate(found) if speech]
        first = speeches[0][0] if speeches else len(lines)
        if first:  # a turn may have several paragraphs
            for block in self._cut(lines[:first]):
                yield replace(block, speaker=self._speaker, time=self._begun)
                self._begun = None
        for (at, speech), stop in zip(speeches, [*(at for at, _ in speeches[1:]), len(lines)], strict=bool(speeches)):
            start, end = lines[at][0], lines[stop - 1][1]
            self.hidden.append((start, speech.words))
            said = self._text[speech.words : end].strip()
            self._speaker = speech.speaker if len(speeches) == 1 else None  # else a blank line ends them
            self._begun = None if said else speech.time
            kind: BlockKind = "paragraph" if said else "boilerplate"
            yield Block(kind, start, end, speaker=speech.speaker if said else None, time=speech.time if said else None)

    def _cut(self, lines: Sequence[Line]) -> Iterator[Block]:
        """Yield paragraphs: the lines together, cut where a line ended though the next word would fit."""
        first = 0
        for at, ((start, end), (next_start, next_end)) in enumerate(pairwise(lines), 1):
            if self._layout.width and self._is_cut(start, end, next_start, next_end):
                yield from self._body(lines[first][0], end)
                first = at
        yield from self._body(lines[first][0], lines[-1][1])

    def _is_cut(self, start: int, end: int, next_start: int, next_end: int) -> bool:
        """Tell whether a short line and the next have nothing to do with each other."""
        head = self._text[next_start : min(next_end, next_start + 40)]
        space_left = self._layout.width - (end - start) - 1
        if space_left < 0.3 * self._layout.width or space_left < len(head.split(None, 1)[0]) or not head[0].isupper():
            return False
        tail = self._text[max(start, end - 20) : end]
        return tail[-1] not in ".?!…" and not _UNFINISHED.search(tail)

    def _body(self, start: int, end: int) -> Iterator[Block]:
        """Yield a paragraph, or the items of a list and what stands before them."""
        if _CAPTION.match(self._text, start, end):
            yield Block("caption", start, end)
            return
        found = _CLAUSE.match(self._text, start, end)
        if found is None and self._number < _EARLY:
            found = _DATELINE.match(self._text, start, end)
        if found:
            self.hidden.append(found.span())
        for span in split_items(self._text, start, end):
            content = self._text[span.content : span.end]
            stop = span.content + len(content.rstrip())
            yield Block("item" if span.is_item else "paragraph", span.content, stop)


def _paragraphs(text: str, layout: _Layout, hidden: list[Line]) -> Iterator[list[Line]]:
    """Yield runs of lines that are not blank; add the marks of a text that is quoted as a whole to what is hidden."""
    lines: list[Line] = []
    before = 0  # the indent of the line before
    for begin, end in _lines(text):
        line = text[begin:end]
        stripped = line.strip()
        start = begin + len(line) - len(line.lstrip())
        if layout.is_quoted and stripped.startswith(">"):
            bare = stripped.lstrip("> \t")
            if len(hidden) < MAX_PARTS:
                hidden.append((start, start + len(stripped) - len(bare)))
            start, stripped = start + len(stripped) - len(bare), bare
        indent = start - begin
        opens = lines and indent >= before + 2 and text[lines[-1][1] - 1] in ".!?”\"’'" and not layout.is_quoted
        if lines and (not stripped or opens or layout.is_unwrapped or len(lines) == _MOST_LINES):
            yield lines
            lines = []
        if stripped:
            lines.append((start, start + len(stripped)))
            before = indent
    if lines:
        yield lines


def _lines(text: str) -> Iterator[Line]:
    """Yield where each line begins and ends, its break included; searching line feeds alone is faster."""
    if any(mark in text for mark in _OTHER_BREAKS):
        yield from (found.span() for found in _LINE.finditer(text))
        return
    begin = 0
    while end := text.find("\n", begin) + 1:
        yield begin, end
        begin = end
    yield begin, len(text)


def _blanked(text: str, hidden: list[Line]) -> str:
    """Return the text with stretches, in order, replaced by spaces."""
    parts = []
    at = 0
    for start, end in hidden:
        parts += [text[at:start], " " * (end - start)]
        at = end
    return "".join([*parts, text[at:]]) if parts else text


def _heading_level(line: str, alone: bool) -> int:
    """Return the level of a heading, 0 for any other line: short, not ended, and named, numbered or in capitals."""
    is_shouted = line.isupper() and sum(map(str.isalpha, line)) >= 4
    if len(line) > _LONGEST_HEADING:
        return 0
    if alone and _NAMED.fullmatch(line) and (line[-1] not in ".,;?!" or len(line) < 20):
        return 1
    if line.endswith((",", ";", "?", "!")) or (line.endswith(".") and not is_shouted):
        return 0
    numbered = _NUMBERED.match(line)
    level = numbered["number"].count(".") + 1 if numbered else 1
    if is_section_name(line):
        return level
    return level if alone and not line.endswith(":") and (numbered or is_shouted) else 0


_FIELD = re.compile(
    rf"\*?(?:(?P<head>{_listed('fields of mails')})|{_listed('fields')})\*?[ \t]?:(?:[ \t]+|$)", re.IGNORECASE
)
_SUBJECT = re.compile(rf"\*?{_listed('subjects')}\*?[ \t]?:[ \t]+", re.IGNORECASE)
_ANSWERED = re.compile(rf"(?:{_listed('answers')}[ \t]?:[ \t]*){{1,9}}", re.IGNORECASE)
_EARLIER = re.compile(rf"-{{2,}}[ ]?{_listed('answered')}[ ]?-{{2,}}", re.IGNORECASE)
_FORWARDED = re.compile(
    rf"-{{2,}}[ ]?{_listed('forwarded')}[ ]?(?:by [^\n]{{0,60}})?-{{2,}}|begin forwarded message:", re.IGNORECASE
)
_ATTRIBUTION = re.compile(rf"(?:on|am|le|el|op|il)\s.{{5,200}}?{_listed('wrote')}\s?:", re.IGNORECASE | re.DOTALL)
_GREETING = re.compile(rf"{_listed('greetings')}\b[^.?!:\n]{{0,60}}[,:!]?", re.IGNORECASE)
_CLOSING = re.compile(rf"{_listed('closings')}[,.!]?", re.IGNORECASE)
_NOTICE = re.compile(_listed("notices"), re.IGNORECASE)
_RULE = re.compile(r"(?:[ \t]*[-=*_~#+.•·]){3,400}[ \t]*")
_BLANK = re.compile(r"_{4,}|\.{8,}|…{4,}")
_BESIDE_SIGNATURE = re.compile(rf"{_listed('signatures')}\b[^.\n]{{0,60}}", re.IGNORECASE)
_COMMAND = re.compile(r"\$ [a-z]")  # typed at a prompt
_PAGE = re.compile(r"(?:page|seite|p\.)\s?\d{1,4}(?:\s?(?:of|von|/)\s?\d{1,4})?|[-–—]\s?\d{1,4}\s?[-–—]", re.IGNORECASE)
_MONTH = rf"{_listed('months')}[a-zé]{{0,7}}"
_DATE = (
    rf"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+)?"
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?\.?\s+{_MONTH}\.?,?\s+\d{{4}}|{_MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}"
    r"|\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4})"
)
_BYLINE = re.compile(
    r"by\s+(?-i:[A-Z])[^.?!\n]{2,90}(?:\.\s?[A-Z][^.?!\n]{1,40})?"
    r"|(?:published|updated|posted|last (?:updated|modified)|first published|filed)\b[^?!\n]{0,80}"
    rf"|{_DATE}(?:[,\s|·–-]{{0,5}}(?:at\s)?\d{{1,2}}[:.]\d{{2}}.{{0,20}})?",
    re.IGNORECASE,
)
# Before the words of a news item: "PARIS (Agency) - ".
_DATELINE = re.compile(
    rf"[A-Z][A-Z'’. -]{{2,40}}(?:,\s[A-Z][A-Za-z. ]{{1,25}})?(?:,?\s(?i:{_MONTH})\.?\s\d{{1,2}})?"
    r"(?:\s?\([A-Za-z][A-Za-z ./-]{1,30}\))?\s(?:—|–|--|-)\s(?=[A-Z“\"'])"
)
_CLAUSE = re.compile(r"\d{1,2}(?:\.\d{1,2}){1,3}\.?[ \t]+(?=[A-Z])")
_LICENCE = re.compile(r"\*\*\*\s?(?P<edge>START|END) OF (?:THE|THIS) PROJECT GUTENBERG", re.IGNORECASE)
# What stands for a picture, or is a note of the transcriber.
_PICTURE = re.compile(
    r"\[(?:illustration|image|photo|transcriber['’]s note|footnote \d{1,3})\b[^\]]{0,2000}\]", re.IGNORECASE
)

_LONGEST_LINE = 120  # characters; a longer one is no boilerplate, but for notices


def _field_kind(line: str) -> Literal["mail", "more", ""]:
    """Tell whether a line is a field of a head: one that mails must have, another one, or none."""
    found = _FIELD.match(line)
    if found is None:
        return ""
    return "mail" if found["head"] else "more"


def is_field(text: str) -> bool:
    """Tell whether a short text is a field of the head of a mail, a memo or minutes."""
    return len(text) <= _LONGEST_LINE and _field_kind(text) != ""


def subject_start(line: str) -> int:
    """Return where the words of a subject begin in its line, without "Re:" and the like; 0 if it is none."""
    found = _SUBJECT.match(line)
    if found is None:
        return 0
    again = _ANSWERED.match(line, found.end())
    return again.end() if again and again.end() < len(line) else found.end()


def is_to_be_signed(line: str) -> bool:
    """Tell whether a line is there to be signed or filled in: blanks, and little else."""
    if len(line) > 4 * _LONGEST_LINE or not _BLANK.search(line):
        return False
    return sum(map(str.isalpha, line)) <= max(30, len(line) // 3)


def is_byline(line: str) -> bool:
    """Tell whether a line says who wrote a text, or when it appeared."""
    return _is(_BYLINE, line)


def _is(pattern: re.Pattern[str], line: str, longest: int = _LONGEST_LINE) -> bool:
    return len(line) <= longest and pattern.fullmatch(line) is not None


# No words but what happens meanwhile: "(Applause)".
_DIRECTION = re.compile(r"\([^()\n]{1,200}\)|\[[^\[\]\n]{1,200}\]")
_LEAST_SPEECHS = 3
_LEAST_SHARE = 0.4  # of the paragraphs


def _is_transcript(text: str, lines: Iterable[tuple[int, int]], paragraphs: int) -> bool:
    """Tell whether these lines, of so many paragraphs, are mostly speeches of people who speak more than once."""
    found = ((find_speech(text, start, end), end) for start, end in lines)
    speeches = [(speech, end) for speech, end in found if speech]
    speakers = Counter(speech.speaker for speech, _ in speeches)
    again = sum(count for count in speakers.values() if count > 1)
    total = speakers.total()
    paragraphs -= sum(speech.words == end for speech, end in speeches)  # a name alone is none
    return 2 * again >= total >= max(_LEAST_SPEECHS, _LEAST_SHARE * paragraphs)
