"""The web page, the description of the API for people, and their files; nothing comes from elsewhere."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.responses import FileResponse, HTMLResponse
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from memsum._version import __version__
from memsum.document.formats import TITLES
from memsum.server.forms import JSON
from memsum.server.settings import LOOPBACK_NAMES
from memsum.summary.html import TEMPLATES

STATIC = Path(__file__).parent / "static"
_TEMPLATES = Path(__file__).parent / "templates"
GUIDE = _TEMPLATES / "docs.html"  # about the API; docs/http_api.py writes it
ADDRESS = "http://address.invalid/"  # in the guide, instead of that of the server, which clients name
VERSION = "0.0.0.invalid"  # likewise


def add_pages(app: FastAPI) -> Callable[[], bytes]:
    """Add the routes of the page; return what writes beforehand the one that takes long."""
    environment = Environment(loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined)

    @app.get("/", include_in_schema=False)
    async def page(request: Request) -> Response:
        is_local = request.url.hostname in LOOPBACK_NAMES
        return HTMLResponse(environment.get_template("index.html").render(formats=TITLES, local=is_local))

    @app.get("/static/view.css", include_in_schema=False)
    async def view() -> Response:
        return FileResponse(TEMPLATES / "view.css", media_type="text/css; charset=utf-8")

    @cache  # it takes longer than all else that the server's own process does for a request
    def description() -> bytes:
        return json.dumps(app.openapi(), ensure_ascii=False).encode()

    @app.get("/openapi.json", include_in_schema=False)
    async def openapi() -> Response:
        return Response(description(), media_type=JSON)

    @app.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> Response:
        guide = GUIDE.read_text("utf-8").replace(ADDRESS, html.escape(str(request.base_url)))
        return HTMLResponse(guide.replace(VERSION, __version__))

    app.mount("/static", StaticFiles(directory=STATIC), name="static")

    return description
