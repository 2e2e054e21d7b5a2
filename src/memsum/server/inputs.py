"""From the body of a request to a document and options: JSON, or a form with a file. Only workers look into bodies."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator
from pathlib import PurePath
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from memsum.server.errors import Refusal
from memsum.server.requests import Source, Upload
from memsum.summary.places import one_line

JSON, FORM = "application/json", "multipart/form-data"
M = TypeVar("M", bound=BaseModel)
_LONGEST_NAME = 100
_MOST_FIELDS = 20


class _FormParser(MultiPartParser):
    """Keeps files in memory: what clients send is never written to a disk."""

    spool_max_size = sys.maxsize


def parse_json(content_type: str, body: bytes, model: type[M]) -> M:
    """A JSON body, or a Refusal."""
    _kind(content_type, (JSON,))
    return _validate_json(body, model)


def parse_document(content_type: str, body: bytes, model: type[Any], options: type[M]) -> tuple[Source, M]:
    """A document and its options: `model`, which is the options and a text, as JSON, or a form with a file."""
    if _kind(content_type, (JSON, FORM)) == JSON:
        parsed = _validate_json(body, model)
        return parsed.text, parsed
    try:
        upload, given = asyncio.run(_parse_form(content_type, body))
    except MultiPartException as error:
        raise Refusal(422, f"The form cannot be read: {error.message.rstrip('.')}.") from None
    if len(dict(given)) < len(given):
        raise Refusal(422, "The form has a field more than once.")
    return upload, _validate_form(dict(given), options)


async def _parse_form(content_type: str, body: bytes) -> tuple[Upload, list[tuple[str, Any]]]:
    async def stream() -> AsyncGenerator[bytes, None]:
        yield body

    parser = _FormParser(Headers({"content-type": content_type}), stream(), max_files=1, max_fields=_MOST_FIELDS)
    fields = await parser.parse()
    try:
        files = [value for name, value in fields.multi_items() if name == "file"]
        if len(files) != 1 or not isinstance(files[0], UploadFile):
            raise Refusal(422, "The form has no field 'file' with a file in it.")
        upload = Upload(_name(files[0].filename), await files[0].read())
        return upload, [(name, value) for name, value in fields.multi_items() if name != "file" and value != ""]
    finally:
        await fields.close()


def _validate_form(values: dict[str, Any], model: type[M]) -> M:
    """Fields of a form, which are all text."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise Refusal(422, _sentence(error)) from None


def _sentence(error: ValidationError) -> str:
    """The first of what is wrong, in one sentence."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"] if part not in ("constrained-str", "constrained-int"))
    says = first["msg"].rstrip(".")
    return one_line(f"{where}: {says}." if where else f"{says}.")


def _validate_json(body: bytes, model: type[M]) -> M:
    try:
        return model.model_validate_json(body, strict=True)
    except ValidationError as error:
        raise Refusal(422, _sentence(error)) from None


def _kind(content_type: str, allowed: tuple[str, ...]) -> str:
    kind = content_type.partition(";")[0].strip().lower()
    if kind not in allowed:
        raise Refusal(415, f"The body of this request has to be {' or '.join(allowed)}.")
    return kind


def _name(given: str | None) -> str:
    """The name of a file for messages, without folders."""
    return one_line(PurePath((given or "").replace("\\", "/")).name)[:_LONGEST_NAME] or "document"
