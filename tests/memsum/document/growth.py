"""Growth: what a text costs at n, 2n and 4n characters, for patterns that every regular expression contributes.

The patterns of a module come from its regular expressions themselves, found in its globals and in its source: what
stands before each repetition, repeated or followed by a long run of what is repeated, and never closed.
"""

from __future__ import annotations

import ast
import gc
import importlib
import inspect
import pkgutil
import re
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

import memsum.document
from memsum.document import read_document
from memsum.document.formats import FORMATS
from memsum.document.sentences import split_sentences
from memsum.errors import DocumentError
from memsum.text import tokens

from .frames import FRAMES

MOST = 3.0  # times the work for twice the text
FLOOR = 0.02  # seconds of CPU; what takes less at the largest size is not measured further
PATIENCE = 10.0  # seconds of CPU, after which a text counts as endless
_LONG = 20  # repetitions of at least so many can grow
_ALPHABET = " \na1.,-\\{}[]()<>&$#\"'*_=:;|/!?~^%`\tAé"  # tried for a character class, the first that fit
_CALLS = frozenset({"compile", "search", "match", "fullmatch", "sub", "finditer", "findall", "split", "subn"})


@dataclass(frozen=True)
class Pattern:
    """A text of any size: a beginning, a unit that is repeated ("{}" in it is its number), an end."""

    unit: str
    before: str = ""
    after: str = ""

    def text(self, size: int) -> str:
        """About so many characters."""
        count = max(1, size // len(self.unit))
        units = (
            "".join(self.unit.replace("{}", str(n)) for n in range(count)) if "{}" in self.unit else self.unit * count
        )
        return self.before + units + self.after

    def __str__(self) -> str:
        return f"{self.before[:40]!r} + {self.unit[:40]!r} × n + {self.after[:20]!r}"


def patterns_of(module: ModuleType) -> dict[str, Pattern]:
    """What the regular expressions of a module contribute, by name."""
    found: dict[str, Pattern] = {}
    for name, expression, flags in _expressions(module):
        for pattern in pumped(expression, flags):
            found.setdefault(f"{module.__name__}.{name}: {pattern}", pattern)
    return found


def modules() -> list[ModuleType]:
    """Those that see the text of strangers."""
    names = [name for _, name, _ in pkgutil.walk_packages(memsum.document.__path__, "memsum.document.")]
    return [importlib.import_module(name) for name in names if "sandbox" not in name] + [tokens]


def _expressions(module: ModuleType) -> Iterator[tuple[str, str, int]]:
    """Name, expression and flags of the compiled ones, and of those written where they are used."""
    for name, value in vars(module).items():
        if isinstance(value, re.Pattern):
            text = value.pattern if isinstance(value.pattern, str) else value.pattern.decode("latin-1")
            yield name, text, value.flags & ~re.UNICODE
    tree = ast.parse(inspect.getsource(module))
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for call in ast.walk(function):
            is_re = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _CALLS
            if is_re and call.args and isinstance(call.args[0], ast.Constant):
                value = call.args[0].value
                if isinstance(value, str | bytes) and ast.unparse(call.func.value) == "re":
                    text = value if isinstance(value, str) else value.decode("latin-1")
                    yield f"{function.name}:{call.lineno}", text, 0


def pumped(expression: str, flags: int) -> Iterator[Pattern]:
    """Texts that an expression may be slow on: what it repeats, long or never ended, and what stands before that."""
    for before, unit in _repeats(parser.parse(expression, flags & ~re.UNICODE), ""):
        if unit:
            yield Pattern(unit, before, "¡")
            yield Pattern(before + unit)
            if before:
                yield Pattern(before)


def _repeats(sequence: Any, before: str) -> Iterator[tuple[str, str]]:
    """Each repetition that can be long: what stands before it, and what it repeats."""
    for op, value in sequence:
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT) or str(op) == "POSSESSIVE_REPEAT":
            least, most, body = value
            if most >= _LONG:
                yield from ((before, unit) for unit in _units(body))
            yield from _repeats(body, before)
            before += _sample(body) * max(1, min(least, _LONG))
            continue
        for inner in _inner(op, value):
            yield from _repeats(inner, before)
        before += _sample([(op, value)])


