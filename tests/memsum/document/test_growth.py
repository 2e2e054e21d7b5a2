"""Reading is linear: no pattern takes more than three times the work at twice the length, in any format.

`benchmarks/growth.py` runs every pattern through every reader, at greater lengths.
"""

from __future__ import annotations

import re
import signal
from itertools import islice

import pytest

from memsum.document.readers import html

from . import growth

SIZE = 4000  # characters; four times as many are read too
SIZES = {"markdown": 1500}  # its parser is the slowest by far

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="endless work cannot be interrupted here"),
]

MODULES = {module.__name__: module for module in growth.modules() if growth.patterns_of(module)}


def test_every_expression_of_the_readers_takes_part() -> None:
    assert {"memsum.document.sentences", "memsum.text.tokens", "memsum.document.readers.latex"} <= set(MODULES)
    assert len(growth.patterns_of(html)) > 20


@pytest.mark.parametrize("name", [name for name in MODULES if ".pdf" not in name])
def test_no_expression_makes_reading_superlinear(name: str) -> None:
    patterns = growth.patterns_of(MODULES[name])
    complaints = [
        f"{target}: {complaint}"
        for target in growth.targets_of(MODULES[name])
        for pattern in dict.fromkeys(patterns.values())
        if (complaint := growth.complaint(growth.TARGETS[target], pattern, SIZES.get(target, SIZE)))
    ]
    assert not complaints, "\n".join(complaints)


@pytest.mark.parametrize("name", [name for name in MODULES if ".pdf" in name])
def test_no_expression_of_the_pdf_reader_is_superlinear(name: str) -> None:
    complaints = [
        f"{called}: {complaint}"
        for called, call, pattern in growth.calls_of(MODULES[name])
        if (complaint := growth.complaint(call, pattern, 2 * SIZE))
    ]
    assert not complaints, "\n".join(complaints)


@pytest.mark.parametrize("target", [*growth.WRITTEN, "detect"])
def test_no_repeated_mark_makes_reading_superlinear(target: str) -> None:
    everywhere = [pattern for patterns in growth.WRITTEN.values() for pattern in patterns]
    patterns = growth.WRITTEN.get(target, everywhere)
    complaints = [
        complaint
        for pattern in patterns
        if (complaint := growth.complaint(growth.TARGETS[target], pattern, SIZES.get(target, SIZE)))
    ]
    assert not complaints, "\n".join(complaints)


@pytest.mark.parametrize("target", growth.STRUCTURED)
def test_no_structure_makes_reading_superlinear(target: str) -> None:
    # Each pair of elements in some of its forms; all of them are in the benchmark.
    complaints = [
        complaint
        for pattern in islice(growth.structures(target), 0, None, 3)
        if (complaint := growth.complaint(growth.TARGETS[target], pattern, SIZE))
    ]
    assert not complaints, "\n".join(complaints)


@pytest.mark.parametrize(
    "expression",
    [
        r"\s*(?:<!--.{0,2000}?-->\s*)*<html",
        r"\\newcommand\s*\{?\s*\\[a-z]+\s*\}?\s*(?:\[\d\])?\s*\{",
        r"\s*~?\\cite\{",
        r"\\cite(?:\[[^\]]*\])?\{",
        r"^title:[ \t]*([\"']?)(?P<title>\S.*?)\1[ \t]*\r?$",
        r"(?:[ \t]*%[^\n]*\n|\s)*[\\{]",
    ],
)
def test_expressions_that_once_were_superlinear_are_noticed(expression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "PATIENCE", 0.5)
    compiled = re.compile(expression, re.DOTALL)
    call = lambda text: compiled.sub("", text)  # noqa: E731
    # The test is lenient on a busy machine; what it must notice it may look at more than once, at a larger size.
    patterns = list(growth.pumped(expression, re.DOTALL))
    assert any(growth.complaint(call, pattern, size) for size in (SIZE, 2 * SIZE, 4 * SIZE) for pattern in patterns)


def test_linear_work_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "FLOOR", 0.0)
    linear = lambda text: [text.count(str(number)) for number in range(300)]  # noqa: E731
    assert not growth.complaint(linear, growth.Pattern("a"), 100_000)
