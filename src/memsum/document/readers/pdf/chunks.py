"""Chunks: lines of one column that stand together and look alike; what each is, is decided as a whole."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median
from typing import Literal

from memsum.document.readers.pdf.lines import Line
from memsum.languages import word_set
from memsum.languages.section_names import is_section_name

_LOOSE = 1.3  # of the usual distance between lines; a wider one parts chunks
_LONGEST_NAME = 100  # characters of a heading that stands close to its text
_SAMPLE = 60  # words that tell whether a text is prose
_CELL = 3.0  # em; lines that begin so far behind the others continue a cell of a table
_CLOSE = 0.75  # of the distance between paragraphs; lines stand closer
_ALIKE = 0.6  # points between the sizes of lines that look alike
Kind = Literal[
    "title", "front", "label", "abstract", "heading", "caption", "note", "table", "code", "formula", "stray",
    "reference", "text",
]  # fmt: skip
NUMBERED = re.compile(
    r"(?P<appendix>(?:Appendix|APPENDIX)\s+)?(?P<number>(?:\d{1,2}\.)*\d{1,2}|[IVX]{1,5}|[A-Z])(?P<mark>[.):]?)(?:\s+(?=[A-Z(])|(?<=\w)$)"
)
CAPTION = re.compile(
    r"(?P<label>(?:supplementary\s+|extended\s+data\s+)?(?:fig(?:ure)?s?|table|scheme|algorithm|listing|box|chart|plate|video)\.?"
    r"\s*(?:[A-Z]?\d{1,3}(?:\.\d{1,2})?|[IVX]{1,5}|S\d{1,3})[a-z]?)(?P<mark>\s?[.:|–—]|\)|$)?",
    re.IGNORECASE,
)
BULLETS = "•‣◦▪●■∙►▶▸➢➤➔✓✔❖◆◇○□❑\uf0a7\uf0b7\uf0d8\uf076"  # the last ones are those of symbol fonts
WORD = re.compile(r"[^\W\d_]{3}")
_ITEM = re.compile(rf"[{BULLETS}·*–—-]|\(?(?:\d{{1,2}}|[a-z]|[ivx]{{1,4}})[.)]\s")
_PROMPT = re.compile(r"(?:R?>|>>>|In \[\d{1,3}\]:)\s[A-Za-z#(.]")
_TYPEWRITTEN = 0.6  # of the letters; more code than that is the text
_LEADER = re.compile(r"(?:\s?[.·…_]){4}\s?(?:\d{1,4}|[ivxlc]{1,6})?$")  # the dots of a table of contents
_STEP = re.compile(r"\d{1,3}:(?:\s|$)|(?:Require|Ensure|Input|Output|Data|Result)s?:\s")  # of an algorithm
_EQUATION = re.compile(r"\((?:[A-Z]\.?)?\d{1,3}(?:\.\d{1,3})?[a-z]?\)$")  # the number of a formula
_SIGNS = re.compile(r"[=<>≤≥≈≡∈∑∏∫∂∇∝√→←⊤⊗≠±∼]")
_FUNCTIONS = word_set("exp log sin cos tan min max arg argmin argmax lim sup inf var cov det diag rank for and if")
_LABELLED = re.compile(rf"[{BULLETS}]|\(?(?:\d{{1,2}}|[a-z]|[ivx]{{1,4}})[.)]\s")
_ENDED = re.compile(r"[.!?:…][\"'”’)\]]*$|(?<!\d)[.!?:…][\"'”’)\]]*(?:\^?\d{1,3}|\[[\d,–?\s-]+\])$")


@dataclass(frozen=True, slots=True)
class Body:
    """How the running text of a document is set."""

    size: float
    leading: float  # from line to line

    @classmethod
    def of(cls, lines: Sequence[Line]) -> Body:
        """Return the size of most characters, and the usual distance of lines of that size."""
        exact: dict[float, int] = {}
        for line in lines:
            if not line.mono:
                exact[line.size] = exact.get(line.size, 0) + len(line.text)
        sizes: Counter[float] = Counter()
        for own, count in exact.items():
            sizes[max(round(own * 2) / 2, 0.5)] += count  # pages may be drawn as small as stamps
        size = sizes.most_common(1)[0][0] if sizes else 10.0
        steps = [
            distance(line, below)
            for line, below in itertools.pairwise(lines)
            if line.region == below.region and abs(line.size - size) < _ALIKE and abs(below.size - size) < _ALIKE
        ]
        steps = [step for step in steps if 0.8 * size < step < 3 * size]
        leading = median(steps) if steps else 1.2 * size
        close = [step for step in steps if step < _CLOSE * leading]
        if leading > 1.6 * size and len(close) >= max(2, 0.1 * len(steps)):
            leading = median(close)  # most paragraphs have one line: the others show it
        return cls(size, leading)


@dataclass(eq=False)
class Chunk:
    """Lines that stand together."""

    lines: list[Line]
    text: str = field(init=False)
    words: list[str] = field(init=False)
    size: float = field(init=False)  # of most of its characters

    def __post_init__(self) -> None:
        self.text = " ".join([line.text for line in self.lines])
        self.words = self.text.split()
        sizes: dict[float, int] = {}
        for line in self.lines:
            sizes[line.size] = sizes.get(line.size, 0) + len(line.text)
        self.size = max(sizes, key=sizes.__getitem__)

    @property
    def bold(self) -> bool:
        return all(line.bold for line in self.lines)

    @property
    def italic(self) -> bool:
        return all(line.italic for line in self.lines)

    @cached_property
    def is_code(self) -> bool:
        """Tell whether every line is monospaced, and it is no address at the end of a sentence."""
        return all(line.mono for line in self.lines) and not (len(self.words) == 1 and "/" in self.text)

    @property
    def page(self) -> int:
        return self.lines[0].page

    @property
    def region(self) -> int:
        """The column of a page in which it stands."""
        return self.lines[0].region

    @property
    def is_ended(self) -> bool:
        return is_ended(self.text)

    @cached_property
    def is_prose(self) -> bool:
        """Tell whether the text reads like sentences: enough words, mostly in small letters."""
        words = self.words[:_SAMPLE]
        if len(words) < 8:
            return False
        small = [word for word in words if word[0].islower() and (word.isalpha() or word.strip(".,;:()").isalpha())]
        return len(small) >= 0.4 * len(words)

    @cached_property
    def is_table(self) -> bool:
        """Tell whether most lines are rows of cells, entries of a table of contents, or steps of an algorithm."""
        many = sum([line.cells >= 3 for line in self.lines])
        if many >= 2:
            edge = min(line.left for line in self.lines) + _CELL * self.size
            if sum(line.left > edge for line in self.lines) >= 0.4 * len(self.lines):
                return True  # cells of several lines, each below its own column
        if self.is_prose and self.is_ended:
            return False
        enough = 0.5 * len(self.lines)
        steps = sum([_STEP.match(line.text) is not None for line in self.lines])
        if steps >= enough or sum(map(is_entry, self.lines)) >= 0.6 * enough:
            return True
        if not self.is_prose and len(self.words) >= 4 and _numbers(self.words) >= 0.4 * len(self.words):
            return True
        if len(self.lines) == 1:
            return is_row(self.lines[0])
        if len(self.words) >= 5 * len(self.lines):
            return many >= 0.6 * len(self.lines) and len(self.words) <= 3 * sum(line.cells for line in self.lines)
        return many >= 0.4 * len(self.lines) or sum(line.cells >= 2 for line in self.lines) >= 0.7 * len(self.lines)


def begins_item(chunk: Chunk) -> bool:
    """Tell whether a chunk begins as an item of a list does."""
    return _ITEM.match(chunk.text) is not None and WORD.search(chunk.text) is not None


def is_entry(line: Line) -> bool:
    """Tell whether a line is one of a table of contents: a page's number behind dots, or far behind the words."""
    end = line.text[-40:]
    if (". ." in end or "..." in end or "…" in end or "__" in end) and _LEADER.search(end):
        return True
    return line.cells >= 2 and end[-1].isdecimal() and re.search(r"[^\W\d_]{3}.{0,40}\s\d{1,3}$", end) is not None


