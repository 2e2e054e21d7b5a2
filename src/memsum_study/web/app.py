"""The web application of a study: its addresses, its forms, and the server that runs it."""

from __future__ import annotations

import math
import time
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast
from urllib.parse import parse_qsl

from memsum.errors import MissingExtraError
from memsum.server.settings import LOOPBACK_NAMES, address_of, is_loopback, open_socket
from memsum_study.plan import Annotator, Ballot, Choice, StudyDocument, Task
from memsum_study.records import CRITERIA, StudyError
from memsum_study.similarity import Finder, open_finder
from memsum_study.store import Study

try:
    from fastapi import Depends, FastAPI, HTTPException, Request
    from fastapi.exceptions import RequestValidationError
    from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
    from fastapi.staticfiles import StaticFiles
    from fastapi.templating import Jinja2Templates

    from memsum.server.middleware import Refusal, RequestChecks, Rules
    from memsum.server.protocol import make_server
except (ModuleNotFoundError, ImportError):
    raise MissingExtraError("Serving a study", "serve") from None

COOKIE = "annotator"
LARGEST_BODY = 64 * 1024
BODY_SECONDS = 30.0
_COOKIE_SECONDS = 180 * 24 * 3600
_HERE = Path(__file__).parent
LONGEST_COMMENT = 4000
_LONGEST_VISIT = 24 * 3600.0
_CHOICES = ("left", "right", "tie")
_UNKNOWN = "This code is not one of this study's."
_NOT_SAVED = {
    403: "This form was sent from another site, so nothing was saved.",
    408: "The form took too long to arrive, so nothing was saved.",
    413: "The form is too large, so nothing was saved.",
}
_QUESTIONS = {
    "overall": "Which is better overall?",
    "coverage": "Which covers more of the reference?",
    "non-redundancy": "Which repeats itself less?",
}


@dataclass(frozen=True)
class Filled:
    """A form as it was filled in; `opened` is when its page was made, as the page carried it."""

    choices: Mapping[str, Choice]
    comment: str
    opened: float | None
    active: float | None
    skips: bool

    @property
    def missing(self) -> list[str]:
        return [criterion for criterion in CRITERIA if criterion not in self.choices]

    def ballot(self) -> Ballot:
        """Return what is stored; the time of a page that was left open for a day is not."""
        seconds = None if self.opened is None else time.time() - self.opened
        seconds = seconds if seconds is not None and 0 <= seconds <= _LONGEST_VISIT else None
        return Ballot(None if self.skips else self.choices, self.comment, seconds, self.active)


def parse_fields(body: bytes) -> dict[str, str]:
    """Return the fields of a form; bytes that are no UTF-8 are replaced, and of a repeated field the last counts."""
    try:
        return dict(parse_qsl(body.decode("ascii", "replace"), keep_blank_values=True, max_num_fields=50))
    except ValueError:
        return {}


def parse_ballot(fields: Mapping[str, str]) -> Filled:
    """Read a ballot; a choice that is none counts as missing."""
    return Filled(
        choices={name: cast(Choice, fields[name]) for name in CRITERIA if fields.get(name) in _CHOICES},
        comment=fields.get("comment", "").replace("\r\n", "\n").replace("\0", "").strip()[:LONGEST_COMMENT],
        opened=_number(fields.get("opened", ""), math.inf),
        active=_number(fields.get("active", ""), _LONGEST_VISIT),
        skips=fields.get("action") == "skip",
    )


def _number(text: str, most: float) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and 0 <= number <= most else None


class _NobodyError(Exception):
    """A request without a code."""


async def _fields(request: Request) -> dict[str, str]:
    return parse_fields(await request.body())


Fields = Annotated[dict[str, str], Depends(_fields)]


