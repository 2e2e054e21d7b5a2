"""Counts how many documents are said to be a table, code, a log, speech or the like, and not prose.

    python benchmarks/makeup.py [FOLDER | CORPUS.jsonl.zst]... [--limit 60]

Without arguments: documents made here (tables, logs, lists of references, forms), this project's own source code, and
man pages (needs groff and /usr/share/man). A corpus has `text`, `paragraphs` or `sections`.
"""

# ruff: noqa: E501

from __future__ import annotations

import argparse
import json
import random
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from memsum.document import read_document
from memsum.errors import DocumentError
from memsum.summary.warnings import makeup

NAMES = ["Anna Hale", "Ben Stone", "Carla Reyes", "David Wood", "Eva Lind"]
THINGS = ["Drinking water", "Base fee", "Oak board", "Steel screw", "Roof tile"]
MAN = ["tar", "ls", "grep", "find", "sed", "gzip", "chmod", "cp", "date", "sort"]
FORM = """Application for a season ticket\n\nName: _______________\n\nDate of birth: __________\n\n[ ] I agree to the rules.

[ ] I want to have the newsletter.\n\nPlease return the form to the desk.\n\nPlace, date: ____________  Signature: ___________\n"""


def main() -> None:
    """Print a row of counts per source."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="*", type=Path)
    parser.add_argument("--limit", type=int, default=60, help="documents of a corpus")
    arguments = parser.parse_args()
    for source in arguments.sources:
        report(source.name, sorted(source.iterdir()) if source.is_dir() else islice(records(source), arguments.limit))
    if not arguments.sources:
        for name, texts in made().items():
            report(name, texts)


def report(name: str, documents: Iterable[Path | str]) -> None:
    """Count what the documents of a source are said to be."""
    found: Counter[str] = Counter()
    for source in documents:
        try:
            found[makeup(read_document(source)) or "prose"] += 1
        except DocumentError:
            found["not read"] += 1
    print(f"{name:<28} {found.total():>4}  {', '.join(f'{kind} {count}' for kind, count in found.most_common())}")


def records(path: Path) -> Iterator[str]:
    """Yield the documents of a corpus."""
    run = subprocess.Popen(["zstd", "-dc", "--long=27", str(path)], stdout=subprocess.PIPE)
    assert run.stdout is not None
    for line in run.stdout:
        record = json.loads(line)
        text = record.get("text") or record.get("paragraphs")
        text = text or [paragraph for section in record["sections"] for paragraph in section["paragraphs"]]
        yield text if isinstance(text, str) else "\n\n".join(text)
    run.kill()


def made() -> dict[str, list[str]]:
    """Return documents that have few sentences, by kind."""
    draw = random.Random(3)
    rows = [["id", "item", "customer", "amount", "date"]]
    rows += [
        [str(n), draw.choice(THINGS), draw.choice(NAMES), f"{n * 3.5:.2f}", f"2026-03-{n % 28 + 1:02}"]
        for n in range(60)
    ]
    grid = "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], ["---"] * 5, *rows[1:]])
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    tables = ["\n".join(mark.join(row) for row in rows) for mark in (",", ";", "\t", " | ")]
    tables += ["\n".join("".join(f"{cell:<18}" for cell in row) for row in rows), f"# Sales\n\nAll sales.\n\n{grid}\n"]
    tables += [f"<html><body><h1>Sales</h1><p>All sales of the year.</p><table>{cells}</table></body></html>"]
    stamps = [
        "2026-03-12T10:{}:01Z INFO",
        "[2026-03-12 10:{}:01] server:",
        "Mar 12 10:{}:01 host cron[12]:",
        "[WARN] worker {}:",
    ]
    logs = [
        "\n".join(f"{stamp.format(n)} {draw.choice(THINGS)} was sent to {draw.choice(NAMES)}" for n in range(10, 60))
        for stamp in stamps
    ]
    entries = [
        f"Hale, A., and Stone, B. ({n}). On the roofs of villages. Journal of Roofs, {n - 1980}, 11-19."
        for n in range(1985, 2024)
    ]
    references = [
        "\n\n".join(entries),
        "\n\n".join(f"[{n}] {entry}" for n, entry in enumerate(entries, 1)),
        "# References\n\n" + "\n\n".join(entries),
    ]
    sources = sorted(Path(__file__).parents[1].glob("src/memsum/**/*.py"))
    code = [path.read_text(encoding="utf-8") for path in sources if path.stat().st_size > 4000][::8]
    return {"tables": tables, "logs": logs, "references": references, "forms": [FORM, FORM.replace("_", ".")], "code": code,
            "man pages": [page for page in map(man_page, MAN) if len(page) > 500]}  # fmt: skip


def man_page(name: str) -> str:
    """Return a page as a terminal shows it, nothing if it is not installed."""
    found = next(Path("/usr/share/man/man1").glob(f"{name}.1*"), None)
    if found is None:
        return ""
    return subprocess.run(
        f"zcat -f {found} | groff -man -Tascii -P-c | col -bx", shell=True, capture_output=True, text=True
    ).stdout


if __name__ == "__main__":
    main()
