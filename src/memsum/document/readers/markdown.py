"""Markdown: the words as they are rendered, in blocks; markup, badges, code and raw HTML are not running text.

The text of the Document is the rendered one: offsets point into what a reader sees, not into the source.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from memsum.document.build import NUMBER, DocumentBuilder, inert
from memsum.document.document import NOTES, RUNNING, BlockKind, Document
from memsum.document.formats import HEAD_BYTES, is_html
from memsum.document.readers.decoding import decode
from memsum.document.readers.site_markup import authors_of, split_front_matter, without_site_markup
from memsum.document.readers.visibility import Hidden, hidden_ranges, hide
from memsum.document.speech import Speech, find_speech, find_time
from memsum.document.tables import add_table, is_prose
from memsum.errors import DocumentError
from memsum.languages.section_names import is_section_name
from memsum.languages.stop_words import VERBS

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_NOTE = re.compile(r"\[\^[^\[\]\s]{1,100}\]|\^\[\d{1,3}\]|\[edit\]")
_FORMULA = re.compile(r"\$\$[^$]{1,2000}\$\$|\$(?=[^\s$])[^$\n]{1,300}(?<!\s)\$(?!\d)")
_MARK = re.compile(r"<(?P<end>/?)(?:u|b|strong|span)\b", re.IGNORECASE)  # what sets a title apart
_RAISED = re.compile(r"<sup\b", re.IGNORECASE)
_BREAK = re.compile(r"<br\b", re.IGNORECASE)
_LABEL = re.compile(r"\[(?:[ xX]|![A-Z]{3,12})\](?=\s|$)")  # the box of a task, the kind of an alert: "[!NOTE]"
_LINE_END = re.compile(r"\r\n?")
# Underlined headings that are none in CommonMark: numbered ones, and those of reStructuredText and AsciiDoc, whose
# tildes would begin code without an end.
_UNDERLINED = re.compile(
    r"(?:^|(?<=\n\n))(?P<title>\S[^\n]{2,99})\n(?P<line>(?P<mark>[-=~^])(?P=mark){3,99})[ \t]*(?=\n[ \t]*(?:\n|\Z))"
)
_LEVELS = {"=": 1, "-": 2, "~": 3, "^": 4}
_LONGEST = 20_000  # characters whose inline markup is read at once; longer paragraphs are read in parts
_LOOSE_LINK = re.compile(
    r"\[(?!\d{1,3}\]\[\d)([^\[\]]{1,200})\](?:\[[^\[\]\n]{0,300}\]|\((?:https?:|mailto:|/)[^()\n]{0,500}\)|\(\s*\"[^\"\n]{0,300}\"\))"
)
_FIELD = re.compile(r"\n(?=\S)")  # of front matter: what is indented belongs to the line above
_LONGEST_HEADING = 100
_LONGEST_CAPTION = 300
_LONGEST_CODE = 120  # characters of code in a sentence
_EMPHASIS = re.compile(r"[*_]{1,3}")
_ADDRESS = re.compile(r"<?https?://\S{1,1000}")
_MOST_ADDRESS_WORDS = 5  # before an address
_FEWEST_SPEECHES, _LEAST_SAID = 6, 0.15  # and the share of lines in which somebody begins to speak
_LONGEST_LABEL, _MOST_LABEL_WORDS = 40, 3
_SHORT = 4  # letters of a number before a title: "(a)"
_DEEPEST = 50  # lists and quotes inside each other
_MAX_TOKENS = 500_000
_MAX_LINES = 1_000_000  # the parser notes five numbers of each
_TOO_MANY = "The Markdown has more parts than can be read."
_TOO_DEEP = f"Lists or quotes are nested more than {_DEEPEST // 2} deep; what is deeper was left out."
_SENTENCE_END = (".", "!", "?", "…")


def read(source: bytes | str, language: str | None = None, hidden: Hidden | None = None) -> Document:
    """Read Markdown as CommonMark defines it, with tables and footnotes; sentences are as they are rendered."""
    text, warnings = decode(source)
    return read_text(text, language=language, hidden=hidden, warnings=warnings)


def read_text(
    text: str,
    *,
    format: str = "markdown",  # noqa: A002
    language: str | None = None,
    hidden: Hidden | None = None,
    warnings: tuple[str, ...] = (),
) -> Document:
    """Read decoded Markdown, such as the cells of a notebook, which is then the format."""
    text = _LINE_END.sub("\n", text.removeprefix("\ufeff")).replace("\0", "\ufffd")
    front, title, body = split_front_matter(text)
    tokens = _Tokens()
    env: dict[str, object] = {}
    blocks = _Blocks(env, hidden or Hidden())
    blocks.set_title(title)
    for field in _FIELD.split(front.strip("-+. \n")):
        blocks.builder.add("code", field)
    blocks.builder.authors += authors_of(front)
    body = without_site_markup(body)
    if front and is_html(body[:HEAD_BYTES].encode("utf-8", "replace")):
        blocks.add_page(body)
        return blocks.builder.build(format=format, language=language, warnings=warnings)
    body = _UNDERLINED.sub(_marked_heading, body)
    if body.count("\n") > _MAX_LINES:
        raise DocumentError(_TOO_MANY, "Split it.")
    _parser().block.parse(body, _parser(), env, tokens)
    blocks.add(tokens)
    if any(token.level >= _DEEPEST - 1 for token in tokens):
        warnings += (_TOO_DEEP,)
    return blocks.builder.build(format=format, language=language, warnings=warnings)


def _marked_heading(found: re.Match[str]) -> str:
    """Return an underlined heading with the marks of CommonMark, if the line is as long as the title."""
    title, line = found["title"].rstrip(), found["line"]
    is_none = line[0] in "~^" or title[0].isdigit()
    return f"{'#' * _LEVELS[line[0]]} {title}\n" if is_none and abs(len(title) - len(line)) <= 1 else found[0]


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
    found = _NOTE.match(state.src, state.pos, state.posMax) if state.src[state.pos] in "[^" else None
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


class _Blocks:
    """Adds the blocks of a Markdown text in order."""

    def __init__(self, env: dict[str, object], hidden: Hidden) -> None:
        self.builder = DocumentBuilder()
        self._hidden = hidden
        self._env = env
        self._has_title = False
        self._speakers: frozenset[str] = frozenset()
        self._said: tuple[str | None, int] = None, 0  # whose turn it is, and how deep in lists it began
        self._begun: str | None = None  # when it began, if that stands alone with the name

    def set_title(self, title: str) -> None:
        """Add a title, if there is one and none was before."""
        if title and not self._has_title:
            self.builder.add("title", title)
            self._has_title = True

    def add_page(self, source: str) -> None:
        """Add a page in HTML, of which only the front matter is a site generator's."""
        from memsum.document.readers.html import WebPage, parse_html

        root, _ = parse_html(source)
        hide(root, self._hidden)
        page = WebPage(root, self.builder.add)
        self._has_title = self._has_title or page.add_title()
        page.add_article()

    def add(self, tokens: list[Token]) -> None:
        """Walk the parser's blocks; what a list item holds is an item."""
        _leave_out(tokens, "html_block", ("inline", "fence", "code_block", "html_block"), self._hidden)
        inline = {at: self._inline(token.content) for at, token in enumerate(tokens) if token.type == "inline"}
        named = (inline[at + 1].words.strip() for at, one in enumerate(tokens) if one.type == "heading_open")
        self._speakers = _find_speakers(inline.values(), list(named))
        leading = _lists_of_links(tokens, inline)
        depth = 0
        is_numbered = True  # of an item; outside of lists, a paragraph may begin with a number
        rows: list[list[str]] | None = None  # of the table that the walk is in
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if token.type in ("list_item_open", "list_item_close"):
                depth += token.nesting
                is_numbered = not depth or token.markup in (".", ")")
            elif token.type in ("table_open", "table_close"):
                if rows is not None:
                    add_table(self.builder.add, rows, 1)
                rows = [] if token.nesting > 0 else None
            elif token.type == "tr_open" and rows is not None:
                rows.append([])
            elif token.type == "fence":
                self.builder.add("code", token.content)
            elif token.type == "code_block":
                self.builder.add_preformatted(token.content)
            elif token.type == "html_block":
                self._add_html(token.content)
            elif token.type == "inline":
                text = inline[at]
                if rows:
                    rows[-1].append(text.words)
                elif tokens[at - 1].type == "heading_open":
                    self._add_heading(text.words, int(tokens[at - 1].tag[1:]))
                elif _goes_on_behind_code(tokens, at):
                    code, rest = tokens[at + 2].content, inline[at + 4]
                    text.words = f"{text.words} {inert(code)} {rest.words}"
                    self._add_paragraph(token.content, text, depth)
                    at += 4
                else:
                    text.is_navigation = text.is_navigation and (not depth or at in leading or text.is_contents)
                    for source in self._speeches(token.content):
                        own = text if source == token.content else self._inline(source)
                        own.title = own.title if is_numbered else ""
                        self._add_paragraph(source, own, depth)
            at += 1

    def _inline(self, source: str) -> _Inline:
        return _Inline(source, self._env, self._hidden)

    def _speeches(self, source: str) -> list[str]:
        """Cut a paragraph before lines with which somebody else speaks."""
        if not self._speakers or "\n" not in source:
            return [source]
        found = [""]
        for line in source.split("\n"):
            if found[-1] and _speaker(_EMPHASIS.sub("", line), self._speakers):
                found.append(line)
            else:
                found[-1] += f"\n{line}" if found[-1] else line
        return found

    def _add_heading(self, text: str, level: int) -> None:
        text = " ".join(text.split())
        if level == 1 and not self._has_title and not is_section_name(text):
            self.set_title(text)
        elif text:
            self._has_title = True
            speech = _named(text) if self._speakers else None
            is_turn = speech is not None and speech.speaker in self._speakers
            self._said, self._begun = ((speech.speaker, 0), speech.time) if speech and is_turn else ((None, 0), None)
            self.builder.add("heading", text, level=level)

    def _add_paragraph(self, source: str, text: _Inline, depth: int) -> None:
        words = " ".join(text.words.split())
        note = _NOTE.match(source)
        if note and source.startswith(":", note.end()):
            self.builder.add("boilerplate", source, reason=NOTES)
        elif text.is_navigation and not words.endswith(_SENTENCE_END):
            self.builder.add("boilerplate", words, reason="links")
        elif text.is_caption and len(words) <= _LONGEST_CAPTION:
            self.builder.add("caption", words)
        elif text.is_strong and not depth and self._is_heading(words):
            self.builder.add("heading", words, level=6)
        elif _is_reference(words):
            self.builder.add("boilerplate", words, reason="addresses")
        else:
            speaker, hidden, time = self._turn(words, depth)
            kind: BlockKind = "item" if depth else "paragraph"
            if not any(map(str.isalnum, words[hidden:])):
                kind = "boilerplate"
            self.builder.add(kind, words, level=depth, speaker=speaker, hidden=hidden, time=time, title=text.title)

    def _is_heading(self, words: str) -> bool:
        """Tell whether a paragraph in bold is a heading, and not who speaks below it."""
        return len(words) <= _LONGEST_HEADING and words[-1] not in ".!?…;," and not _speaker(words, self._speakers)

    def _turn(self, words: str, depth: int) -> tuple[str | None, int, str | None]:
        """Return who says a paragraph, where the words begin, and when; a turn lasts until the next one."""
        if not self._speakers:
            return None, 0, None
        speech = _speaker(words, self._speakers)
        if speech:
            self._said = speech.speaker, depth
            time, start = find_time(words[speech.words :]) or (speech.time, 0)
            if speech.words < len(words):
                return speech.speaker, speech.words + start, time
            self._begun = time
            return None, len(words), None
        time, start = find_time(words) or (self._begun, 0)
        self._begun = None
        speaker, above = self._said
        return speaker if depth > above or not above else None, start, time

    def _add_html(self, source: str) -> None:
        """Add what raw HTML shows: headings and sentences are the text's, anything else is boilerplate."""
        from memsum.document.readers.html import WebPage, parse_html

        try:
            root, _ = parse_html(source)
        except DocumentError:
            return

        def add(kind: BlockKind, text: str, level: int = 0, reason: str | None = None, title: str = "") -> None:
            is_label = kind in RUNNING and not text.rstrip().endswith(_SENTENCE_END) and not is_prose(text)
            if is_label:
                kind, reason = "boilerplate", "labels in HTML"
            self.builder.add(kind, text, level=level, reason=reason, title=title)

        hide(root, self._hidden)
        page = WebPage(root, add)
        if not self._has_title:
            self._has_title = page.add_title()
        page.add_children(root, "paragraph")


