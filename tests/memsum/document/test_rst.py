"""reStructuredText and notebooks that are damaged or hostile: one sentence, or what can be read of them."""

from __future__ import annotations

import contextlib
import json
import time

import pytest

from memsum.document import Document, read_document
from memsum.errors import DocumentError


def rst(text: str) -> Document:
    return read_document(text, format="rst", isolated=False)


def test_nothing_is_read_from_outside_the_file() -> None:
    document = rst(
        "Words stand here.\n\n.. include:: /etc/passwd\n\n.. raw:: html\n   :file: /etc/passwd\n\n"
        ".. csv-table::\n   :file: /etc/passwd\n\n.. literalinclude:: /etc/passwd\n\n.. figure:: /etc/passwd\n"
    )
    assert "root" not in document.text
    assert [sentence.text for sentence in document.sentences] == ["Words stand here."]


def test_what_a_document_defines_is_forgotten_with_it() -> None:
    rst(".. role:: loud\n\n.. anything:: here\n\n:loud:`A role.`")
    from docutils.parsers.rst import directives

    assert "anything" not in directives._directives


@pytest.mark.parametrize(
    "text",
    [
        "".join("  " * depth + "- a\n\n" for depth in range(400)),
        "".join("  " * depth + ".. note::\n\n" for depth in range(400)) + "  " * 400 + "a",
        "*" * 5000,
        "`a " * 5000,
        "|a| " * 2000 + "\n\n.. |a| replace:: " + "|b| " * 100,
        ":a:`" * 3000,
        f"+{'---+' * 10_000}\n|{' a |' * 10_000}\n+{'---+' * 10_000}\n",
        f"{'=== ' * 10_000}\n{'aaa ' * 10_000}\n{'=== ' * 10_000}\n",
        " Aa: \n " * 1000,
    ],
)
def test_endless_nesting_ends(text: str) -> None:
    began = time.process_time()
    with contextlib.suppress(DocumentError):
        rst(text)
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    "cells", ["[{}]", '"words"', '[{"cell_type": "markdown"}]', "[1", '[{"cell_type": 1, "source": 2}]']
)
def test_a_damaged_notebook_is_said_to_be_one(cells: str) -> None:
    with pytest.raises(DocumentError, match="damaged"):
        read_document(f'{{"cells": {cells}, "nbformat": 4}}', format="notebook")


def test_a_notebook_that_ends_its_own_fence_stays_in_it() -> None:
    source = "```\nprint()\n# No heading.\n````"
    cells = [{"cell_type": "code", "source": source}, {"cell_type": "markdown", "source": ["One sentence is here."]}]
    document = read_document(json.dumps({"cells": cells, "nbformat": 4}))
    assert document.format == "notebook"
    assert [sentence.text for sentence in document.sentences] == ["One sentence is here."]