def create_app(study: Study, finder: Finder, hosts: frozenset[str] | None = None) -> FastAPI:
    """Make the application, for requests to these hosts or any; all that it keeps is in the study's file."""

    @asynccontextmanager
    async def closing(app: FastAPI) -> AsyncIterator[None]:
        yield
        study.close()  # here, because a server that is asked to stop does not come back to its caller

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=closing)
    pages = Pages(study, finder)
    rules = Rules(LARGEST_BODY, BODY_SECONDS, hosts=hosts, forms=True)
    app.add_middleware(RequestChecks, rules=rules, refuse=_refuse)
    app.mount("/static", StaticFiles(directory=_HERE / "static"), name="static")

    @app.exception_handler(_NobodyError)
    def nobody(request: Request, error: _NobodyError) -> Response:
        return RedirectResponse("/", 303)

    @app.exception_handler(StudyError)
    def failed(request: Request, error: StudyError) -> Response:
        return pages.show(request, "message.html", 503, message="The study cannot be reached just now.")

    @app.exception_handler(HTTPException)
    def refused(request: Request, error: HTTPException) -> Response:
        return pages.show(request, "message.html", error.status_code, message=error.detail)

    @app.exception_handler(404)
    @app.exception_handler(RequestValidationError)
    def absent(request: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException):
            return refused(request, error)
        return pages.show(request, "message.html", 404, message="There is no such page.")

    app.get("/")(pages.welcome)
    app.get("/join/{code}")(pages.join)
    app.post("/join")(pages.join_by_form)
    app.post("/leave")(pages.leave)
    app.get("/next")(pages.next)
    app.get("/done")(pages.done)
    app.get("/pairs/{number}")(pages.pair)
    app.post("/pairs/{number}")(pages.vote)
    app.get("/pairs/{number}/source")(pages.source)
    app.get("/pairs/{number}/relevant")(pages.relevant)
    return app


class Pages:
    """The answers of the addresses; all are the same whichever systems a pair has."""

    def __init__(self, study: Study, finder: Finder) -> None:
        self._study = study
        self._finder = finder
        self._ahead = ThreadPoolExecutor(1, "embed")
        self._templates = Jinja2Templates(directory=_HERE / "templates")
        self._templates.env.globals |= {"title": study.settings.title, "ties": study.settings.ties}
        self._templates.env.globals |= {"criteria": CRITERIA, "questions": _QUESTIONS}
        for name in self._templates.env.list_templates():
            self._templates.env.get_template(name)  # compiled now, not while the first annotator waits

    def show(self, request: Request, name: str, status: int = 200, **context: Any) -> HTMLResponse:
        return self._templates.TemplateResponse(request, name, context, status)

    def _annotator(self, request: Request) -> Annotator:
        code = request.cookies.get(COOKIE)
        if not code:
            raise _NobodyError
        annotator = self._study.annotator(code)
        if annotator is None:
            raise HTTPException(403, _UNKNOWN)
        return annotator

    def _task(self, annotator: Annotator, number: int) -> Task:
        task = self._study.task(annotator, number) if 0 < number < 2**31 else None
        if task is None:
            raise HTTPException(404, "There is no such pair.")
        return task

    def welcome(self, request: Request) -> Response:
        """Show the instructions, or ask for a code."""
        if not request.cookies.get(COOKIE):
            return self.show(request, "code.html")
        annotator = self._annotator(request)
        return self.show(request, "welcome.html", who=annotator.name, progress=self._study.progress(annotator))

    def join(self, request: Request, code: str) -> Response:
        """Ask who follows a link whether they are its annotator: a page of another site may have sent them here."""
        annotator = self._study.annotator(code)
        if annotator is None:
            return self.show(request, "code.html", 403, message=_UNKNOWN)
        if request.cookies.get(COOKIE) == code:
            return RedirectResponse("/", 303)
        return self.show(request, "code.html", who=annotator.name, code=code)

    def join_by_form(self, request: Request, fields: Fields) -> Response:
        """Sign in with the code of a link, or with one that was typed in."""
        code = fields.get("code", "").strip()
        if self._study.annotator(code) is None:
            return self.show(request, "code.html", 403, message=_UNKNOWN)
        response = RedirectResponse("/", 303)
        secure = request.url.scheme == "https"
        response.set_cookie(COOKIE, code, _COOKIE_SECONDS, httponly=True, samesite="lax", secure=secure)
        return response

    def leave(self) -> Response:
        response = RedirectResponse("/", 303)
        response.delete_cookie(COOKIE)
        return response

    def next(self, request: Request, after: int = 0) -> Response:
        number = self._study.next_number(self._annotator(request), min(max(after, 0), 2**31))
        if number is None:
            return RedirectResponse("/done", 303)
        return RedirectResponse(f"/pairs/{number}{f'?saved={after}' if after else ''}", 303)

    def done(self, request: Request) -> Response:
        return self.show(request, "done.html", progress=self._study.progress(self._annotator(request)))

    def pair(self, request: Request, number: int, query: str = "", source: bool = False, saved: int = 0) -> Response:
        annotator = self._annotator(request)
        task = self._task(annotator, number)
        self._ahead.submit(self._finder.prepare, self._document(task))
        return self._pair(request, annotator, task, query=query.strip(), with_source=source, saved=saved)

    def vote(self, request: Request, number: int, fields: Fields) -> Response:
        """Store a ballot and go on; what cannot be stored comes back as it was filled in."""
        annotator = self._annotator(request)
        task = self._task(annotator, number)
        filled = parse_ballot(fields)
        if filled.missing and not filled.skips:
            problem = f"Not saved yet: please also choose for {' and '.join(filled.missing)}."
            return self._pair(request, annotator, task, 422, filled=filled, problem=problem)
        try:
            self._study.cast(annotator, number, filled.ballot())
        except StudyError as error:
            problem = "The study's file cannot be written just now, so nothing was saved. Please submit again."
            if "tie" in filled.choices.values() and not self._study.settings.ties:
                problem = f"{error.message} {error.hint}"
            return self._pair(request, annotator, task, 503, filled=filled, problem=problem)
        return RedirectResponse(f"/next?after={number}", 303)

    def source(self, request: Request, number: int) -> Response:
        """Show the source document as a part of the page."""
        task = self._task(self._annotator(request), number)
        return self.show(request, "_source.html", task=task, sentences=_marked(task), levels={})

    def relevant(self, request: Request, number: int, query: str = "") -> Response:
        """Return how relevant each sentence of the summaries and of the source is to a query."""
        task = self._task(self._annotator(request), number)
        return JSONResponse(self._levels(task, query.strip()))

    def _levels(self, task: Task, query: str) -> dict[str, list[int]]:
        if not query:
            return {"a": [0] * len(task.left), "b": [0] * len(task.right), "source": [0] * len(task.text)}
        levels = self._finder.relevance(self._document(task), query)
        return {"a": [levels[i] for i in task.left], "b": [levels[i] for i in task.right], "source": levels}

    def _document(self, task: Task) -> StudyDocument:
        return self._study.document(task.document)

    def _pair(
        self,
        request: Request,
        annotator: Annotator,
        task: Task,
        status: int = 200,
        *,
        query: str = "",
        with_source: bool = False,
        saved: int = 0,
        filled: Filled | None = None,
        problem: str = "",
    ) -> Response:
        before = task.ballot
        choices = filled.choices if filled else (before.choices if before and before.choices else {})
        return self.show(
            request,
            "pair.html",
            status,
            task=task,
            progress=self._study.progress(annotator),
            levels=self._levels(task, query) if query else {},
            query=query,
            with_source=with_source,
            sentences=_marked(task),
            saved=saved,
            choices=choices,
            comment=filled.comment if filled else (before.comment if before else ""),
            opened=(filled.opened if filled else None) or time.time(),
            problem=problem,
        )


