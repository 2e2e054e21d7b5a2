"""LaTeX source: title, abstract, sections, items, captions and references of a paper, formulas as readable text.

White space is collapsed before any expression sees it, and no expression runs past a bracket of its own kind: so each
takes time in proportion to the text.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from memsum.document.authors import split_names
from memsum.document.build import DocumentBuilder
from memsum.document.document import NOTES, BlockKind, Document
from memsum.document.readers.decoding import decode
from memsum.document.tables import add_table
from memsum.errors import DocumentError
from memsum.files import open_inside
from memsum.languages import word_set
from memsum.printable import quoted_name

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
_ASIDE = word_set(
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
_FRONT = re.compile(r"\\(title|abstract|author)\s*(?:\[[^\[\]]*\]\s?)?(?=\{)")
_AND = re.compile(r"\\(?:and|And|AND)(?![a-zA-Z])")
_NEW_LINE = re.compile(r"\\\\(?:\[[^\]\n]{0,20}\])?|\\newline(?![a-zA-Z])")
_ASIDES = re.compile(
    r"\\(?:thanks|footnote|footnotemark|inst|textsuperscript|orcid|email|fnref|corref)(?![a-zA-Z])"
    r"(?:\[[^\]\n]{0,50}\])?(?:\{[^{}]*\})?|\$\^[^$\n]{0,40}\$"
)
_RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|(?:cline|cmidrule)(?:\([^()]{0,9}\))?\{[^{}]{0,20}\}"
    r"|multi(?:column|row)\{[^{}]{0,20}\}\{[^{}]{0,40}\})"
)
_CELL_GAP = re.compile(r"(?<!\\)&")
# Environments that hold no text of the document, and what theirs is.
_RAW = dict.fromkeys(("comment", "filecontents", "tikzpicture", "picture", "pspicture"), "unread")
_RAW |= dict.fromkeys(("verbatim", "lstlisting", "minted"), "code")
_RAW |= dict.fromkeys(("tabular", "tabularx", "longtable"), "table")
_KINDS: dict[str, BlockKind] = {"caption": "caption", "code": "code", "table": "table"}
_UNSURE = "?"  # no name
_OPTIONS = re.compile(r"(?:\s*\[[^\]\n]{0,200}\]|\{[^{}\n]{0,60}\})*")
_OPTIONS_IN_BRACKETS = re.compile(r"(?:\s*\[[^\]\n]{0,200}\])*")
_INPUT = re.compile(
    r"\\(?P<command>input|include|subfile)(?![a-zA-Z])\s*(?:\{(?P<name>[^{}\n]{1,300})\}|(?P<bare>[^\s{}\\]{1,300}))"
)
_MAX_INPUTS = 1000  # files put into one source
_MAX_NAMES = 5000  # of files that are looked for
_MAX_INPUT_BYTES = 32 * 2**20  # of all of them
_DEEPEST_INPUT = 20
_DEEPEST = 100
_TOO_MUCH = "Some macros were left as they are: expanded, the text would be far longer than the source."


def read(source: bytes | str, language: str | None = None) -> Document:
    """Read the source of a paper; macros with fixed text are expanded, everything else is left out or made readable."""
    text, warnings = decode(source)
    text = squeezed(without_false_branches(without_comments(text.replace("\r\n", "\n"))))
    macros = Macros(text)
    paper = _Paper(macros)
    front, body = _body(text)
    paper.add_front(front)
    if names := list(dict.fromkeys(quoted_name(found["name"] or found["bare"]) for found in _INPUT.finditer(body))):
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        warnings += (f"Parts of the text are in other files, which were not read: {', '.join(names[:3])}{more}.",)
    paper.add(squeezed(macros.expand(body)))
    if macros.is_cut:
        warnings += (_TOO_MUCH,)
    return paper.builder.build(format="latex", language=language, warnings=warnings)


def with_inputs(source: bytes, path: Path) -> bytes | str:
    """Return a main file with the files it includes; those that are not in its folder or below stay named."""
    inputs = _Inputs(path.resolve().parent)
    text = inputs.follow(decode(source)[0], (path.resolve(),))
    return text if inputs.count else source


class _Inputs:
    """Follows `\\input`, `\\include` and `\\subfile`, within one folder and within limits."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._found: dict[str, Path | None] = {}
        self._bytes = 0
        self.count = 0

    def follow(self, text: str, around: tuple[Path, ...]) -> str:
        """Return the text with what it includes; `around` are the files that it is included by."""

        def replaced(found: re.Match[str]) -> str:
            inside = self._read(found["name"] or found["bare"], around)
            return found[0] if inside is None else f"\n\n{inside}\n\n" if found["command"] == "include" else inside

        return _INPUT.sub(replaced, without_comments(text.replace("\r\n", "\n")))

    def _read(self, name: str, around: tuple[Path, ...]) -> str | None:
        path = self._find(name.strip())
        if path is None or path in around or len(around) >= _DEEPEST_INPUT or self.count >= _MAX_INPUTS:
            return None
        try:
            with os.fdopen(open_inside(self._folder, path), "rb") as file:
                self._bytes += os.fstat(file.fileno()).st_size
                text = decode(file.read())[0] if self._bytes <= _MAX_INPUT_BYTES else None
        except (OSError, DocumentError):
            return None
        if text is None:
            return None
        self.count += 1
        return self.follow(_body(text)[1], (*around, path))

    def _find(self, name: str) -> Path | None:
        """Return the file of a name, if it lies in the folder or below; links do not lead out of it."""
        if name in self._found or len(self._found) >= _MAX_NAMES:
            return self._found.get(name)
        self._found[name] = None
        for candidate in (name, f"{name}.tex"):
            with suppress(OSError, ValueError, RuntimeError):
                path = (self._folder / candidate).resolve()
                if path.is_relative_to(self._folder) and path.is_file():
                    self._found[name] = path
        return self._found[name]


