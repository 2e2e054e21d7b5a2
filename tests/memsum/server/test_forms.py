"""Forms with files: what clients send is found, and what nobody should send costs little."""

from __future__ import annotations

import signal

import httpx
import pytest

from memsum.server.forms import FormError, Part, parse, read_form
from memsum.server.middleware import Refusal
from memsum.server.requests import SummarizeForm, SummarizeRequest, Upload

from ..document import growth

TYPE = "multipart/form-data; boundary=x"
HEAD = 'Content-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
END = "\r\n--x--\r\n"


def read(*parts: str, files: int = 2, fields: int = 2) -> list[Part]:
    body = "".join(f"--x\r\n{part}\r\n" for part in parts) + "--x--\r\n"
    return read_form(TYPE, body.encode(), files, fields)


def test_forms_are_read_as_clients_write_them() -> None:
    content = bytes(range(256)) + b"\r\n--\r\n-- x\r\n\r\n"
    files = [("file", ('a "b" ü.txt', content, "text/plain")), ("file", ("empty", b""))]
    request = httpx.Request("POST", "http://x", files=files, data={"about": "Why “so”?"})
    assert read_form(request.headers["content-type"], request.read(), 2, 1) == [
        Part("about", "Why “so”?".encode()),
        Part("file", content, "a %22b%22 ü.txt"),
        Part("file", b"", "empty"),
    ]


def test_names_without_quotation_marks_quoted_boundaries_and_preambles() -> None:
    body = b"Preamble.\r\n--a b\t\r\nX: y\r\ncontent-disposition: form-data; NAME=n\r\n\r\n\r\n--a bc\r\n--a b--"
    assert read_form('multipart/form-data; charset=utf-8; boundary="a b"', body, 0, 1) == [Part("n", b"\r\n--a bc")]


@pytest.mark.parametrize(
    ("content_type", "body", "says"),
    [
        ("multipart/form-data", "--x--\r\n", "names no boundary"),
        (TYPE, "", "does not begin with its boundary"),
        (TYPE, f"--x\r\n{HEAD}a", "cut off"),
        (TYPE, f"--x\r\n\r\n\r\na{END}", "has no name"),
        (TYPE, f"--x\r\n{'X' * 9000}: y\r\n{HEAD}a{END}", "has no name"),
        (TYPE, f"--x\r\n{HEAD}a\r\n--x\r\n{HEAD}a{END}", "more than 1 files"),
        (TYPE, f'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n{"a" * 2**20}a{END}', "1,048,576 bytes"),
    ],
)
def test_what_is_no_form_is_refused_with_a_reason(content_type: str, body: str, says: str) -> None:
    with pytest.raises(FormError, match=says):
        read_form(content_type, body.encode(), 1, 20)


def test_uploads_stay_in_memory() -> None:
    content = "It rained. " * 300_000
    form = parse(TYPE, f"--x\r\n{HEAD}{content}{END}".encode(), SummarizeRequest, SummarizeForm)
    assert form.source == Upload("a.txt", content.encode())


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="endless work cannot be interrupted here")
@pytest.mark.parametrize(
    "pattern",
    [
        *(growth.Pattern(unit, f"--x\r\n{HEAD}", END) for unit in ("\r\n-", "\r\n--", "\r\n--x", "\r", "\n", "-", "x")),
        growth.Pattern(" ", f"--x\r\n{HEAD}\r\n--x", END),
        growth.Pattern("\r\n--x\r\n", f"--x\r\n{HEAD}", END),
        growth.Pattern(f"\r\n--x\r\n{HEAD}", f"--x\r\n{HEAD}", END),
        growth.Pattern("\r\n-", "", ""),
        growth.Pattern('\\"', '--x\r\nContent-Disposition: form-data; name="', END),
        growth.Pattern(";", "--x\r\nContent-Disposition: form-data", END),
    ],
)
def test_no_body_makes_reading_a_form_superlinear(pattern: growth.Pattern) -> None:
    def call(text: str) -> None:
        try:
            parse(TYPE, text.encode(), SummarizeRequest, SummarizeForm)
        except Refusal:
            return

    assert not growth.complaint(call, pattern, 200_000)
