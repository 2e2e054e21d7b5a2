"""Highlighting a stranger's PDF in a process of its own, under limits of time and memory, that can be killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import IO

from memsum.document.model import Box
from memsum.errors import DocumentError
from memsum.summary.highlight import Highlight, mark_pdf

_MEMORY_MB = 1024
_REFUSED = 3  # exit status: stdout has the error instead of the PDF


def mark_isolated(pdf: bytes, highlights: Sequence[Highlight], seconds: float) -> bytes:
    """What `mark_pdf` makes of it, or a DocumentError if it took too long or too much memory."""
    order = json.dumps([[highlight.boxes, highlight.note] for highlight in highlights]).encode()
    try:
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-m", __name__, str(_MEMORY_MB)],
            input=order + b"\n" + pdf,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=max(seconds, 0.001),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
    except subprocess.TimeoutExpired:
        raise DocumentError("Highlighting this PDF took too long.", "Choose the format html.") from None
    if done.returncode == _REFUSED:
        error = json.loads(done.stdout)
        raise DocumentError(error["message"], error["hint"])
    if done.returncode:
        raise DocumentError("This PDF cannot be written again: it is damaged or hostile.", "Choose the format html.")
    return done.stdout


def _limit(memory_mb: int) -> None:
    """Bound the memory; Windows cannot."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory_mb * 2**20, memory_mb * 2**20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main(source: IO[bytes], sink: IO[bytes]) -> int:
    """The process: what to mark in the first line, the PDF behind it; gives the exit status."""
    order = json.loads(source.readline())
    highlights = [Highlight(tuple(Box(*box) for box in boxes), note) for boxes, note in order]
    try:
        sink.write(mark_pdf(source.read(), highlights))
    except DocumentError as error:
        sink.write(json.dumps({"message": error.message, "hint": error.hint}).encode())
        return _REFUSED
    return 0


if __name__ == "__main__":
    _limit(int(sys.argv[1]))
    sys.exit(main(sys.stdin.buffer, sys.stdout.buffer))