def _leave_out(tokens: list[Token], tags: str, texts: tuple[str, ...], hidden: Hidden) -> None:
    """Empty the texts between tags that hide them; `tags` and `texts` are the kinds of tokens that hold those."""
    if not any(token.type == tags for token in tokens):
        return
    for opening, closing in hidden_ranges((at, one.content) for at, one in enumerate(tokens) if one.type == tags):
        for token in tokens[opening + 1 : closing]:
            if token.type in texts:
                hidden.add(token.content)
                token.content = token.content if hidden.is_read else ""


def _find_speakers(texts: Iterable[_Inline], headings: list[str]) -> frozenset[str]:
    """Return the names of those who speak more than once, if the document is mostly what people say.

    Where the same few names are the headings again and again, each is the head of a turn.
    """
    turns = Counter(speech.speaker for heading in headings if (speech := _named(heading)))
    named = frozenset(name for name, count in turns.items() if count > 1)
    if len(named) > 1 and sum(turns[name] for name in named) >= max(_FEWEST_SPEECHES, len(headings) / 2):
        return named
    lines = [line for text in texts for line in text.lines]
    speeches = Counter(speech.speaker for line in lines if (speech := find_speech(line, 0, len(line))))
    again = frozenset(name for name, count in speeches.items() if count > 1)
    said = sum(speeches[name] for name in again)
    return again if said >= max(_FEWEST_SPEECHES, _LEAST_SAID * len(lines)) else frozenset()