def _inner(op: Any, value: Any) -> list[Any]:
    if op is sre.SUBPATTERN:
        return [value[3]]
    if op is sre.BRANCH:
        return list(value[1])
    if op is sre.ASSERT:
        return [value[1]]
    return [value] if str(op) == "ATOMIC_GROUP" else []


def _units(body: Any) -> list[str]:
    """What is repeated: of a character class a few that differ, else one example."""
    if len(body) == 1 and body[0][0] in (sre.IN, sre.ANY, sre.NOT_LITERAL):
        return [char for char in _ALPHABET if _fits(*body[0], char)][:3]
    return [_sample(body)]


def _sample(sequence: Any) -> str:
    """A short text that a parsed expression matches, but for what it looks at around itself."""
    out = ""
    for op, value in sequence:
        if op is sre.LITERAL:
            out += chr(value)
        elif op in (sre.IN, sre.ANY, sre.NOT_LITERAL):
            out += next((char for char in "a1 " + _ALPHABET if _fits(op, value, char)), "") or _first(value)
        elif op in (sre.MAX_REPEAT, sre.MIN_REPEAT) or str(op) == "POSSESSIVE_REPEAT":
            out += _sample(value[2]) * min(value[0], _LONG)
        elif op is sre.BRANCH:
            out += _sample(value[1][0])
        elif op is not sre.ASSERT:
            for inner in _inner(op, value):
                out += _sample(inner)
    return out


def _first(value: Any) -> str:
    """A character of a class that has none of the usual ones."""
    op, inside = value[0]
    return chr(inside[0] if op is sre.RANGE else inside) if op in (sre.RANGE, sre.LITERAL) else ""


def _fits(op: Any, value: Any, char: str) -> bool:
    if op is sre.ANY:
        return True
    if op is sre.NOT_LITERAL:
        return ord(char) != value
    is_negated = value[0][0] is sre.NEGATE
    return is_negated != any(_is_in(kind, inside, char) for kind, inside in value)


def _is_in(kind: Any, inside: Any, char: str) -> bool:
    if kind is sre.LITERAL:
        return ord(char) == inside
    if kind is sre.RANGE:
        return bool(inside[0] <= ord(char) <= inside[1])
    if kind is sre.CATEGORY:
        name = str(inside).removeprefix("CATEGORY_").replace("UNI_", "")
        tests = {"DIGIT": str.isdigit, "SPACE": str.isspace, "WORD": lambda c: c.isalnum() or c == "_"}
        return tests[name.removeprefix("NOT_")](char) != name.startswith("NOT_")
    return False


def _reading(name: str) -> Callable[[str], object]:
    frame = FRAMES.get(name, lambda text: text)

    def read(text: str) -> object:
        try:
            return read_document(frame(text), format=name, isolated=False)
        except DocumentError:
            return None

    return read


def _detecting(text: str) -> None:
    head = text.encode("utf-8", "replace")[:8192]
    for reader in FORMATS:
        reader.detects(head)


TARGETS: dict[str, Callable[[str], object]] = {
    **{reader.name: _reading(reader.name) for reader in FORMATS if reader.name != "pdf"},
    "detect": _detecting,
    "split": split_sentences,
    "tokenize": tokens.tokenize,
}


