"""Sentence boundaries and detection on texts in many languages that nothing was tuned on: Debian's translated manuals.

    python benchmarks/languages_untuned.py boundaries FOLDER --language de [--seed 2] [--paragraphs 14]
    python benchmarks/languages_untuned.py detection FOLDER

FOLDER holds unpacked packages: `apt-get download` and `dpkg-deb -x` of stellarium-data, freeciv-data, debian-history,
debian-handbook, gnome-user-docs. `boundaries` prints every mark that may end a sentence, to be read: S where the text
is split, J where it is not. Splits between a word of five letters and a capital are counted, not printed. `detection`
prints which share of paragraphs, whole or cut to some characters, is recognized, and what the others are taken for.
"""

from __future__ import annotations

import argparse
import gettext
import html
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from memsum.document.sentences import split_sentences
from memsum.languages.detection import detect_language, language_name

CODES = {"nb": "no", "C": "en"}
PARAGRAPH = re.compile(r'<p\b[^>]*>(.*?)</p>|<div class="para">(.*?)</div>', re.DOTALL)
MARK = re.compile(r"[.!?…؟۔।][\"'”’»«“)\]」』*]*(?:\[\d+\])*\s+(?=\S)|[。！？｡][」』”’》）〉】]*(?=\S)")
EASY = re.compile(r"[^\W\d_]{5,}[.!?]\s+[^\W\d_a-zа-я]")
SHORTEST = 120  # characters
CUTS = 40, 80, 160, 5_000
AROUND = 30  # characters shown on either side of a mark


def read_texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the language and the content of each file; a catalog of messages is as many."""
    for path in sorted(folder.rglob("*")):
        if path.match("skycultures/*/description.*.utf8") or path.match("debian-history/docs/*.html"):
            yield path.name.split(".")[1], path.read_text("utf-8", "replace")
        elif path.match("debian-handbook/html/*/*.html"):
            yield path.parent.name, path.read_text("utf-8", "replace")
        elif path.match("help/*/*/*.page"):
            yield path.parent.parent.name, path.read_text("utf-8", "replace")
        elif path.match("*/LC_MESSAGES/freeciv-nations.mo"):
            with path.open("rb") as file:
                catalog = gettext.GNUTranslations(file)
            for key, told in vars(catalog)["_catalog"].items():
                if isinstance(told, str) and told != key:
                    yield path.parent.parent.name, f"<p>{html.escape(told)}</p>"


def collect(folder: Path) -> dict[str, list[str]]:
    """Return the paragraphs of each language, without those that were not translated."""
    found: dict[str, set[str]] = defaultdict(set)
    for name, text in read_texts(folder):
        code = name.replace("_", "-").partition("-")[0]
        for groups in PARAGRAPH.findall(text):
            paragraph = " ".join(html.unescape(re.sub(r"<[^>]+>", "", "".join(groups))).split())
            if len(paragraph) > SHORTEST:
                found[CODES.get(code, code)].add(paragraph)
    known = {code: own if code == "en" else own - found["en"] for code, own in sorted(found.items())}
    return {code: sorted(own) for code, own in known.items() if language_name(code) and len(own) >= 20}


def show_boundaries(paragraphs: list[str], language: str, count: int, seed: int) -> None:
    telling = [paragraph for paragraph in paragraphs if len(MARK.findall(paragraph)) >= 2]
    total = easy = 0
    for paragraph in random.Random(seed).sample(telling, min(count, len(telling))):
        starts = {start for start, _ in split_sentences(paragraph, language)}
        for mark in MARK.finditer(paragraph):
            total += 1
            is_split = mark.end() in starts
            if is_split and EASY.search(paragraph[max(0, mark.start() - 6) : mark.end() + 1]):
                easy += 1
                continue
            before, after = paragraph[max(0, mark.start() - AROUND) : mark.end()], paragraph[mark.end() :][:AROUND]
            print("S" if is_split else "J", before.rstrip(), "|", after)
    print(f"{total} marks, {easy} of them not shown")


def show_detection(texts: dict[str, list[str]]) -> None:
    print(f"| language | {' | '.join(f'{cut} characters' for cut in CUTS[:-1])} | paragraph | taken for |")
    print(f"|---|{'---:|' * len(CUTS)}---|")
    for code, paragraphs in texts.items():
        sample = random.Random(1).sample(paragraphs, min(100, len(paragraphs)))
        shares, others = [], Counter[str]()
        for cut in CUTS:
            long_enough = [one[:cut] for one in sample if len(one) >= min(cut, 2 * CUTS[1])]
            found = Counter(detect_language(one) for one in long_enough)
            shares.append(f"{found[code] / max(found.total(), 1):.0%}")
            if cut == CUTS[-1]:
                others.update({str(other): number for other, number in found.items() if other != code})
        print(f"| {code} | {' | '.join(shares)} | {', '.join(f'{one} {n}' for one, n in others.most_common(3))} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=("boundaries", "detection"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--language", default="de")
    parser.add_argument("--paragraphs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=2)
    arguments = parser.parse_args()
    texts = collect(arguments.folder)
    if arguments.task == "detection":
        show_detection(texts)
    else:
        show_boundaries(texts[arguments.language], arguments.language, arguments.paragraphs, arguments.seed)


if __name__ == "__main__":
    main()