def _body(text: str) -> tuple[str, str]:
    """Return what stands before the beginning of a document, and what it holds; all of a text that has no beginning."""
    before, begin, after = text.partition("\\begin{document}")
    body = after if begin else text
    return before if begin else "", body.partition("\\end{document}")[0]


class _Mark(NamedTuple):
    """A command that parts text, and what it is about."""

    name: str
    content: str


class _State(NamedTuple):
    """Where the walk is: the environments around, innermost last."""

    environments: tuple[str, ...]

    @property
    def in_float(self) -> bool:
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
        """Return the state behind a mark."""
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
        """Add the title, and an abstract if it is given before the document begins."""
        for found in _FRONT.finditer(preamble):
            text, _ = argument(preamble, found.end())
            text = self._macros.expand(text)
            if found[1] == "author":
                self.builder.authors += _authors(text)
            else:
                self._add_front(found[1], text)

    def _add_front(self, command: str, text: str) -> None:
        if command == "abstract":
            self.builder.add("abstract", plain(text))
        elif not self._has_title:
            self._has_title = True
            self.builder.add("title", plain(text))

    def add(self, body: str) -> None:
        """Add the blocks of the body, in order; what a float or a note holds follows the paragraph around it."""
        state = _State(())
        loose: list[str] = []
        later: list[tuple[BlockKind, str]] = []
        for text, mark in _pieces(body):
            if not state.in_float:
                loose.append(text)
            if mark is None:
                break
            if mark.name in ("note", "caption", "code", "table"):
                later.append((_KINDS.get(mark.name, "boilerplate"), mark.content))
                continue
            if mark.name == "unread":
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
            if mark.name == "author":
                self.builder.authors += _authors(mark.content)
        elif mark == _Mark("begin", "thebibliography"):
            self.builder.add("heading", "References", level=1)

    def _flush(self, loose: list[str], later: list[tuple[BlockKind, str]], kind: BlockKind) -> None:
        self.builder.add(kind, plain("".join(loose)))
        loose.clear()
        for aside, text in later:
            if aside == "table":
                add_table(self.builder.add, _rows(text), 1 if "\\midrule" in text else None)
            else:
                self.builder.add(aside, text if aside == "code" else plain(text), reason=NOTES)
        later.clear()


def _rows(table: str) -> list[list[str]]:
    """Return the cells of the rows of a table, behind the description of its columns."""
    while table.lstrip()[:1] in ("{", "["):
        table = table.lstrip()
        end = table.find("]") + 1 if table[0] == "[" else argument(table, 0)[1]
        table = table[max(end, 1) :]
    rows = (_CELL_GAP.split(_RULES.sub("", row)) for row in _NEW_LINE.split(table))
    return [[plain(cell).strip() for cell in row] for row in rows]


