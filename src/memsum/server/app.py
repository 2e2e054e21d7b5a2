"""The application: the API, the page, and one-sentence answers to everything that goes wrong."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from memsum._version import __version__
from memsum.errors import MemsumError
from memsum.server.answers import HealthOut
from memsum.server.api import add_api
from memsum.server.errors import Refusal, error_body
from memsum.server.gate import Gate
from memsum.server.inputs import JSON
from memsum.server.metrics import CONTENT_TYPE, Metrics
from memsum.server.pages import add_pages
from memsum.server.settings import Settings
from memsum.server.workers import Workers

_LOG = logging.getLogger("memsum.server")


def create_app(model: str | Path, settings: Settings | None = None) -> FastAPI:
    """Make the application of a model; `app.state.workers` are its processes, which start with the first request."""
    settings = settings or Settings()
    metrics = Metrics()
    workers = Workers(model, settings, metrics)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        workers.close()

    app = FastAPI(
        title="memsum",
        summary="The sentences of a document that say the most, quoted with their places.",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.workers = workers
    app.add_middleware(Gate, settings=settings, metrics=metrics)
    add_api(app, workers)
    add_pages(app)
    _add_errors(app)

    @app.get("/healthz", response_model=HealthOut)
    async def health() -> HealthOut:
        """Whether the server is there."""
        return HealthOut()

    @app.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
    async def numbers() -> Response:
        """Numbers for Prometheus."""
        gauges = {"jobs": workers.jobs, "workers": workers.count, "readings": workers.readings}
        return Response(metrics.render(gauges), media_type=CONTENT_TYPE)

    return app


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(MemsumError)
    async def refused(request: Request, error: MemsumError) -> Response:
        status, headers = (error.status, error.headers) if isinstance(error, Refusal) else (422, {})
        return Response(error_body(error), status, headers, JSON)

    @app.exception_handler(HTTPException)
    async def failed(request: Request, error: HTTPException) -> Response:
        says = {404: "There is nothing at this address.", 405: "This address does not take this method."}
        sentence = says.get(error.status_code) or f"{HTTPStatus(error.status_code).phrase}."
        return Response(error_body(MemsumError(sentence)), error.status_code, dict(error.headers or {}), JSON)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        sentence = f"{first['loc'][-1]}: {str(first['msg']).rstrip('.')}."
        return Response(error_body(MemsumError(sentence)), 422, media_type=JSON)

    @app.exception_handler(Exception)
    async def broken(request: Request, error: Exception) -> Response:
        _LOG.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return Response(error_body(MemsumError("The server failed; its log says why.")), 500, media_type=JSON)
