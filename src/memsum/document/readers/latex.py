"""LaTeX source: title, abstract, sections, items, captions and references of a paper, formulas as readable text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memsum.document.build import DocumentBuilder
from memsum.document.model import BlockKind, Document
from memsum.document.readers.base import listed
from memsum.document.readers.decode import decode
from memsum.document.readers.latex_macros import Macros, without_comments
from memsum.document.readers.latex_text import argument, plain

_START = re.compile(rb"(?:[ \t]*%[^\n]*\n|\s)*[\\{]")
_SIGN = re.compile(
    rb"^[ \t]*\\(?:documentclass|documentstyle|begin\s*\{document\}|(?:(?:sub)*section|chapter)\*?\s*\{|title\s*[\[{])",
    re.MULTILINE,
)
_SECTIONS = {
    "part": 1,
    "chapter": 1,
    "section": 1,
    "subsection": 2,
    "subsubsection": 3,
    "paragraph": 4,
    "subparagraph": 5,
}
_FLOATS = frozenset(
    {"figure", "table", "wrapfigure", "wraptable", "sidewaystable", "sidewaysfigure", "algorithm", "SCfigure"}
)
_LISTS = frozenset({"itemize", "enumerate", "description", "compactitem", "compactenum", "inparaenum"})
_ASIDE = listed(
    """
    tabular tabularx longtable tikzpicture picture verbatim lstlisting minted comment filecontents algorithmic pspicture
    CCSXML keywords keyword IEEEkeywords acknowledgments acknowledgements acks
    """
)
_REFERENCES = frozenset({"thebibliography", "references"})
_KNOWN = _FLOATS | _LISTS | _ASIDE | _REFERENCES | {"abstract", "quote", "quotation"}
_MARKS = re.compile(
    r"\\(?P<section>part|chapter|section|subsection|subsubsection|paragraph|subparagraph)\*?\s*(?:\[[^\]]*\])?\s*(?=\{)"
    rf"|\\begin\s*\{{(?P<begin>{'|'.join(sorted(_KNOWN))})\*?\}}|\\end\s*\{{(?P<end>{'|'.join(sorted(_KNOWN))})\*?\}}"
    r"|\\(?P<command>title|caption|bibitem|item|author|affiliation|address|date|abstract|keywords|footnotetext|footnote|thanks|maketitle|appendix)"
    r"(?![a-zA-Z])\*?|(?P<gap>\n[ \t]*\n\s*|\\par\b\s*)"
)
_DEEPEST = 100


class LatexReader:
    """Reads the source of papers; macros with fixed text are expanded, everything else is left out or made readable."""

    name = "latex"

    def detects(self, head: bytes) -> bool:
        """Whether the first line that is no comment is a command, and there is one that papers have."""
        head = head.lstrip(b"\xef\xbb\xbf")
        return b"\0" not in head and _START.match(head) is not None and _SIGN.search(head) is not None

    def read(self, source: bytes | str) -> Document:
        """The blocks of a paper."""
        text, warnings = decode(source)
        text = without_comments(text.replace("\r\n", "\n"))
        macros = Macros.of(text)
        paper = _Paper(macros)
        begin = text.find("\\begin{document}")
        end = text.find("\\end{document}")
        if begin >= 0:
            paper.add_front(text[:begin])
        body = text[begin + len("\\begin{document}") if begin >= 0 else 0 : end if end > begin else len(text)]
        paper.add(macros.expand(body))
        return paper.builder.build(format=self.name, warnings=warnings)


class _Mark(NamedTuple):
    """A command that parts text, and what it is about."""

    name: str
    content: str


class _State(NamedTuple):
    """Where the walk is: the environments around, innermost last."""

    environments: tuple[str, ...]

    @property
    def in_float(self) -> bool:
        """Whether a figure or a table is around."""
        return not _FLOATS.isdisjoint(self.environments)

    @property
    def kind(self) -> BlockKind:
        """What text is here."""
        for name in reversed(self.environments):
            if name == "abstract":
                return "abstract"
            if name in _REFERENCES:
                return "reference"
            if name in _ASIDE:
                return "boilerplate"
        return "paragraph" if _LISTS.isdisjoint(self.environments) else "item"

    def after(self, mark: _Mark) -> _State:
        """The state behind a mark."""
        if mark.name == "begin" and len(self.environments) < _DEEPEST:
            return _State((*self.environments, mark.content))
        if mark.name == "end" and mark.content in self.environments:
            last = len(self.environments) - 1 - self.environments[::-1].index(mark.content)
            return _State(self.environments[:last])
        return self


class _Paper:
    """Collects the blocks; paragraphs end at blank lines and at commands that part text."""

    def __init__(self, macros: Macros) -> None:
        self.builder = DocumentBuilder()
        self._macros = macros
        self._has_title = False

    def add_front(self, preamble: str) -> None:
        """The title, and an abstract if it is given before the document begins."""
        for found in re.finditer(r"\\(title|abstract)\s*(?:\[[^\]]*\])?\s*(?=\{)", preamble):
            text, _ = argument(preamble, found.end())
            self._add_front(found[1], self._macros.expand(text))

    def _add_front(self, command: str, text: str) -> None:
        if command == "abstract":
            self.builder.add("abstract", plain(text))
        elif not self._has_title:
            self._has_title = True
            self.builder.add("title", plain(text))

    def add(self, body: str) -> None:
        """The blocks of the body, in order; what a float or a note holds comes behind the paragraph around it."""
        state = _State(())
        loose: list[str] = []
        later: list[tuple[BlockKind, str]] = []
        for text, mark in _pieces(body):
            if not state.in_float:
                loose.append(text)
            if mark is None:
                break
            if mark.name in ("note", "caption"):
                later.append(("caption" if mark.name == "caption" else "boilerplate", mark.content))
                continue
            inside = state.after(mark)
            if inside.in_float or state.in_float:
                state = inside
                continue
            if mark.name not in ("begin", "end") or inside != state:
                self._flush(loose, later, state.kind)
            state = inside
            self._add_command(mark)
        self._flush(loose, later, state.kind)

    def _add_command(self, mark: _Mark) -> None:
        if mark.name in _SECTIONS:
            self.builder.add("heading", plain(mark.content), level=_SECTIONS[mark.name])
        elif mark.name in ("title", "abstract"):
            self._add_front(mark.name, mark.content)
        elif mark.name in ("author", "affiliation", "address", "keywords"):
            self.builder.add("boilerplate", plain(mark.content))
        elif mark == _Mark("begin", "thebibliography"):
            self.builder.add("heading", "References", level=1)

    def _flush(self, loose: list[str], later: list[tuple[BlockKind, str]], kind: BlockKind) -> None:
        self.builder.add(kind, plain("".join(loose)))
        loose.clear()
        for aside, text in later:
            self.builder.add(aside, plain(text))
        later.clear()


def _pieces(body: str) -> Iterator[tuple[str, _Mark | None]]:
    """The text before each mark, and the mark; the last text has none."""
    at = 0
    while found := _MARKS.search(body, at):
        text = body[at : found.start()]
        at = found.end()
        if found["section"]:
            content, at = argument(body, at)
            yield text, _Mark(found["section"], content)
        elif found["begin"]:
            at = _after_options(body, at) if found["begin"] in _FLOATS | _LISTS | {"thebibliography"} else at
            if found["begin"] in ("verbatim", "lstlisting", "minted", "comment", "filecontents", "tikzpicture"):
                end = body.find(f"\\end{{{found['begin']}", at)
                at = len(body) if end < 0 else end
            yield text, _Mark("begin", found["begin"])
        elif found["end"]:
            yield text, _Mark("end", found["end"])
        elif found["gap"] is not None or found["command"] in ("maketitle", "appendix"):
            yield text, _Mark("gap", "")
        elif found["command"] in ("item", "bibitem"):
            at = _after_options(body, at, braces=False)
            if found["command"] == "bibitem":
                _, at = argument(body, at)
            yield text, _Mark("gap", "")
        else:
            at = _after_options(body, at, braces=False)
            content, at = argument(body, at)
            kind = {"footnote": "note", "footnotetext": "note", "thanks": "note"}.get(
                found["command"], found["command"]
            )
            yield text, _Mark(kind, content)
    yield body[at:], None


def _after_options(body: str, at: int, *, braces: bool = True) -> int:
    """Behind the options of an environment: `[t]`, `{0.5\\textwidth}`."""
    found = re.compile(r"(?:\s*\[[^\]\n]{0,200}\]" + (r"|\{[^{}\n]{0,60}\}" if braces else "") + r")*").match(body, at)
    return found.end() if found else at
