"""What a text is that is no document: data, logs, programs, and markup that has no reader here."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from contextlib import suppress

_CONVERT = "Convert it to Markdown or HTML first, with pandoc for example."
_NO_PROSE = "memsum summarizes sentences; give it the document that is about it."
_ORG = re.compile(r"^#\+(?:title|author|begin_src|options|startup|filetags)\b", re.IGNORECASE | re.MULTILINE)
_ORG_HEADING = re.compile(r"^\*{1,6} \S", re.MULTILINE)
_WIKI_HEADING = re.compile(r"^(={2,5})[^=\n]{1,100}\1[ \t]*$", re.MULTILINE)
_WIKI = re.compile(r"\[\[[^\[\]\n]{1,200}\]\]|'''[^'\n]{1,200}'''|^\{\||^\{\{[^{}\n]", re.MULTILINE)
_JSON = re.compile(r'\s*(?:\{\s*"[^"\n]{0,200}"\s*:|\[\s*(?:\{\s*"|\[\s*["\d\[]))')
_KEY = re.compile(r"\s*(?:- )*[\"']?[A-Za-z_$][\w./-]{0,60}[\"']?:(?:\s|$)")
_YAML = re.compile(r"\s*(?:#.*|-\s.*|-|---|\.\.\.|[}\]\[{].*)")
_STAMP = re.compile(
    r"[\[(<]?(?:\d{4}[-/]\d\d[-/]\d\d[T ,]\d\d:\d\d|[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d "
    r"|\S{1,40} \S{1,20} \S{1,20} \[\d\d/)"
    r"|\[?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b"
)
_LOGGED = re.compile(r"\b(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|GET|POST)\b|\w\[\d+\]:|\w: ")
_STATEMENT = re.compile(
    r"\s*(?:(?:async )?def \w+\(|class \w+.{0,60}[:{]$|import [\w.*{]|from [\w.]+ import |#include|#define"
    r"|#ifn?def|#endif|return\b|(?:public|private|static|export|const|let|var|func|fn|package|using|namespace|void|int|char"
    r"|struct|typedef)\b.{0,99}[;{(,=]?$"
    r"|(?:if|for|while|switch|else|elif|try|except|with|case|catch)\b.{0,120}[:{;]$"
    r"|[\w.\[\]\"'$@>*-]{1,60}\s?[-+*/|]?=\s?\S"
    r"|[})\]]{1,4}[;,)]?$|[\w.]{1,60}\(.{0,200}\)?[;,:({]?$|(?:self|this)\.\w|end$|fi$|done$|then$|esac$|echo "
    r"|\$\w|@\w+|--? ?\w.{0,60};$)"
)
_COMMENT = re.compile(r"\s*(?:#|//|/?\*|\"\"\"|'''|--|;;|%)")
_COMMENTS = re.compile(r"/\*.*?(?:\*/|\Z)|\"{3}.*?(?:\"{3}|\Z)", re.DOTALL)
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_FEWEST = 5  # lines that show what a text is
_LONG_CELL = 80  # characters
_MOST_ROWS = 0.95  # that have as many cells
_MOST_PROSE = 0.2  # of a program's lines


def refuse_kind(head: str) -> tuple[str, str] | None:
    """Return what a text is by its beginning, and what helps, if it is no document; None if it may be one."""
    if _ORG.search(head) and _ORG_HEADING.search(head):
        return "Org markup", _CONVERT
    if len(_WIKI_HEADING.findall(head)) > 1 and len(_WIKI.findall(head)) > 2 and "[[" in head:
        return "MediaWiki markup", _CONVERT
    is_json = _JSON.match(head) is not None
    if not is_json and head.lstrip()[:1] in ("{", "["):
        with suppress(ValueError, RecursionError):
            is_json = isinstance(json.loads(head), (dict, list))
    if is_json:
        return "JSON", _NO_PROSE
    lines = [line for line in head.splitlines()[:200] if line.strip()]
    if head.startswith("#!/"):
        return "a program", _NO_PROSE
    if len(lines) < _FEWEST or _FENCE.search(head):
        return None
    if _is_csv(lines):
        return "a table of data (CSV)", _NO_PROSE
    if sum(bool(_STAMP.match(line) and _LOGGED.search(line)) for line in lines) > 0.7 * len(lines):
        return "a log", _NO_PROSE
    keys = sum(bool(_KEY.match(line)) for line in lines)
    # Heads of mails and minutes, too, have keys, but with capitals; and minutes are lists of sentences.
    capital = sum(line[0].isupper() for line in lines)
    said = sum(line.lstrip()[0] == "-" and len(line.split()) > 7 for line in lines)
    is_data = keys >= max(_FEWEST, 0.5 * len(lines)) and capital <= 0.5 * keys and said <= _MOST_PROSE * keys
    is_nested = is_data and any(line[0] == " " for line in lines)
    if is_nested and all(_KEY.match(line) or _YAML.match(line) or line[0] == " " for line in lines):
        return "YAML", _NO_PROSE
    lines = [line for line in _COMMENTS.sub("", head).splitlines() if line.strip()]
    code = [line for line in lines if not _COMMENT.match(line)]
    statements = sum(bool(_STATEMENT.match(line)) for line in code)
    prose = sum(len(line.split()) > 7 and line.rstrip()[-1] not in "{};:,(" for line in code)
    if len(code) >= _FEWEST and statements > 0.5 * len(code) and prose < _MOST_PROSE * len(code):
        return "a program", _NO_PROSE
    return None


def _is_csv(lines: list[str]) -> bool:
    """Tell whether all lines have as many cells, and hardly any is long."""
    for mark in ",;\t":
        rows = list(csv.reader(lines[:-1] or lines, delimiter=mark))
        (width, count), *_ = Counter(map(len, rows)).most_common(1)
        cells = [cell for row in rows for cell in row]
        is_spaced = mark == "," and sum(cell.startswith(" ") for cell in cells) > 0.2 * len(cells)
        if count >= _MOST_ROWS * len(rows) and width > (2 if mark == "," else 1) and not is_spaced:
            return sum(len(cell) > _LONG_CELL for cell in cells) < 0.1 * len(cells)
    return False
