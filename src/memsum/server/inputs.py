"""Parse the body of a request: JSON, or a form with a file. Only workers do."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from memsum.printable import one_line
from memsum.server.forms import FORM, FormError, Part, read_form
from memsum.server.middleware import Refusal
from memsum.server.requests import Form, Upload

JSON = "application/json"
M = TypeVar("M", bound=BaseModel)
F = TypeVar("F", bound=Form)
_LONGEST_NAME = 100
_MOST_FIELDS = 20
_MOST_VALUES = 1_500_000  # of a JSON body: twice 64 documents of 10,000 sentences, which strings and commas count
_MOST_KEYS = 10_000
_VALUES = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[,:\[{]', re.DOTALL)


def parse(content_type: str, body: bytes, model: type[M], form: type[F] | None = None) -> M | F:
    """Parse a JSON body as `model`, or a form with a file as `form`; raise a Refusal if it is neither."""
    kind = content_type.partition(";")[0].strip().lower()
    try:
        if kind == JSON:
            _check_values(body)
            return model.model_validate_json(body, strict=True)
        if kind == FORM and form is not None:
            return form.model_validate(_fields(content_type, body, form.most_files))
    except ValidationError as error:
        raise Refusal(422, _sentence(error)) from None
    raise Refusal(415, f"The body of this request has to be {JSON if form is None else f'{JSON} or {FORM}'}.")


def _check_values(body: bytes) -> None:
    """Refuse JSON of more values than any request has: parsed, each takes up to a hundred times its bytes."""
    keys = 0
    for values, found in enumerate(_VALUES.finditer(body)):
        keys += found[0] == b":"
        if values > _MOST_VALUES or keys > _MOST_KEYS:
            raise Refusal(413, "The request has more values than any document needs.", "Send plain text.")


def _fields(content_type: str, body: bytes, most_files: int) -> dict[str, Any]:
    """Return the fields of a form: text, except for its files; empty ones are left out."""
    try:
        parts = read_form(content_type, body, most_files, _MOST_FIELDS)
    except FormError as error:
        raise Refusal(422, f"The form cannot be read: {error}.") from None
    fields = [(part.name, value) for part in parts if (value := _value(part)) != ""]
    files = [value for name, value in fields if name == "file"]
    others = [(name, value) for name, value in fields if name != "file"]
    if not files or not all(isinstance(file, Upload) for file in files):
        raise Refusal(422, "The form has no field 'file' with a file in it.")
    questions = tuple(value for name, value in others if name == "about")
    if len(dict(others)) < len(others) - max(len(questions) - 1, 0):
        raise Refusal(422, "The form has a field more than once.")
    several = {"about": questions} if len(questions) > 1 else {}
    return {**dict(others), **several, "file": files[0] if most_files == 1 else files}


def _value(part: Part) -> str | Upload:
    """Return the text of a field, or a file with a name for messages, without folders."""
    if part.filename is None:
        return part.content.decode("utf-8", "replace")
    name = one_line(PurePath(part.filename.replace("\\", "/")).name)[:_LONGEST_NAME]
    return Upload(name or "document", part.content)


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"] if part not in ("constrained-str", "constrained-int"))
    says = first["msg"].rstrip(".")
    return one_line(f"{where}: {says}." if where else f"{says}.")
