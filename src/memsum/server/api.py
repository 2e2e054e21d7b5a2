"""The addresses of the API under /v1; workers answer all of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel

from memsum._version import __version__
from memsum.server.answers import BatchAnswer, ErrorAnswer, ModelsAnswer, OrderAnswer, ReadingAnswer, SummaryAnswer
from memsum.server.errors import not_kept
from memsum.server.inputs import FORM, JSON
from memsum.server.requests import (
    BatchRequest,
    OrderOptions,
    ReadingForm,
    ReadingRequest,
    ShownOptions,
    SummarizeForm,
    SummarizeRequest,
    TogetherForm,
    TogetherRequest,
)
from memsum.server.workers import Answer, Workers

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
    status: {"model": ErrorAnswer, "description": says} for status, says in _REFUSALS.items()
}
_FILES = {
    kind: {"schema": {"type": "string"}} for kind in ("text/markdown", "text/plain", "text/html", "application/pdf")
}


class _BodyRoute(APIRoute):
    """A route with a body that only a worker looks into: its function says what is taken and answered, not how."""

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


@bodies.post("/summarize", response_model=SummaryAnswer, openapi_extra=_or_form(SummarizeForm))
async def summarize(body: SummarizeRequest) -> None:
    """Summarise a text, a list of sentences, or a file."""


@bodies.post("/summarize/batch", response_model=BatchAnswer)
async def batch(body: BatchRequest) -> None:
    """Summarise several documents; one that cannot be read gets an error and the others go on."""


@bodies.post("/summarize/together", response_model=SummaryAnswer, openapi_extra=_or_form(TogetherForm))
async def together(body: TogetherRequest) -> None:
    """Summarise several documents as one; those that cannot be read are left out, with a warning."""


@bodies.post("/readings", response_model=ReadingAnswer, openapi_extra=_or_form(ReadingForm))
async def read(body: ReadingRequest) -> None:
    """Read a document, or several as one, and keep it for a while, to show summaries of it at any length."""


@router.get("/readings/{reading}", response_model=OrderAnswer)
async def order(workers: WorkersHere, reading: str, options: Annotated[OrderOptions, Query()]) -> Response:
    """The order of extraction of a document that is kept: every summary is a beginning of it."""
    header = {"operation": "order", "reading": reading, "options": options.model_dump()}
    return _reply(await workers.run(header, place=_place(reading)))


@router.get("/readings/{reading}/document", response_model=ReadingAnswer)
async def document(workers: WorkersHere, reading: str) -> Response:
    """A document that is kept, as it was answered when it was read."""
    return _reply(await workers.run({"operation": "document", "reading": reading}, place=_place(reading)))


@router.get("/readings/{reading}/summary", response_model=SummaryAnswer, responses={200: {"content": _FILES}})
async def show(workers: WorkersHere, reading: str, options: Annotated[ShownOptions, Query()]) -> Response:
    """A summary of a document that is kept, as JSON, Markdown, text, a page of HTML or a highlighted PDF."""
    header = {"operation": "show", "reading": reading, "options": options.model_dump()}
    return _reply(await workers.run(header, place=_place(reading)))


@router.delete("/readings/{reading}", status_code=204, response_model=None)
async def forget(workers: WorkersHere, reading: str) -> None:
    """Forget a document at once."""
    await workers.run({"operation": "forget", "reading": reading}, place=_place(reading))


@router.get("/models")
async def models(workers: WorkersHere) -> ModelsAnswer:
    """The model that answers."""
    if workers.model is None:
        await workers.run({"operation": "model"})
    assert workers.model is not None  # noqa: S101 - a worker that answers has loaded it
    return {"models": [workers.model], "version": __version__}


def _reply(answer: Answer) -> Response:
    """A worker's answer, as it came."""
    name = answer.about.get("name")
    headers = {"content-disposition": f'attachment; filename="{name}"'} if name else None
    return Response(answer.content, media_type=answer.about.get("media_type", JSON), headers=headers)


def _place(reading: str) -> int:
    """The place of the worker that keeps a document by this id, or a Refusal."""
    place, dot, _ = reading.partition(".")
    if not dot or not place.isascii() or not place.isdigit() or len(place) > 3:
        raise not_kept()
    return int(place)
