"""The endpoints of the API under /v1; workers answer all of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel

from memsum._version import __version__
from memsum.document.readers.pdf.words import MAX_PAGES
from memsum.isolation import Answer
from memsum.server.answers import (
    BatchAnswer,
    ErrorAnswer,
    ModelsAnswer,
    OrderAnswer,
    PagesAnswer,
    ReadingAnswer,
    SeveralAnswer,
    SummaryAnswer,
)
from memsum.server.errors import not_kept
from memsum.server.forms import FORM
from memsum.server.inputs import JSON
from memsum.server.requests import (
    MOST_DOCUMENTS,
    BatchRequest,
    OrderOptions,
    PageOptions,
    ReadingForm,
    ReadingRequest,
    ShownOptions,
    SummarizeForm,
    SummarizeRequest,
    TogetherForm,
    TogetherRequest,
)
from memsum.server.workers import Workers

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
    """A route whose body only a worker parses: its function declares the request and the answer, and never runs."""

    def get_route_handler(self) -> Callable[[Request], Awaitable[Response]]:  # type: ignore[override]
        async def handle(request: Request) -> Response:
            header = {"operation": self.name, "content_type": request.headers.get("content-type", "")}
            return _reply(await request.app.state.workers.run(header, await request.body()))

        return handle


async def _workers(request: Request) -> Workers:
    workers: Workers = request.app.state.workers
    return workers


def _or_form(model: type[BaseModel]) -> dict[str, Any]:
    """Describe that the body may also be a form."""
    return {"requestBody": {"content": {FORM: {"schema": model.model_json_schema()}}}}


WorkersHere = Annotated[Workers, Depends(_workers)]
bodies = APIRouter(prefix="/v1", route_class=_BodyRoute, responses={k: v for k, v in _ERRORS.items() if k != 404})
router = APIRouter(prefix="/v1", responses=_ERRORS)


@bodies.post("/summarize", response_model=SummaryAnswer | SeveralAnswer, openapi_extra=_or_form(SummarizeForm))
async def summarize(body: SummarizeRequest) -> None:
    """Summarize a text, a list of sentences, or a file."""


@bodies.post("/summarize/batch", response_model=BatchAnswer)
async def batch(body: BatchRequest) -> None:
    """Summarize several documents; one that cannot be read gets an error and the others go on."""


@bodies.post("/summarize/together", response_model=SummaryAnswer | SeveralAnswer, openapi_extra=_or_form(TogetherForm))
async def together(body: TogetherRequest) -> None:
    """Summarize several documents as one; those that cannot be read are left out, with a warning."""


@bodies.post("/readings", response_model=ReadingAnswer, openapi_extra=_or_form(ReadingForm))
async def read(body: ReadingRequest) -> None:
    """Read a document, or several as one, and keep it for a while, to show summaries of it at any length."""


@router.get("/readings/{reading}", response_model=OrderAnswer)
async def order(workers: WorkersHere, reading: str, options: Annotated[OrderOptions, Query()]) -> Response:
    """Return the extraction order of a kept document: every summary is a prefix of this order."""
    header = {"operation": "order", "reading": reading, "options": options.model_dump()}
    return _reply(await workers.run(header, worker=_worker_of(reading)))


@router.get("/readings/{reading}/document", response_model=ReadingAnswer)
async def document(workers: WorkersHere, reading: str) -> Response:
    """Return a kept document, as it was answered when it was read."""
    return _reply(await workers.run({"operation": "document", "reading": reading}, worker=_worker_of(reading)))


@router.get("/readings/{reading}/pages", response_model=PagesAnswer)
async def pages(workers: WorkersHere, reading: str) -> Response:
    """Return the sizes of the pages of kept PDFs, and where on them each sentence stands."""
    return _reply(await workers.run({"operation": "pages", "reading": reading}, worker=_worker_of(reading)))


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
    header = {"operation": "draw", "reading": reading, "page": page, "width": options.width}
    return _reply(await workers.run(header, worker=_worker_of(reading)))


@router.get("/readings/{reading}/summary", response_model=SummaryAnswer, responses={200: {"content": _FILES}})
async def show(workers: WorkersHere, reading: str, options: Annotated[ShownOptions, Query()]) -> Response:
    """Return a summary of a kept document as JSON, Markdown, text, a page of HTML or a highlighted PDF."""
    header = {"operation": "show", "reading": reading, "options": options.model_dump()}
    return _reply(await workers.run(header, worker=_worker_of(reading)))


@router.delete("/readings/{reading}", status_code=204, response_model=None)
async def forget(workers: WorkersHere, reading: str) -> None:
    """Delete a kept document."""
    await workers.run({"operation": "forget", "reading": reading}, worker=_worker_of(reading))


@router.get("/models")
async def models(workers: WorkersHere) -> ModelsAnswer:
    """Return the model of this server."""
    if workers.model is None:
        await workers.run({"operation": "model"})
    assert workers.model is not None  # noqa: S101 - a worker that answers has loaded it
    return {"models": [workers.model], "version": __version__}


def _reply(answer: Answer) -> Response:
    about, content = answer
    name = about.get("name")
    headers = {"content-disposition": f'attachment; filename="{name}"'} if name else None
    return Response(content, media_type=about.get("media_type", JSON), headers=headers)


def _worker_of(reading: str) -> int:
    """Return the number of the worker that keeps a document, or raise a Refusal."""
    number, dot, _ = reading.partition(".")
    if not dot or not number.isascii() or not number.isdigit() or len(number) > 3:
        raise not_kept()
    return int(number)
