"""The web page, the description of the API for people, and the files they need; nothing comes from elsewhere."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Response
from fastapi.responses import FileResponse, HTMLResponse
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from memsum.summary.html import TEMPLATES

STATIC = Path(__file__).parent / "static"
_TEMPLATES = Path(__file__).parent / "templates"
_METHODS = ("get", "post", "delete")


def add_pages(app: FastAPI) -> None:
    """Add the addresses of the page."""

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        return FileResponse(STATIC / "index.html", media_type="text/html; charset=utf-8")

    @app.get("/static/view.css", include_in_schema=False)
    async def view() -> Response:
        return FileResponse(TEMPLATES / "view.css", media_type="text/css; charset=utf-8")

    @cache
    def description() -> str:
        environment = Environment(loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined)
        return environment.get_template("docs.html").render(operations=_operations(app.openapi()), version=app.version)

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return HTMLResponse(description())

    app.mount("/static", StaticFiles(directory=STATIC), name="static")


def _operations(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """What the page about the API shows of each address."""
    return [
        {
            "method": method.upper(),
            "path": path,
            "says": operation.get("description", ""),
            "fields": _fields(operation),
            "answers": {status: answer["description"] for status, answer in operation["responses"].items()},
        }
        for path, operations in schema["paths"].items()
        for method, operation in operations.items()
        if method in _METHODS
    ]


def _fields(operation: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Name, place and meaning of what a request may hold."""
    fields = [
        (parameter["name"], parameter["in"], parameter.get("description", parameter["schema"].get("description", "")))
        for parameter in operation.get("parameters", [])
    ]
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        place = "form" if kind.startswith("multipart") else "JSON"
        for name, schema in content["schema"]["properties"].items():
            fields.append((name, place, schema.get("description", "")))
    merged: dict[str, tuple[str, str]] = {}
    for name, place, says in fields:
        places = f"{merged[name][0]}, {place}" if name in merged else place
        merged[name] = (places, says)
    listed = [(name, places, says) for name, (places, says) in merged.items()]
    return sorted(listed, key=lambda field: field[0] not in ("documents", "text", "file"))
