"""Write docs/reference/http.md from the description of the API that the server itself derives from its types.

python docs/http_api.py
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from memsum.options import SummaryOptions
from memsum.server.app import create_app
from memsum.server.pages import describe_operations

PAGE = Path(__file__).parent / "reference" / "http.md"
HEAD = """# HTTP

What `memsum serve` answers; a running server shows the same at `/docs`, with examples of answers,
and as OpenAPI at `/openapi.json`. If it requires a token, send `Authorization: Bearer TOKEN`. What
goes wrong is answered with a status and `{"error": "One sentence.", "hint": "What to do."}`:
[limits](../server.md#limits). A summary is the [JSON of a summary](json.md).
"""
OPTIONS = {option.name for option in fields(SummaryOptions)}


def page() -> str:
    """Return the text of the page."""
    operations = describe_operations(create_app("default").openapi(), "http://127.0.0.1:8000/")
    options: dict[str, tuple[str, str]] = {}
    parts = []
    for operation in operations:
        own, shared = [], []
        for name, kind, location, says in operation["fields"]:
            if name in OPTIONS:
                options.setdefault(name, (kind, says))
                shared.append(name)
            else:
                own.append((f"`{name}`", kind, location, says))
        title = f"## `{operation['method']} {operation['path']}`"
        lines = [operation["says"], f"```sh\n{operation['request']}\n```"]
        if own:
            lines.append(_table(("field", "type", "in", "meaning"), own))
        if shared:
            which = (
                "" if set(shared) == OPTIONS else ": " + ", ".join(f"`{name}`" for name in shared)
            )
            lines.append(f"And [options of a summary](#options-of-a-summary){which}.")
        lines.append(f"Statuses: {', '.join(operation['answers'])}.")
        parts.append("\n\n".join([title, *lines]))
    rows = [(f"`{name}`", kind, says) for name, (kind, says) in options.items()]
    listed = _table(("option", "type", "meaning"), rows)
    return "\n\n".join([HEAD.strip(), *parts, f"## Options of a summary\n\n{listed}"]) + "\n"


def _table(head: tuple[str, ...], rows: list[Any]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
