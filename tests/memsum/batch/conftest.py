"""Documents good and bad, settings with a model of few weights, and an engine that knows the results already."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from memsum.batch.inputs import Input
from memsum.batch.journal import Outcome
from memsum.batch.run import Job, Results
from memsum.batch.summaries import BatchSettings, failure
from memsum.options import SummaryOptions
from memsum_train.corpus import Example


@pytest.fixture(scope="session")
def settings(model_folder: Path) -> BatchSettings:
    """Two sentences of each document."""
    return BatchSettings(str(model_folder), SummaryOptions(sentences=2))


@pytest.fixture(scope="session")
def records(make_examples: Callable[..., list[Example]]) -> list[dict[str, Any]]:
    """Thirty documents, as texts and as lists of sentences; the 4th, 11th, 18th and 25th cannot be summarized."""
    made: list[dict[str, Any]] = []
    for number, example in enumerate(make_examples(30, seed=5, sentences=8), start=1):
        text: Any = list(example.text) if number % 2 else " ".join(example.text)
        made.append({"id": f"doc-{number}", "text": text} if number % 3 else {"text": text})
    made[3] = {"id": "empty", "text": ""}
    made[10] = {"id": "wordless"}
    made[17] = {"id": "numbers", "text": [1, 2]}
    made[24] = {"id": ["a", "list"], "text": "The tide rose."}
    return made


@pytest.fixture
def source(records: list[dict[str, Any]], tmp_path: Path) -> Path:
    """The documents as a file; a blank line counts as a line, and is no document."""
    path = tmp_path / "in.jsonl"
    lines = [json.dumps(record) for record in records]
    path.write_text("\n".join([*lines[:7], "", *lines[7:], ""]), encoding="utf-8")
    return path


@dataclass
class Known:
    """An engine that gives each item a made-up outcome: every seventh fails, until `heal` is set."""

    heal: bool = False
    stop_after: int | None = None
    seen: list[int] = field(default_factory=list)

    def check(self, source: Input) -> None:
        """Any will do."""

    def __call__(self, job: Job, source: Input, done: Container[int], *, ordered: bool) -> Results:
        """In order, or every two the wrong way round; a KeyboardInterrupt after so many."""
        waiting: list[int] = []
        for place in source.positions():
            if place in done:
                continue
            waiting.append(place)
            if ordered or len(waiting) == 2:
                for each in self._some(waiting):
                    yield each, self._outcome(each)
                waiting = []
        for each in self._some(waiting):
            yield each, self._outcome(each)

    def _some(self, places: list[int]) -> Iterable[int]:
        for place in reversed(places):
            if len(self.seen) == self.stop_after:
                raise KeyboardInterrupt
            self.seen.append(place)
            yield place

    def _outcome(self, place: int) -> Outcome:
        if place % 7 == 4 and not self.heal:
            return failure(place, "It is – still – broken.")
        return Outcome(json.dumps({"id": place, "sentences": ["It rained."] * (place % 4)}))


@pytest.fixture
def known() -> type[Known]:
    """The engine that needs no model."""
    return Known