def _authors(text: str) -> list[str]:
    """Return the first line of each author; nothing surely where names may stand in further lines, too."""
    parts = _AND.split(_ASIDES.sub("", text))
    lines = [[line for line in map(plain, _NEW_LINE.split(part)) if line.strip()] for part in parts]
    names = [one[0] for one in lines if one]
    is_listed = len(lines) == 1 and len(lines[0]) > 1 and split_names(lines[0][1:2])
    return [_UNSURE] if is_listed else names


def _pieces(body: str) -> Iterator[tuple[str, _Mark | None]]:
    """Yield the text before each mark, and the mark; the last text has none."""
    at = 0
    while found := _MARKS.search(body, at):
        text = body[at : found.start()]
        at = found.end()
        if found["section"]:
            content, at = argument(body, at)
            yield text, _Mark(found["section"], content)
        elif found["begin"]:
            at = _after_options(body, at) if found["begin"] in _FLOATS | _LISTS | {"thebibliography"} else at
            yield text, _Mark("begin", found["begin"])
            if found["begin"] in _RAW:
                end = body.find(f"\\end{{{found['begin']}", at)
                start, at = at, len(body) if end < 0 else end
                yield "", _Mark(_RAW[found["begin"]], body[start:at])
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
    """Return behind the options of an environment: `[t]`, `{0.5\\textwidth}`."""
    found = (_OPTIONS if braces else _OPTIONS_IN_BRACKETS).match(body, at)
    return found.end() if found else at


def _pairs(table: str) -> dict[str, str]:
    """Return a table of names, each followed by what it stands for."""
    words = table.split()
    return dict(zip(words[::2], words[1::2], strict=True))


_ACCENTS = dict(
    zip(
        "'`^\"~=.uvHckrdb",
        "\u0301\u0300\u0302\u0308\u0303\u0304\u0307\u0306\u030c\u030b\u0327\u0328\u030a\u0323\u0331",
        strict=True,
    )
)
_ACCENT = re.compile(r"\\(?:(['`^\"~=.])\s*|([uvHckrdb])(?:\s+|(?=\{)))(?:\{\s*(\\?[a-zA-Z])\s*\}|(\\?[a-zA-Z]))")
_GREEK = _pairs(
    """
    alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ
    sigma σ tau τ upsilon υ phi φ chi χ psi ψ omega ω
    """
)
_OTHERS = _pairs(
    """
    varepsilon ε vartheta θ varphi φ times × cdot · cdotp · pm ± leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ approx ≈ sim ~
    ll ≪ gg ≫
    infty ∞ sum Σ prod ∏ int ∫ partial ∂ nabla ∇ in ∈ subset ⊂ cup ∪ cap ∩ to → rightarrow → leftarrow ← Rightarrow ⇒
    forall ∀ exists ∃ propto ∝ equiv ≡ mid | vert | langle ⟨ rangle ⟩ star * ast * ldots … dots … cdots … textellipsis …
    degree ° textdegree ° circ ° prime ′ ell ℓ ss ß ae æ AE Æ oe œ OE Œ o ø O Ø aa å AA Å l ł L Ł i ı j ȷ S § P ¶
    copyright © pounds £ euro € texteuro € LaTeX LaTeX TeX TeX textasciitilde ~ textendash – textemdash —
    textquoteright ’ textquoteleft ‘
    """
)
_SYMBOLS = {
    **_GREEK,
    **{name.capitalize(): letter.upper() for name, letter in _GREEK.items()},
    **_OTHERS,
    **dict.fromkeys(("quad", "qquad", "space"), " "),
}
_OPTION = r"\[[^\[\]]{0,1000}\]"
_CITE = re.compile(
    rf"\\(?P<name>[cC]ite[a-zA-Z]*|parencite|textcite|autocite|footcite)\*?\s*(?:{_OPTION}\s*){{0,2}}\{{[^{{}}]*\}}"
)
_REF = re.compile(r"\\(?:auto|c|C|eq|page|name|v)?ref\*?\s*\{[^{}]*\}")
_SILENT = re.compile(
    r"\\(?:label|vspace|hspace|includegraphics|input|include|subfile|bibliographystyle|bibliography|pagestyle|thispagestyle"
    r"|setlength|setcounter|addtocounter|renewcommand|index|hypersetup|usepackage|graphicspath|resizebox|addbibresource"
    r"|vskip|cellcolor|definecolor|color|captionsetup|pagenumbering|markboth|addcontentsline|phantomsection"
    rf"|[hv]?phantom|settowidth|settoheight|settodepth|IEEEpeerreviewmaketitle|newcolumntype)\*?(?![a-zA-Z])\s*(?:{_OPTION}\s?)*(?:\{{[^{{}}]*\}})*"
)
_LINK = re.compile(
    r"\\href\s*\{[^{}]*\}"
    rf"|\\(?:textcolor|colorbox|hyperref|fontsize|selectlanguage|foreignlanguage)\s*(?:\{{[^{{}}]*\}}|{_OPTION})"
)
_MATH = re.compile(
    r"(?<!\\)(?:\$\$?|\\[(\[])"
    r"|\\begin\{(?P<name>equation|align|gather|multline|eqnarray|displaymath|math|split|flalign|alignat)\*?\}"
)
_MATH_END = {"$": "$", "$$": "$$", "\\(": "\\)", "\\[": "\\]"}
_INLINE = frozenset({"$", "\\("})
_LONGEST_FORMULA = 3000
_NOT_SHOWN = re.compile(
    r"\\label\s*\{[^{}]*\}|\\(?:nonumber|notag|displaystyle|limits|left|right|big|Big|bigg|Bigg)(?![a-zA-Z])\.?"
)
_WORDS_IN_MATH = re.compile(r"\\(?:text|mathrm|textrm|mbox|operatorname)\s*\{([^{}]*)\}")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_ROOT = re.compile(r"\\sqrt\s*\{([^{}]*)\}")
_ALIGNMENT = re.compile(r"(?<!\\)&|\\\\")
_FUNCTIONS = word_set("log exp sin cos tan max min arg lim ln det sup inf Pr argmax argmin")
_COMMAND = re.compile(rf"\\(?P<name>[a-zA-Z]+)\*?(?: *(?=[a-zA-Z\\{{\[(]))?(?:{_OPTION}(?=\{{))?")
_ENVIRONMENT = re.compile(rf"\\(?:begin|end)\s*\{{[^{{}}]*\}}(?:{_OPTION})?")
_NEW_LINE = re.compile(rf"\\(?:\\|newline\b|linebreak\b)\*?(?:{_OPTION})?")
_NAME = re.compile(r"\\[a-zA-Z]+")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_LONGEST = 20_000  # characters of an argument


