"""What texts cost that are made to be slow or large: every pattern through every reader, and memory at 8 MB.

    python benchmarks/growth.py [--size CHARACTERS] [--only TARGET …] [--memory]

The patterns are those of `tests/memsum/document/growth.py`: each regular expression of the readers contributes its own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.memsum.document import growth
from tests.memsum.document.frames import FRAMES
from tests.memsum.document.test_pdf_hostile import make_pdf

_CHILD = """
import resource, sys, time
from pathlib import Path
from memsum import MemsumError, Summarizer
from memsum.isolation import close_sandboxes
from memsum.document import read_document
try:
    document = read_document(Path(sys.argv[1]), format=sys.argv[2])
    said = f"{len(document.text) / 1e6:.1f} MB of text, {len(document.sentences):,} sentences"
    Summarizer.load().summarize(document, sentences=3)
except MemsumError as error:
    said = error.message
close_sandboxes()
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
peaks = int(peak.split()[1]), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(f"{max(peaks) / 1024:.0f}|{time.process_time():.0f}|{said}")
"""
_PARAGRAPH = "<w:p><w:r><w:t>a.</w:t></w:r></w:p>"

# What is repeated until a file has 8 MB: as many parts as possible for each byte; "{}" is a number that differs.
LARGE: dict[str, list[str]] = {
    "docx": ["<w:p/>", _PARAGRAPH, "<w:tbl><w:tr><w:tc>" * 60 + _PARAGRAPH + "</w:tc></w:tr></w:tbl>" * 60],
    "html": [
        "<b>",
        "<p>a.",
        "<p>aaaaa aaaaaaa.\n",
        "<b>aaaaa aaaaaaaa\n",
        "<b aa bb cc dd ee>\n",
        "<p>The pump ran.</p>\n",
        "<a b c d e f g>",
        "a.<br><br>",
        "word ",
    ],
    "jats": ["<p/>", "<p>a.</p>", "<p>The pump ran.</p>\n", "<sup>1</sup>"],
    "latex": ["\\a", "$a$", "a.\n\n", "\\item a. ", "{", "\\section{a}"],
    "markdown": ["*a*", "#\n", "- a.\n", "> ", "[a](b)", "a. A. ", "a.\n\n", "<b>", "<p>\n\n", "|a\n", "`"],
    "pdf": ["0 0 m 1 1 l S ", "q ", "n ", "BT /F1 9 Tf (a) Tj ET "],
    "plain": [
        "a. A. ",
        "a.\n\n",
        "a\n",
        "a",
        "word ",
        "Pump {} ran. ",
        "Pump {} ran.\n\n",
        "Pump" + 60 * " {}" + " ran. ",
    ],
}


def main() -> None:
    """Growth, or memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=16_000, help="characters; four times as many are read too")
    parser.add_argument("--only", nargs="*", default=[*growth.TARGETS, "pdf"])
    parser.add_argument(
        "--memory", action="store_true", help="peak memory of reading and summarizing each file of 8 MB"
    )
    arguments = parser.parse_args()
    if arguments.memory:
        measure_memory(arguments.only)
    else:
        measure_growth(arguments.only, arguments.size)


def measure_growth(targets: list[str], size: int) -> None:
    patterns = {pattern for module in growth.modules() for pattern in growth.patterns_of(module).values()}
    patterns |= {pattern for written in growth.WRITTEN.values() for pattern in written}
    print(f"{len(patterns)} patterns, {size:,} to {4 * size:,} characters")
    for target in (target for target in targets if target in growth.TARGETS):
        start = time.process_time()
        complaints = [growth.complaint(growth.TARGETS[target], pattern, size) for pattern in sorted(patterns, key=str)]
        complaints = [complaint for complaint in complaints if complaint]
        print(f"{target:<10} {len(complaints):>3} superlinear, {time.process_time() - start:.0f} s of CPU")
        for complaint in complaints:
            print(f"    {complaint}")


def measure_memory(targets: list[str], size: int = 8 * 2**20) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for target, unit in ((name, unit) for name in targets for unit in LARGE.get(name, [])):
            text = _repeated(unit, size)
            source = make_pdf(text.encode()) if target == "pdf" else FRAMES.get(target, str)(text)
            path = Path(folder) / "file"
            path.write_bytes(source.encode() if isinstance(source, str) else source)
            run = subprocess.run([sys.executable, "-c", _CHILD, path, target], capture_output=True, text=True)
            memory, seconds, said = (run.stdout.strip() or f"?|?|{run.stderr[-200:]}").split("|", 2)
            print(f"{target:<9} {unit[:24]!r:<28} {memory:>5} MB {seconds:>4} s  {said}", flush=True)


def _repeated(unit: str, size: int) -> str:
    if "{}" not in unit:
        return unit * (size // len(unit))
    count = size // len(unit.replace("{}", "123456"))
    return "".join(unit.replace("{}", str(100_000 + number)) for number in range(count))


if __name__ == "__main__":
    main()