def calls_of(module: ModuleType) -> Iterator[tuple[str, Callable[[str], object], Pattern]]:
    """Each expression of a module of the PDF reader by itself, called as the reader calls it, with its own patterns.

    The words of a PDF pass through so much before an expression sees them that a whole file would hide it.
    """
    trees = [ast.parse(inspect.getsource(each)) for each in modules() if ".pdf" in each.__name__]
    uses: dict[str, set[str]] = {}
    for call in (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if isinstance(call.func, ast.Attribute) and call.func.attr in _CALLS - {"compile"}:
            own = f":{call.lineno}" if ast.unparse(call.func.value) == "re" else ast.unparse(call.func.value)
            uses.setdefault(own, set()).add(call.func.attr)
    for name, expression, flags in _expressions(module):
        compiled = re.compile(expression, flags)
        for method in uses.get(name[name.find(":") :] if ":" in name else name, {"search"}):
            for pattern in pumped(expression, flags):
                yield f"{name}.{method}", _calling(compiled, method), pattern


def _calling(expression: re.Pattern[str], method: str) -> Callable[[str], object]:
    if method in ("sub", "subn"):
        return lambda text: expression.sub("", text)
    call = getattr(expression, method)
    return (lambda text: list(call(text))) if method == "finditer" else call


def targets_of(module: ModuleType) -> list[str]:
    """What the expressions of a module are used by: its reader, or all that read running text."""
    own = [
        reader.name
        for reader in FORMATS
        if reader.name in TARGETS and module.__name__.startswith(f"memsum.document.readers.{reader.name}")
    ]
    return [*own, "detect"] if own else ["plain", "split", "tokenize"]


class EndlessError(Exception):
    """A text that took more than `PATIENCE`."""


def cost(call: Callable[[str], object], text: str) -> float:
    """Seconds of CPU that a call takes without collecting garbage, which depends on all else that the process holds.

    Regular expressions let themselves be interrupted.
    """

    def interrupt(*_: object) -> None:
        raise EndlessError

    former = signal.signal(signal.SIGVTALRM, interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
    gc.disable()
    try:
        start = time.process_time()
        call(text)
        return time.process_time() - start
    finally:
        gc.enable()
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, former)


def complaint(call: Callable[[str], object], pattern: Pattern, size: int) -> str:
    """Why a pattern does not pass at `size`, 2 and 4 times that; empty if it does.

    The least of several measurements counts, and only work beyond the floor, so that a busy machine changes nothing.
    """
    try:
        large = cost(call, pattern.text(4 * size))
        small = 0.0
        for _ in range(4):
            if large < max(FLOOR, MOST**2 * small):
                return ""
            small = max(small, cost(call, pattern.text(size)))
            large = min(large, cost(call, pattern.text(4 * size)))
    except EndlessError:
        return f"{pattern}: more than {PATIENCE:g} s for {4 * size:,} characters"
    return f"{pattern}: {small:.3f} s for {size:,} characters, {large:.3f} s for {4 * size:,}"


# Elements of the formats that are XML, and attributes that refer to something.
_ELEMENTS = {
    "docx": "w:p w:r w:t w:rPr w:pPr w:tbl w:tr w:tc w:tab w:hyperlink w:sdt w:ins",
    "epub": "p div a ul li section table aside span h1 style link",
    "odt": "text:p text:h text:span text:list text:list-item text:section text:note text:note-body text:s",
    "pptx": "p:sp p:grpSp p:nvSpPr p:nvPr p:ph p:txBody a:p a:r a:t a:rPr a:tbl p:graphicFrame",
    "jats": "sec title p list list-item fig caption sup table-wrap ref boxed-text",
    "html": "div p a ul li table td h1 article style",
}
_DEPTH = 60  # of elements inside each other, twice


def structures(name: str) -> Iterator[Pattern]:
    """Elements of a format in each other: many beside each other, around texts, deep, and with many attributes."""
    names = _ELEMENTS[name].split()
    for outer in names:
        start, end = f"<{outer}>", f"</{outer}>"
        yield Pattern(' a{}="b"', f"<{outer}", f">a{end}")
        for inner in names:
            yield Pattern(f"<{inner}>1</{inner}>", start, end)
            yield Pattern(f"1<{inner}/>", start, end)
            yield Pattern(f"<{inner}/>", start, f"<{inner}>1</{inner}>{end}")
            nested = f"<{outer}><{inner}>" * _DEPTH + "1" + f"</{inner}></{outer}>" * _DEPTH
            yield Pattern(nested)


STRUCTURED = tuple(_ELEMENTS)


def _written(listed: str) -> list[Pattern]:
    """Patterns of units that are parted by a dot in the middle of the line."""
    return [Pattern(unit) for unit in listed.split("·")]


# What no expression contributes: marks of the formats, never closed, closed at once, or inside each other.
_PROSE = "<div><p>The pump was old and it ran for years, and for years more, until it broke.</p>"
_CELL = "<w:p><w:r><w:t>a</w:t></w:r></w:p>"
WRITTEN: dict[str, list[Pattern]] = {
    "epub": [
        *_written("<p>a</p>·<p>·<li>a</li>·<li><a>b</a></li>·&nbsp;·&a·<aside><p>a</p></aside>·<table><tr><td>a"),
        Pattern("<div>" * 200 + "a" + "</div>" * 200),
        Pattern("<aside><p>" * 90 + "a" + "</p></aside>" * 90),
    ],
    "rst": _written(
        "a-·{·:-·*a ·**a ·``a ·|a ·`a <b ·_`a ·:a1·:a:`b ·a_ ·- a\n·* a\n  ·.. a::\n  ·:a: b\n·:a: b\n\n..\n\n·"
        ":a:\n·A: b\n·a\n  b\n·.. a:: b\n\n   c\n\n·.. |a| replace:: b\n·a::\n\n  b\n\n·a\n=\n\n·= =\na b\n= =\n\n·"
        "-a  b\n·| a\n"
    ),
    "notebook": _written("*a ·[·<b>·> ·- a\n·`·|a\n"),
    "odt": [
        *_written(
            "<text:p>a</text:p>·<text:h>a</text:h>·<text:p><text:note><text:note-body>a</text:note-body></text:note></text:p>"
        ),
        Pattern("<text:list><text:list-item>" * 90 + "<text:p>a</text:p>" + "</text:list-item></text:list>" * 90),
        Pattern("<text:note-body>" * 200 + "a" + "</text:note-body>" * 200),
    ],
    "pptx": [
        *_written(
            "<a:p><a:t>a</a:t></a:p>·<p:sp><a:p><a:t>a</a:t></a:p></p:sp>·<a:tbl><a:p><a:t>a</a:t></a:p></a:tbl>"
        ),
        Pattern("<p:sp>" * 100 + "<a:p><a:t>a</a:t></a:p>" + "</p:sp>" * 100),
    ],
    "eml": [
        *_written("\na·> a\n·X: a\n·Content-Type: text/html; ·;·=?utf-8?q?a?= ·On a wrote:\n"),
        Pattern(";", "Content-Type: multipart/mixed", "\n\na"),
        Pattern("--x\n\na\n", "Content-Type: multipart/mixed; boundary=x\n\n"),
        Pattern("--x\nContent-Type: multipart/mixed; boundary=x\n\n", "Content-Type: multipart/mixed; boundary=x\n\n"),
        Pattern(
            "--x\nContent-Type: multipart/mixed; boundary=y\n\n--y\n\na\n--y--\n",
            "Content-Type: multipart/mixed; boundary=x\n\n",
        ),
        Pattern("=\n", "Content-Transfer-Encoding: quoted-printable\n\n"),
    ],
    "docx": [
        *_written(
            "<w:p><w:r><w:t>a</w:t></w:r></w:p>·"
            "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>word</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
        ),
        Pattern("<w:r><w:t>1</w:t></w:r>", "<w:p>", "</w:p>"),
        Pattern("<w:tbl><w:tr><w:tc>" * 60 + _CELL + "</w:tc></w:tr></w:tbl>" * 60),
        Pattern("<w:p>" * 200 + _CELL + "</w:p>" * 200),
    ],
    "html": [
        *_written(
            "<p ·<b>·<p>a·<b>a</b>·x<script></script>·<div><p>a</p>·<table><tr><td>·<ul><li>·<a href=x>b</a> ·"
            "<h1>a·<h1>a</h1>·<article><p>aaaa·<br>·<main>·&amp;·<!-- ·<!-- a -->\n·<sup>1</sup>1·"
            "<p hidden>a</p>·<div hidden>a·<b style='font-size:0'>a</b>·<button>a b c d e.</button>·\f·"
            "<style>.a{}</style><p class=a>a·<style>.a{& &{·<style>a,·<style>/*·<style>@media{·"
            "<span class=nav>a</span>·<p title='a'·<svg>·<select><option>a·<a name=x>·<dl><dt>a·"
            "<ol><li><b>a.</b> b·<dd>a"
        ),
        Pattern("<div>", "", "x"),
        Pattern("c{} ", '<p class="', '">a</p>'),
        Pattern(".c{}{{display:none}}".replace("{{", "{").replace("}}", "}"), "<style>", "</style><p class=c1>a</p>"),
        Pattern("& &{", "<style>.a{", "</style><p>a</p>"),
        Pattern("a{", "<style>", "</style><p>a</p>"),
        Pattern("<i class=x>a</i>", "<style>" + ".x .y{opacity:0}" * 50 + "</style>"),
        *_written(
            "<style>·<style>.a{display:none}</style>·<i style='color:white'>a</i>·<p style='/*'>·<p style='a:b;'>"
        ),
        Pattern(".a{} .x{opacity:0}", "<style>", "</style><p class=x>a"),
        Pattern("/*", "<style>", "</style><p class=x>a"),
        Pattern("{", "<style>", "</style><p class=x>a"),
        Pattern("\\a", "<p style='", "'>a"),
        Pattern("opacity:1;", "<p style='", "'>a"),
        Pattern(" a1=b", " <p", ">x"),
        Pattern('"', "<p ", ""),
        Pattern("<div>" * 190 + "a" + "</div>" * 190),
        Pattern(_PROSE * 100 + "</div>" * 100),
    ],
    "jats": [
        *_written(
            "<p>a</p>·<sec><title>a</title><p>b</p></sec>·<p><sup>1</sup></p>·"
            "<list><list-item><p>a</p></list-item></list>·<fig><caption><p>a</p></caption></fig>"
        ),
        Pattern("&alpha;", "<p>", "</p>"),
        Pattern(" ", "<p>", "</p>"),
        Pattern("<alternatives><tex-math>$a</tex-math></alternatives>", "<p>", "</p>"),
        Pattern("$ ", "<p><tex-math>", "</tex-math></p>"),
        Pattern(' a="1"', "<p", "/>"),
        Pattern("<p>" + "<sup>1" * 100 + "</sup>" * 100 + "</p>"),
        Pattern("<boxed-text><p>" * 60 + "a" + "</p></boxed-text>" * 60),
    ],
    "latex": [
        *_written(
            "\\begin{itemize}\\item a·{·$·$ ·\\(·\\[·\\section{·\\footnote{a·\\newcommand{\\a}{·\\def\\a{b}\\a ·"
            "\\begin{equation}·\\\\[·%·%\n·\\%·\\cite[a]·\\textcolor[·\\x ·\\input{·\\begin{verbatim}·\\caption{·"
            "\\'"
        )
    ],
    "markdown": [
        *_written(
            "<!-- a -->\n·<!-- ·a <!-- ·# a\n·> ·>·- ·* a\n·  - a\n·1. a\n·*a ·**·*·_·`·``a ·```\n·[·![·](·[a](·"
            "[a](b·[a]: b\n·[a]:·[a][·<·<a ·<?·<![CDATA[·<!A·a <?·a <![CDATA[·a <!A ·&·&#·\\·|·| a | b |\n·|-·"
            'a\n|-|\n·\t·    a\n·a\n===\n·---\n·~~·~~a·http://a.b ·<http://·a  \n·$·[^1]·[^1]: a\n·(·[a](<·[a]("·'
            "*a.* ·**a.** b\n·**Anna:** It is so.\n·<span hidden>·<span hidden>a</span>·<div hidden>\n\n·</div>\n\n·"
            "<style>.a{}</style>\n\n<p class=a>a\n\n·<!-- <p hidden> -->\n·"
            "**a.** b·1. **a.** b\n·1. <u>a</u>. b\n·Please:\n\n- a\n- b\n\n·"
            "***a* ·*a_ ·<b>·</b>·<div>\n·<div>\n\n·\n·+ a\n\n·- a\n  - b\n    - c\n·[[[a](b)·**a *b ·a*·`a·\\`·"
            "title: 'a·=·a\n-·> > a\n·>- a\n·* * * a\n"
        ),
        Pattern("[a]: b\n", "", "[a]"),
        Pattern(" ", "a", "b"),
        Pattern("\xa0", "# ", "b"),
        Pattern("'", "---\ntitle: ", "\n---\n"),
        Pattern(" ", "---\ntitle: ", "\n---\n"),
        Pattern("a\n", "---\n", ""),
    ],
    "plain": [*_written("a\n·a\n\n·- a\n·1. A\n· ·\t\n·a·A. ·Fig. 1. ")],
    "split": [*_written(".·. A·(. ·\". ·a·1.·A.·…·.)·\n·\n ·- a\n·1) a\n·。·a' . ·Dr. A. B. ")],
    "tokenize": [*_written("a·n't·can't ·(et al ·(et ·[1,·[ ·1,·-lrb-·@xmath1·ﷺ·é\u0323"), Pattern("\u0301", "a", "")],
}