def argument(text: str, at: int, longest: int = _LONGEST) -> tuple[str, int]:
    """Return the argument at an offset: what a pair of braces holds, or one character; and the offset behind it.

    Where the second brace is missing, the argument is cut at its longest.
    """
    while at < len(text) and text[at].isspace():
        at += 1
    if at >= len(text):
        return "", at
    if text[at] != "{":
        command = _NAME.match(text, at)
        return (command[0], command.end()) if command else (text[at], at + 1)
    depth = 0
    for found in _BRACE.finditer(text, at, at + longest):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return text[at + 1 : found.start()], found.end()
    return text[at + 1 : at + longest], min(len(text), at + longest)


def plain(text: str) -> str:
    """Return readable text, on one line."""
    text = _formulas(" ".join(text.split()))
    text = _CITE.sub(" [cite]", text)
    text = _REF.sub("[ref]", text)
    text = _SILENT.sub(" ", text)
    text = _LINK.sub("", text)
    text = _ENVIRONMENT.sub(" ", text)
    text = _ACCENT.sub(_accented, text)
    text = _NEW_LINE.sub(" ", text)
    text = re.sub(r"\\[,;:! ]|~", " ", text)
    text = _COMMAND.sub(lambda found: _SYMBOLS.get(found["name"], ""), text)
    text = re.sub(r"\\([%&$#_{}])", lambda found: chr(0xE000 + ord(found[1])), text)  # until the braces are gone
    text = re.sub(r"[{}]", "", text).replace("\\-", "").replace("\\/", "").replace("\\@", "").replace("\\", "")
    text = text.replace("---", "—").replace("--", "–").replace("``", "“").replace("''", "”")
    text = text.translate({0xE000 + ord(char): char for char in "%&$#_{}"})
    return re.sub(r"\s+([.,;:)\]?!])", r"\1", " ".join(text.split()))


