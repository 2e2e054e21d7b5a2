"""The application: the API, the page, and errors in one sentence."""

from __future__ import annotations

import json
import logging
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from memsum._version import __version__
from memsum.errors import MemsumError
from memsum.server import api
from memsum.server.metrics import CONTENT_TYPE, Metrics, RequestMetrics
from memsum.server.middleware import FAILED, Refusal, RequestChecks, Rules
from memsum.server.pages import add_pages
from memsum.server.protocol import make_server
from memsum.server.responses import HealthAnswer
from memsum.server.settings import LOOPBACK_NAMES, Settings, address_of, is_loopback
from memsum.server.workers import Workers

_LOG = logging.getLogger("memsum.server")
_SENTENCES = {404: "Not found.", 405: "Method not allowed."}


def serve(
    model: str | Path,
    settings: Settings,
    opened: socket.socket,
    report: Callable[[str], None],
    *,
    open_page: bool = False,
) -> None:
    """Serve until interrupted; `report` gets what the user should know first."""
    if is_loopback(opened.getsockname()[0]):
        settings = replace(settings, hosts=LOOPBACK_NAMES)
    app = create_app(model, settings)
    app.state.prepare()  # else the first client that asks would hold up the others
    app.state.workers.start()  # fail now if the model cannot be loaded
    try:
        if settings.hosts is None and settings.token is None:
            report("Everyone who can reach this address can use the server: set MEMSUM_TOKEN to ask for a token.")
        report(f"memsum listens on {address_of(opened)}/ (Ctrl-C ends it).")
        if open_page:  # in a thread: some browsers return when they are closed
            threading.Thread(target=webbrowser.open, args=(f"{address_of(opened)}/",), daemon=True).start()
        make_server(app).run(sockets=[opened])
    finally:
        app.state.workers.close()


def create_app(model: str | Path, settings: Settings | None = None) -> FastAPI:
    """Make the application of a model; `app.state.workers` are its processes, which start with the first request."""
    settings = settings or Settings()
    metrics = Metrics()
    workers = Workers(model, settings, metrics)
    metrics.watch("jobs", "Requests that run or wait.", lambda: workers.jobs)
    metrics.watch("workers", "Worker processes.", lambda: workers.count)
    metrics.watch("readings", "Documents that are kept.", lambda: workers.readings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        workers.close()

    app = FastAPI(
        title="memsum",
        summary="The sentences of a document that say the most, quoted with their positions.",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=lifespan,
    )
    app.state.workers = workers
    rules = Rules(
        bytes=settings.bytes,
        seconds=settings.upload_seconds,
        held_bytes=settings.held_bytes,
        hosts=settings.hosts,
        token=settings.token,
        token_paths=("/v1/", "/metrics"),
        priority_path="/healthz",
    )
    app.add_middleware(RequestChecks, rules=rules, refuse=error_response)
    app.add_middleware(RequestMetrics, metrics=metrics)  # around the checks: what they refuse is counted
    app.include_router(api.bodies)
    app.include_router(api.router)
    app.state.prepare = add_pages(app)

    @app.exception_handler(MemsumError)
    async def refused(request: Request, error: MemsumError) -> Response:
        return error_response(error)

    @app.exception_handler(HTTPException)
    async def failed(request: Request, error: HTTPException) -> Response:
        sentence = _SENTENCES.get(error.status_code) or f"{HTTPStatus(error.status_code).phrase}."
        return error_response(MemsumError(sentence), error.status_code, dict(error.headers or {}))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        return error_response(MemsumError(f"{first['loc'][-1]}: {str(first['msg']).rstrip('.')}."))

    @app.exception_handler(Exception)
    async def broken(request: Request, error: Exception) -> Response:
        _LOG.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return error_response(MemsumError(FAILED), 500)

    @app.get("/healthz")
    async def health() -> HealthAnswer:
        """Report that the server is up."""
        return {"status": "ok"}

    @app.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
    async def prometheus() -> Response:
        """Prometheus metrics."""
        return Response(metrics.render(), media_type=CONTENT_TYPE)

    return app


def error_response(error: MemsumError, status: int = 422, headers: dict[str, str] | None = None) -> Response:
    """Make the answer for an error: a refusal has its status, anything else is the client's mistake."""
    if isinstance(error, Refusal):
        status, headers = error.status, error.headers
    record = {"error": error.message} | ({"hint": error.hint} if error.hint else {})
    return Response(json.dumps(record), status, headers, "application/json")
