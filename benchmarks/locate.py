"""How well quotes of others are found, and false ones told from them.

    python benchmarks/locate.py FOLDER... [--quotes 400] [--documents 40] [--details]

Takes sentences from the documents of some folders by other means than memsum reads them (PDFs by pdftotext of
poppler, Word files by python-docx, HTML and Markdown as the text of the page), and looks them up. Then it changes
them: a number, a negation, a name, a unit; two sentences become one; words are replaced; or the sentence is another
document's. With --details it shows what went wrong.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pypdfium2

from memsum.document import Document, read_document
from memsum.errors import MemsumError
from memsum.query.locate import QuoteLocator
from memsum.query.located import LocatedQuote

SENTENCE = re.compile(r"[A-Z“\"](?:(?!\n\s*\n)[^.!?\f]){50,280}[.!?](?=\s|$)")
NEGATIONS = {
    "is": "is not",
    "are": "are not",
    "was": "was not",
    "can": "cannot",
    "must": "must not",
    "will": "will not",
}
UNITS = {"km": "m", "kg": "g", "hours": "minutes", "days": "weeks", "percent": "points", "%": "$", "years": "months"}
OTHERS = {"small": "tiny", "large": "big", "use": "employ", "show": "demonstrate", "many": "numerous", "also": "too"}


def other_text(path: Path) -> str:
    """Read a file as another program would copy it."""
    suffix = path.suffix.lower()
    if suffix == ".pdf":
        return subprocess.run(["pdftotext", str(path), "-"], capture_output=True, text=True, check=True).stdout
    if suffix == ".docx":
        import docx

        return "\n\n".join(paragraph.text for paragraph in docx.Document(str(path)).paragraphs)
    from lxml import html
    from markdown_it import MarkdownIt

    raw = path.read_text("utf-8", "replace")
    if suffix not in (".html", ".xhtml", ".htm"):
        raw = MarkdownIt().render(re.sub(r"\A---\n.*?\n---\n", "", raw, flags=re.DOTALL))
    page = html.fromstring(raw.encode(), parser=html.HTMLParser(encoding="utf-8"))
    for element in page.xpath("//script | //style | //pre | //nav | //header | //footer | //table | //math | //aside"):
        element.drop_tree()
    return "\n\n".join(element.text_content() for element in page.xpath("//p | //li[not(.//p)]"))


def sentences(text: str) -> list[str]:
    found = [match.group() for match in SENTENCE.finditer(text)]
    return [one for one in found if 8 <= len(one.split()) <= 45 and sum(map(str.isalpha, one)) > 0.7 * len(one)]


def change_number(one: str, rng: random.Random) -> tuple[str, str, str] | None:
    numbers = list(re.finditer(r"(?<![\w.,\[-])\d+(?![\w\]])", one))
    if not numbers:
        return None
    chosen = rng.choice(numbers)
    new = str(int(chosen.group()) + rng.choice((1, 7, 30)))
    return one[: chosen.start()] + new + one[chosen.end() :], new, chosen.group()


def replace_word(table: dict[str, str]) -> Callable[[str, random.Random], tuple[str, str, str] | None]:
    def change(one: str, rng: random.Random) -> tuple[str, str, str] | None:
        for old, new in table.items():
            pattern = rf"(?<!\w){re.escape(old)}(?!\w)(?! not)"
            if re.search(pattern, one):
                return re.sub(pattern, new, one, count=1), new.removeprefix(f"{old} "), old
        return None

    return change


def change_name(one: str, rng: random.Random) -> tuple[str, str, str] | None:
    names = list(re.finditer(r"(?<=[a-z] )[A-Z][a-z]{3,}(?!\w)", one))
    if not names:
        return None
    chosen = rng.choice(names)
    return f"{one[: chosen.start()]}Wexford{one[chosen.end() :]}", "Wexford", chosen.group()


# A letter alone, Greek, operators: programs set the same formula in different orders.
FORMULA = re.compile(r"(?<![\w’'])[b-zB-HJ-Z](?!\w)|[α-ωΑ-Ωµ∀-⋿]|(?<!\w)[A-Za-z]\d|\w,\w(?!\w)")

CHANGES = {
    "a number": change_number,
    "a negation": replace_word(NEGATIONS),
    "a name": change_name,
    "a unit": replace_word(UNITS),
    "a word": replace_word(OTHERS),
}


def has_change(found: LocatedQuote, new: str, old: str) -> bool:
    """Tell if a difference names what was changed, and no more than a few words beside it."""
    return any(
        (new in change.quote or old in change.document) and len(change.quote.split()) <= 4 for change in found.changes
    )


def is_in_boxes(path: Path, quote: str, found: LocatedQuote) -> bool:
    """Tell if the boxes of a quote hold its words and little else, by pdfium's own text of these areas."""
    pages = pypdfium2.PdfDocument(path)
    for place in found.occurrences:
        areas = [
            pages[box.page - 1].get_textpage().get_text_bounded(box.left, box.bottom, box.right, box.top)
            for box in place.boxes
        ]
        letters = [Counter(filter(str.isalnum, text.casefold())) for text in (quote, " ".join(areas))]
        if sum((letters[0] & letters[1]).values()) >= 0.9 * max(letter.total() for letter in letters):
            return True
    return False


