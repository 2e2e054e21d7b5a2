"""The addresses of the API under /v1: each parses its request, and hands the work to a worker."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Response

from memsum._version import __version__
from memsum.server.answers import BatchOut, ErrorOut, ModelsOut, OrderOut, ReadingOut, SummaryOut
from memsum.server.errors import Refusal
from memsum.server.inputs import FORM, JSON, parse_document, parse_json
from memsum.server.requests import (
    BatchRequest,
    Options,
    ReadingOptions,
    ReadingRequest,
    SummarizeOptions,
    SummarizeRequest,
)
from memsum.server.service import Format, Service
from memsum.server.settings import Settings
from memsum.server.workers import Workers
from memsum.summarizer import Summarizer

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


class ShownOptions(Options):
    """How to show a summary of a document that is kept."""

    format: Format = "json"


def add_api(app: FastAPI, summarizer: Summarizer, service: Service, workers: Workers, settings: Settings) -> None:
    """Add the addresses of the API."""

    @app.post("/v1/summarize", responses=_answers(SummaryOut), openapi_extra=_body(SummarizeRequest, SummarizeOptions))
    async def summarize(request: Request) -> Response:
        """Summarise a text, a list of sentences, or a file."""
        source, options = await parse_document(request, SummarizeRequest, SummarizeOptions)
        options.length()
        return _reply(await workers.run(lambda deadline: service.summarize(source, options, deadline)))

    @app.post("/v1/summarize/batch", responses=_answers(BatchOut), openapi_extra=_body(BatchRequest))
    async def summarize_batch(request: Request) -> Response:
        """Summarise several documents; one that cannot be read gets an error and the others go on."""
        batch = await parse_json(request, BatchRequest)
        if len(batch.documents) > settings.documents:
            raise Refusal(413, f"A batch has at most {settings.documents} documents.", "Send several batches.")
        batch.length()
        return _reply(await workers.run(lambda deadline: service.batch(batch, deadline)))

    @app.post("/v1/readings", responses=_answers(ReadingOut), openapi_extra=_body(ReadingRequest, ReadingOptions))
    async def read(request: Request) -> Response:
        """Read a document once and keep it for a while, to show summaries of it at any length."""
        source, options = await parse_document(request, ReadingRequest, ReadingOptions)
        block = options.block_trigrams
        return _reply(await workers.run(lambda deadline: service.read(source, block_trigrams=block, deadline=deadline)))

    @app.get("/v1/readings/{reading}", responses=_answers(OrderOut, 404))
    async def order(reading: str, extractions: Annotated[int, Query(ge=1, le=MOST_EXTRACTIONS)] = 30) -> Response:
        """The order of extraction of a document that is kept: every summary is a beginning of it."""
        return _reply(await workers.run(lambda deadline: service.order(reading, extractions, deadline)))

    @app.get("/v1/readings/{reading}/summary", responses=_answers(None, 404))
    async def show(reading: str, options: Annotated[ShownOptions, Query()]) -> Response:
        """A summary of a document that is kept, as JSON, Markdown, text, a page of HTML or a highlighted PDF."""
        options.length()
        shown = await workers.run(lambda deadline: service.show(reading, options, options.format, deadline))
        headers = {"content-disposition": f'attachment; filename="{shown.name}"'}
        return Response(shown.content, media_type=shown.media_type, headers=headers)

    @app.delete("/v1/readings/{reading}", status_code=204, responses=_errors())
    async def forget(reading: str) -> Response:
        """Forget a document at once."""
        service.readings.forget(reading)
        return Response(status_code=204)

    @app.get("/v1/models", response_model=ModelsOut, responses=_errors())
    async def models() -> dict[str, Any]:
        """The model that answers."""
        runtime = summarizer.runtime
        stop = runtime.config.stop
        return {
            "models": [
                {
                    "name": summarizer.name,
                    "stop_threshold": stop.threshold,
                    "max_sentences": stop.max_sentences,
                    "words": len(runtime.encoder.vectors.vocabulary),
                }
            ],
            "version": __version__,
        }


def _reply(content: bytes) -> Response:
    return Response(content, media_type=JSON)


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
