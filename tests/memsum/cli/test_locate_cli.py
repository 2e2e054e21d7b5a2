from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from ...helpers import run

LIBRARY = Path(__file__).parents[3] / "docs" / "sample" / "library-hours.md"

locate = partial(run, "locate")


@pytest.fixture
def minutes(tmp_path: Path) -> Path:
    path = tmp_path / "minutes.md"
    path.write_text(
        "# Minutes\n\n## Crane\n\nThe crane costs 4,100 euros. It will arrive on 12 May.\n", encoding="utf-8"
    )
    return path


def test_all_quotes_are_there(minutes: Path) -> None:
    result = locate(minutes, "--quote", "The crane costs 4,100 euros.", "-q", "IT WILL arrive")
    assert result.stdout == (
        "✓ exact: The crane costs 4,100 euros.\n    Crane, sentence 1\n"
        "✓ same words: IT WILL arrive\n    Crane, sentence 2\n"
    )
    assert result.stderr == "2 quotes: 1 exact, 1 same words\n"


def test_the_status_tells_that_one_is_not(minutes: Path) -> None:
    result = locate(minutes, "-q", "The crane costs 4,200 euros.", "-q", "zebras", status=1)
    assert "[-4,200-]{+4,100+}" in result.stdout
    assert "✗ not found: zebras\n" in result.stdout
    assert result.stderr == "2 quotes: 1 edited, 1 not found\n"


def test_json_has_everything(minutes: Path) -> None:
    found = json.loads(locate(minutes, "-q", "arrive on 12 May", "--format", "json").stdout)
    assert found["id"] == str(minutes)
    assert found["found"] == 1
    [quote] = found["quotes"]
    text = "arrive on 12 May"
    start = quote["occurrences"][0]["start"]
    assert quote == {
        "quote": text,
        "status": "exact",
        "occurrences": [
            {
                "text": text,
                "start": start,
                "end": start + len(text),
                "passage": "It will arrive on 12 May.",
                "sentences": [1],
                "section": "Crane",
            }
        ],
    }


@pytest.mark.parametrize(
    "answer", ["It says “it will arrive on 12 May”.", "it will arrive on 12 May\n", '["It will arrive on 12 May"]']
)
def test_quotes_come_from_a_file_or_from_standard_input(minutes: Path, tmp_path: Path, answer: str) -> None:
    file = tmp_path / "answer.txt"
    file.write_text(answer, encoding="utf-8")
    assert locate(minutes, "--quotes", file).stderr.startswith("1 quote: ")
    assert locate(minutes, "--quotes", "-", stdin=answer).stderr.startswith("1 quote: ")
    assert locate("-", "--quotes", file, stdin=minutes.read_text("utf-8")).stderr.startswith("1 quote: ")


def test_quotes_of_a_summary_are_there(minutes: Path, tmp_path: Path) -> None:
    summary = tmp_path / "summary.json"
    run(LIBRARY, "-n", 3, "-f", "json", "-o", summary)
    assert locate(LIBRARY, "--quotes", summary).stderr == "3 quotes: 3 exact\n"


def test_mistakes_are_one_sentence(minutes: Path) -> None:
    assert "There are no quotes." in locate(minutes, status=1).stderr
    assert "Standard input is either" in locate("-", "--quotes", "-", status=1).stderr
    assert "No such file" in locate(minutes, "--quotes", "nothing.txt", status=1).stderr
