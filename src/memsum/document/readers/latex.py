"""LaTeX source: title, abstract, sections, items, captions and references of a paper, formulas as readable text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from memsum.document.build import DocumentBuilder
from memsum.document.document import BlockKind, Document
from memsum.document.readers.base import decode, listed
from memsum.document.readers.latex_text import Macros, argument, plain, squeezed, without_comments
from memsum.errors import DocumentError

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
    r"\\(?P<section>part|chapter|section|subsection|subsubsection|paragraph|subparagraph)\*?\s*(?:\[[^\[\]]*\]\s?)?(?=\{)"
    rf"|\\begin\s*\{{(?P<begin>{'|'.join(sorted(_KNOWN))})\*?\}}|\\end\s*\{{(?P<end>{'|'.join(sorted(_KNOWN))})\*?\}}"
    r"|\\(?P<command>title|caption|bibitem|item|author|affiliation|address|date|abstract|keywords|footnotetext|footnote|thanks|maketitle|appendix)"
    r"(?![a-zA-Z])\*?|(?P<gap>\n\n|\\par\b)"
)
_FRONT = re.compile(r"\\(title|abstract)\s*(?:\[[^\[\]]*\]\s?)?(?=\{)")
_OPTIONS = re.compile(r"(?:\s*\[[^\]\n]{0,200}\]|\{[^{}\n]{0,60}\})*")
_OPTIONS_IN_BRACKETS = re.compile(r"(?:\s*\[[^\]\n]{0,200}\])*")
_INPUT = re.compile(
    r"\\(?P<command>input|include|subfile)(?![a-zA-Z])\s*(?:\{(?P<name>[^{}\n]{1,300})\}|(?P<bare>[^\s{}\\]{1,300}))"
)
_MAX_INPUTS = 1000  # files put into one source
_MAX_INPUT_BYTES = 32 * 2**20  # of all of them
_DEEPEST_INPUT = 20
_DEEPEST = 100
_TOO_MUCH = "Some macros were left as they are: expanded, the text would be far longer than the source."


class LatexReader:
    """Reads the source of papers; macros with fixed text are expanded, everything else is left out or made readable."""

    name = "latex"

    def detects(self, head: bytes) -> bool:
        """Whether the first line that is no comment is a command, and there is one that papers have."""
        head = head.lstrip(b"\xef\xbb\xbf")
        lines = (line.strip() for line in head.split(b"\n"))
        first = next((line for line in lines if line and not line.startswith(b"%")), b"")
        return b"\0" not in head and first[:1] in (b"\\", b"{") and _SIGN.search(head) is not None

    def read(self, source: bytes | str) -> Document:
        """The blocks of a paper."""
        text, warnings = decode(source)
        text = squeezed(without_comments(text.replace("\r\n", "\n")))
        macros = Macros.of(text)
        paper = _Paper(macros)
        front, body = _body(text)
        paper.add_front(front)
        warnings += _missing(body)
        paper.add(squeezed(macros.expand(body)))
        if macros.is_cut:
            warnings += (_TOO_MUCH,)
        return paper.builder.build(format=self.name, warnings=warnings)


def with_inputs(source: bytes, path: Path) -> bytes | str:
    """A main file with the files it names in their places; those that are not in its folder or below stay named."""
    inputs = _Inputs(path.resolve().parent)
    text = inputs.follow(decode(source)[0], (path.resolve(),))
    return text if inputs.count else source


class _Inputs:
    """Follows `\\input`, `\\include` and `\\subfile`, within one folder and within limits."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._bytes = 0
        self.count = 0

    def follow(self, text: str, around: tuple[Path, ...]) -> str:
        """The text with what it includes; `around` are the files that it is included by."""

        def replaced(found: re.Match[str]) -> str:
            inside = self._read(found["name"] or found["bare"], around)
            return found[0] if inside is None else f"\n\n{inside}\n\n" if found["command"] == "include" else inside

        return _INPUT.sub(replaced, without_comments(text.replace("\r\n", "\n")))

    def _read(self, name: str, around: tuple[Path, ...]) -> str | None:
        path = self._find(name.strip())
        if path is None or path in around or len(around) >= _DEEPEST_INPUT or self.count >= _MAX_INPUTS:
            return None
        try:
            self._bytes += path.stat().st_size
            text = decode(path.read_bytes())[0] if self._bytes <= _MAX_INPUT_BYTES else None
        except (OSError, DocumentError):
            return None
        if text is None:
            return None
        self.count += 1
        return self.follow(_body(text)[1], (*around, path))

    def _find(self, name: str) -> Path | None:
        """The file of a name, if it lies in the folder or below; links do not lead out of it."""
        for candidate in (f"{name}.tex", name):
            try:
                path = (self._folder / candidate).resolve()
                if path.is_relative_to(self._folder) and path.is_file():
                    return path
            except (OSError, ValueError, RuntimeError):
                continue
        return None


def _body(text: str) -> tuple[str, str]:
    """What stands before the beginning of a document, and what it holds; all of a text that has no beginning."""
    before, begin, after = text.partition("\\begin{document}")
    body = after if begin else text
    return before if begin else "", body.partition("\\end{document}")[0]


def _missing(body: str) -> tuple[str, ...]:
    """A warning about the files that a source names and does not have."""
    names = list(dict.fromkeys((found["name"] or found["bare"]).strip()[:80] for found in _INPUT.finditer(body)))
    if not names:
        return ()
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return (f"Parts of the text are in other files, which were not read: {', '.join(names[:3])}{more}.",)


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
        """The kind of block that text here belongs to."""
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
        for found in _FRONT.finditer(preamble):
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
    found = (_OPTIONS if braces else _OPTIONS_IN_BRACKETS).match(body, at)
    return found.end() if found else at