def documents(folders: list[Path], count: int, rng: random.Random) -> Iterator[tuple[Path, Document, list[str]]]:
    """Yield files of as many formats as there are, with what memsum reads, and the sentences of another program."""
    by_format: dict[str, list[Path]] = defaultdict(list)
    for folder in folders:
        for path in sorted(folder.iterdir()):
            if path.suffix.lower() in (".pdf", ".docx", ".html", ".xhtml", ".md", ".markdown"):
                by_format[path.suffix.lower()].append(path)
    for paths in by_format.values():
        rng.shuffle(paths)
    given = 0
    while given < count and any(by_format.values()):
        for paths in by_format.values():
            while paths and given < count:
                path = paths.pop()
                try:
                    document, own = read_document(path), sentences(other_text(path))
                except (MemsumError, subprocess.CalledProcessError):
                    continue
                if len(own) >= 10:
                    given += 1
                    yield path, document, own
                    break


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--quotes", type=int, default=400)
    parser.add_argument("--documents", type=int, default=40)
    parser.add_argument("--details", action="store_true")
    args = parser.parse_args()
    rng = random.Random(4)
    given = list(documents(args.folders, args.documents, rng))
    each = -(-args.quotes // len(given))
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    seconds = 0.0

    def note(kind: str, quote: str, found: LocatedQuote, fine: bool) -> None:
        counts[kind][found.status] += 1
        counts[kind]["as it should be"] += fine
        if args.details and not fine:
            print(f"{kind}: {quote!r}\n    {found.status} {found.note or ''} {found.changes[:4]}")

    for number, (path, document, own) in enumerate(given):
        locator = QuoteLocator(document)
        for quote in rng.sample(own, min(each, len(own))):
            begin = time.process_time()
            found = locator.locate(quote)
            seconds += time.process_time() - begin
            placed = document.format != "pdf" or is_in_boxes(path, quote, found)
            kind = "true, with a formula" if FORMULA.search(quote) else "true"
            note(kind, quote, found, found.is_found and placed)
        for quote in rng.sample(own, min(each, len(own))):
            if not locator.locate(quote).is_found:
                continue
            kinds = list(CHANGES)
            rng.shuffle(kinds)
            made = next(((kind, made) for kind in kinds if (made := CHANGES[kind](quote, rng))), None)
            if made is not None:
                kind, (changed, new, old) = made
                found = locator.locate(changed)
                note(f"changed: {kind}", changed, found, found.status == "edited" and has_change(found, new, old))
        first, second = rng.sample(own, 2)
        found = locator.locate(f"{first} {second}")
        note("two sentences joined", f"{first} {second}", found, found.status == "edited" or second in first)
        others = given[(number + 1 + len(given) // 2) % len(given)][2]
        for quote in rng.sample(others, min(each // 2, len(others))):
            found = locator.locate(quote)
            note("of another document", quote, found, found.status == "not found")
    total = sum(row.total() - row["as it should be"] for kind, row in counts.items() if kind.startswith("true"))
    print(f"\n{len(given)} documents, {1000 * seconds / max(total, 1):.2f} ms of CPU per true quote\n")
    print("| quotes | n | exact | same words | edited | not found | as it should be |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for kind, row in counts.items():
        number = sum(row.values()) - row["as it should be"]
        cells = [str(row[status]) for status in ("exact", "same words", "edited", "not found")]
        print(f"| {kind} | {number} | {' | '.join(cells)} | {row['as it should be'] / number:.1%} |")


if __name__ == "__main__":
    main()
