"""Attacks by files: archives whose parts are valid and whose contents are mutated, and texts that nobody sees.

    python benchmarks/attack_files.py [archives] [hidden] [--count 2000] [--seed 0]

`archives` takes the DOCX, ODT, EPUB and PPTX files of `tests/memsum/document/hidden.py`, changes the trees of their
parts (elements repeated, moved, nested, renamed, removed, attributes and texts replaced), packs them again, and reads
them; anything but a document or a DocumentError is a crash, and every sentence must be `text[start:end]`. `hidden`
summarizes each of those files, asks it the question that its hidden sentence answers, and looks for that sentence.
"""

from __future__ import annotations

import argparse
import io
import random
import resource
import signal
import sys
import time
import zipfile
from collections import Counter
from copy import deepcopy
from pathlib import Path
from types import FrameType

from lxml import etree

from memsum import Summarizer
from memsum.document import read_document
from memsum.errors import DocumentError

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.memsum.document import hidden

SECONDS = 20  # for a file of a few kilobytes, whatever is in it
VALUES = ["", "0", "-1", "1", "true", "none", "a" * 5000, "9" * 400, "1e999", "NaN", "../../etc/passwd", "http://a.b/"]
VALUES += ["\u202e", "#", "%", "rId1", "{x}", "100%", "auto", "0.0001", "²", "٣"]


def seeds() -> dict[str, list[bytes]]:
    """The packed files of the set, by format."""
    found: dict[str, list[bytes]] = {}
    for make in hidden.CASES.values():
        made = make()
        if not isinstance(made, bytes) or not made.startswith(b"PK"):
            continue
        with zipfile.ZipFile(io.BytesIO(made)) as archive:
            names = " ".join(archive.namelist())
        kind = next((kind for kind, mark in MARKS.items() if mark in names), None)
        if kind:
            found.setdefault(kind, []).append(made)
    return found


MARKS = {"docx": "word/", "pptx": "ppt/", "epub": ".opf", "odt": "content.xml"}


def mutated(data: bytes, chance: random.Random) -> bytes:
    """The same archive with one to six changes in the trees of its parts."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    trees = {}
    for name, content in parts.items():
        try:
            trees[name] = etree.fromstring(content)
        except etree.XMLSyntaxError:
            continue
    for _ in range(chance.randint(1, 6)):
        if trees:
            change(chance.choice(list(trees.values())), chance)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in parts.items():
            packing = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(name, etree.tostring(trees[name]) if name in trees else content, packing)
    return out.getvalue()


def change(root: etree._Element, chance: random.Random) -> None:
    """Change one thing in a tree."""
    elements = [one for one in root.iter() if isinstance(one.tag, str)]
    one, other = chance.choice(elements), chance.choice(elements)
    way = chance.randrange(8)
    if way == 0 and one.attrib:
        one.set(chance.choice(list(one.attrib)), chance.choice(VALUES))
    elif way == 1 and other.attrib:
        name = chance.choice(list(other.attrib))
        one.set(name, other.get(name))
    elif way == 2:
        one.text = chance.choice([*VALUES, "A sentence. Another one."]).replace("\0", "")
    elif way == 3:
        one.tag = other.tag
    elif way == 4 and one.getparent() is not None:
        one.getparent().remove(one)
    elif way == 5:
        copy = deepcopy(one)
        if len(elements) < 3000:
            for _ in range(chance.choice([1, 2, 50])):
                other.append(deepcopy(copy))
    elif way == 6:
        inner = one
        for _ in range(chance.choice([1, 20, 300])):
            inner = etree.SubElement(inner, one.tag, dict(one.attrib))
        inner.text = "A sentence inside."
    elif one.attrib:
        del one.attrib[chance.choice(list(one.attrib))]


class Late(Exception):  # noqa: N818
    """The file took too long."""


def attack_archives(count: int, seed: int) -> None:
    """Read mutated files, and print what became of them."""

    def late(number: int, frame: FrameType | None) -> None:
        raise Late

    signal.signal(signal.SIGALRM, late)
    for kind, files in seeds().items():
        chance = random.Random(f"{kind} {seed}")
        seen: Counter[str] = Counter()
        slowest = 0.0
        for number in range(count):
            data = mutated(chance.choice(files), chance)
            began = time.process_time()
            signal.alarm(SECONDS)
            try:
                document = read_document(data, isolated=False)
                whole = all(document.text[one.start : one.end] == one.text for one in document.sentences)
                seen["read" if whole else "wrong offsets"] += 1
            except DocumentError:
                seen["refused"] += 1
            except Exception as error:
                seen[f"crash: {type(error).__name__}"] += 1
                print(f"  {kind} {number} of seed {seed}: {type(error).__name__}: {str(error)[:200]}")
            finally:
                signal.alarm(0)
            slowest = max(slowest, time.process_time() - began)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        told = ", ".join(f"{name} {times:,}" for name, times in sorted(seen.items()))
        print(f"| {kind}, parts mutated | {count:,} files | {told}; slowest {slowest:.2f} s of CPU; {memory} MB |")


def attack_hidden() -> None:
    """Summarize every file with a hidden sentence, and ask for it."""
    summarizer = Summarizer.load("default", threads=1)
    leaks: list[str] = []
    for name in hidden.LEFT_OUT:
        reading = summarizer.read(read_document(hidden.CASES[name](), isolated=False, strict=True))
        summaries = [reading.summarize(ratio=1.0), reading.summarize(about=hidden.SECRET, nearest=True)]
        if any(hidden.SECRET in " ".join(quote.text.split()) for one in summaries for quote in one):
            leaks.append(name)
    print(
        f"| hidden text | {len(hidden.LEFT_OUT)} files, a summary and a question each | {len(leaks)} quoted {leaks} |"
    )
    print(f"| hidden, but not certainly | {len(hidden.READ)} files | read |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=["archives", "hidden"])
    parser.add_argument("--count", type=int, default=2000, help="files of each format")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if "archives" in arguments.parts:
        attack_archives(arguments.count, arguments.seed)
    if "hidden" in arguments.parts:
        attack_hidden()


if __name__ == "__main__":
    main()