def _accented(found: re.Match[str]) -> str:
    letter = (found[3] or found[4]).lstrip("\\")
    return unicodedata.normalize("NFC", letter + _ACCENTS[found[1] or found[2]])


def _formulas(text: str) -> str:
    """Return the text with its formulas made readable; one that is not closed is text."""
    parts: list[str] = []
    at = 0
    while found := _MATH.search(text, at):
        opening = found[0]
        closing = _MATH_END.get(opening) or f"\\end{{{found['name']}"
        reach = len(text) if opening == "$" else found.end() + _LONGEST_FORMULA
        end = text.find(closing, found.end(), reach)
        parts.append(text[at : found.start()])
        if end < 0:
            at = found.end()
            continue
        formula = _formula(text[found.end() : end])
        parts.append(formula if opening in _INLINE else f" {formula} ")
        at = end + len(closing)
        if found["name"]:  # "*}" or "}"
            at += text.startswith("*", at)
            at += text.startswith("}", at)
    return "".join((*parts, text[at:]))


def _formula(formula: str) -> str:
    """Return a formula as text: symbols for commands, no alignment, no spacing commands."""
    if formula.isalnum():
        return formula
    formula = _NOT_SHOWN.sub("", formula)
    formula = _WORDS_IN_MATH.sub(r" \1 ", formula)
    formula = _FRACTION.sub(r"(\1)/(\2)", formula)
    formula = _ROOT.sub(r"√(\1)", formula)
    formula = _ALIGNMENT.sub(" ", formula)
    # Names of functions stay; commands that only change the look of letters do not.
    functions = {name: f"{name} " for name in _FUNCTIONS} | _SYMBOLS
    formula = _NAME.sub(lambda command: functions.get(command[0][1:], ""), formula)
    formula = re.sub(r"\\[,;:!|]|[{}~]", " ", formula).replace("_ ", "_").replace("^ ", "^")
    return " ".join(formula.split()).replace("\\", "")


# Conditions of TeX, those of common packages, and what changes one that a source has made itself.
_PRIMITIVES = word_set(
    """
    if ifcat ifx ifnum ifdim ifodd ifvmode ifhmode ifmmode ifinner ifvoid ifhbox ifvbox ifeof ifcase ifdefined ifcsname
    iffontchar ifpdf ifxetex ifluatex ifPDFTeX ifXeTeX ifLuaTeX
    """
)
_CONDITION = re.compile(
    r"\\newif *\\if(?P<new>[a-zA-Z@]+)|\\(?P<zero>if0(?![0-9]))"
    r"|\\begin\{(?P<verbatim>verbatim|lstlisting|minted)\*?\}"
    r"|\\(?P<name>if[a-zA-Z@]*|else|fi|endinput|[a-zA-Z@]{1,40}(?:true|false))(?![a-zA-Z@])"
)


def without_false_branches(text: str) -> str:
    """Return the source without what stands between `\\iffalse` and `\\fi`, and in branches that are known as false."""
    switches = {"true": True, "false": False}
    parts: list[str] = []
    open_branches: list[bool | None] = []  # of conditions: None where nobody knows
    at = 0
    hidden = 0  # false branches among them
    position = 0
    while found := _CONDITION.search(text, position):
        position = found.end()
        name = found["name"] or ""
        if found["verbatim"]:
            end = text.find(f"\\end{{{found['verbatim']}", position)
            position = len(text) if end < 0 else end
            continue
        if found["new"]:
            switches.setdefault(found["new"], False)
            continue
        if name == "endinput" and not hidden:
            return "".join((*parts, text[at : found.start()]))
        before = hidden
        if found["zero"] or (name.startswith("if") and (name in _PRIMITIVES or name[2:] in switches)):
            value = False if found["zero"] else switches.get(name[2:])
            open_branches.append(value)
            hidden += value is False
        elif name == "else" and open_branches and open_branches[-1] is not None:
            hidden += 1 if open_branches[-1] else -1
            open_branches[-1] = not open_branches[-1]
        elif name == "fi" and open_branches:
            hidden -= open_branches.pop() is False
        elif not hidden and name.endswith(("true", "false")):
            switch = name.removesuffix("true") if name.endswith("true") else name.removesuffix("false")
            if switch in switches and switch not in ("true", "false"):
                switches[switch] = name.endswith("true")
        if hidden and not before:
            parts.append(text[at : found.start()])
        elif before and not hidden:
            at = found.end()
    return "".join(parts) if hidden else "".join((*parts, text[at:]))


