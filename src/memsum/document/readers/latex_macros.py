"""Comments, and macros: `\\newcommand` and `\\def` with fixed text, or with simple arguments, are expanded."""

from __future__ import annotations

import re
from typing import NamedTuple

from memsum.document.readers.base import listed
from memsum.document.readers.latex_text import argument

_COMMENT = re.compile(r"(?<!\\)(?P<slashes>(?:\\\\)*)%[^\n]*(?:\n[ \t]*)?")
_DEFINITION = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|DeclareRobustCommand)\*?\s*\{?\s*\\(?P<name>[a-zA-Z]+)\s*\}?"
    r"\s*(?:\[(?P<count>\d)\])?\s*(?P<default>\[[^\]\n]*\])?\s*(?=\{)"
    r"|\\def\s*\\(?P<defined>[a-zA-Z]+)\s*(?P<parameters>(?:#\d)*)\s*(?=\{)"
)
_CALL = re.compile(r"\\(?P<name>[a-zA-Z]+)")
_LONGEST_BODY = 2000
_ROUNDS = 4  # macros inside macros
_GROWTH = 3  # times the length of the source; expansion stops there
_KEPT = listed("section subsection title author caption item begin end footnote cite ref label textbf emph")


class _Macro(NamedTuple):
    arguments: int
    body: str


def without_comments(text: str) -> str:
    """The source without comments; a line's end behind one does not count, unless a blank line follows."""

    def replaced(found: re.Match[str]) -> str:
        ends_line = "\n" in found[0]
        blank_before = found.start() == 0 or text[found.start() - 1] == "\n"
        return found["slashes"] + ("" if blank_before or not ends_line else "\n")

    return _COMMENT.sub(replaced, text)


class Macros:
    """The macros that a source defines."""

    def __init__(self, known: dict[str, _Macro]) -> None:
        self._known = known

    @classmethod
    def of(cls, text: str) -> Macros:
        """Find the definitions."""
        known: dict[str, _Macro] = {}
        at = 0
        for found in _DEFINITION.finditer(text):
            if found.start() < at:
                continue
            body, at = argument(text, found.end(), 2 * _LONGEST_BODY)
            name = found["name"] or found["defined"]
            count = int(found["count"] or 0) if found["name"] else (found["parameters"] or "").count("#")
            if len(body) <= _LONGEST_BODY and not found["default"] and name not in _KEPT and f"\\{name}" not in body:
                known[name] = _Macro(count, body)
        return cls(known)

    def expand(self, text: str) -> str:
        """The text with the macros replaced and their definitions removed."""
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
        length = at = 0
        for found in _CALL.finditer(text):
            macro = self._known.get(found["name"])
            if macro is None or found.start() < at:
                continue
            stop = found.end()
            arguments = []
            for _ in range(macro.arguments):
                content, stop = argument(text, stop)
                arguments.append(content)
            body = re.sub(r"#(\d)", lambda slot, given=arguments: _argument(given, int(slot[1])), macro.body)  # type: ignore[misc]
            parts.extend((text[at : found.start()], body))
            length += found.start() - at + len(body)
            at = stop
            if length > limit:
                return "".join(parts)
        return "".join((*parts, text[at:]))


def _argument(given: list[str], number: int) -> str:
    return given[number - 1] if 0 < number <= len(given) else ""


def _remove_definitions(text: str) -> str:
    parts: list[str] = []
    at = 0
    for found in _DEFINITION.finditer(text):
        if found.start() < at:
            continue
        parts.append(text[at : found.start()])
        _, at = argument(text, found.end(), 2 * _LONGEST_BODY)
    return "".join((*parts, text[at:]))
