"""Write what describes the API for people, from the description that the server itself derives from its types.

docs/reference/http.md, and the page /docs of the server: python docs/http_api.py
"""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from memsum.document.formats import FORMATS
from memsum.options import SummaryOptions
from memsum.server.app import create_app
from memsum.server.forms import FORM, JSON
from memsum.server.pages import ADDRESS, GUIDE, VERSION

HERE = Path(__file__).parent
PAGE = HERE / "reference" / "http.md"
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


def guide() -> str:
    """Return the page /docs; the server puts its address and version into it."""
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined
    )
    operations = describe_operations(create_app("default").openapi(), ADDRESS)
    shown = {"version": VERSION, "address": ADDRESS, "formats": FORMATS}
    return environment.get_template("api.html").render(operations=operations, **shown) + "\n"


def describe_operations(schema: dict[str, Any], address: str) -> list[dict[str, Any]]:
    """Return what the page about the API shows of each endpoint."""
    types = _Types(schema["components"]["schemas"])
    return [
        {
            "method": method.upper(),
            "path": path,
            "says": operation["description"],
            "fields": _fields(operation, types),
            "request": _curl(method, f"{address}{path.lstrip('/')}", operation, types),
            "answer": _answer(operation, types),
            "answers": {
                status: answer["description"] for status, answer in operation["responses"].items()
            },
        }
        for path, operations in schema["paths"].items()
        for method, operation in operations.items()
    ]


def _fields(operation: dict[str, Any], types: _Types) -> list[tuple[str, str, str, str]]:
    """Return name, type, locations and meaning of the fields of a request; those of documents first."""
    found: dict[str, tuple[str, list[str], str]] = {}
    for parameter in operation.get("parameters", []):
        says = parameter.get("description") or parameter["schema"].get("description", "")
        found[parameter["name"]] = types.name(parameter["schema"]), [parameter["in"]], says
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        for name, field in types.resolve(content["schema"])["properties"].items():
            _, locations, _ = found.setdefault(
                name, (types.name(field), [], field.get("description", ""))
            )
            locations.append("JSON" if kind == JSON else "form")
    listed = [
        (name, kind, ", ".join(locations), says) for name, (kind, locations, says) in found.items()
    ]
    return sorted(listed, key=lambda field: field[0] not in ("documents", "text", "file"))


def _curl(method: str, address: str, operation: dict[str, Any], types: _Types) -> str:
    """Return a command that makes the request: with a file where one can be sent, else with what is required."""
    address = address.format(reading=_SAMPLES["id"], page=3)
    bodies = operation.get("requestBody", {}).get("content", {})
    if FORM in bodies:
        others = [
            f"-F '{name}=<answer.txt'" for name in _required(bodies[FORM], types) if name != "file"
        ]
        return " ".join(["curl -F file=@paper.pdf", *others, address])
    if JSON in bodies:
        body = types.resolve(bodies[JSON]["schema"])
        given = {name: types.sample(body["properties"][name], name) for name in body["required"]}
        return f"curl --json '{json.dumps(given, ensure_ascii=False)}' {address}"
    output = " -o page.png" if address.endswith("/3") else ""
    return f"curl {'-X DELETE ' if method == 'delete' else ''}{address}{output}"


def _required(body: dict[str, Any], types: _Types) -> list[str]:
    found: list[str] = types.resolve(body["schema"]).get("required", [])
    return found


def _answer(operation: dict[str, Any], types: _Types) -> str:
    """Return an answer in JSON with made-up values, or nothing where the answer is something else."""
    schema = operation["responses"].get("200", {}).get("content", {}).get(JSON, {}).get("schema")
    return json.dumps(types.sample(schema), indent=2, ensure_ascii=False) if schema else ""


# Made-up values of fields whose type does not tell what they look like.
_SAMPLES: dict[str, Any] = {
    "id": "0.Yk3v9Q2mR7sT1uW5xZ8aBcDe",
    "text": "Fares cover less than a tenth of a trip.",
    "title": "Night buses",
    "name": "paper.pdf",
    "section": "Results",
    "top": "Results",
    "about": "What does a trip cost?",
    "model": "default",
    "version": VERSION,
    "format": "pdf",
    "warnings": [],
    "error": "The document is no longer kept.",
    "page": 3,
    "index": 6,
    "start": 703,
    "end": 743,
    "step": 0,
    "words": 3210,
    "sentences": 118,
    "seconds": 1800.0,
    "width": 612.0,
    "height": 792.0,
}
_PYTHON = {"string": "str", "integer": "int", "number": "float", "array": "list"}
_FAR = 100_000  # bounds from here on only keep numbers small


class _Types:
    """Types of the API as its description declares them: their names, and samples of them."""

    def __init__(self, models: dict[str, Any]) -> None:
        self._models = models

    def resolve(self, schema: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = (
            self._models[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
        )
        return found

    def name(self, schema: dict[str, Any]) -> str:
        """Return a type in few words: "integer from 1", "text", "text or list of text"."""
        if "$ref" in schema:
            return str(schema["$ref"].rpartition("/")[2])
        if "anyOf" in schema:
            return " or ".join(
                dict.fromkeys(
                    self.name(one) for one in schema["anyOf"] if one.get("type") != "null"
                )
            )
        if "enum" in schema or "const" in schema:
            return " or ".join(f'"{value}"' for value in schema.get("enum", [schema.get("const")]))
        if schema.get("type") == "array":
            return f"list of {self.name(schema.get('items', {}))}"
        if schema.get("format") == "binary":
            return "file"
        words = {"string": "text", "boolean": "true or false"}
        kind = str(schema.get("type", "anything"))
        least, most = schema.get("minimum", schema.get("exclusiveMinimum")), schema.get("maximum")
        bounds = [
            f"{word} {bound:g}"
            for word, bound in (("from", least), ("to", most))
            if bound is not None and abs(bound) < _FAR
        ]
        return " ".join([words.get(kind, kind), *bounds])

    def sample(self, schema: dict[str, Any], name: str = "") -> Any:
        """Return a value of a type; one of the first possible types, without what may be left out."""
        schema = self.resolve(schema)
        if "anyOf" in schema:
            return self.sample(schema["anyOf"][0], name)
        kind = schema.get("type")
        if kind == "object" or "properties" in schema:
            required = schema.get("required", [])
            return {
                key: self.sample(one, key)
                for key, one in schema.get("properties", {}).items()
                if key in required
            }
        if name in _SAMPLES and type(_SAMPLES[name]).__name__ == _PYTHON.get(str(kind)):
            return _SAMPLES[name]
        if "enum" in schema or "const" in schema:
            return schema.get("const", schema.get("enum", [None])[0])
        if kind == "array":
            parts = schema.get("prefixItems") or [schema["items"]]
            return [self.sample(one) for one in parts]
        return {"string": "…", "integer": 4, "number": 0.5, "boolean": True}.get(str(kind))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    GUIDE.write_text(guide(), encoding="utf-8")
