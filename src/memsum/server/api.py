"""The addresses of the API under /v1: each parses its request, and hands the work to a worker."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Response

from memsum._version import __version__
from memsum.server.answers import BatchOut, ErrorOut, ModelsOut, OrderOut, ReadingOut, SummaryOut
from memsum.server.errors import place_of
from memsum.server.inputs import FORM, JSON
from memsum.server.requests import (
    BatchRequest,
    ReadingOptions,
    ReadingRequest,
    ShownOptions,
    SummarizeOptions,
    SummarizeRequest,
)
from memsum.server.workers import Answer, Workers

MOST_EXTRACTIONS = 200
_REFUSALS = {
    401: "A token is wanted.",
    403: "The request comes from another site.",
    408: "The request came too slowly.",
    413: "The document is too large.",
    415: "The content type is another one.",
    422: "The request or the document cannot be used.",
    429: "The queue is full.",
    503: "It took too long, or the server is overloaded.",
}


def add_api(app: FastAPI, workers: Workers) -> None:
    """Add the addresses of the API."""

    async def post(request: Request, operation: str) -> Response:
        header = {"operation": operation, "content_type": request.headers.get("content-type", "")}
        return _reply(await workers.run(header, await request.body()))

    @app.post("/v1/summarize", responses=_answers(SummaryOut), openapi_extra=_body(SummarizeRequest, SummarizeOptions))
    async def summarize(request: Request) -> Response:
        """Summarise a text, a list of sentences, or a file."""
        return await post(request, "summarize")

    @app.post("/v1/summarize/batch", responses=_answers(BatchOut), openapi_extra=_body(BatchRequest))
    async def summarize_batch(request: Request) -> Response:
        """Summarise several documents; one that cannot be read gets an error and the others go on."""
        return await post(request, "batch")

    @app.post("/v1/readings", responses=_answers(ReadingOut), openapi_extra=_body(ReadingRequest, ReadingOptions))
    async def read(request: Request) -> Response:
        """Read a document once and keep it for a while, to show summaries of it at any length."""
        return await post(request, "read")

    @app.get("/v1/readings/{reading}", responses=_answers(OrderOut, 404))
    async def order(reading: str, extractions: Annotated[int, Query(ge=1, le=MOST_EXTRACTIONS)] = 30) -> Response:
        """The order of extraction of a document that is kept: every summary is a beginning of it."""
        header = {"operation": "order", "reading": reading, "extractions": extractions}
        return _reply(await workers.run(header, place=place_of(reading)))

    @app.get("/v1/readings/{reading}/summary", responses=_answers(None, 404))
    async def show(reading: str, options: Annotated[ShownOptions, Query()]) -> Response:
        """A summary of a document that is kept, as JSON, Markdown, text, a page of HTML or a highlighted PDF."""
        options.length()
        header = {"operation": "show", "reading": reading, "options": options.model_dump()}
        return _reply(await workers.run(header, place=place_of(reading)))

    @app.delete("/v1/readings/{reading}", status_code=204, responses=_errors(404))
    async def forget(reading: str) -> Response:
        """Forget a document at once."""
        await workers.run({"operation": "forget", "reading": reading}, place=place_of(reading))
        return Response(status_code=204)

    @app.get("/v1/models", response_model=ModelsOut, responses=_errors())
    async def models() -> dict[str, Any]:
        """The model that answers."""
        if workers.model is None:
            await workers.run({"operation": "model"})
        return {"models": [workers.model], "version": __version__}


def _reply(answer: Answer) -> Response:
    name = answer.about.get("name")
    headers = {"content-disposition": f'attachment; filename="{name}"'} if name else None
    return Response(answer.content, media_type=answer.about.get("media_type", JSON), headers=headers)


def _errors(*more: int) -> dict[int | str, dict[str, Any]]:
    says = {**_REFUSALS, 404: "There is no such document any more."}
    return {status: {"model": ErrorOut, "description": says[status]} for status in sorted({*_REFUSALS, *more})}


def _answers(model: type | None, *more: int) -> dict[int | str, dict[str, Any]]:
    """The answers of an address for its description; None: a file."""
    if model is not None:
        return {200: {"model": model, "description": "Done."}, **_errors(*more)}
    kinds = ("text/markdown", "text/plain", "text/html", "application/pdf")
    content: dict[str, Any] = {kind: {"schema": {"type": "string"}} for kind in kinds}
    return {200: {"model": SummaryOut, "description": "Done.", "content": content}, **_errors(*more)}


def _body(model: type[Any], form: type[Any] | None = None) -> dict[str, Any]:
    """The description of a body that is parsed by hand."""
    content = {JSON: {"schema": _inline(model)}}
    if form is not None:
        schema = _inline(form)
        file = {"type": "string", "format": "binary", "description": "PDF, DOCX, HTML, LaTeX, Markdown, JATS or text."}
        schema["properties"] = {"file": file, **schema["properties"]}
        schema["required"] = ["file"]
        content[FORM] = {"schema": schema}
    return {"requestBody": {"required": True, "content": content}}


def _inline(model: type[Any]) -> dict[str, Any]:
    """A JSON schema without references: OpenAPI keeps its own elsewhere."""
    schema: dict[str, Any] = model.model_json_schema()
    definitions = schema.pop("$defs", {})

    def resolve(value: Any) -> Any:
        if isinstance(value, dict):
            reference = value.get("$ref", "").rpartition("/")[2]
            return resolve(definitions[reference]) if reference else {key: resolve(item) for key, item in value.items()}
        return [resolve(item) for item in value] if isinstance(value, list) else value

    resolved: dict[str, Any] = resolve(schema)
    return resolved
