"""Jupyter notebooks: their Markdown cells are the text, their code cells code; what the code printed is not read."""

from __future__ import annotations

import json
import re

from memsum.document.document import Document
from memsum.document.readers import markdown
from memsum.document.readers.decoding import decode
from memsum.document.readers.visibility import Hidden
from memsum.errors import DocumentError

_DAMAGED = "The notebook is damaged."
_FENCE = re.compile(r"`{3,}")


def read(source: bytes | str, language: str | None = None, hidden: Hidden | None = None) -> Document:
    """Read the cells in order, as one Markdown text in which code stands in fences."""
    text, warnings = decode(source)
    try:
        content = json.loads(text)
        cells = [(cell["cell_type"], "".join(cell["source"])) for cell in content["cells"]]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise DocumentError(_DAMAGED, "Save it again in Jupyter.") from None
    parts = [_fenced(words) if kind == "code" else words for kind, words in cells if kind in ("code", "markdown")]
    return markdown.read_text(
        "\n\n".join(parts), format="notebook", language=language, hidden=hidden, warnings=warnings
    )


def _fenced(code: str) -> str:
    """Put code in a fence that is longer than any inside it."""
    longest = max((len(found) for found in _FENCE.findall(code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{code}\n{fence}"