def _refuse(refusal: Refusal) -> Response:
    return PlainTextResponse(f"{_NOT_SAVED.get(refusal.status, refusal.message)}\n", refusal.status)


def _marked(task: Task) -> list[tuple[str, str]]:
    """Return the source's sentences, each with the summaries it is in, which are shown only after the judgment."""
    judged = task.ballot is not None and task.ballot.choices is not None
    left, right = (set(task.left), set(task.right)) if judged else (set[int](), set[int]())
    marks = ["A" * (i in left) + "B" * (i in right) for i in range(len(task.text))]
    return list(zip(task.text, marks, strict=True))


def serve(path: Path, host: str, port: int, model: str | None, report: Callable[[str], None]) -> None:
    """Serve until interrupted; `report` gets one line per annotator before the first request."""
    with Study(path, write=True) as study, open_socket(host, port) as listening:
        app = create_app(study, open_finder(model), LOOPBACK_NAMES if is_loopback(host) else None)
        for line in links(study, address_of(listening, host)):
            report(line)
        if not is_loopback(host):
            report("Others can reach this address without encryption: put a server with HTTPS in front of it.")
        make_server(app).run(sockets=[listening])


def links(study: Study, address: str) -> list[str]:
    """Return one line per annotator: name, progress, and the link that only they should get."""
    lines = []
    for annotator in study.annotators():
        progress = study.progress(annotator)
        lines.append(f"{annotator.name}\t{progress.judged}/{progress.total}\t{address}/join/{annotator.code}")
    return lines
