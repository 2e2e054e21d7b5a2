"""What tests of several folders do in the same way."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from typer.testing import CliRunner, Result

from memsum import Document
from memsum.cli.app import app
from memsum.features.encoding import FEATURES, EncodedText
from memsum.model.constraints import TrigramBlock

if TYPE_CHECKING:
    from memsum_train.learning.data import EncodedDocument
    from memsum_train.rouge.tokens import Tokenizer

Text = tuple[float, float, float, str, str]  # x, y, size, font, text


def run(*arguments: object, status: int = 0, stdin: str | bytes | None = None) -> Result:
    """Run a command of memsum that ends with a status, and never with a traceback."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == status, result.output
    assert "Traceback" not in result.output
    return result


def write_lines(path: Path, records: Iterable[object], end: str = "") -> Path:
    """Write records as lines of JSON, and what follows them."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records) + end, encoding="utf-8")
    return path


def read_lines(path: Path | str) -> list[Any]:
    """Read what lines of JSON hold."""
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def texts(document: Document, kind: str) -> list[str]:
    """The texts of the blocks of one kind."""
    return [document.text[block.start : block.end] for block in document.blocks if block.kind == kind]


def sentences(document: Document) -> list[str]:
    """The texts of the sentences."""
    return [sentence.text for sentence in document.sentences]


def write_pdf(bodies: Sequence[bytes]) -> bytes:
    """A PDF file of objects, the first of which is its catalog."""
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(bodies) + 1
    trailer = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (size, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % size + table + trailer


def make_stream(content: bytes, entries: bytes = b"") -> bytes:
    """A stream of a PDF, as an object."""
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(content), entries, content)


def make_pdf(pages: Iterable[Iterable[Text]], rotate: int = 0, content: str = "", box: str = "0 0 600 800") -> bytes:
    """A PDF of lines of text at given places, set in Helvetica (F1), its bold (F2) or Courier (F3)."""
    objects: list[bytes] = []
    kids = []
    for page in pages:
        shown = "".join(
            f"BT /{font} {size} Tf {x} {y} Td ({text}) Tj ET\n"
            if len(font) == 2
            else f"BT /F1 {size} Tf {font} Tm ({text}) Tj ET\n"
            for x, y, size, font, text in page
        )
        stream = (content + shown).encode("latin-1")
        number = 6 + len(objects)
        kids.append(f"{number} 0 R")
        fonts = "/Resources << /Font << /F1 3 0 R /F2 4 0 R /F3 5 0 R >> >>"
        about = f"/MediaBox [{box}] /Rotate {rotate} {fonts} /Contents {number + 1} 0 R"
        objects.append(f"<< /Type /Page /Parent 2 0 R {about} >>".encode())
        objects.append(make_stream(stream))
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /{} /Encoding /WinAnsiEncoding >>"
    head = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>".encode(),
        *(font.format(name).encode() for name in ("Helvetica", "Helvetica-Bold", "Courier")),
    ]
    return write_pdf([*head, *objects])


def column(x: float, top: float, lines: Iterable[str], size: float = 10) -> list[Text]:
    return [(x, top - 12 * number, size, "F1", line) for number, line in enumerate(lines)]


def make_page(lines: Iterable[str]) -> bytes:
    """A PDF of one page with these lines."""
    return make_pdf([column(50, 700, lines)])


def stems(tokenizer: Tokenizer, text: str) -> list[str]:
    """The stemmed words of a text."""
    [(ids, _)], _ = tokenizer.number([text])
    stems = list(tokenizer._numbers.stems)
    return [stems[number] for number in ids]


def blocked_by(text: Sequence[str], index: int) -> set[int]:
    """The sentences that share a trigram with one, itself included if it has any."""
    block = TrigramBlock(text)
    block.extract(index)
    return set(np.flatnonzero(block.blocked).tolist())


def rngs(*seeds: int) -> list[np.random.Generator]:
    return [np.random.default_rng(seed) for seed in seeds]


def metrics_without_time(folder: Path) -> list[dict[str, Any]]:
    """What a training logged, without the seconds that it took."""
    return [{k: v for k, v in line.items() if k != "seconds"} for line in read_lines(folder / "metrics.jsonl")]


def encode_words(
    words: Sequence[Sequence[int]],
    *episodes: list[int],
    rewards: Sequence[float] | None = None,
) -> EncodedDocument:
    """A document of sentences of these ids of words, with episodes."""
    from memsum_train.learning.data import EncodedDocument

    ids, lengths = np.concatenate(words).astype(np.int32), np.array([len(sentence) for sentence in words])
    features = np.zeros((len(lengths), len(FEATURES)), np.float32)
    text = EncodedText(ids, np.cumsum(lengths) - lengths, features, np.arange(len(lengths)))
    scores = np.array(rewards or [0.5] * len(episodes), np.float32)
    return EncodedDocument(text, [np.array(episode, np.int64) for episode in episodes], scores)