def is_row(line: Line) -> bool:
    """Tell whether a line alone is a row of a table: several cells of few words, numbers among them."""
    if line.cells < 3:
        return False
    words = line.text.split()
    return len(words) <= 2 * line.cells and _numbers(words) >= 0.3 * len(words)


def _numbers(words: Sequence[str]) -> int:
    return sum([word[0].isdigit() for word in words])


def is_formula(line: Line, body: Body) -> bool:
    """Tell whether a line is set apart, or has a number behind it, and is made of signs and not of words."""
    if line.indent > 1.5 * body.size and not WORD.search(line.text):
        return re.fullmatch(r"\d[\d.,%]*[.,;)]", line.text) is None  # the end of a list item may be a number
    is_numbered = line.cells > 1 and _EQUATION.search(line.text) is not None
    if not is_numbered and line.indent <= body.size:
        return False
    if not _SIGNS.search(line.text) or _LABELLED.match(line.text):
        return False
    words = [word.strip(".,;:") for word in line.text.split()]
    prose = sum([len(word) > 2 and word.isalpha() and word.lower() not in _FUNCTIONS for word in words])
    return prose <= (0.2 if is_numbered else 0.1) * len(words)


def _is_heading(line: Line, body: Body) -> bool:
    """Tell whether a line that stands close to the text below is still a heading: named, or numbered and short."""
    if len(line.text) > _LONGEST_NAME:
        return False
    if is_section_name(line.text):
        return True
    short = line.shortfall > 2 * body.size and not is_ended(line.text)
    return short and NUMBERED.match(line.text) is not None and (line.italic or line.text.isupper())


