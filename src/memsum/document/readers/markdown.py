"""Markdown: the words as they are rendered, in blocks; markup, badges, code, tables and raw HTML are not running text.

The text of the Document is the rendered one: offsets point into what a reader sees, not into the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from memsum.document.build import DocumentBuilder
from memsum.document.document import RUNNING, BlockKind, Document
from memsum.document.readers.decoding import decode
from memsum.document.readers.html import WebPage, parse_html
from memsum.english.section_names import is_section_name
from memsum.errors import DocumentError

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_NOTE = re.compile(r"\[\^[^\[\]\s]{1,100}\]")
_NOTE_LINE = re.compile(r"^\[\^[^\[\]\s]{1,100}\]:", re.MULTILINE)
_FORMULA = re.compile(r"\$\$[^$]{1,2000}\$\$|\$(?=[^\s$])[^$\n]{1,300}(?<!\s)\$(?!\d)")
_RAISED = re.compile(r"<sup\b", re.IGNORECASE)
_BREAK = re.compile(r"<br\b", re.IGNORECASE)
_LABEL = re.compile(r"\[(?:[ xX]|![A-Z]{3,12})\](?=\s|$)")  # the box of a task, the kind of an alert: "[!NOTE]"
_LINE_END = re.compile(r"\r\n?")
_LONGEST = 20_000  # characters whose inline markup is read at once; longer paragraphs are read in parts
_LONGEST_HEADING = 100
_DEEPEST = 50  # lists and quotes inside each other
_MAX_TOKENS = 500_000
_MAX_LINES = 1_000_000  # the parser notes five numbers of each
_TOO_MANY = "The Markdown has more parts than can be read."
_TOO_DEEP = f"Lists or quotes are nested more than {_DEEPEST // 2} deep; what is deeper was left out."
_SENTENCE_END = (".", "!", "?", "…")


def read(source: bytes | str, language: str | None = None) -> Document:
    """Read Markdown as CommonMark defines it, with tables and footnotes; sentences are as they are rendered."""
    text, warnings = decode(source)
    text = _LINE_END.sub("\n", text.removeprefix("\ufeff")).replace("\0", "\ufffd")
    front, title, body = _split_front_matter(text)
    tokens = _Tokens()
    env: dict[str, object] = {}
    body = _NOTE_LINE.sub(r"\n\g<0>", body)
    if body.count("\n") > _MAX_LINES:
        raise DocumentError(_TOO_MANY, "Split it.")
    _parser().block.parse(body, _parser(), env, tokens)
    blocks = _Blocks(env)
    blocks.set_title(title)
    blocks.builder.add("boilerplate", front)
    blocks.add(tokens)
    if any(token.level >= _DEEPEST - 1 for token in tokens):
        warnings += (_TOO_DEEP,)
    return blocks.builder.build(format="markdown", language=language, warnings=warnings)


class _Tokens(list["Token"]):
    """What the parser finds, up to a limit: a token takes hundreds of bytes, and a file can be nothing but marks."""

    def append(self, token: Token) -> None:
        if len(self) >= _MAX_TOKENS:
            raise DocumentError(_TOO_MANY, "Split it.")
        super().append(token)


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
    parser.inline.ruler.before("link", "note", _skip_note)
    parser.inline.ruler.before("emphasis", "formula", _read_formula)
    return parser


def _skip_note(state: StateInline, silent: bool) -> bool:
    """Return the mark of a footnote in a sentence is not part of its words."""
    found = _NOTE.match(state.src, state.pos, state.posMax) if state.src[state.pos] == "[" else None
    if found:
        state.pos = found.end()
    return found is not None


def _read_formula(state: StateInline, silent: bool) -> bool:
    """Return a formula between dollars is made readable; its stars and underscores are no emphasis."""
    found = _FORMULA.match(state.src, state.pos, state.posMax) if state.src[state.pos] == "$" else None
    if found:
        if not silent:
            from memsum.document.readers.latex import plain

            state.push("text", "", 0).content = plain(found[0])
        state.pos = found.end()
    return found is not None


def _split_front_matter(text: str) -> tuple[str, str, str]:
    """Return the front matter, the title it gives, and the rest of the text."""
    lines = text.split("\n", 1)[:1]
    if lines[0].rstrip() != "---":
        return "", "", text
    at = len(lines[0]) + 1
    title = ""
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end].strip()
        if line in ("---", "..."):
            return text[:at], title, text[end + 1 :]
        key, _, value = line.partition(":")
        if key == "title" and not title:
            title = value.strip().strip("\"'")
        at = end + 1
    return "", "", text


class _Blocks:
    """Adds the blocks of a Markdown text in order."""

    def __init__(self, env: dict[str, object]) -> None:
        self.builder = DocumentBuilder()
        self._env = env
        self._has_title = False

    def set_title(self, title: str) -> None:
        """A title, if there is one and none was before."""
        if title and not self._has_title:
            self.builder.add("title", title)
            self._has_title = True

    def add(self, tokens: list[Token]) -> None:
        """Walk the parser's blocks; what a list item holds is an item, a table is one block."""
        items = 0
        row: list[str] | None = None  # the cells of the table that the walk is in
        for at, token in enumerate(tokens):
            if token.type in ("list_item_open", "list_item_close"):
                items += token.nesting
            elif token.type in ("table_open", "table_close"):
                if row is not None:
                    self.builder.add("boilerplate", " | ".join(row))
                row = [] if token.nesting > 0 else None
            elif token.type in ("fence", "code_block"):
                self.builder.add("boilerplate", token.content)
            elif token.type == "html_block":
                self._add_html(token.content)
            elif token.type == "inline":
                around = tokens[at - 1]
                text = _Inline(token.content, self._env)
                if row is not None:
                    row.append(text.words)
                elif around.type == "heading_open":
                    self._add_heading(text.words, int(around.tag[1:]))
                else:
                    self._add_paragraph(token.content, text, "item" if items else "paragraph")

    def _add_heading(self, text: str, level: int) -> None:
        text = " ".join(text.split())
        if level == 1 and not self._has_title and not is_section_name(text):
            self.set_title(text)
        elif text:
            self._has_title = True
            self.builder.add("heading", text, level=level)

    def _add_paragraph(self, source: str, text: _Inline, kind: BlockKind) -> None:
        words = " ".join(text.words.split())
        note = _NOTE.match(source)
        if note and source.startswith(":", note.end()):
            self.builder.add("boilerplate", source)
        elif text.is_navigation and not words.endswith(_SENTENCE_END):
            self.builder.add("boilerplate", words)
        elif text.is_strong and kind == "paragraph" and len(words) <= _LONGEST_HEADING and words[-1] not in ".!?…;,":
            self.builder.add("heading", words, level=6)
        else:
            self.builder.add(kind, words)

    def _add_html(self, source: str) -> None:
        """Add what raw HTML shows: headings and sentences are the text's, anything else is boilerplate."""
        try:
            root, _ = parse_html(source)
        except DocumentError:
            return

        def add(kind: BlockKind, text: str, level: int = 0) -> None:
            is_label = kind in RUNNING and not text.rstrip().endswith(_SENTENCE_END)
            self.builder.add("boilerplate" if is_label else kind, text, level=level)

        page = WebPage(root, add)
        if not self._has_title:
            self._has_title = page.add_title()
        page.add_children(root, "paragraph")