def _named(heading: str) -> Speech | None:
    """Return whose turn a heading may begin: it is a name, or a name with a time."""
    speech = find_speech(f"{heading}:", 0, len(heading) + 1)
    return speech if speech and (speech.time or speech.speaker == heading) else None


def _speaker(line: str, speakers: frozenset[str]) -> Speech | None:
    """Return the speech that begins with a line, if one of the speakers is named there."""
    speech = find_speech(line, 0, len(line)) if speakers else None
    return speech if speech and speech.speaker in speakers else None


def _is_reference(words: str) -> bool:
    """Tell whether a text is nothing but an address, be it with a label, or has no letters at all."""
    rest = _ADDRESS.sub("", words).rstrip(" >")
    if not any(map(str.isalnum, rest)):
        return True
    return len(rest) < len(words) and len(rest.split()) <= _MOST_ADDRESS_WORDS and rest.endswith(":")


def _goes_on_behind_code(tokens: list[Token], at: int) -> bool:
    """Tell whether a paragraph goes on in small letters behind a line of code, which then is a part of its sentence."""
    types = [token.type for token in tokens[at + 1 : at + 5]]
    if types not in (["paragraph_close", code, "paragraph_open", "inline"] for code in ("fence", "code_block")):
        return False
    before, code, after = tokens[at].content.rstrip(), tokens[at + 2].content.strip(), tokens[at + 4].content
    is_short = len(code) <= _LONGEST_CODE and code.count("\n") <= 1
    return is_short and after[:1].islower() and not before.endswith(_SENTENCE_END)