def is_ended(text: str) -> bool:
    """Tell whether a text ends as a sentence does, be it with a note's number behind the period."""
    if text[-1:].isalpha():  # most lines do not: the quick answer
        return False
    end = text.rstrip()[-24:]
    return not end[-1:].isalpha() and _ENDED.search(end) is not None


def distance(line: Line, below: Line) -> float:
    """Return how far it is from one line to the next; raised and lowered characters do not count."""
    tops, bottoms = below.top - line.top, below.bottom - line.bottom
    return tops if tops < bottoms else bottoms


def find_code(lines: Sequence[Line]) -> None:
    """Take lines behind a prompt for code, too, and none for code in a document that is monospaced throughout."""
    letters = sum([len(line.text) for line in lines])
    is_typewritten = sum([len(line.text) for line in lines if line.mono]) > _TYPEWRITTEN * letters
    is_behind_prompt = False
    for line in lines:
        is_behind_prompt = bool(_PROMPT.match(line.text)) or (is_behind_prompt and line.text.startswith("+ "))
        line.mono = (line.mono and not is_typewritten) or is_behind_prompt


def _is_code_apart(last: Line, line: Line, body: Body) -> bool:
    """Tell whether code is set apart from text, and not a line of code inside a sentence."""
    code = line if line.mono else last
    is_apart = distance(last, line) > 1.1 * body.leading or abs(last.left - line.left) > 0.5 * body.size
    return is_apart or _PROMPT.match(code.text) is not None or is_ended(last.text)


def make_chunks(lines: Sequence[Line], body: Body) -> list[Chunk]:
    """Part the lines where the column, the size, the weight or the distance changes."""
    chunks: list[list[Line]] = []
    for line in lines:
        if chunks and _belongs(chunks[-1], line, body):
            chunks[-1].append(line)
        else:
            chunks.append([line])
    return list(map(Chunk, chunks))


def _belongs(chunk: list[Line], line: Line, body: Body) -> bool:
    last = chunk[-1]
    if last.region != line.region:
        return False
    leading = body.leading * max(min(line.size, last.size) / body.size, 0.75)
    if max(line.size, last.size) > 1.15 * body.size:
        leading = max(leading, 1.3 * max(line.size, last.size))
    if distance(last, line) > _LOOSE * leading:
        return False
    if abs(last.size - line.size) > _ALIKE and len(line.text) >= 4 and len(last.text) >= 4:
        return False
    if last.bold != line.bold and (len(last.text) > 2 and len(line.text) > 2):
        return False
    if last.mono != line.mono and _is_code_apart(last, line, body):
        return False
    if len(chunk) == 1 and _is_heading(last, body):
        return False
    ends_text = line.cells >= 3 and last.shortfall > 2 * body.size and all(above.cells == 1 for above in chunk[-3:])
    if ends_text and is_ended(last.text):
        return False  # a table begins below the end of a paragraph
    if abs(last.left - line.left) > 2 and is_formula(last, body) != is_formula(line, body):
        return False
    is_centered = last.indent > 2 and abs(last.indent - last.shortfall) < 3 and line.left < last.left - 2
    is_short = is_centered or last.shortfall > 2 * body.size
    if is_short and line.size > body.size - _ALIKE and line.text[:1].isupper() and is_ended(last.text):
        return CAPTION.match(chunk[0].text) is None
    return is_row(last) == is_row(line) or (line.cells > 1 and last.cells > 1)
