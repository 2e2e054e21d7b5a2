"""A small study of four documents, and what serves it: in the same process, or as a process that can be killed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memsum_study.plan import StudyOptions, plan_study
from memsum_study.store import Study, write_study
from memsum_train.corpus.records import Example
from memsum_train.evaluation.data import Data, Prediction, make_data
from memsum_train.evaluation.systems import System

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

ORIGIN = "http://study.test"
LEFT_LEFT_RIGHT = {"overall": "left", "coverage": "left", "non-redundancy": "right", "action": "submit"}

# Names that would be noticed in any page.
MAGPIE, HERON = "magpie-system-47", "heron-system-91"

DOCUMENTS = {
    "ferry": [
        "The harbour council met on Tuesday evening in the old customs house.",
        "Night ferries to the northern islands will start again in April.",
        "The ferries carry medicine, mail and about forty passengers each night.",
        "Coffee was served during the break.",
        "A new ferry costs nine million and the islands pay a third of it.",
        "The council will vote on the price of tickets in March.",
    ],
    "orchard": [
        "We counted bees in twelve orchards over three summers.",
        "Orchards with a strip of wild flowers had twice as many bees.",
        "Spraying at dusk did not change the number of bees.",
        "The weather station was repaired in the second summer.",
        "More bees meant heavier apples, but not more of them.",
    ],
    "library": [
        "The library opens at nine.",
        "Readers asked for longer evening hours in winter.",
        "Longer evening hours in winter would need two more librarians.",
        "The roof leaks <b>badly</b> & nobody knows why.",
    ],
    "bridge": [
        "The footbridge over the Lenne closed in May after a routine inspection.",
        "Rust had eaten a fifth of two of its steel cables.",
        "Until the repair, walkers must use the road bridge downstream.",
        "The town expects the repair to last until autumn.",
    ],
}
SUMMARIES = {
    "ferry": ["Night ferries to the northern islands start again in April.", "The islands pay a third of a new ferry."],
    "orchard": ["Strips of wild flowers doubled the bees in orchards.", "Apples became heavier."],
    "library": ["Readers want longer evening hours, which need two more librarians."],
    "bridge": ["Rusty cables closed the footbridge until autumn."],
}
# The two agree on the bridge.
EXTRACTS = {
    MAGPIE: {"ferry": [1, 4], "orchard": [4, 1], "library": [2], "bridge": [1, 3]},
    HERON: {"ferry": [0, 1, 2], "orchard": [0, 2], "library": [0, 3], "bridge": [3, 1]},
}


@pytest.fixture(scope="session")
def study_data() -> Data:
    examples = [Example(tuple(text), tuple(SUMMARIES[name]), id=name) for name, text in DOCUMENTS.items()]
    return make_data("town", examples)


def predictions_of(name: str, data: Data) -> System:
    extracts = EXTRACTS[name]
    found = [Prediction.extract(example.text, extracts[str(example.id)]) for example in data.examples]
    return System(name, "predictions:" + "0" * 12, lambda examples: found, found)


MakeStudy = Callable[..., Path]
SECRET = "a-secret-of-the-tests"


@pytest.fixture
def make_study(study_data: Data, tmp_path: Path) -> MakeStudy:
    """Writes a study of the two systems, with the options of `StudyOptions` and a secret, by default always one."""

    def make(name: str = "study.db", secret: str | None = SECRET, **options: object) -> Path:
        systems = [predictions_of(system, study_data) for system in (MAGPIE, HERON)]
        path = tmp_path / name
        plan = plan_study("The town study", study_data, systems, StudyOptions(**options), secret=secret)  # type: ignore[arg-type]
        write_study(path, plan)
        return path

    return make


Open = Callable[..., "TestClient"]


@pytest.fixture
def open_client(make_study: MakeStudy) -> Iterator[Open]:
    """Opens a client that follows an annotator's link; options are those of a study, which is `client.study`."""
    pytest.importorskip("fastapi", reason="the serve extra is not installed")
    pytest.importorskip("httpx", reason="httpx is not installed")
    from fastapi.testclient import TestClient

    from memsum_study.similarity import Finder, WordCounts
    from memsum_study.web.app import create_app

    opened: list[Study] = []

    def open_(path: Path | None = None, *, join: bool = True, **options: object) -> TestClient:
        study = Study(path or make_study(**options), write=True)
        opened.append(study)
        client = TestClient(create_app(study, Finder(WordCounts)), base_url=ORIGIN, headers={"origin": ORIGIN})
        client.study = study  # type: ignore[attr-defined]
        if join:
            assert client.post("/join", data={"code": study.annotators()[0].code}).status_code == 200
        return client

    yield open_
    for study in opened:
        study.close()


@pytest.fixture
def client(open_client: Open) -> TestClient:
    """The client of the first of the study's annotators."""
    return open_client()


@dataclass
class Server:
    """A study served by a process of its own."""

    path: Path
    port: int = 0

    def start(self) -> None:
        command = [sys.executable, "-m", "memsum", "study", "serve", str(self.path), "--port", str(self.port)]
        env, pipe = {**os.environ, "PYTHONUNBUFFERED": "1"}, subprocess.PIPE
        self.process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=env)
        assert self.process.stdout is not None
        with Study(self.path) as study:
            lines = [self.process.stdout.readline() for _ in study.annotators()]
        self.links = [match[0] for line in lines if (match := re.search(r"http://\S+", line))]
        assert self.links, self.process.stderr.read() if self.process.stderr else ""
        self.address = self.links[0].split("/join/")[0]
        self.port = int(self.address.rsplit(":", 1)[1])

    def stop(self) -> None:
        """As a service manager would."""
        self.process.terminate()
        self.process.wait(20)

    def kill(self) -> None:
        """As a power cut or the system's memory guard would: no chance to tidy up."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


@pytest.fixture
def serve() -> Iterator[Callable[[Path], Server]]:
    servers: list[Server] = []

    def run(path: Path) -> Server:
        server = Server(path)
        servers.append(server)
        server.start()
        return server

    yield run
    for server in servers:
        server.kill()


def eventually(check: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < end, "it never was"
        time.sleep(0.05)
