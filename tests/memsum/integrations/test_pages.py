"""The code of docs/integrations.md and docs/comparison.md, run as it stands there."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import memsum
from memsum.cli.app import app

ROOT = Path(__file__).parents[3]
_SECTION = re.compile(r"^## ", re.MULTILINE)
_BLOCK = re.compile(r"^```(?P<language>python|text)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


def code_of(page: str, heading: str) -> tuple[str, str]:
    """The Python of a section of a page, and what the page says that it prints."""
    sections = _SECTION.split((ROOT / "docs" / page).read_text(encoding="utf-8"))
    section = next(section for section in sections if section.startswith(heading))
    blocks = [(found["language"], found["code"]) for found in _BLOCK.finditer(section)]
    return tuple("\n".join(code for name, code in blocks if name == kind) for kind in ("python", "text"))  # type: ignore[return-value]


def run(page: str, heading: str, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, Any], str, str]:
    """Run a section's code where its readers would: what it defined, printed, and should have printed."""
    monkeypatch.chdir(ROOT)
    code, expected = code_of(page, heading)
    names: dict[str, Any] = {"__name__": "page"}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, page, "exec", dont_inherit=True), names)
    return names, printed.getvalue(), expected


def test_the_calls_of_those_who_come_from_other_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    demo = ROOT / "docs" / "demo" / "night-buses.md"
    (tmp_path / "report.txt").write_bytes(demo.read_bytes())
    monkeypatch.chdir(tmp_path)
    text, path, question = demo.read_text(encoding="utf-8"), tmp_path / "report.txt", "What did a trip cost?"
    page = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| .* \| (.*) \|$", page, re.MULTILINE)
    calls = [call for row in rows for call in re.findall(r"`([^`]+)`", row)]
    evaluated = [call for call in calls if re.match(r"(?:\[.* in |list\()?memsum\.\w+.*\(|\[", call)]
    assert len(evaluated) > 20
    for call in evaluated:
        assert eval(call, {"memsum": memsum, "text": text, "path": path, "question": question}), call
    commands = [call for call in calls if call.startswith("memsum summarize ")]
    assert commands
    for command in commands:
        result = CliRunner().invoke(app, shlex.split(command)[1:])
        assert result.exit_code == 0, command
        assert result.stdout.strip()


@pytest.mark.slow
def test_a_client_of_the_model_context_protocol(tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    code, expected = code_of("integrations.md", "Assistants")
    paths = os.pathsep.join(filter(None, sys.path))
    command = tmp_path / "memsum"
    command.write_text(f'#!/bin/sh\nPYTHONPATH="{paths}" exec "{sys.executable}" -m memsum "$@"\n')
    command.chmod(0o755)
    env = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    client = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True)
    assert client.stdout == expected, client.stderr


def test_a_document_compressor_for_langchain(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("langchain_core")
    names, printed, expected = run("integrations.md", "LangChain", monkeypatch)
    assert printed == expected
    document, compressor = names["Document"], names["MemsumCompressor"]()
    text = (ROOT / "docs/demo/night-buses.md").read_text(encoding="utf-8")
    heading = document("# Fares", metadata={"source": "b"})
    kept = compressor.compress_documents([document(text, metadata={"source": "a"}), heading], "What did a trip cost?")
    assert kept[1] == heading
    assert kept[0].metadata["source"] == "a"
    assert all(quote in text for quote in kept[0].page_content.split("\n"))
    assert 0 < len(kept[0].metadata["quotes"]) <= 3
    assert compressor.compress_documents([document(text)], "Who wrote the Iliad?") == []


def test_a_node_postprocessor_for_llama_index(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("llama_index.core")
    names, printed, expected = run("integrations.md", "LlamaIndex", monkeypatch)
    assert printed == expected
    node, scored = names["TextNode"], names["NodeWithScore"]
    text = (ROOT / "docs/demo/night-buses.md").read_text(encoding="utf-8")
    nodes = [scored(node=node(text=text, id_="a", metadata={"page": 1}), score=0.7), scored(node=node(text="# Fares"))]
    kept = names["MemsumPostprocessor"]().postprocess_nodes(nodes, query_str="What did a trip cost?")
    assert [found.node.node_id for found in kept] == ["a", nodes[1].node.node_id]
    assert (kept[0].score, kept[0].node.metadata) == (0.7, {"page": 1})
    assert all(quote in text for quote in kept[0].node.get_content().split("\n"))
    assert len(names["MemsumPostprocessor"](sentences=1).postprocess_nodes(nodes)[0].node.get_content()) < 500
