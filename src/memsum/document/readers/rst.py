"""reStructuredText, parsed by docutils: the words of unknown roles and directives stay, nothing is read from elsewhere.

The text of the Document is the rendered one: offsets point into what a reader sees, not into the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from memsum.document.build import DocumentBuilder, inert
from memsum.document.document import NOTES, BlockKind, Document
from memsum.document.readers.decoding import decode
from memsum.document.tables import add_table, is_prose
from memsum.errors import DocumentError
from memsum.languages import word_set
from memsum.languages.section_names import is_section_name

if TYPE_CHECKING:
    from docutils import nodes

_FIELDS = re.compile(r"\s*(?:[A-Z][\w-]{1,30}:(?:[ \t][^\n]*)?\n(?:[ \t][^\n]*\n)*){3,60}(?=\s*\n)")  # of a PEP
_FIELD = re.compile(r"^([A-Z][\w-]{1,30}):((?:[^\n]*\n)(?:[ \t][^\n]*\n)*)", re.MULTILINE)
_DIRECTIVE = re.compile(r"^[ \t]*\.\.[ ](?:\|[^|\n]{1,60}\|[ ])?([A-Za-z][\w:+.-]{0,60})::", re.MULTILINE)
# The border of a table with more than a hundred columns: for each cell docutils looks at all of its line.
_WIDE = re.compile(r"^[ \t]*(?:(?:\+[-=]+){101,}\+|(?:=+[ ]+){100,}=*)[ \t]*$", re.MULTILINE)
_TARGET = re.compile(r"\s*<[^<>]*>$", re.DOTALL)
_CODE_ROLES = word_set(
    """
    attr class const data exc file func meth mod obj option program samp envvar keyword command makevar regexp token
    kbd code literal
    """
)
# Directives of Sphinx whose content is code, and those whose content nobody reads.
_CODE = word_set(
    """
    code-block sourcecode code console prompt ipython jupyter-execute testcode testoutput testsetup doctest highlight
    productionlist parsed-literal plot literalinclude
    """
)
_UNREAD = word_set(
    """
    toctree index graphviz mermaid uml plantuml digraph include raw date title role default-role contents sectnum
    header footer meta highlight currentmodule module tabularcolumns autosummary bibliography csv-table-file class
    restructuredtext-test-directive target-notes testcleanup only-html youtube video raw-html codeauthor sectionauthor
    moduleauthor
    """
)
_ADDRESS = re.compile(r"<[^<>]{0,200}>|\([^()]{0,200}\)")  # behind a name
_VERSIONS = {"versionadded": "Added in", "versionchanged": "Changed in", "deprecated": "Deprecated since"}
_MOST_DIRECTIVES = 1_000  # names that docutils does not know
_LONGEST_REPLACED = 300  # characters that stand for a name between bars
_LONGEST = 4_000  # characters whose inline markup is read at once: docutils looks for each end in all that follows
_LONG_WORD = re.compile(r"(?<!\S)\S{500,}")  # in which docutils looks for addresses again from each character
_TOO_DEEP = "The text has parts inside each other, deeper than can be read."


def read(source: bytes | str, language: str | None = None) -> Document:
    """Read the text as docutils parses it; files are not included and raw markup is left out."""
    text, warnings = decode(source)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    blocks = _Blocks()
    if head := _FIELDS.match(text):
        blocks.add_fields([(found[1], " ".join(found[2].split())) for found in _FIELD.finditer(head[0])])
        text = text[head.end() :]
    try:
        blocks.add_document(_parse(_WIDE.sub("", text)))
    except RecursionError:
        raise DocumentError(_TOO_DEEP) from None
    return blocks.builder.build(format="rst", language=language, warnings=warnings)


def _parse(text: str) -> nodes.document:
    """Return the tree of docutils; directives that it does not know are known while it works."""
    from docutils import frontend, utils
    from docutils.parsers.rst import Parser, directives

    settings = frontend.get_default_settings(Parser)
    settings.file_insertion_enabled = settings.raw_enabled = False
    settings.report_level = settings.halt_level = 5
    settings.syntax_highlight = "none"
    settings.line_length_limit = len(text) + 1
    registry = directives._directives
    before = dict(registry)
    try:
        for name in sorted(set(_DIRECTIVE.findall(text)))[:_MOST_DIRECTIVES]:
            if name.lower() not in directives._directive_registry or name.lower() in _UNREAD | _CODE:
                directives.register_directive(name.lower(), _unknown_directive())
        document = utils.new_document("", settings)
        Parser(inliner=_inliner()).parse(text, document)
    finally:
        registry.clear()
        registry.update(before)
    return document


@lru_cache(maxsize=1)
def _unknown_directive() -> type[Any]:
    """Return the directive that keeps the words of those that docutils does not know."""
    from docutils import nodes
    from docutils.parsers.rst import Directive, directives

    class AnyOption(dict[str, Any]):
        def __missing__(self, name: str) -> Any:
            return directives.unchanged

    class Unknown(Directive):  # type: ignore[misc]
        optional_arguments = 1
        final_argument_whitespace = True
        has_content = True
        option_spec = AnyOption(name=directives.unchanged)

        def run(self) -> list[nodes.Node]:
            name = self.name.lower()
            argument = " ".join(" ".join(self.arguments).split())
            if name in _UNREAD:
                return []
            if name in _CODE:
                code = "\n".join(self.content)
                return [nodes.literal_block(code, code)] if code else []
            found: list[nodes.Node] = []
            if name in _VERSIONS:
                version, _, argument = argument.partition(" ")
                argument = f"{_VERSIONS[name]} version {version}: {argument}"
            if is_prose(argument):
                parsed, _ = self.state.inline_text(argument, self.lineno)
                found.append(nodes.paragraph(argument, "", *parsed))
            elif name.rpartition(":")[2] in ("function", "method", "class", "option", "envvar", "data", "attribute"):
                found.append(nodes.literal_block(argument, argument))
            inside = nodes.container()
            self.state.nested_parse(self.content, self.content_offset, inside)
            return [*found, inside]

    return Unknown


def _inliner() -> Any:
    """Return an inline parser that keeps the words of roles that docutils does not know, and takes no paragraph whole.

    It is not a subclass, since docutils looks for patterns in the class itself.
    """
    from docutils import nodes
    from docutils.parsers.rst import states
    from docutils.parsers.rst.languages import en

    inliner = states.Inliner()
    parse, interpreted = inliner.parse, inliner.interpreted

    def parse_in_parts(text: str, lineno: int, memo: Any, parent: Any) -> Any:
        found: list[nodes.Node] = []
        for part in _parts(text):
            if _LONG_WORD.match(part):
                found.append(nodes.Text(part))
                continue
            found += parse(part, lineno, memo, parent)[0]
        return found, []

    def interpret(rawsource: str, text: str, role: str, lineno: int) -> Any:
        name = role.lower().rpartition(":")[2]
        if not role or (role.lower() in en.roles and name not in ("raw", "code")):
            return interpreted(rawsource, text, role, lineno)
        words = _TARGET.sub("", text).removeprefix("!").replace("\0", "")
        if words.startswith("~"):
            words = words[1:].rpartition(".")[2]
        return [nodes.literal(rawsource, words) if name in _CODE_ROLES else nodes.inline(rawsource, words)], []

    inliner.parse, inliner.interpreted = parse_in_parts, interpret
    inliner.problematic = lambda text, *_: nodes.Text(text)
    return inliner


def _parts(text: str) -> Iterator[str]:
    """Cut a text between words, and around those that are very long."""
    start = 0
    while start < len(text):
        end = start + _LONGEST
        end = len(text) if end >= len(text) else text.rfind(" ", start, end) + 1 or end
        if long := _LONG_WORD.search(text, start, end):
            end = long.start() if long.start() > start else long.end()
        yield text[start:end]
        start = end


class _Blocks:
    """Adds the blocks of a tree in order."""

    def __init__(self) -> None:
        self.builder = DocumentBuilder()
        self._has_title = False
        self._replaced: dict[str, str] = {}

    def add_fields(self, fields: list[tuple[str, str]]) -> None:
        """Add the fields of a head, such as a PEP's: the title is the document's, the authors are its authors."""
        for name, value in fields:
            if name.lower() == "title" and value:
                self.builder.add("title", value)
                self._has_title = True
            elif value:
                if name.lower() in ("author", "authors", "editor", "editors"):
                    self.builder.authors += [_ADDRESS.sub("", name).strip() for name in value.split(",")]
                self.builder.add("table", f"{name}: {value}")

    def add_document(self, document: nodes.document) -> None:
        """Add all blocks; a section that holds all others is the document, its title the title."""
        from docutils import nodes

        self._replaced = {
            name: words
            for name, node in document.substitution_defs.items()
            if len(words := _words(node, {})) <= _LONGEST_REPLACED
        }
        sections = [node for node in document.children if isinstance(node, nodes.section)]
        is_whole = len(sections) == 1 and not self._has_title
        self._add_children(document, "paragraph", -1 if is_whole else 0, 0)

    def _add_children(self, node: Any, kind: BlockKind, level: int, depth: int, reason: str | None = None) -> None:
        for child in node.children:
            self._add(child, kind, level, depth, reason)

    def _add(self, node: Any, kind: BlockKind, level: int, depth: int, reason: str | None) -> None:
        from docutils import nodes

        add = self.builder.add
        inside = "item" if kind == "paragraph" else kind
        match node:
            case nodes.section():
                self._add_children(node, kind, level + 1, depth)
            case nodes.title() | nodes.rubric() if kind == "paragraph" and isinstance(node.parent, nodes.section):
                words = self._words(node)
                if not self._has_title and level <= 0 and not is_section_name(words):
                    add("title", words)
                else:
                    add("heading", words, level=max(level, 1))
                self._has_title = True
            case nodes.rubric():
                add("heading", self._words(node), level=6)
            case nodes.literal_block() | nodes.doctest_block():
                add("code", node.astext())
            case nodes.math_block():
                add("boilerplate", node.astext(), reason="formulas")
            case nodes.paragraph() | nodes.line_block() | nodes.term():
                add(kind, self._words(node), level=depth if kind == "item" else 0, reason=reason)
            case nodes.list_item():
                self._add_children(node, inside, level, depth + 1, reason)
            case nodes.definition_list_item():
                self._add_definition(node, inside, level, depth + 1, reason)
            case nodes.option_list_item():
                options = ", ".join(self._words(option) for option in node.children[0].children)
                add(inside, f"{options}: {self._words(node.children[-1])}", level=depth + 1, hidden=len(options) + 2)
            case nodes.field_list():
                self._add_field_list(node, level, depth)
            case nodes.table():
                for title in node.findall(nodes.title):
                    add("caption", self._words(title))
                for group in node.findall(nodes.tgroup):
                    add_table(
                        add, list(self._rows(group)), sum(len(head.children) for head in group.findall(nodes.thead))
                    )
            case nodes.figure():
                for part in node.findall(lambda one: isinstance(one, (nodes.caption, nodes.paragraph))):
                    add("caption", self._words(part))
            case nodes.footnote():
                self._add_children(node, "boilerplate", level, depth, NOTES)
            case nodes.citation():
                self._add_children(node, "reference", level, depth)
            case nodes.topic() if "abstract" in node["classes"]:
                self._add_children(node, "abstract", level, depth)
            case nodes.attribution():
                add("boilerplate", self._words(node), reason="names of those who are quoted")
            case nodes.system_message() if "section title" in node.astext():
                for lost in node.findall(nodes.literal_block):  # a heading out of order
                    lines = [line for line in lost.astext().split("\n") if any(map(str.isalnum, line))]
                    add("heading", "".join(lines[:1]), level=6)
            case nodes.comment() | nodes.substitution_definition() | nodes.target() | nodes.raw() | nodes.pending():
                pass
            case nodes.label() | nodes.title() | nodes.image() | nodes.decoration() | nodes.meta():
                pass
            case nodes.system_message():
                pass
            case nodes.Element():
                self._add_children(node, kind, level, depth, reason)

    def _add_definition(self, node: Any, kind: BlockKind, level: int, depth: int, reason: str | None) -> None:
        """Add a term with the first paragraph of what it means."""
        from docutils import nodes

        terms = ", ".join(self._words(one) for one in node.children if isinstance(one, nodes.term))
        meaning = [one for part in node.children if isinstance(part, nodes.definition) for one in part.children]
        if meaning and isinstance(meaning[0], nodes.paragraph):
            self.builder.add(kind, f"{inert(terms)}: {self._words(meaning[0])}", level=depth, reason=reason)
            meaning = meaning[1:]
        else:
            self.builder.add(kind, inert(terms), level=depth, reason=reason)
        for one in meaning:
            self._add(one, kind, level, depth, reason)

    def _add_field_list(self, node: Any, level: int, depth: int) -> None:
        fields = [(self._words(one.children[0]), one.children[-1]) for one in node.children if len(one.children) > 1]
        if level <= 0 and depth == 0 and not self.builder.has_text:
            self.add_fields([(name, self._words(body)) for name, body in fields])
            return
        for name, body in fields:
            words = self._words(body)
            if words:
                self.builder.add("item", f"{name}: {words}", level=depth + 1)

    def _rows(self, group: Any) -> Iterator[list[str]]:
        """Yield the cells of each row; those that stand in the way of cells merged over each other are empty."""
        from docutils import nodes

        below: dict[int, int] = {}  # rows that a cell still covers, by column
        for row in group.findall(nodes.row):
            cells: list[str] = []
            for entry in row.children:
                while below.get(len(cells), 0):
                    below[len(cells)] -= 1
                    cells.append("")
                if more := entry.get("morerows", 0):
                    below[len(cells)] = more
                cells += [self._words(entry), *[""] * min(entry.get("morecols", 0), 100)]
            yield cells

    def _words(self, node: Any) -> str:
        return _words(node, self._replaced)


def _words(node: Any, replaced: dict[str, str]) -> str:
    """Return the words of a node; marks of notes are none, those of code end no sentence."""
    from docutils import nodes

    match node:
        case nodes.Text():
            return str(node)
        case nodes.literal():
            return inert(node.astext())
        case nodes.math():
            from memsum.document.readers.latex import plain

            return plain(f"${node.astext()}$")
        case nodes.substitution_reference():
            return replaced.get(node.astext(), "")
        case nodes.citation_reference():
            return f"[{node.astext()}]"
        case nodes.footnote_reference() | nodes.image() | nodes.raw() | nodes.comment() | nodes.system_message():
            return ""
    gap = " " if isinstance(node, (nodes.Body, nodes.entry, nodes.field_body, nodes.definition)) else ""
    gap = "" if isinstance(node, nodes.TextElement) and not isinstance(node, nodes.line_block) else gap
    return gap.join(_words(child, replaced) for child in node.children)