class _Inline:
    """The words of a paragraph as they are rendered, and whether they are links or bold throughout."""

    def __init__(self, source: str, env: dict[str, object]) -> None:
        label = _LABEL.match(source)
        parts: list[str] = []
        self._links = self._all = self._linked = self._strong = 0  # links; letters, those in links, those in bold
        for piece in _pieces(source[label.end() if label else 0 :]):
            tokens: list[Token] = []
            _parser().inline.parse(piece, _parser(), env, tokens)
            self._collect(tokens, parts)
        self.words = "".join(parts)

    @property
    def is_navigation(self) -> bool:
        """Tell whether there is nothing but links."""
        return self._links > 0 and self._linked == self._all

    @property
    def is_strong(self) -> bool:
        """Tell whether all is bold."""
        return self._all > 0 and self._strong == self._all

    def _collect(self, tokens: list[Token], parts: list[str]) -> None:
        in_link = in_strong = 0
        for at, token in enumerate(tokens):
            if token.type in ("text", "text_special", "code_inline"):
                parts.append(token.content)
                letters = sum(map(str.isalnum, token.content))
                self._all += letters
                self._linked += letters if in_link else 0
                self._strong += letters if in_strong else 0
            elif token.type in ("softbreak", "hardbreak"):
                parts.append(" ")
            elif token.type in ("link_open", "link_close"):
                in_link += token.nesting
                self._links += token.nesting > 0
            elif token.type in ("strong_open", "strong_close"):
                in_strong += token.nesting
            elif token.type == "html_inline":
                parts.append(_shown(token.content, parts, tokens[at + 1 : at + 2]))


def _shown(tag: str, before: list[str], after: list[Token]) -> str:
    """Return what a tag in a line is in plain text: a space for a new line, a caret for a power."""
    if _BREAK.match(tag):
        return " "
    is_power = _RAISED.match(tag) and before and before[-1][-1:].isdigit() and after and after[0].content[:1].isdigit()
    return "^" if is_power else ""


def _pieces(source: str) -> Iterator[str]:
    """Yield a paragraph in parts that are short enough, cut between words."""
    at = 0
    while len(source) - at > _LONGEST:
        end = max(source.rfind(space, at, at + _LONGEST) for space in " \n") + 1 or at + _LONGEST
        yield source[at:end]
        at = end
    yield source[at:]