_COMMENT = re.compile(r"(?<!\\)(?P<slashes>(?:\\\\)*)%[^\n]*(?:\n[ \t]*)?")
_SPACES = re.compile(r"[^\S\n]+")
_GAPS = re.compile(r" ?\n ?(?:\n ?)+")
_DEFINITION = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|DeclareRobustCommand)\*?\s*\{?\s*\\(?P<name>[a-zA-Z]+)\s*\}?"
    r"\s*(?:\[(?P<count>\d)\])?\s*(?P<default>\[[^\[\]\n]*\])?\s*(?=\{)"
    r"|\\def\s*\\(?P<defined>[a-zA-Z]+)\s*(?P<parameters>(?:#\d)*)\s*(?=\{)"
)
_SLOT = re.compile(r"#(\d)")
_CALL = re.compile(r"\\(?P<name>[a-zA-Z]+)")
_LONGEST_BODY = 2000
_ROUNDS = 4  # macros inside macros
_GROWTH = 3  # times the length of the source; expansion stops there
_KEPT = word_set("section subsection title author caption item begin end footnote cite ref label textbf emph")


class _Macro(NamedTuple):
    arguments: int
    body: str


def squeezed(text: str) -> str:
    """Collapse white space: single spaces, single line ends, one blank line between paragraphs."""
    return _GAPS.sub("\n\n", _SPACES.sub(" ", text))


def without_comments(text: str) -> str:
    """Return the source without comments; a line's end behind one does not count, unless a blank line follows."""

    def replaced(found: re.Match[str]) -> str:
        ends_line = "\n" in found[0]
        blank_before = found.start() == 0 or text[found.start() - 1] == "\n"
        return found["slashes"] + ("" if blank_before or not ends_line else "\n")

    return _COMMENT.sub(replaced, text)


class Macros:
    """The macros that a source defines."""

    def __init__(self, text: str) -> None:
        self._known: dict[str, _Macro] = {}
        self.is_cut = False  # whether some were left as they are, because the text would have grown too much
        at = 0
        for found in _DEFINITION.finditer(text):
            if found.start() < at:
                continue
            body, at = argument(text, found.end(), 2 * _LONGEST_BODY)
            name = found["name"] or found["defined"]
            count = int(found["count"] or 0) if found["name"] else (found["parameters"] or "").count("#")
            calls_itself = any(call["name"] == name for call in _CALL.finditer(body))
            if len(body) <= _LONGEST_BODY and not found["default"] and name not in _KEPT and not calls_itself:
                self._known[name] = _Macro(count, body)

    def expand(self, text: str) -> str:
        """Return the text with the macros replaced and their definitions removed."""
        text = _remove_definitions(text)
        limit = _GROWTH * len(text) + 10_000
        for _ in range(_ROUNDS):
            expanded = self._round(text, limit)
            if expanded == text:
                break
            text = expanded
        return text

    def _round(self, text: str, limit: int) -> str:
        parts: list[str] = []
        at = 0
        length = len(text)
        for found in _CALL.finditer(text):
            macro = self._known.get(found["name"])
            if macro is None or found.start() < at:
                continue
            stop = found.end()
            given = []
            for _ in range(macro.arguments):
                content, stop = argument(text, stop)
                given.append(content)
            pieces = _SLOT.split(macro.body)  # text and numbers of arguments alternate
            slots = [given[int(number) - 1] if 0 < int(number) <= len(given) else "" for number in pieces[1::2]]
            pieces[1::2] = slots
            length += sum(map(len, pieces)) - (stop - found.start())
            if length > limit:
                self.is_cut = True
                break
            parts.append(text[at : found.start()])
            parts.extend(pieces)
            at = stop
        return "".join((*parts, text[at:]))


def _remove_definitions(text: str) -> str:
    parts: list[str] = []
    at = 0
    for found in _DEFINITION.finditer(text):
        if found.start() < at:
            continue
        parts.append(text[at : found.start()])
        _, at = argument(text, found.end(), 2 * _LONGEST_BODY)
    return "".join((*parts, text[at:]))
