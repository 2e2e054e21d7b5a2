"""The endpoints of the API under /v1: what they take and answer. Workers do all the work, as `OPERATIONS` says."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.routing import APIRoute

from memsum._version import __version__
from memsum.document.readers.pdf.words import MAX_PAGES
from memsum.document.records import DocumentRecord
from memsum.query.located import QuotesRecord
from memsum.server.forms import FORM, JSON
from memsum.server.middleware import not_kept
from memsum.server.requests import MOST_DOCUMENTS, OrderOptions, PageOptions, QuotesRequest, ShownOptions
from memsum.server.responses import (
    BatchAnswer,
    ErrorAnswer,
    ModelsAnswer,
    OrderAnswer,
    PagesAnswer,
    QuestionsAnswer,
    ReadingAnswer,
    TextsAnswer,
)
from memsum.server.service import OPERATIONS
from memsum.server.workers import Workers
from memsum.summary.records import AnswersRecord, SummaryRecord

_REFUSALS = {
    401: "The token is missing or wrong.",
    403: "The request comes from another site.",
    404: "The document is no longer kept.",
    408: "The request took too long to arrive.",
    413: "The document is too large.",
    415: "The content type is not supported.",
    422: "The request or the document cannot be used.",
    429: "The queue is full.",
    503: "It took too long, or the server is overloaded.",
}
_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorAnswer, "description": reason} for status, reason in _REFUSALS.items()
}
_FILES = {
    kind: {"schema": {"type": "string"}} for kind in ("text/markdown", "text/plain", "text/html", "application/pdf")
}


class _BodyRoute(APIRoute):
    """The route of an operation whose body only a worker parses: what it declares is for its description."""

    def get_route_handler(self) -> Callable[[Request], Awaitable[Response]]:  # type: ignore[override]
        async def handle(request: Request) -> Response:
            kind = request.headers.get("content-type", "")
            return await _ask(request.app.state.workers, self.name, body=await request.body(), content_type=kind)

        return handle


async def _workers(request: Request) -> Workers:
    workers: Workers = request.app.state.workers
    return workers


WorkersHere = Annotated[Workers, Depends(_workers)]
bodies = APIRouter(prefix="/v1", route_class=_BodyRoute, responses={k: v for k, v in _ERRORS.items() if k != 404})
router = APIRouter(prefix="/v1", responses=_ERRORS)


def _add_body_route(path: str, name: str, answer: Any) -> None:
    """Add the endpoint of an operation, described by the requests and the docstring that the operation has."""
    operation = OPERATIONS[name]

    def declared() -> None: ...

    body = inspect.Parameter("body", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=operation.request)
    declared.__signature__ = inspect.Signature([body])  # type: ignore[attr-defined]
    form = {FORM: {"schema": operation.form.model_json_schema()}} if operation.form else None
    bodies.add_api_route(
        path,
        declared,
        methods=["POST"],
        name=name,
        description=inspect.getdoc(operation.handler),
        response_model=answer,
        openapi_extra={"requestBody": {"content": form}} if form else None,
    )


_add_body_route("/summarize", "summarize", SummaryRecord | AnswersRecord)
_add_body_route("/summarize/batch", "batch", BatchAnswer)
_add_body_route("/summarize/together", "together", SummaryRecord | AnswersRecord)
_add_body_route("/locate", "locate", QuotesRecord)
_add_body_route("/text", "text", DocumentRecord)
_add_body_route("/readings", "read", ReadingAnswer)


@router.get("/readings/{reading}", response_model=OrderAnswer)
async def order(workers: WorkersHere, reading: str, options: Annotated[OrderOptions, Query()]) -> Response:
    """Return the extraction order of a kept document: every summary is a prefix of this order."""
    return await _ask(workers, "order", reading, options=options.model_dump())


@router.get("/readings/{reading}/document", response_model=ReadingAnswer)
async def document(workers: WorkersHere, reading: str) -> Response:
    """Return a kept document, as it was answered when it was read."""
    return await _ask(workers, "document", reading)


@router.get("/readings/{reading}/text", response_model=TextsAnswer)
async def text_of_kept(workers: WorkersHere, reading: str) -> Response:
    """Return the text that offsets point into, with its blocks, sentences and pages."""
    return await _ask(workers, "text_of_kept", reading)


@router.post(
    "/readings/{reading}/locate",
    response_model=QuotesRecord,
    openapi_extra={"requestBody": {"required": True, "content": {JSON: {"schema": QuotesRequest.model_json_schema()}}}},
)
async def locate_kept(workers: WorkersHere, reading: str, request: Request) -> Response:
    """Tell of each quote if a kept document has it, and where."""
    kind = request.headers.get("content-type", "")
    return await _ask(workers, "locate_kept", reading, await request.body(), content_type=kind)


@router.get("/readings/{reading}/questions", response_model=QuestionsAnswer)
async def questions(workers: WorkersHere, reading: str) -> Response:
    """Suggest a few questions that a kept document answers."""
    return await _ask(workers, "questions", reading)


@router.get("/readings/{reading}/pages", response_model=PagesAnswer)
async def pages(workers: WorkersHere, reading: str) -> Response:
    """Return the sizes of the pages of kept PDFs, and where on them each sentence stands."""
    return await _ask(workers, "pages", reading)


@router.get(
    "/readings/{reading}/pages/{page}",
    response_class=Response,
    responses={200: {"content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}}},
)
async def draw(
    workers: WorkersHere,
    reading: str,
    page: Annotated[int, Path(ge=1, le=MOST_DOCUMENTS * MAX_PAGES, description="Counted from 1, through all PDFs.")],
    options: Annotated[PageOptions, Query()],
) -> Response:
    """Return a picture of a page of a kept PDF."""
    return await _ask(workers, "draw", reading, options={"page": page, "width": options.width})


@router.get("/readings/{reading}/summary", response_model=SummaryRecord, responses={200: {"content": _FILES}})
async def show(workers: WorkersHere, reading: str, options: Annotated[ShownOptions, Query()]) -> Response:
    """Return a summary of a kept document as JSON, Markdown, text, a page of HTML or a highlighted PDF."""
    return await _ask(workers, "show", reading, options=options.model_dump())


@router.delete("/readings/{reading}", status_code=204, response_model=None)
async def forget(workers: WorkersHere, reading: str) -> None:
    """Delete a kept document."""
    await _ask(workers, "forget", reading)


@router.get("/models")
async def models(workers: WorkersHere) -> ModelsAnswer:
    """Return the model of this server."""
    if workers.model is None:
        await workers.run({"operation": "model"})
    assert workers.model is not None  # noqa: S101 - a worker that answers has loaded it
    return {"models": [workers.model], "version": __version__}


async def _ask(
    workers: Workers, operation: str, reading: str | None = None, body: bytes = b"", **header: Any
) -> Response:
    """Let a worker do an operation: on a kept document, whose id begins with its worker's number, or on a body."""
    worker = None
    if reading is not None:
        number, dot, _ = reading.partition(".")
        if not dot or not number.isascii() or not number.isdigit() or len(number) > 3:
            raise not_kept()
        worker, header["reading"] = int(number), reading
    about, content = await workers.run({"operation": operation, **header}, body, worker)
    name = about.get("name")
    headers = {"content-disposition": f'attachment; filename="{name}"'} if name else None
    return Response(content, media_type=about.get("media_type", JSON), headers=headers)
