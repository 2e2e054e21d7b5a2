"""The web page, the description of the API for people, and their files; nothing comes from elsewhere."""

from __future__ import annotations

import json
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import FileResponse, HTMLResponse
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from memsum.document.formats import TITLES
from memsum.server.inputs import JSON
from memsum.summary.html import TEMPLATES

STATIC = Path(__file__).parent / "static"
_TEMPLATES = Path(__file__).parent / "templates"


def add_pages(app: FastAPI) -> None:
    """Add the routes of the page."""
    environment = Environment(loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined)

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        return HTMLResponse(environment.get_template("index.html").render(formats=TITLES))

    @app.get("/static/view.css", include_in_schema=False)
    async def view() -> Response:
        return FileResponse(TEMPLATES / "view.css", media_type="text/css; charset=utf-8")

    # Written once: both take longer than all else that the server's own process does for a request.
    @cache
    def description() -> bytes:
        return json.dumps(app.openapi(), ensure_ascii=False).encode()

    @lru_cache(maxsize=8)
    def guide(address: str) -> str:
        page = environment.get_template("docs.html")
        return page.render(operations=_operations(app.openapi()), version=app.version, address=address)

    @app.get("/openapi.json", include_in_schema=False)
    async def openapi() -> Response:
        return Response(description(), media_type=JSON)

    @app.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> Response:
        return HTMLResponse(guide(str(request.base_url)))

    app.mount("/static", StaticFiles(directory=STATIC), name="static")


def _operations(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what the page about the API shows of each endpoint."""
    return [
        {
            "method": method.upper(),
            "path": path,
            "says": operation["description"],
            "fields": _fields(operation, schema["components"]["schemas"]),
            "answers": {status: answer["description"] for status, answer in operation["responses"].items()},
        }
        for path, operations in schema["paths"].items()
        for method, operation in operations.items()
    ]


def _fields(operation: dict[str, Any], models: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return name, locations and meaning of the fields of a request; those of documents first."""
    found: dict[str, tuple[list[str], str]] = {}
    for parameter in operation.get("parameters", []):
        says = parameter.get("description") or parameter["schema"].get("description", "")
        found[parameter["name"]] = ([parameter["in"]], says)
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        model = content["schema"]
        model = models[model["$ref"].rpartition("/")[2]] if "$ref" in model else model
        for name, field in model["properties"].items():
            locations, _ = found.setdefault(name, ([], field.get("description", "")))
            locations.append("JSON" if kind == JSON else "form")
    listed = [(name, ", ".join(locations), says) for name, (locations, says) in found.items()]
    return sorted(listed, key=lambda field: field[0] not in ("documents", "text", "file"))