def _lists_of_links(tokens: list[Token], inline: dict[int, _Inline]) -> set[int]:
    """Return the indexes of the texts in lists that hold nothing but links, and lead elsewhere."""
    found: set[int] = set()
    open_lists: list[list[int]] = []
    for at, token in enumerate(tokens):
        if token.type in ("bullet_list_open", "ordered_list_open"):
            open_lists.append([])
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            texts = open_lists.pop()
            if all(inline[text].is_navigation for text in texts):
                found.update(texts)
        elif token.type == "inline" and open_lists:
            open_lists[-1].append(at)
    return found


class _Inline:
    """The words of a paragraph as they are rendered, and whether they are links or bold throughout."""

    def __init__(self, source: str, env: dict[str, object], hidden: Hidden) -> None:
        label = _LABEL.match(source)
        parts: list[str] = []
        self._links = self._anchors = 0  # and those that lead to another part of the text
        self._all = self._linked = self._strong = 0  # letters, those in links, those in bold
        self._has_picture = False  # at the beginning
        self.title = ""  # in bold letters at the beginning, or underlined
        for piece in _pieces(source[label.end() if label else 0 :]):
            tokens: list[Token] = []
            _parser().inline.parse(piece, _parser(), env, tokens)
            _leave_out(tokens, "html_inline", ("text", "text_special", "code_inline"), hidden)
            self._collect(tokens, parts)
        self.words = "".join(parts)
        self.lines = [_EMPHASIS.sub("", line).strip() for line in source.split("\n")] if ":" in source else [source]
        self.is_navigation = self._links > 0 and self._linked == self._all
        self.is_contents = 0 < self._links == self._anchors
        self.is_strong = self._all > 0 and self._strong == self._all
        first, _, below = source.partition("\n")
        # A picture in the first line, and a text in the next.
        self.is_caption = self._has_picture and below.strip() != "" and first.rstrip().endswith(")")

    def _collect(self, tokens: list[Token], parts: list[str]) -> None:
        in_link = in_strong = 0
        self._has_picture = not parts and tokens[:1] != [] and tokens[0].type == "image"
        is_first = False  # what is set apart
        loose: list[str] = []  # texts that follow each other
        for at, token in enumerate(tokens):
            if token.type in ("text", "text_special", "code_inline"):
                is_code = token.type == "code_inline"
                if is_code:
                    _flush(loose, parts)
                (parts if is_code else loose).append(inert(token.content) if is_code else token.content)
                letters = sum(map(str.isalnum, token.content))
                self._all += letters
                self._linked += letters if in_link else 0
                self._strong += letters if in_strong else 0
                continue
            _flush(loose, parts)
            mark = _MARK.match(token.content) if token.type == "html_inline" else None
            if (token.tag == "strong" and token.nesting > 0) or (mark and not mark["end"]):
                is_first = not self._all or (
                    self._all < _SHORT and NUMBER.fullmatch("".join(parts).strip()) is not None
                )
            elif (token.tag == "strong" or mark) and is_first and self._all and not self.title:
                self.title = "".join(parts)
            if token.type in ("softbreak", "hardbreak"):
                parts.append(" ")
            elif token.type in ("link_open", "link_close"):
                in_link += token.nesting
                self._links += token.nesting > 0
                self._anchors += str(token.attrGet("href") or "").startswith("#")
            elif token.type in ("strong_open", "strong_close", "em_open", "em_close"):
                in_strong += token.nesting if token.tag == "strong" else 0
                if token.nesting < 0:
                    _join_label(parts, tokens[at + 1 : at + 2])
            elif token.type == "html_inline" and (shown := _shown(token.content, parts, tokens[at + 1 : at + 2])):
                parts.append(shown)
        _flush(loose, parts)


def _flush(loose: list[str], parts: list[str]) -> None:
    """Move texts that follow each other to the parts; links that CommonMark does not know leave their words."""
    if loose:
        parts.append(_LOOSE_LINK.sub(r"\1", "".join(loose)))
        loose.clear()


def _join_label(parts: list[str], following: list[Token]) -> None:
    """Let a label in bold or italics at the beginning, such as "Price.", end no sentence."""
    label = "".join(parts[: _LONGEST_LABEL + 1])  # none of them is empty
    words = label.lower().strip(" .!?").split()
    if len(label) > _LONGEST_LABEL or not 0 < len(words) <= _MOST_LABEL_WORDS or not VERBS.isdisjoint(words):
        return
    if label.rstrip().endswith((".", "!", "?")):
        parts[:] = [inert(label)]
    elif following and following[0].type == "text" and following[0].content[:1] == ".":
        following[0].content = inert(".") + following[0].content[1:]


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
